package io.latimer.operators.nmt.decode;

import io.latimer.operators.OperatorException;
import java.util.Locale;
import java.util.Optional;

/** The number formats in which a GPU computes a translation model. Sums always have 32 bits. */
public enum NmtPrecision {
  /** 32-bit weights and factors, as on the CPU. */
  FLOAT32(0),
  /** 16-bit weights and factors, on tensor cores; 32-bit states, scores and sums. */
  FLOAT16(1),
  /**
   * Like {@link #FLOAT16}, with the range of 32 bits and fewer digits; 32-bit inputs of a
   * transformer's products are split into a sum of two, and its keys and values have 32 bits.
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
   * @return empty for {@code auto}: the device's default
   * @throws OperatorException if the name is unknown
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

  /** The name, such as {@code float16}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
