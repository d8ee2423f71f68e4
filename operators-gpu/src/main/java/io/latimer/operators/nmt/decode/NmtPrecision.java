package io.latimer.operators.nmt.decode;

import io.latimer.operators.OperatorException;
import java.util.Locale;
import java.util.Optional;

/** Numbers that a translation model computes with on a GPU. Sums have 32 bits in all of them. */
public enum NmtPrecision {
  /** Weights and factors in 32 bits: what the CPU computes. */
  FLOAT32(0),
  /** Weights and factors in 16 bits, on tensor cores; states, scores and sums in 32. */
  FLOAT16(1),
  /**
   * As {@link #FLOAT16}, with the range of 32 bits and a third of the digits; what enters a
   * transformer's products from 32 bits is a sum of two, and its keys and values have 32.
   */
  BFLOAT16(2);

  private final int code;

  NmtPrecision(int code) {
    this.code = code;
  }

  /** LAT_NMT_FLOAT32 and so on in latimer_kernels.h. */
  public int code() {
    return code;
  }

  /**
   * Reads a name such as {@code float16}.
   *
   * @return empty for {@code auto}: what is best on the device
   * @throws OperatorException for another
   */
  public static Optional<NmtPrecision> parse(String name) {
    if (name.equals("auto")) {
      return Optional.empty();
    }
    for (NmtPrecision precision : values()) {
      if (precision.toString().equals(name)) {
        return Optional.of(precision);
      }
    }
    throw new OperatorException(
        "the precision must be auto, float32, float16 or bfloat16, found " + name);
  }

  /** Its name, such as {@code float16}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
