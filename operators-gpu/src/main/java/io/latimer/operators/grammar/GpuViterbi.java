package io.latimer.operators.grammar;

import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Finds best trees on a GPU, those of all sentences of a batch at once. The results are those of
 * {@link CpuViterbi}, to the last bit.
 */
final class GpuViterbi implements BestParser {
  private static final int MOST_THREADS = 16;

  /** Sentences whose trees a thread writes at a time. */
  private static final int SHARE = 16;

  /** Numbers per word in the nodes of a tree. */
  private static final int NODES = 4;

  private final GpuGrammar grammar;
  private final Closer closer = new Closer();
  private final Team team;
  private final GpuSentences batch;

  /**
   * Makes a parser.
   *
   * @param grammar weighted; must stay open as long as the parser is used, and is not closed with
   *     it
   * @param bytes limit of device memory for a batch
   */
  GpuViterbi(GpuGrammar grammar, long bytes) {
    this.grammar = grammar;
    try {
      this.team = new Team(Team.defaultThreads(MOST_THREADS));
      this.batch = closer.add(new GpuSentences(grammar.gpu(), bytes));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  @Override
  public List<BestTree> parse(int[][] sentences, String[][] words) {
    if (sentences.length == 0) {
      return List.of();
    }
    return batch.withRoom(() -> attempt(sentences, words));
  }

  private List<BestTree> attempt(int[][] sentences, String[][] words) {
    int[] starts = new int[sentences.length + 1];
    for (int s = 0; s < sentences.length; s++) {
      starts[s + 1] = Math.addExact(starts[s], sentences[s].length);
    }
    int count = sentences.length;
    batch.begin(sentences, new long[count], count + (long) NODES * starts[count]);
    batch.divide("lat_grammar_viterbi_divide", grammar.weightFields());
    batch.run(
        "lat_grammar_viterbi",
        grammar.weightFields(),
        0,
        0,
        batch.resultsAt(0),
        batch.resultsAt(count));
    batch.stream().synchronize();
    IntBuffer results = batch.results();
    BestTree[] trees = new BestTree[count];
    team.forEach(
        count,
        SHARE,
        s -> {
          float score = Float.intBitsToFloat(results.get(s));
          if (score != ViterbiChart.NONE) {
            trees[s] = tree(score, results, count + NODES * starts[s], words[s]);
          }
        });
    return Arrays.asList(trees);
  }

  private BestTree tree(float score, IntBuffer nodes, int at, String[] words) {
    TreeWriter writer = new TreeWriter(grammar.tables(), grammar.index().variables());
    return new BestTree(
        score, writer.write(new Preorder(nodes, at), words, grammar.index().start()));
  }

  /** The nodes of lat_grammar_viterbi, which come in the order that trees are written in. */
  private static final class Preorder implements TreeWriter.Steps {
    private final IntBuffer nodes;
    private int at;

    Preorder(IntBuffer nodes, int at) {
      this.nodes = nodes;
      this.at = at;
    }

    @Override
    public TreeWriter.Step step(int variable, int begin, int end) {
      int lowest = nodes.get(at) >>> 16;
      int split = nodes.get(at + 1);
      int left = at + 2;
      int right = at + 4 * split; // after the 2 * split - 1 nodes of the left part
      at = left;
      return split == 0
          ? new TreeWriter.Step(lowest, 0, 0, 0)
          : new TreeWriter.Step(
              lowest, nodes.get(left) & 0xFFFF, begin + split, nodes.get(right) & 0xFFFF);
    }
  }

  @Override
  public void recover() {
    batch.recover();
  }

  @Override
  public void close() {
    closer.close();
  }
}
