package io.latimer.operators.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Changes that readers have failed at: of bits, of numbers, of lengths, of words. */
public final class Mutations {
  /** Inputs stay small: what matters is what they claim. */
  private static final int MAX_BYTES = 1 << 20;

  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    2,
    3,
    7,
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x10000,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xFFFFFFFFL,
    0x100000000L,
    0x7FFFFFF0L,
    1L << 40,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE / 2,
    0x3FFFFFFFL,
    0x1FFFFFFFL
  };

  private static final List<String> WORDS =
      List.of(
          "0",
          "-1",
          "1",
          "2147483647",
          "2147483648",
          "9223372036854775807",
          "-9223372036854775808",
          "99999999999999999999",
          "1e999",
          "-1e999",
          "1e-999",
          "NaN",
          "-inf",
          "inf",
          "null",
          "true",
          "[]",
          "{}",
          "[[",
          "]",
          "}",
          "{",
          "(",
          ")",
          "\"",
          "'",
          "\\",
          "\\u0000",
          "\\UFFFFFFFF",
          "\0",
          "\n",
          "\r\n",
          "\t",
          " ",
          "  ",
          "\n\n",
          ":",
          ": ",
          "- ",
          "? ",
          "&a ",
          "*a",
          "&a [*a]",
          "!!x ",
          "%YAML 1.9\n---\n",
          "---\n",
          "...\n",
          "#",
          "|",
          ">",
          "<",
          "</s>",
          "<unk>",
          "@@",
          "</w>",
          "\u00e9",
          "\u0301",
          "\u2581",
          "\ud83d\ude00",
          "\ufeff",
          "\ufffd",
          "\u2028",
          "\u0000",
          "::=",
          "->",
          "%start",
          "|||",
          "1-1",
          "\\data\\",
          "\\end\\",
          "ngram 1=99999999");

  private static final int DEPTH = 20_000;

  private Mutations() {}

  /** One of the seeds with some changes, or rarely without. */
  public static byte[] of(List<byte[]> seeds, Random random) {
    byte[] bytes = seeds.get(random.nextInt(seeds.size()));
    byte[] other = seeds.get(random.nextInt(seeds.size()));
    for (int n = 1 << random.nextInt(4); n > 0; n--) {
      bytes = changed(bytes, other, random);
    }
    return bytes.length > MAX_BYTES ? Arrays.copyOf(bytes, MAX_BYTES) : bytes;
  }

  private static byte[] changed(byte[] bytes, byte[] other, Random random) {
    int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
    switch (random.nextInt(15)) {
      case 0, 1 -> {
        return inPlace(bytes, at, b -> b.put(at, (byte) (b.get(at) ^ 1 << random.nextInt(8))));
      }
      case 2 -> {
        return inPlace(bytes, at, b -> b.put(at, (byte) random.nextInt()));
      }
      case 3, 4, 5 -> {
        return number(bytes, at, random);
      }
      case 6 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 7 -> {
        int end = Math.min(bytes.length, at + 1 + random.nextInt(64));
        return joined(bytes, at, new byte[0], end);
      }
      case 8 -> { // a range twice or more often
        int length = Math.min(bytes.length - at, 1 + random.nextInt(200));
        byte[] range = Arrays.copyOfRange(bytes, at, at + length);
        byte[] repeated = new byte[length * (1 + random.nextInt(40))];
        for (int i = 0; i < repeated.length; i++) {
          repeated[i] = range[i % length];
        }
        return joined(bytes, at, repeated, at);
      }
      case 9 -> { // a part of another file
        int from = other.length == 0 ? 0 : random.nextInt(other.length);
        int to = Math.min(other.length, from + 1 + random.nextInt(500));
        byte[] part = Arrays.copyOfRange(other, from, to);
        return joined(
            bytes, at, part, Math.min(bytes.length, at + random.nextInt(2) * part.length));
      }
      case 10 -> {
        return digits(bytes, at, random);
      }
      case 11, 12 -> {
        return value(bytes, at, random);
      }
      default -> {
        return joined(bytes, at, word(random), at);
      }
    }
  }

  private interface Change {
    void in(ByteBuffer bytes);
  }

  private static byte[] inPlace(byte[] bytes, int at, Change change) {
    if (at >= bytes.length) {
      return bytes;
    }
    byte[] changed = bytes.clone();
    change.in(ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN));
    return changed;
  }

  /** A binary number made extreme, or one more or less. */
  private static byte[] number(byte[] bytes, int near, Random random) {
    int width = 1 << random.nextInt(4);
    int at = random.nextInt(4) == 0 ? near : near / width * width;
    if (at + width > bytes.length) {
      return bytes;
    }
    long extreme =
        random.nextInt(4) == 0
            ? bytes.length - 1L + random.nextInt(3)
            : EXTREMES[random.nextInt(EXTREMES.length)];
    boolean nudge = random.nextInt(3) == 0;
    int step = random.nextBoolean() ? 1 : -1;
    ByteOrder order = random.nextInt(8) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    return inPlace(
        bytes,
        at,
        b -> {
          b.order(order);
          switch (width) {
            case 1 -> b.put(at, (byte) (nudge ? b.get(at) + step : extreme));
            case 2 -> b.putShort(at, (short) (nudge ? b.getShort(at) + step : extreme));
            case 4 -> b.putInt(at, (int) (nudge ? b.getInt(at) + step : extreme));
            default -> b.putLong(at, nudge ? b.getLong(at) + step : extreme);
          }
        });
  }

  /** A number in text made another. */
  private static byte[] digits(byte[] bytes, int from, Random random) {
    int at = from;
    while (at < bytes.length && !(bytes[at] >= '0' && bytes[at] <= '9')) {
      at++;
    }
    int end = at;
    while (end < bytes.length && bytes[end] >= '0' && bytes[end] <= '9') {
      end++;
    }
    byte[] other = WORDS.get(random.nextInt(16)).getBytes(StandardCharsets.UTF_8);
    return joined(bytes, at, other, end);
  }

  /** What follows a colon, an equals sign or a list's start, in JSON, YAML and the like. */
  private static byte[] value(byte[] bytes, int from, Random random) {
    int at = from;
    while (at < bytes.length && ":=[-".indexOf(bytes[at]) < 0) {
      at++;
    }
    int start = Math.min(bytes.length, at + 1);
    int end = start;
    while (end < bytes.length && ",]}\n".indexOf(bytes[end]) < 0) {
      end++;
    }
    byte[] word = word(random);
    byte[] spaced = new byte[word.length + 1];
    spaced[0] = ' ';
    System.arraycopy(word, 0, spaced, 1, word.length);
    return joined(bytes, start, spaced, end);
  }

  private static byte[] word(Random random) {
    String word = WORDS.get(random.nextInt(WORDS.size()));
    int times =
        switch (random.nextInt(8)) {
          case 0 -> DEPTH;
          case 1, 2 -> 1 + random.nextInt(200);
          default -> 1;
        };
    return word.repeat(times).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] joined(byte[] bytes, int headEnd, byte[] middle, int tailStart) {
    byte[] joined = new byte[headEnd + middle.length + bytes.length - tailStart];
    System.arraycopy(bytes, 0, joined, 0, headEnd);
    System.arraycopy(middle, 0, joined, headEnd, middle.length);
    System.arraycopy(bytes, tailStart, joined, headEnd + middle.length, bytes.length - tailStart);
    return joined;
  }
}
