package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.decode.RepeatedIds;
import io.latimer.operators.nmt.decode.SourceChecks;
import io.latimer.operators.nmt.model.BeamRule;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Beam search over a batch of sentences (Algorithm 2 of the Amun paper): at every step, the rows of
 * the batch are exactly the live hypotheses, so ended ones cost nothing. What happens when one ends
 * is the model's {@link BeamRule}.
 */
final class BeamSearch {
  /** The last word of a hypothesis, linked to the words before it. */
  private static final class Node {
    final Node before;
    final int length;
    final int id;
    final float wordScore;
    final float[] attention;

    Node(Node before, int id, float wordScore, float[] attention) {
      this.before = before;
      this.length = before == null ? 1 : before.length + 1;
      this.id = id;
      this.wordScore = wordScore;
      this.attention = attention;
    }
  }

  private record Finished(Node last, double score, double normalized) {}

  /** The hypotheses of a batch, those of a sentence adjacent, best first. */
  private static final class Rows {
    final int[] word;
    final int[] sentence;
    final int[] from;
    final double[] score;
    final Node[] node;
    int size;

    Rows(int most) {
      word = new int[most];
      sentence = new int[most];
      from = new int[most];
      score = new double[most];
      node = new Node[most];
    }

    void add(int id, int of, int parent, double total, Node last) {
      word[size] = id;
      sentence[size] = of;
      from[size] = parent;
      score[size] = total;
      node[size++] = last;
    }
  }

  private final CpuWeights model;
  private final DecodeOptions options;
  private final Product product;
  private final CpuDecoder decoder;
  private final LogitScan scan;

  /** Null if every word is allowed. */
  private final CpuShortlist shortlist;

  private final BeamRule rule;
  private final int width;
  private final boolean endsLoops;
  private final boolean given;

  /** Continuations that each hypothesis offers. */
  private final int offered;

  private long steps;

  /** Logits without bias, for as many rows as one call computes. */
  private float[] outputs = {};

  /** Logits without bias of the words that a row allows. */
  private float[] listed = {};

  // candidates per row, best first
  private int[] ids = {};
  private float[] logits = {};
  private int[] found = {};
  private double[] logSum = {};

  /** The logit of each row's next word, if translations are given. */
  private float[] givenLogit = {};

  BeamSearch(CpuWeights model, DecodeOptions options, Product product) {
    this.model = model;
    this.options = options;
    this.product = product;
    this.decoder = model.decoder(product);
    this.scan = new LogitScan(model.outputBias);
    this.shortlist =
        model.shortlist != null && options.shortlist()
            ? new CpuShortlist(model.shortlist, model.output, product)
            : null;
    this.rule = model.settings().search().rule();
    this.width = options.beamSize();
    this.endsLoops = options.has(DecodeOptions.Switch.END_LOOPS);
    this.given = options.has(DecodeOptions.Switch.GIVEN);
    this.offered = rule.candidates(width);
  }

  /** Hypotheses times words computed so far. */
  long steps() {
    return steps;
  }

  /**
   * Runs a search.
   *
   * @param inputs checked sentences, longest first
   * @return the result of each sentence; null if the model gave a score that is not a number
   */
  Decoded[] search(List<DecodeInput> inputs) {
    int[][] sentences = inputs.stream().map(DecodeInput::ids).toArray(int[][]::new);
    if (shortlist == null) {
      return searchAll(inputs, sentences);
    }
    try (shortlist) {
      shortlist.start(sentences);
      listed = Workspace.atLeast(listed, shortlist.mostWords());
      return searchAll(inputs, sentences);
    }
  }

  private Decoded[] searchAll(List<DecodeInput> inputs, int[][] sentences) {
    int n = sentences.length;
    Decoded[] decoded = new Decoded[n];
    List<EndedHypotheses<Finished>> ended =
        Stream.generate(() -> new EndedHypotheses<Finished>(rule, width)).limit(n).toList();
    Rows rows = new Rows(n * width);
    Rows next = new Rows(n * width);
    for (int s = 0; s < n; s++) {
      rows.add(CpuDecoder.NO_WORD, s, s, 0, null);
    }
    candidates(n * width);
    decoder.start(sentences);
    for (int length = 1; rows.size > 0; length++) {
      decoder.step(rows.size, rows.word, rows.sentence);
      steps += rows.size;
      scan(rows, ended, inputs, length);
      next.size = 0;
      for (int at = 0; at < rows.size; ) {
        int s = rows.sentence[at];
        int end = at + 1;
        while (end < rows.size && rows.sentence[end] == s) {
          end++;
        }
        DecodeInput input = inputs.get(s);
        boolean last = length >= SourceChecks.limit(input, model.settings(), options);
        boolean prefixed = length <= input.prefix().length;
        if (!prefixed && endsLoops && length - 1 > 0 && (length - 1) % RepeatedIds.LEAST == 0) {
          last |= endLoops(rows, at, end, input, ended.get(s));
        }
        int live = next.size;
        double log = prefixed && given ? (double) givenLogit[at] - logSum[at] : 0;
        if (prefixed && Double.isFinite(logSum[at]) && Double.isFinite(log)) {
          Node node = take(input.prefix()[length - 1], (float) log, rows, at, input.length());
          double score = rows.score[at] + log;
          if (last) {
            double normalized = score / lengthFactor(length);
            ended.get(s).add(new Finished(node, score, normalized), normalized);
            decoded[s] = result(ended.get(s), input);
          } else {
            next.add(node.id, s, at, score, node);
          }
        } else if (!prefixed && extend(rows, at, end, input, last, ended.get(s), next)) {
          double normalized =
              next.size == live ? 0 : next.score[live] / lengthFactor(next.node[live].length);
          if (next.size == live || ended.get(s).isOver(normalized)) {
            next.size = live;
            decoded[s] = result(ended.get(s), input);
          }
        }
        at = end;
      }
      decoder.reorder(next.from, next.size);
      Rows old = rows;
      rows = next;
      next = old;
    }
    return decoded;
  }

  private void candidates(int rows) {
    if (found.length < rows) {
      found = new int[rows];
      logSum = new double[rows];
      ids = new int[rows * offered];
      logits = new float[rows * offered];
      givenLogit = new float[rows];
    }
  }

  /** Finds each row's best continuations. */
  private void scan(
      Rows rows, List<EndedHypotheses<Finished>> ended, List<DecodeInput> inputs, int length) {
    NativeMatrix output =
        shortlist == null ? model.output : shortlist.matrix(rows.sentence, rows.size);
    int v = output.outputs;
    int most = output.rowsPerCall;
    boolean argmax = width == 1 && !options.scores();
    outputs = Workspace.atLeast(outputs, (long) Math.min(rows.size, most) * v);
    for (int from = 0; from < rows.size; from += most) {
      int n = Math.min(most, rows.size - from);
      product.multiply(decoder.readout, from, n, output, outputs, 0);
      for (int i = 0; i < n; i++) {
        int row = from + i;
        int s = rows.sentence[row];
        float[] said = outputs;
        int at = i * v;
        if (shortlist != null) {
          said = listed;
          at = 0;
          shortlist.logits(s, i, outputs, listed);
          scan.restrict(shortlist.words(s));
        }
        if (argmax) {
          scan.argmax(said, at, options.allowUnknown());
        } else {
          scan.softmax(said, at, rule.candidates(ended.get(s).beam()), options.allowUnknown());
        }
        if (given) {
          int word = inputs.get(s).prefix()[length - 1];
          givenLogit[row] = said[at + word] + model.outputBias[word];
        }
        found[row] = scan.found;
        logSum[row] = scan.logSum;
        System.arraycopy(scan.ids, 0, ids, row * offered, scan.found);
        System.arraycopy(scan.best, 0, logits, row * offered, scan.found);
      }
    }
  }

  /**
   * Selects the best continuations of a sentence's rows: ended hypotheses leave, the others stay
   * live.
   *
   * @return false if a score is not a number
   */
  private boolean extend(
      Rows rows,
      int from,
      int to,
      DecodeInput input,
      boolean last,
      EndedHypotheses<Finished> ended,
      Rows next) {
    for (int row = from; row < to; row++) {
      if (!Double.isFinite(logSum[row])) {
        return false;
      }
    }
    int[] taken = new int[to - from];
    int beam = ended.beam();
    int live = next.size;
    boolean refills = ended.refills() && !last;
    for (int k = 0; refills ? next.size - live < width : k < beam; k++) {
      int best = -1;
      double bestScore = Double.NEGATIVE_INFINITY;
      for (int row = from; row < to; row++) {
        int candidate = taken[row - from];
        if (candidate < found[row]) {
          double score = rows.score[row] + (logits[row * offered + candidate] - logSum[row]);
          if (best < 0 || score > bestScore) {
            best = row;
            bestScore = score;
          }
        }
      }
      if (best < 0) {
        break;
      }
      int at = best * offered + taken[best - from]++;
      boolean ends = last || ids[at] == Decode.END;
      if (ends && k >= beam) {
        continue;
      }
      Node node =
          new Node(
              rows.node[best],
              ids[at],
              (float) (logits[at] - logSum[best]),
              options.alignment() ? attention(best, input.length()) : null);
      if (ends) {
        double normalized = bestScore / lengthFactor(node.length);
        ended.add(new Finished(node, bestScore, normalized), normalized);
      } else {
        next.add(node.id, rows.sentence[best], best, bestScore, node);
      }
    }
    return true;
  }

  /** Continues a sentence's only hypothesis with a word of its prefix. */
  private Node take(int word, float wordScore, Rows rows, int row, int sourceLength) {
    float[] weights = options.alignment() ? attention(row, sourceLength) : null;
    return new Node(rows.node[row], word, wordScore, weights);
  }

  /**
   * Lets hypotheses that loop offer no continuation, unless all do and none has ended.
   *
   * @return whether all must end now
   */
  private boolean endLoops(
      Rows rows, int from, int to, DecodeInput input, EndedHypotheses<Finished> ended) {
    boolean[] loops = new boolean[to - from];
    int looping = 0;
    for (int row = from; row < to; row++) {
      loops[row - from] = loops(rows.node[row]);
      looping += loops[row - from] ? 1 : 0;
    }
    if (looping == 0 || input.mayLoop()) {
      return false;
    }
    if (looping == to - from && ended.isEmpty()) {
      return true;
    }
    for (int row = from; row < to; row++) {
      found[row] = loops[row - from] ? 0 : found[row];
    }
    return false;
  }

  private static boolean loops(Node last) {
    int[] ids = new int[RepeatedIds.lookedAt(last.length)];
    Node node = last;
    for (int i = 0; i < ids.length; i++) {
      ids[i] = node.id;
      node = node.before;
    }
    return RepeatedIds.atEnd(ids.length, i -> ids[i]);
  }

  private float[] attention(int row, int sourceLength) {
    float[] weights = new float[sourceLength];
    System.arraycopy(decoder.attention, row * decoder.attentionStride, weights, 0, sourceLength);
    return weights;
  }

  private double lengthFactor(int length) {
    return Math.pow(length, options.lengthNormalization());
  }

  private Decoded result(EndedHypotheses<Finished> ended, DecodeInput input) {
    Predicate<Finished> last =
        f ->
            endsLoops
                && f.last().length >= RepeatedIds.LEAST
                && RepeatedIds.anywhere(ids(f))
                && !input.mayLoop();
    return new Decoded(
        ended.takeBest(options.nBest(), last).stream().map(this::hypothesis).toList());
  }

  private static int[] ids(Finished f) {
    int[] ids = new int[f.last().length];
    Node node = f.last();
    for (int i = ids.length - 1; i >= 0; i--) {
      ids[i] = node.id;
      node = node.before;
    }
    return ids;
  }

  private Hypothesis hypothesis(Finished f) {
    int[] words = ids(f);
    int n = words.length;
    float[] scores = options.scores() ? new float[n] : null;
    float[][] attention = options.alignment() ? new float[n][] : null;
    Node node = f.last();
    for (int i = n - 1; i >= 0; i--) {
      if (scores != null) {
        scores[i] = node.wordScore;
      }
      if (attention != null) {
        attention[i] = node.attention;
      }
      node = node.before;
    }
    return new Hypothesis(
        words,
        scores,
        options.scores() ? f.score() : Double.NaN,
        options.scores() ? f.normalized() : Double.NaN,
        attention);
  }
}
