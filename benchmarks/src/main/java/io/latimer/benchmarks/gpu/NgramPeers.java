package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** N-gram counting, compared with CuPy. */
public final class NgramPeers {
  private static final List<String> OWN_BEST = List.of("shared", "hash");

  private final BenchLines lines;
  private final double bytes;

  private NgramPeers(BenchLines lines, double bytes) {
    this.lines = lines;
    this.bytes = bytes;
  }

  /** Writes the table; see {@link PeerTable#write}. */
  public static void main(String[] args) throws IOException {
    PeerTable.write(args, NgramPeers::markdown);
  }

  static String markdown(BenchLines lines) {
    Markdown out = new Markdown();
    for (double bytes : sizes(lines)) {
      NgramPeers peers = new NgramPeers(lines, bytes);
      peers.onDevice(out);
      peers.endToEnd(out);
    }
    words(lines, out);
    return out.toString();
  }

  /** Those of texts that a peer has counted; all if there is no peer. */
  private static double[] sizes(BenchLines lines) {
    List<Line> peers = lines.where(line -> line.is("op", "ngrams-peer"));
    List<Line> of =
        peers.isEmpty()
            ? lines.where(line -> line.is("op", "ngrams") && !line.is("unit", "words"))
            : peers;
    return of.stream().mapToDouble(line -> line.number("bytes")).distinct().sorted().toArray();
  }

  private void onDevice(Markdown out) {
    out.paragraph(
        "Counting byte n-grams of "
            + Markdown.number(bytes / 1e6)
            + " MB, text and counts in device memory: milliseconds, median (minimum to maximum).");
    out.header(
        "n",
        "distinct",
        "CuPy V1",
        "CuPy V2",
        "CuPy sort",
        "Latimer V1",
        "Latimer V2",
        "Latimer sort",
        "Latimer best",
        "CuPy's best / Latimer's",
        "counts");
    for (int n : orders()) {
      List<Line> own = own(n);
      Line best = fastest(own, line -> OWN_BEST.contains(line.text("strategy")));
      if (best == null) {
        continue;
      }
      out.row(
          String.valueOf(n),
          Markdown.count(best, "distinct"),
          cell(peers(n, "v1")),
          cell(peers(n, "v2")),
          cell(peers(n, "sort")),
          cell(of(own, "v1")),
          cell(of(own, "v2")),
          cell(of(own, "sort")),
          cell(best),
          ratio(peers(n, ""), best, "count_ms"),
          counts(n));
    }
    out.end()
        .paragraph(
            "The work differs: V1, V2 and Latimer's best for n = 1 and 2 end with a histogram,"
                + " the sorts with a sorted list, Latimer's best from n = 3 on with an unsorted"
                + " hash table. CuPy's V2 is the faster of 128 copies, as in the paper, and of"
                + " 32 at n = 3; its sort uses the narrowest integers that hold n bytes. The"
                + " next table has the sorted list of all of them, in host memory.");
  }

  private void endToEnd(Markdown out) {
    List<Line> uploads = peers(0, "upload");
    out.paragraph(
        "The same from host memory (a Java array, a NumPy array) to the sorted table in host"
            + " memory: milliseconds."
            + operator(0).stream()
                .map(copy -> " The copy of the text from pinned memory alone: " + cell(copy) + ".")
                .collect(Collectors.joining()));
    out.header(
        "n",
        "CuPy's best: upload + count + list + fetch",
        "Latimer, auto: upload and count",
        "fetch of the table",
        "both",
        "CuPy / Latimer");
    for (int n : orders()) {
      Line own = fastest(operator(n), line -> line.is("strategy", "auto"));
      if (own == null) {
        continue;
      }
      double both = own.number("count_ms") + own.number("table_ms");
      Line peer =
          uploads.isEmpty()
              ? null
              : peers(n, "").stream().min(Comparator.comparingDouble(NgramPeers::all)).orElse(null);
      double peerAll = peer == null ? 0 : uploads.get(0).number("upload_ms") + all(peer);
      out.row(
          String.valueOf(n),
          peer == null
              ? Markdown.NONE
              : Markdown.number(peerAll)
                  + " ("
                  + peer.text("strategy")
                  + ": "
                  + Markdown.number(uploads.get(0).number("upload_ms"))
                  + " + "
                  + Markdown.number(peer.number("count_ms"))
                  + " + "
                  + Markdown.number(peer.number("list_ms"))
                  + " + "
                  + Markdown.number(peer.number("fetch_ms"))
                  + ")",
          cell(own),
          Markdown.spread(own, "table_ms", 1),
          Markdown.number(both),
          peer == null ? Markdown.NONE : Markdown.number(peerAll / both));
    }
    out.end();
  }

  private static void words(BenchLines lines, Markdown out) {
    List<Line> words =
        lines.where(line -> line.is("level", "operator") && line.is("unit", "words"));
    if (words.isEmpty()) {
      return;
    }
    out.paragraph(
        "The operator for words, ids in Java's heap, one record per line: milliseconds, median"
            + " (minimum to maximum). No peer counts words.");
    out.header("MB", "n", "distinct", "strategy", "upload and count", "fetch of the table");
    for (Line line : words) {
      out.row(
          Markdown.number(line.number("bytes") / 1e6),
          line.text("n"),
          Markdown.count(line, "distinct"),
          line.text("strategy"),
          cell(line),
          Markdown.spread(line, "table_ms", 1));
    }
    out.end();
  }

  /** Whether all found the same n-grams with the same counts. */
  private String counts(int n) {
    List<Line> operator = operator(n);
    List<Line> peers = peers(n, "");
    List<Line> kernels = own(n);
    if (operator.isEmpty() || peers.isEmpty()) {
      return "not compared";
    }
    Line first = operator.get(0);
    boolean same =
        peers.stream().allMatch(line -> line.is("checksum", first.text("checksum")))
            && peers.stream().allMatch(line -> line.is("distinct", first.text("distinct")))
            && operator.stream().allMatch(line -> line.is("checksum", first.text("checksum")))
            && kernels.stream().allMatch(line -> line.is("distinct", first.text("distinct")));
    return same ? "the same" : PeerTable.DIFFERENT;
  }

  private int[] orders() {
    return lines
        .where(line -> isSized(line) && !line.is("unit", "words") && line.number("n") > 0)
        .stream()
        .mapToInt(line -> (int) line.number("n"))
        .distinct()
        .sorted()
        .toArray();
  }

  private boolean isSized(Line line) {
    return line.text("op").startsWith("ngrams") && line.number("bytes") == bytes;
  }

  private List<Line> own(int n) {
    return lines.where(
        line ->
            line.is("op", "ngrams")
                && line.is("unit", "bytes")
                && line.is("fits", "true")
                && isSized(line)
                && line.number("n") == n);
  }

  private List<Line> operator(int n) {
    return lines.where(
        line ->
            line.is("level", "operator")
                && !line.is("unit", "words")
                && isSized(line)
                && line.number("n") == n);
  }

  /** A peer's lines of an order; all variants if {@code way} is empty. */
  private List<Line> peers(int n, String way) {
    return lines.where(
        line ->
            line.is("op", "ngrams-peer")
                && isSized(line)
                && line.number("n") == n
                && line.text("strategy").startsWith(way));
  }

  private static List<Line> of(List<Line> lines, String strategy) {
    return lines.stream().filter(line -> line.is("strategy", strategy)).toList();
  }

  private static Line fastest(List<Line> lines, Predicate<Line> wanted) {
    return lines.stream()
        .filter(wanted)
        .min(Comparator.comparingDouble(line -> line.number("count_ms")))
        .orElse(null);
  }

  private static double all(Line peer) {
    return peer.number("count_ms") + peer.number("list_ms") + peer.number("fetch_ms");
  }

  private static String cell(List<Line> lines) {
    return cell(fastest(lines, line -> true));
  }

  private static String cell(Line line) {
    return Markdown.spread(line, "count_ms", 1);
  }

  private static String ratio(List<Line> peers, Line own, String field) {
    Line peer = fastest(peers, line -> true);
    return peer == null ? Markdown.NONE : Markdown.number(peer.number(field) / own.number(field));
  }
}
