package io.latimer.operators.phrases;

import io.latimer.operators.OperatorException;
import java.util.Arrays;
import java.util.List;

/** Growing columns of phrases and their translations, which one thread fills. */
final class PhraseResults {
  /** Of a batch; keeps the columns below the maximum size of an array. */
  static final int MAX_ROWS = 1 << 28;

  private int[] words = new int[256];
  private long[] occurrences = new long[256];
  private int[] samples = new int[256];
  private int[] outcomes = new int[256 * ExtractionOutcome.COUNT];
  private int[] pairStarts = new int[257];
  private int phrases;

  private byte[] segment = new byte[1024];
  private int[] target = new int[1024];
  private int[] targetWords = new int[1024];
  private int[] count = new int[1024];
  private double[] targetGivenSource = new double[1024];
  private double[] sourceGivenTarget = new double[1024];
  private int pairs;

  /** Starts a phrase, to which the following pairs belong. */
  void addPhrase(int words, long occurrences, int samples, int[] outcomes) {
    if (phrases == this.words.length) {
      int wider = wider(phrases);
      this.words = Arrays.copyOf(this.words, wider);
      this.occurrences = Arrays.copyOf(this.occurrences, wider);
      this.samples = Arrays.copyOf(this.samples, wider);
      this.outcomes = Arrays.copyOf(this.outcomes, wider * outcomes.length);
      pairStarts = Arrays.copyOf(pairStarts, wider + 1);
    }
    this.words[phrases] = words;
    this.occurrences[phrases] = occurrences;
    this.samples[phrases] = samples;
    System.arraycopy(outcomes, 0, this.outcomes, phrases * outcomes.length, outcomes.length);
    pairStarts[++phrases] = pairs;
  }

  /** Adds a translation of the last phrase. */
  void addPair(
      int segment,
      int target,
      int words,
      int count,
      double targetGivenSource,
      double sourceGivenTarget) {
    if (pairs == this.segment.length) {
      int wider = wider(pairs);
      this.segment = Arrays.copyOf(this.segment, wider);
      this.target = Arrays.copyOf(this.target, wider);
      targetWords = Arrays.copyOf(targetWords, wider);
      this.count = Arrays.copyOf(this.count, wider);
      this.targetGivenSource = Arrays.copyOf(this.targetGivenSource, wider);
      this.sourceGivenTarget = Arrays.copyOf(this.sourceGivenTarget, wider);
    }
    this.segment[pairs] = (byte) segment;
    this.target[pairs] = target;
    targetWords[pairs] = words;
    this.count[pairs] = count;
    this.targetGivenSource[pairs] = targetGivenSource;
    this.sourceGivenTarget[pairs] = sourceGivenTarget;
    pairStarts[phrases] = ++pairs;
  }

  /**
   * The next size of a full column.
   *
   * @throws OperatorException if there are too many results
   */
  static int wider(int size) {
    return sum(size, size);
  }

  /** The rows of two columns. */
  static int sum(long a, long b) {
    if (a + b > MAX_ROWS) {
      throw new OperatorException(
          "the batch has more than "
              + MAX_ROWS
              + " phrases or translations; pass fewer sentences, or limit the words of phrases");
    }
    return (int) (a + b);
  }

  /** The phrases of all parts, one part after the other. */
  static ExtractedPhrases.Columns phrases(List<PhraseResults> parts) {
    int all = parts.stream().mapToInt(part -> part.phrases).reduce(0, PhraseResults::sum);
    int[] words = new int[all];
    long[] occurrences = new long[all];
    int[] samples = new int[all];
    int[] outcomes = new int[all * ExtractionOutcome.COUNT];
    int[] pairStarts = new int[all + 1];
    int at = 0;
    int pairs = 0;
    for (PhraseResults part : parts) {
      System.arraycopy(part.words, 0, words, at, part.phrases);
      System.arraycopy(part.occurrences, 0, occurrences, at, part.phrases);
      System.arraycopy(part.samples, 0, samples, at, part.phrases);
      int width = ExtractionOutcome.COUNT;
      System.arraycopy(part.outcomes, 0, outcomes, at * width, part.phrases * width);
      for (int i = 1; i <= part.phrases; i++) {
        pairStarts[at + i] = pairs + part.pairStarts[i];
      }
      at += part.phrases;
      pairs += part.pairs;
    }
    return new ExtractedPhrases.Columns(words, occurrences, samples, outcomes, pairStarts);
  }

  /** The translations of all parts, one part after the other. */
  static ExtractedPhrases.Pairs pairs(List<PhraseResults> parts) {
    int all = parts.stream().mapToInt(part -> part.pairs).reduce(0, PhraseResults::sum);
    byte[] segment = new byte[all];
    int[] target = new int[all];
    int[] words = new int[all];
    int[] count = new int[all];
    double[] targetGivenSource = new double[all];
    double[] sourceGivenTarget = new double[all];
    int at = 0;
    for (PhraseResults part : parts) {
      System.arraycopy(part.segment, 0, segment, at, part.pairs);
      System.arraycopy(part.target, 0, target, at, part.pairs);
      System.arraycopy(part.targetWords, 0, words, at, part.pairs);
      System.arraycopy(part.count, 0, count, at, part.pairs);
      System.arraycopy(part.targetGivenSource, 0, targetGivenSource, at, part.pairs);
      System.arraycopy(part.sourceGivenTarget, 0, sourceGivenTarget, at, part.pairs);
      at += part.pairs;
    }
    return new ExtractedPhrases.Pairs(
        segment, target, words, count, targetGivenSource, sourceGivenTarget);
  }
}
