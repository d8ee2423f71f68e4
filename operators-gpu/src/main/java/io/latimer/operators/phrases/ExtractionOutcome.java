package io.latimer.operators.phrases;

/** The outcome of extracting the translation of a source phrase's occurrence. */
public enum ExtractionOutcome {
  /** It has a translation. */
  EXTRACTED(0),
  /** None of its words is aligned. */
  UNALIGNED(1),
  /** A word at its edge is unaligned; only where loose phrases are not wanted. */
  LOOSE(2),
  /** The words that it is aligned to are also aligned to words outside of it. */
  INCONSISTENT(3),
  /** Its translation has more words than wanted. */
  TOO_LONG(4);

  static final int COUNT = values().length;

  /** Its column in counts of outcomes. */
  final int column;

  ExtractionOutcome(int column) {
    this.column = column;
  }
}
