package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Finds best trees on all cores, each sentence on one core (Viterbi's algorithm on CYK). */
final class CpuViterbi implements BestParser {
  /** Charts of more bytes are filled one at a time, and not kept. */
  private static final long LARGE_CHART = 64L << 20;

  private final GrammarIndex index;
  private final ViterbiTables tables;
  private final Team team;
  private final ConcurrentLinkedQueue<ViterbiChart> charts = new ConcurrentLinkedQueue<>();
  private final Object large = new Object();

  /**
   * Makes a parser.
   *
   * @param index of a weighted grammar; not closed with the parser
   * @param threads 1 or more
   */
  CpuViterbi(GrammarIndex index, int threads) {
    this.index = index;
    this.tables = new ViterbiTables(index);
    this.team = new Team(threads);
  }

  @Override
  public List<BestTree> parse(int[][] sentences, String[][] words) {
    BestTree[] trees = new BestTree[sentences.length];
    team.forEach(
        sentences.length, 1, number -> trees[number] = parse(sentences[number], words[number]));
    return Arrays.asList(trees);
  }

  private BestTree parse(int[] sentence, String[] words) {
    if (ViterbiChart.bytes(tables.variables, sentence.length) > LARGE_CHART) {
      synchronized (large) {
        return parse(new ViterbiChart(tables), sentence, words);
      }
    }
    ViterbiChart chart = charts.poll();
    if (chart == null) {
      chart = new ViterbiChart(tables);
    }
    BestTree tree = parse(chart, sentence, words);
    charts.add(chart);
    return tree;
  }

  private BestTree parse(ViterbiChart chart, int[] sentence, String[] words) {
    chart.fill(sentence);
    float score = chart.score(0, sentence.length, index.start());
    if (score == ViterbiChart.NONE) {
      return null;
    }
    TreeWriter writer = new TreeWriter(tables, index.variables());
    return new BestTree(score, writer.write(new ChartSteps(tables, chart), words, index.start()));
  }

  @Override
  public void recover() {
    charts.clear();
  }

  @Override
  public void close() {} // holds memory only
}
