package io.latimer.benchmarks.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Sets what a bench has measured beside what its peers have on the same host and data. Arguments:
 * {@code ngrams}, {@code nmt} or {@code lm}, the Markdown to write, and the JSON lines of the bench
 * and of the peers' scripts. The table goes to stdout as well. Counts that differ fail it.
 */
public final class PeerTable {
  /** In the place of results that should be the same. */
  static final String DIFFERENT = "**THEY DIFFER**";

  private PeerTable() {}

  /** Writes the table. */
  public static void main(String[] args) throws IOException {
    if (args.length < 3) {
      System.err.println("usage: PeerTable ngrams|nmt|lm OUT.md BENCH.jsonl...");
      System.exit(2);
    }
    Path[] files = Arrays.stream(args).skip(2).map(Path::of).toArray(Path[]::new);
    BenchLines lines = BenchLines.read(files);
    String table =
        switch (args[0]) {
          case "ngrams" -> NgramPeers.markdown(lines);
          case "nmt" -> NmtPeers.markdown(lines);
          case "lm" -> LmPeers.markdown(lines);
          default ->
              throw new IllegalArgumentException("no peers of " + args[0] + ": ngrams, nmt or lm");
        };
    Files.writeString(Path.of(args[1]), table);
    System.out.print(table);
    if (table.contains(DIFFERENT)) {
      System.err.println("bench and peers have not counted the same: see " + args[1]);
      System.exit(1);
    }
  }
}
