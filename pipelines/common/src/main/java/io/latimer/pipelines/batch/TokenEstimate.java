package io.latimer.pipelines.batch;

import io.latimer.schemas.Envelope;

/**
 * How many tokens a record has, before anything has cut it into tokens: what segmentations come to,
 * which is about four letters a token in alphabets and one character a token in Chinese, Japanese
 * and the like. Costs one pass over the text.
 */
public final class TokenEstimate {
  private static final int LETTERS_PER_TOKEN = 4;

  /** From here on scripts whose characters are tokens by themselves (CJK Radicals Supplement). */
  private static final char FIRST_IDEOGRAPHIC = '\u2e80';

  private TokenEstimate() {}

  /** An estimate for a record's text, 1 or more. */
  public static int of(Envelope envelope) {
    return envelope.getSentence() == null ? 1 : of(envelope.getSentence().getText());
  }

  /** An estimate for a text, 1 or more. */
  static int of(String text) {
    int quarters = 0;
    for (int i = 0; i < text.length(); i++) {
      quarters += text.charAt(i) < FIRST_IDEOGRAPHIC ? 1 : LETTERS_PER_TOKEN;
      if (quarters < 0) {
        return Integer.MAX_VALUE / LETTERS_PER_TOKEN; // half a billion characters: more than enough
      }
    }
    return quarters / LETTERS_PER_TOKEN + 1;
  }
}
