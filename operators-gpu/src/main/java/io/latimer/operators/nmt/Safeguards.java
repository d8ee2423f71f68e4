package io.latimer.operators.nmt;

import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.text.KeepPatterns;
import java.util.Objects;

/**
 * What a translation must have of its source besides what always stays.
 *
 * @param keep what stays as it is
 * @param numbers whether numbers are checked
 * @param loops whether loops end: {@link DecodeOptions.Switch#END_LOOPS}
 */
public record Safeguards(KeepPatterns keep, boolean numbers, boolean loops) {
  /** Numbers are checked, and loops end. */
  public static final Safeguards DEFAULTS = of(KeepPatterns.NONE, true);

  /** Nothing is checked: a translation is the model's own. */
  public static final Safeguards NONE = new Safeguards(KeepPatterns.NONE, false, false);

  public Safeguards {
    Objects.requireNonNull(keep, "keep");
  }

  /** What users may choose; loops end. */
  public static Safeguards of(KeepPatterns keep, boolean numbers) {
    return new Safeguards(keep, numbers, true);
  }
}
