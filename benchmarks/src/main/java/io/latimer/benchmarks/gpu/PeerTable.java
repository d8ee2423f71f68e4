package io.latimer.benchmarks.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Function;

/** Compares a bench's results with those of peers on the same host and data. */
final class PeerTable {
  /** Replaces results that should be equal but are not. */
  static final String DIFFERENT = "**THEY DIFFER**";

  private PeerTable() {}

  /**
   * Writes the table to a file and to stdout, and exits with 1 if results differ.
   *
   * @param args the Markdown file to write, and the JSON lines of the bench and of the peers'
   *     scripts
   */
  static void write(String[] args, Function<BenchLines, String> markdown) throws IOException {
    if (args.length < 2) {
      System.err.println("arguments: OUT.md BENCH.jsonl...");
      System.exit(2);
    }
    Path[] files = Arrays.stream(args).skip(1).map(Path::of).toArray(Path[]::new);
    String table = markdown.apply(BenchLines.read(files));
    Files.writeString(Path.of(args[0]), table);
    System.out.print(table);
    if (table.contains(DIFFERENT)) {
      System.err.println("bench and peers disagree: see " + args[0]);
      System.exit(1);
    }
  }
}
