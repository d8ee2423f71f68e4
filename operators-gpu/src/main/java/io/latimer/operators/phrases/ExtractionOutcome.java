package io.latimer.operators.phrases;

/** What became of an occurrence of a source phrase. */
public enum ExtractionOutcome {
  /** It has a translation. */
  EXTRACTED,
  /** None of its words is aligned. */
  UNALIGNED,
  /** A word at its edge is unaligned; only where loose phrases are not wanted. */
  LOOSE,
  /** What it is aligned to is also aligned to words outside of it. */
  INCONSISTENT,
  /** Its translation has more words than wanted. */
  TOO_LONG
}
