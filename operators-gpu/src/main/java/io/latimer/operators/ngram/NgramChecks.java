package io.latimer.operators.ngram;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/**
 * The records of a batch that can be counted, and what becomes of each.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
final class NgramChecks<T> {
  private final List<T> texts = new ArrayList<>();
  private final List<Result<Long>> results = new ArrayList<>();
  private long windows;

  /** Looks at the records of a batch; refuses what cannot be counted. */
  NgramChecks(List<T> batch, int order) {
    for (T text : batch) {
      int units = Array.getLength(text);
      int wrong = text instanceof int[] words ? negative(words) : -1;
      if (units > CountNgrams.MAX_UNITS) {
        results.add(
            Result.failure(
                new RecordException(
                    "a record has "
                        + units
                        + " units, the most is "
                        + CountNgrams.MAX_UNITS
                        + "; cut it into pieces that overlap by "
                        + (order - 1))));
      } else if (wrong >= 0) {
        results.add(
            Result.failure(
                new RecordException(
                    "word "
                        + wrong
                        + " of a record has the id "
                        + Array.getInt(text, wrong)
                        + "; ids begin at 0")));
      } else {
        long added = Math.max(0, (long) units - order + 1);
        windows += added;
        texts.add(text);
        results.add(Result.of(added));
      }
    }
  }

  private static int negative(int[] words) {
    for (int i = 0; i < words.length; i++) {
      if (words[i] < 0) {
        return i;
      }
    }
    return -1;
  }

  /** The records that can be counted. */
  List<T> texts() {
    return texts;
  }

  /** The n-grams of all of them. */
  long windows() {
    return windows;
  }

  /** One result per record of the batch. */
  List<Result<Long>> results() {
    return results;
  }
}
