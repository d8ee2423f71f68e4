package io.latimer.operators.nmt.convert;

import java.util.Locale;
import java.util.Optional;

/**
 * The type of an item in Marian's binary weights. Its code is a sum of flags and the size of a
 * number in bytes (the lowest 8 bits).
 *
 * <p>Sources: marian-nmt/marian-dev, src/common/types.h, whose intgemm types have the flag 0x10000;
 * browsermt/marian-dev, which made Bergamot's models and uses 0x4000 with the flag of signed
 * integers.
 *
 * @param code as the file has it
 * @param name as Marian names it
 * @param kind what can be done with it
 * @param width bytes of a number
 */
record MarianType(long code, String name, Kind kind, int width) {

  /** What can be done with a type. */
  enum Kind {
    /** Floating-point numbers. */
    FLOATS,
    /** Texts and ids, which are no weights. */
    INTEGERS,
    /** 8- or 16-bit integers for any CPU, and the multiplier that they were made with. */
    QUANTIZED,
    /** Integers in an order that suits one kind of CPU. */
    PREPARED
  }

  private static final int SIGNED = 0x100;
  private static final int UNSIGNED = 0x200;
  private static final int FLOAT = 0x400;
  private static final int PACKED = 0x800;
  private static final int BERGAMOT_INTGEMM = 0x4000 | SIGNED;
  private static final int INTGEMM = 0x10000;
  private static final int WIDTH = 0xff;

  /** The type of a code; empty if there is none. */
  static Optional<MarianType> of(long code) {
    int width = (int) (code & WIDTH);
    long flags = code & ~WIDTH;
    if (flags == FLOAT && (width == 2 || width == 4 || width == 8)) {
      return type(code, "float" + 8 * width, Kind.FLOATS);
    }
    if ((flags == SIGNED || flags == UNSIGNED) && width <= 8 && Integer.bitCount(width) == 1) {
      return type(code, (flags == SIGNED ? "int" : "uint") + 8 * width, Kind.INTEGERS);
    }
    if (width != 1 && width != 2) {
      return Optional.empty();
    }
    if ((flags & ~0x3000) == PACKED) {
      return type(code, "packed" + 8 * width + cpu(flags & 0x3000), Kind.PREPARED);
    }
    if ((flags & INTGEMM) != 0 && (flags & ~0xf000) == INTGEMM) {
      return intgemm(code, cpu(flags & 0xf000));
    }
    if ((flags & BERGAMOT_INTGEMM) == BERGAMOT_INTGEMM && (flags & ~0xf000) == SIGNED) {
      return intgemm(code, cpu(flags & 0xb000));
    }
    return Optional.empty();
  }

  private static Optional<MarianType> intgemm(long code, String cpu) {
    String name = "intgemm" + 8 * (code & WIDTH) + cpu;
    return type(code, name, cpu.isEmpty() ? Kind.QUANTIZED : Kind.PREPARED);
  }

  private static Optional<MarianType> type(long code, String name, Kind kind) {
    return Optional.of(new MarianType(code, name, kind, (int) (code & WIDTH)));
  }

  private static String cpu(long flags) {
    return switch ((int) flags) {
      case 0 -> "";
      case 0x1000 -> "avx2";
      case 0x2000 -> "avx512";
      case 0x3000 -> "avx512vnni";
      case 0x4000 -> "sse2";
      case 0x8000 -> "ssse3";
      default -> String.format(Locale.ROOT, " with flags 0x%x", flags);
    };
  }

  /** Bytes that numbers of this type take, with the multiplier if they are quantized. */
  long bytes(long count) {
    return count * width + (kind == Kind.QUANTIZED ? Float.BYTES : 0);
  }
}
