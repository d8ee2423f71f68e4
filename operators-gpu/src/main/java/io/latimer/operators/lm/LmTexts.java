package io.latimer.operators.lm;

import io.latimer.operators.ngram.SentenceWords;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Texts to score together. Nothing is copied before scoring, so the underlying objects must not
 * change meanwhile.
 */
public abstract class LmTexts {
  private static final int SAMPLES = 64;

  private LmTexts() {}

  /** Lines of text, each a separate text, in the encoding of the model's words. */
  public static LmTexts lines(byte[] bytes) {
    return lines(bytes, 0, bytes.length);
  }

  /**
   * Lines of text, each a separate text. A line ends at a line feed or at the end of the range.
   *
   * @param bytes bytes that contain them, in the encoding of the model's words
   * @param from the first byte of the first line
   * @param to the byte after the last line
   */
  public static LmTexts lines(byte[] bytes, int from, int to) {
    Objects.checkFromToIndex(from, to, bytes.length);
    return new Lines(bytes, from, to);
  }

  /** Texts in the encoding of the model's words. */
  public static LmTexts of(List<byte[]> texts) {
    return new Listed<>(texts, text -> text, text -> text.length);
  }

  /** Texts that are encoded as UTF-8. */
  public static LmTexts ofStrings(List<String> texts) {
    return new Listed<>(texts, text -> text.getBytes(StandardCharsets.UTF_8), String::length);
  }

  /** Texts in UTF-8 whose words are shared with other operators. */
  public static LmTexts ofWords(List<SentenceWords> texts) {
    return new Listed<>(texts, SentenceWords::utf8, text -> text.text().length());
  }

  /** The approximate total size in bytes. */
  abstract long bytes();

  /** One of several shares; together they contain all texts, in order. */
  abstract Share share(int index, int of);

  /** Iterates over texts. */
  abstract static class Share {
    /** The bytes that contain the text, after {@link #next}. */
    byte[] bytes;

    int from;
    int to;

    /** Advances to the next text; returns false at the end. */
    abstract boolean next();
  }

  /** Texts given as objects. */
  private static final class Listed<T> extends LmTexts {
    private final List<T> texts;
    private final Function<T, byte[]> encoded;
    private final ToIntFunction<T> length;

    Listed(List<T> texts, Function<T, byte[]> encoded, ToIntFunction<T> length) {
      this.texts = texts;
      this.encoded = encoded;
      this.length = length;
    }

    @Override
    long bytes() {
      int step = Math.max(1, texts.size() / SAMPLES);
      long sum = 0;
      int samples = 0;
      for (int i = 0; i < texts.size(); i += step, samples++) {
        sum += length.applyAsInt(texts.get(i)) + 1L;
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
          bytes = encoded.apply(texts.get(at++));
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

    /** The lines that start in a range of the text. */
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

    /** The first line feed at or after a position, or the end. */
    private int lineFeed(int start) {
      int at = start;
      for (; at <= to - Long.BYTES; at += Long.BYTES) {
        long difference = (long) LONGS.get(text, at) ^ LINE_FEEDS;
        long zeros =
            (difference - ONES) & ~difference & HIGH_BITS; // exact up to its lowest set bit
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
