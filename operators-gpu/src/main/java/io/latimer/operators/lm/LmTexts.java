package io.latimer.operators.lm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Texts that are scored together, wherever they lie: nothing is copied before it is scored. What
 * they are made of must not change meanwhile.
 */
public abstract class LmTexts {
  private static final int SAMPLES = 64;

  private LmTexts() {}

  /** Lines of text, each a text of its own, in the encoding of the model's words. */
  public static LmTexts lines(byte[] bytes) {
    return lines(bytes, 0, bytes.length);
  }

  /**
   * Lines of text, each a text of its own. A line ends at a line feed, and at the end.
   *
   * @param bytes where they are, in the encoding of the model's words
   * @param from the first byte of the first line
   * @param to the byte after the last line
   */
  public static LmTexts lines(byte[] bytes, int from, int to) {
    Objects.checkFromToIndex(from, to, bytes.length);
    return new Lines(bytes, from, to);
  }

  /** Texts in the encoding of the model's words. */
  public static LmTexts of(List<byte[]> texts) {
    return new Listed<>(texts) {
      @Override
      byte[] bytes(byte[] text) {
        return text;
      }

      @Override
      int length(byte[] text) {
        return text.length;
      }
    };
  }

  /** Texts that are encoded as UTF-8. */
  public static LmTexts ofStrings(List<String> texts) {
    return new Listed<>(texts) {
      @Override
      byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
      }

      @Override
      int length(String text) {
        return text.length();
      }
    };
  }

  /** About how many bytes there are in all. */
  abstract long bytes();

  /** The texts of one of several shares, which together have all of them, in order. */
  abstract Share share(int index, int of);

  /** Goes through texts, one by one. */
  abstract static class Share {
    /** Where the text lies, after {@link #next}. */
    byte[] bytes;

    int from;
    int to;

    /** Goes to the next text; returns false where there is none. */
    abstract boolean next();
  }

  /** Texts that are objects. */
  private abstract static class Listed<T> extends LmTexts {
    private final List<T> texts;

    Listed(List<T> texts) {
      this.texts = texts;
    }

    abstract byte[] bytes(T text);

    abstract int length(T text);

    @Override
    long bytes() {
      int step = Math.max(1, texts.size() / SAMPLES);
      long sum = 0;
      int samples = 0;
      for (int i = 0; i < texts.size(); i += step, samples++) {
        sum += length(texts.get(i)) + 1L;
      }
      return samples == 0 ? 0 : sum * texts.size() / samples;
    }

    @Override
    Share share(int index, int of) {
      int end = (int) ((long) texts.size() * (index + 1) / of);
      return new Share() {
        private int at = (int) ((long) texts.size() * index / of);

        @Override
        boolean next() {
          if (at == end) {
            return false;
          }
          bytes = bytes(texts.get(at++));
          to = bytes.length;
          return true;
        }
      };
    }
  }

  /** Lines of one text. */
  private static final class Lines extends LmTexts {
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long LINE_FEEDS = '\n' * ONES;

    private final byte[] text;
    private final int from;
    private final int to;

    Lines(byte[] text, int from, int to) {
      this.text = text;
      this.from = from;
      this.to = to;
    }

    @Override
    long bytes() {
      return (long) to - from;
    }

    /** The lines that begin in a part of the text. */
    @Override
    Share share(int index, int of) {
      int begin = from + (int) ((long) (to - from) * index / of);
      int end = from + (int) ((long) (to - from) * (index + 1) / of);
      return new Share() {
        private int at = index == 0 ? begin : lineFeed(begin - 1) + 1;

        @Override
        boolean next() {
          if (at >= end) {
            return false;
          }
          bytes = text;
          from = at;
          to = lineFeed(at);
          at = to + 1;
          return true;
        }
      };
    }

    /** The first line feed from a place on, or the end. */
    private int lineFeed(int start) {
      int at = start;
      for (; at <= to - Long.BYTES; at += Long.BYTES) {
        long difference = (long) LONGS.get(text, at) ^ LINE_FEEDS;
        long zeros = (difference - ONES) & ~difference & HIGH_BITS; // right up to its lowest bit
        if (zeros != 0) {
          return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
        }
      }
      while (at < to && text[at] != '\n') {
        at++;
      }
      return at;
    }
  }
}
