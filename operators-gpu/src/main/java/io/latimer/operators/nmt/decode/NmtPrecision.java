package io.latimer.operators.nmt.decode;

import io.latimer.operators.OperatorException;
import java.util.Locale;
import java.util.Optional;

/** The number formats in which a translation model is computed. Sums always have 32 bits. */
public enum NmtPrecision {
  /** 32-bit weights and factors; on a GPU and on the CPU. */
  FLOAT32(0),
  /** On a GPU: 16-bit weights and factors, on tensor cores; 32-bit states, scores and sums. */
  FLOAT16(1),
  /**
   * Like {@link #FLOAT16}, with the range of 32 bits and fewer digits; 32-bit inputs of a
   * transformer's products are split into a sum of two, and its keys and values have 32 bits.
   */
  BFLOAT16(2),
  /**
   * On the CPU: 8-bit integers as weights and factors of products, with a scale for each output and
   * each row; 32-bit states, scores and sums.
   */
  INT8(-1);

  private final int code;

  NmtPrecision(int code) {
    this.code = code;
  }

  /** Whether GPUs compute in it. */
  public boolean onGpu() {
    return this != INT8;
  }

  /** Whether CPUs compute in it, if they have instructions for it. */
  public boolean onCpu() {
    return this == FLOAT32 || this == INT8;
  }

  /** LAT_NMT_FLOAT32 and so on in latimer_kernels.h; -1 if GPUs do not compute in it. */
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
        "the precision must be auto, float32, float16, bfloat16 or int8, found " + name);
  }

  /** The name, such as {@code float16}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
