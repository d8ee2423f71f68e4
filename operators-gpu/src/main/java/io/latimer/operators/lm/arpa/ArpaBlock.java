package io.latimer.operators.lm.arpa;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LmFormatException;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Whole lines of an ARPA file, and the n-grams that one thread has parsed from them. */
final class ArpaBlock {
  private byte[] bytes;
  private int from;
  private int limit;

  private final ArpaLines lines = new ArpaLines("");
  private final NgramBatch ngrams = new NgramBatch();
  private int end; // end of the last n-gram's line
  private long linesToEnd;
  private boolean whole;

  ArpaBlock(int length) {
    this.bytes = new byte[length];
  }

  byte[] bytes() {
    return bytes;
  }

  /** Replaces the bytes by others that start with the same bytes. */
  void grow(byte[] larger) {
    bytes = larger;
  }

  /** Sets the range of its lines. */
  void set(int newFrom, int newLimit) {
    from = newFrom;
    limit = newLimit;
  }

  int from() {
    return from;
  }

  int limit() {
    return limit;
  }

  /**
   * Parses its lines up to the first that is not an n-gram. {@link ArpaReader}, which knows the
   * line's number, handles that line and its errors.
   */
  void parse(int order, boolean highest, WordTable vocabulary) {
    ngrams.clear(order);
    lines.begin(bytes, from, limit);
    end = from;
    linesToEnd = 0;
    whole = false;
    try {
      while (lines.skipBlank()) {
        int first = ngrams.reserve();
        lines.ngram(order, highest, vocabulary, ngrams.ids(), first);
        ngrams.add(lines.logProb(), lines.backoff());
        end = lines.next();
        linesToEnd = lines.lines();
      }
      end = limit;
      linesToEnd = lines.lines();
      whole = true;
    } catch (LmFormatException e) {
      whole = false; // the reader reparses this line and reports its number
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  NgramBatch ngrams() {
    return ngrams;
  }

  /** Whether all of its lines are n-grams or blank. */
  boolean isWhole() {
    return whole;
  }

  /** The end of the last n-gram's line, or of all lines if all were parsed. */
  int end() {
    return end;
  }

  /** The number of lines before {@link #end}. */
  long linesToEnd() {
    return linesToEnd;
  }
}
