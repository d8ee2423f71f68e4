package io.latimer.pipelines.batch;

import io.latimer.schemas.Envelope;

/**
 * Estimates the number of tokens of a record before segmentation: about four letters per token in
 * alphabetic scripts and one character per token in Chinese, Japanese and similar scripts. Takes
 * one pass over the text.
 */
public final class TokenEstimate {
  private static final int LETTERS_PER_TOKEN = 4;

  /** From this code point on, each character counts as a token (CJK Radicals Supplement). */
  private static final char FIRST_IDEOGRAPHIC = '\u2e80';

  private TokenEstimate() {}

  /** The estimate for a record's text, 1 or more. */
  public static int of(Envelope envelope) {
    return envelope.getSentence() == null ? 1 : of(envelope.getSentence().getText());
  }

  /** The estimate for a text, 1 or more. */
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
