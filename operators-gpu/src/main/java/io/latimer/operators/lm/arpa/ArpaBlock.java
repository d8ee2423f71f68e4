package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmVocabulary;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Some whole lines of an ARPA file, and the n-grams that one thread has made of them. */
final class ArpaBlock {
  private byte[] bytes;
  private int from;
  private int limit;

  private final ArpaLines lines = new ArpaLines("");
  private final NgramBatch ngrams = new NgramBatch();
  private int end; // behind the line of the last n-gram
  private long linesToEnd;
  private boolean whole;

  ArpaBlock(int length) {
    this.bytes = new byte[length];
  }

  byte[] bytes() {
    return bytes;
  }

  /** Gives it other bytes, which begin as those that it has. */
  void grow(byte[] larger) {
    bytes = larger;
  }

  /** Says where its lines are. */
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
   * Makes n-grams of its lines, up to the first that is none. What that is, and what is wrong with
   * it, is left to {@link ArpaReader}, which knows its number.
   */
  void parse(int order, boolean highest, LmVocabulary vocabulary) {
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
      whole = false; // the reader will come to the same line, and say where it is
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

  /** Behind the last n-gram's line, or behind all lines if all have been understood. */
  int end() {
    return end;
  }

  /** How many lines there are before {@link #end}. */
  long linesToEnd() {
    return linesToEnd;
  }
}
