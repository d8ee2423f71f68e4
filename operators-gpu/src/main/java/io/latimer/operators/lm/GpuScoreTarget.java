package io.latimer.operators.lm;

import java.nio.IntBuffer;
import java.util.Arrays;

/** The scores of one sentence as they come from a device, and the tokens that it gives it. */
final class GpuScoreTarget {
  private final LanguageModel model;
  private final LmSentence sentence;
  private final int record;
  private final float[] log10;
  private final byte[] lengths;

  GpuScoreTarget(LanguageModel model, LmSentence sentence, int record) {
    this.model = model;
    this.sentence = sentence;
    this.record = record;
    this.log10 = new float[sentence.tokens()];
    this.lengths = new byte[sentence.tokens()];
  }

  int record() {
    return record;
  }

  WordScores emptyResult() {
    return new WordScores(
        log10, lengths, 0, 0, sentence.begin() ? model.beginState() : sentence.state());
  }

  private int before() {
    return sentence.begin() ? 1 : sentence.state().length();
  }

  /** How many tokens of context a part needs that begins with a token. */
  int contextAt(int token) {
    return Math.min(before() + token, model.order() - 1);
  }

  /** The id of a token; negative ones are of what comes before the sentence. */
  private int id(int token) {
    if (token < 0) {
      return sentence.begin() ? model.beginSentence() : sentence.state().words()[-1 - token];
    }
    return token < sentence.ids().length ? sentence.ids()[token] : model.endSentence();
  }

  /** Writes context and tokens of a part. */
  void write(int from, int count, int context, IntBuffer to, int at) {
    for (int i = -context; i < count; i++) {
      int flags = (i == -context ? LmTokens.FIRST : 0) | (i < 0 ? LmTokens.CONTEXT : 0);
      to.put(at + context + i, id(from + i) | flags);
    }
  }

  float[] log10() {
    return log10;
  }

  byte[] lengths() {
    return lengths;
  }

  boolean endsWith(int token) {
    return token == sentence.tokens();
  }

  /** The result, when the last scores are here. */
  WordScores result(int stateLength, float[] backoffs) {
    float total = 0;
    int unknown = 0;
    for (int i = 0; i < log10.length; i++) {
      total += log10[i];
      unknown += id(i) == LmVocabulary.UNKNOWN ? 1 : 0;
    }
    return new WordScores(log10, lengths, unknown, total, state(stateLength, backoffs));
  }

  private LmState state(int length, float[] backoffs) {
    if (length == 0) {
      return LmState.NONE;
    }
    int[] words = new int[length];
    for (int i = 0; i < length; i++) {
      words[i] = id(sentence.tokens() - 1 - i);
    }
    return new LmState(words, Arrays.copyOf(backoffs, length));
  }
}
