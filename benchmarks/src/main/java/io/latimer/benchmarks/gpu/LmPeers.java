package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Scoring by a language model, compared with KenLM. */
public final class LmPeers {
  private static final String RATE = "mqps";

  /** KenLM's program prints six digits. */
  private static final double MAX_DIFFERENCE = 1e-5;

  private LmPeers() {}

  /** Writes the table; see {@link PeerTable#write}. */
  public static void main(String[] args) throws IOException {
    PeerTable.write(args, LmPeers::markdown);
  }

  static String markdown(BenchLines lines) {
    List<Line> peers = lines.where(line -> line.is("op", "lm-peer"));
    List<Line> own =
        lines.where(
            line ->
                line.is("op", "lm")
                    && line.is("level", "operator")
                    && line.is("layout", "HASH")
                    && line.is("from", "text"));
    Markdown out = new Markdown();
    out.paragraph(
        "Scoring raw text, including word look-up: million words and sentence ends per second,"
            + " median (minimum to maximum).");
    out.header("Latimer on", "Latimer", "KenLM probing", "Latimer / KenLM", "perplexities");
    for (Line line : own) {
      Optional<Line> peer = peerOf(line, peers);
      out.row(
          line.text("device"),
          Markdown.spread(line, RATE, 1),
          peer.map(
                  kenlm ->
                      kenlm.text("threads")
                          + " "
                          + kenlm.text("way")
                          + ": "
                          + Markdown.spread(kenlm, RATE, 1))
              .orElse(Markdown.NONE),
          peer.map(kenlm -> Markdown.number(line.number(RATE) / kenlm.number(RATE)))
              .orElse(Markdown.NONE),
          line.text("perplexity") + peer.map(kenlm -> compared(line, kenlm)).orElse(""));
    }
    return out.end()
        .paragraph(
            "The work differs: Latimer returns id, score and length of every word and the total"
                + " of every line in columns, KenLM's driver only adds up the scores. A GPU is"
                + " compared with KenLM's maximum number of threads. Each KenLM process loads"
                + " the model; that time is subtracted.")
        .toString();
  }

  private static String compared(Line own, Line kenlm) {
    double perplexity = kenlm.number("perplexity");
    boolean same =
        own.is("queries", kenlm.text("queries"))
            && Math.abs(own.number("perplexity") - perplexity) <= MAX_DIFFERENCE * perplexity;
    return " and " + kenlm.text("perplexity") + (same ? "" : " " + PeerTable.DIFFERENT);
  }

  /** KenLM with the same number of threads; with its maximum if the line does not tell. */
  private static Optional<Line> peerOf(Line own, List<Line> peers) {
    return peers.stream()
        .filter(peer -> own.text("device").equals("cpu, " + peer.text("threads") + " threads"))
        .findFirst()
        .or(
            () ->
                own.text("device").startsWith("cpu")
                    ? Optional.empty()
                    : peers.stream()
                        .max(Comparator.comparingDouble(peer -> peer.number("threads"))));
  }
}
