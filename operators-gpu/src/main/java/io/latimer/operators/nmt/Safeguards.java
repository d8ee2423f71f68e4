package io.latimer.operators.nmt;

import io.latimer.operators.text.KeepPatterns;
import java.util.Objects;

/**
 * What a translation must have of its source besides what always stays.
 *
 * @param keep what stays as it is
 * @param numbers whether numbers are checked
 */
public record Safeguards(KeepPatterns keep, boolean numbers) {
  /** Numbers are checked. */
  public static final Safeguards DEFAULTS = new Safeguards(KeepPatterns.NONE, true);

  /** Nothing is checked. */
  public static final Safeguards NONE = new Safeguards(KeepPatterns.NONE, false);

  public Safeguards {
    Objects.requireNonNull(keep, "keep");
  }
}
