package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/**
 * Recognizes sentences on all cores, each sentence on one core. The longest come first, so that
 * none runs alone at the end.
 */
final class CpuRecognizer implements Recognizer {
  /** Charts of more bytes are filled one at a time, however many threads there are. */
  private static final long LARGE_CHART = 64L << 20;

  private final GrammarIndex index;
  private final ClassTables tables;
  private final Team team;
  private final ConcurrentLinkedQueue<ClassChart> charts = new ConcurrentLinkedQueue<>();
  private final Object large = new Object();

  /**
   * Makes a recognizer.
   *
   * @param index must stay open as long as the recognizer is used, and is not closed with it
   * @param threads 1 or more
   */
  CpuRecognizer(GrammarIndex index, int threads) {
    this.index = index;
    this.tables = new ClassTables(index);
    this.team = new Team(threads);
  }

  @Override
  public GrammarIndex index() {
    return index;
  }

  @Override
  public Team team() {
    return team;
  }

  @Override
  public List<Recognition> recognize(int[][] sentences, boolean chart) {
    int[] order =
        IntStream.range(0, sentences.length)
            .boxed()
            .sorted(Comparator.comparingInt(i -> -sentences[i].length))
            .mapToInt(Integer::intValue)
            .toArray();
    Recognition[] found = new Recognition[sentences.length];
    int share = Math.max(1, Math.min(64, sentences.length / (16 * team.size())));
    team.forEach(
        sentences.length,
        share,
        number -> found[order[number]] = recognize(sentences[order[number]], chart));
    return Arrays.asList(found);
  }

  private Recognition recognize(int[] sentence, boolean summary) {
    if (ClassChart.bytes(tables, sentence.length) <= LARGE_CHART) {
      return recognizeNow(sentence, summary);
    }
    synchronized (large) {
      return recognizeNow(sentence, summary);
    }
  }

  private Recognition recognizeNow(int[] sentence, boolean summary) {
    ClassChart chart = charts.poll();
    if (chart == null) {
      chart = new ClassChart(tables);
    }
    chart.fill(sentence);
    Recognition found = read(chart, summary);
    chart.trim();
    charts.add(chart);
    return found;
  }

  private Recognition read(ClassChart chart, boolean summary) {
    int words = chart.words();
    int start = tables.classOf[index.start()];
    int longest = 0;
    int accepted = 0;
    for (int end = 1; end <= words; end++) {
      if (chart.has(0, end, start)) {
        longest = end;
        accepted++;
      }
    }
    BitSet roots = new BitSet(tables.classes);
    for (int c = 0; c < tables.classes; c++) {
      if (chart.has(0, words, c)) {
        roots.set(c);
      }
    }
    return new Recognition(
        roots,
        longest,
        accepted,
        summary ? ChartSummary.of(words, tables.classOf, chart::has) : null);
  }

  @Override
  public void recover() {
    charts.clear();
  }

  @Override
  public void close() {} // holds memory only
}
