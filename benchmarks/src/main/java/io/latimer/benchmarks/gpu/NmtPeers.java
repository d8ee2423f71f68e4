package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Translation by a small GRU, compared with PyTorch. */
public final class NmtPeers {
  private static final String RATE = "words_per_s";
  private static final double THOUSAND = 1000;

  private final BenchLines lines;

  private NmtPeers(BenchLines lines) {
    this.lines = lines;
  }

  /** Writes the table; see {@link PeerTable#write}. */
  public static void main(String[] args) throws IOException {
    PeerTable.write(args, NmtPeers::markdown);
  }

  static String markdown(BenchLines lines) {
    NmtPeers peers = new NmtPeers(lines);
    Markdown out = new Markdown();
    peers.table(
        out,
        "random",
        "Random weights (V 4,530, E 256, H 512), the sentences of `nmt_bench`, each translated"
            + " to as many words as it has tokens; from ids to ids, 1000 source words/s, median"
            + " (minimum to maximum). The weights of the two differ, so outputs cannot be"
            + " compared here.");
    peers.table(
        out,
        "model",
        "The given model and text, real ends of sentences; from ids to ids, 1000 source"
            + " words/s, median (minimum to maximum).");
    out.paragraph(
        "The work differs. In float16 both multiply on tensor cores and add in float32; Latimer"
            + " takes the exponentials of gates and of the softmax over the vocabulary with"
            + " `__expf` and keeps its states in float32, PyTorch uses `expf` and rounds every"
            + " result to float16. In float32 Latimer adds exponentials in 53 bits, so that"
            + " results do not depend on the batch, and PyTorch in 24 (no TF32). Greedy search"
            + " computes no softmax over the vocabulary on either side. PyTorch's captured step"
            + " keeps all rows to the end of the batch; the time to capture it is not included.");
    return out.toString();
  }

  private void table(Markdown out, String data, String about) {
    List<Line> peers = lines.where(line -> line.is("op", "nmt-peer") && line.is("data", data));
    if (peers.isEmpty()) {
      return;
    }
    out.paragraph(about);
    out.header(
        "precision, search",
        "batch",
        "PyTorch eager",
        "dropping",
        "captured step",
        "Latimer",
        "Latimer, two batches in flight",
        "Latimer / PyTorch's best",
        "two in flight / PyTorch's best",
        "the same words as Latimer");
    peers.stream().map(NmtPeers::key).distinct().forEach(key -> row(out, data, key, peers));
    out.end();
  }

  private void row(Markdown out, String data, Map<String, String> key, List<Line> peers) {
    List<Line> same = peers.stream().filter(line -> key(line).equals(key)).toList();
    Line best =
        same.stream().max(Comparator.comparingDouble(line -> line.number(RATE))).orElseThrow();
    Line one = data.equals("random") ? kernel(key) : operator(key, "1");
    Line two = data.equals("random") ? null : operator(key, "2");
    out.row(
        key.get("precision")
            + ", "
            + (key.get("beam").equals("1") ? "greedy" : "beam " + key.get("beam")),
        key.get("batch"),
        cell(way(same, "eager")),
        cell(way(same, "dropping")),
        cell(way(same, "captured")),
        cell(one),
        cell(two),
        ratio(one, best),
        ratio(two, best),
        best.text("compared").isEmpty()
            ? Markdown.NONE
            : Markdown.count(best, "same")
                + " of "
                + Markdown.count(best, "compared")
                + ", "
                + Markdown.count(best, "same_length")
                + " as long");
  }

  private static Map<String, String> key(Line line) {
    return Map.of(
        "precision", line.text("precision"),
        "beam", line.text("beam"),
        "batch", line.text("batch"));
  }

  /** The kernels' bench with all ideas enabled. */
  private Line kernel(Map<String, String> key) {
    return first(
        lines.where(
            line ->
                line.is("op", "nmt-kernels")
                    && line.is("shape", "small")
                    && key(line).equals(key)
                    && line.is("places", line.text("batch"))
                    && line.is("graphs", "true")
                    && line.is("keep_rows", "false")
                    && line.is("separate", "false")
                    && !line.is("epilogue", "false")
                    && !line.is("shortlist", "true")));
  }

  private Line operator(Map<String, String> key, String inFlight) {
    return first(
        lines.where(
            line ->
                line.is("op", "nmt")
                    && line.is("level", "ids")
                    && key(line).equals(key)
                    && line.is("scores", line.is("beam", "1") ? "false" : "true")
                    && line.is("graphs", "true")
                    && line.is("in_flight", inFlight)));
  }

  private static Line way(List<Line> lines, String way) {
    return first(lines.stream().filter(line -> line.is("way", way)).toList());
  }

  private static Line first(List<Line> lines) {
    return lines.isEmpty() ? null : lines.get(0);
  }

  private static String cell(Line line) {
    return Markdown.spread(line, RATE, THOUSAND);
  }

  private static String ratio(Line own, Line peer) {
    return own == null ? Markdown.NONE : Markdown.number(own.number(RATE) / peer.number(RATE));
  }
}
