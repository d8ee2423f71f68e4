package io.latimer.operators.text.markup;

import java.util.Arrays;

/** How much each word of a translation has to do with each word of its source. */
public final class WordLinks {
  private final Words source;
  private final Words target;
  private final float[][] weights; // target by source

  private int[] bests; // of the words of the translation, once all weights are added

  /** Whether a tag cannot be before a word of the translation. */
  private final boolean[] joined;

  /**
   * Makes links without weights.
   *
   * @param source the source text
   * @param target its translation
   */
  public WordLinks(String source, String target) {
    this.source = Words.of(source);
    this.target = Words.of(target);
    this.weights = new float[this.target.size()][this.source.size()];
    this.joined = new boolean[this.target.size()];
  }

  /** Links of two texts of which nothing is known: words in the same order. */
  public static WordLinks inOrder(String source, String target) {
    WordLinks links = new WordLinks(source, target);
    for (int i = 0; i < links.weights.length && links.source.size() > 0; i++) {
      links.weights[i][(int) ((long) i * links.source.size() / links.weights.length)] = 1;
    }
    return links;
  }

  /** The words of the source that share characters with a range, in UTF-16 units. */
  public WordRange inSource(int start, int end) {
    return source.in(start, end);
  }

  /** The same of the translation. */
  public WordRange inTarget(int start, int end) {
    return target.in(start, end);
  }

  /** Adds weight between words of both texts. */
  public void add(WordRange from, WordRange to, float weight) {
    for (int i = to.first(); i < to.end(); i++) {
      for (int j = from.first(); j < from.end(); j++) {
        weights[i][j] += weight;
      }
    }
  }

  /** Adds links between the words of a text that both have, which no tag may divide. */
  public void addSame(WordRange from, WordRange to) {
    for (int i = to.first() + 1; i < to.end(); i++) {
      joined[i] = true;
    }
    int count = Math.min(from.end() - from.first(), to.end() - to.first());
    for (int i = 0; i < count; i++) {
      weights[to.first() + i][from.first() + i] += 1;
    }
  }

  /** The first word from one on before which a tag can be; {@link Words#size} if there is none. */
  int next(int word) {
    int at = word;
    while (at < joined.length && joined[at]) {
      at++;
    }
    return at;
  }

  /** The last word up to one before which a tag can be. */
  int previous(int word) {
    int at = word;
    while (at < joined.length && joined[at]) {
      at--;
    }
    return at;
  }

  Words source() {
    return source;
  }

  Words target() {
    return target;
  }

  /** The weight between a word of the translation and a range of source words. */
  float share(int targetWord, int from, int to) {
    float sum = 0;
    for (int i = from; i < to; i++) {
      sum += weights[targetWord][i];
    }
    return sum;
  }

  /**
   * The source word that a word of the translation has most to do with; -1 for none. A word is not
   * the translation of a full stop, whatever the weights.
   */
  int best(int targetWord) {
    if (bests == null) {
      bests = new int[weights.length];
      Arrays.setAll(bests, this::findBest);
    }
    return bests[targetWord];
  }

  private int findBest(int targetWord) {
    boolean word = !target.isPunctuation(targetWord);
    int best = -1;
    float most = 0;
    for (int i = 0; i < source.size(); i++) {
      float weight = weights[targetWord][i];
      if (weight > most && !(word && source.isPunctuation(i))) {
        best = i;
        most = weight;
      }
    }
    return best;
  }

  /**
   * The word of the translation, in a range, that has most to do with a source word; -1 for none. A
   * full stop is not the translation of a word.
   */
  int bestOf(int sourceWord, int from, int to) {
    boolean word = !source.isPunctuation(sourceWord);
    int best = -1;
    float most = 0;
    for (int i = from; i < to; i++) {
      if (weights[i][sourceWord] > most && !(word && target.isPunctuation(i))) {
        best = i;
        most = weights[i][sourceWord];
      }
    }
    return best;
  }
}
