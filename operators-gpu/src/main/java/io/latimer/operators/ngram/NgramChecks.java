package io.latimer.operators.ngram;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.util.Team;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Checks the records of a batch and holds the result of each.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
final class NgramChecks<T> {
  /** Ids per thread and step. */
  private static final int SHARE = 1 << 16;

  private final List<T> texts = new ArrayList<>();
  private final List<Result<Long>> results = new ArrayList<>();
  private long windows;
  private int allIds;

  /**
   * Checks the records of a batch and rejects those that cannot be counted.
   *
   * @param team threads that check ids
   */
  NgramChecks(List<T> batch, int order, Team team) {
    int[] ids = idBits(batch, team);
    for (int i = 0; i < batch.size(); i++) {
      T text = batch.get(i);
      int units = Array.getLength(text);
      int wrong = ids[i] < 0 ? negative((int[]) text) : -1;
      if (units > CountNgrams.MAX_UNITS) {
        results.add(
            Result.failure(
                new RecordException(
                    "a record has "
                        + units
                        + " units, the maximum is "
                        + CountNgrams.MAX_UNITS
                        + "; split it into pieces that overlap by "
                        + (order - 1))));
      } else if (wrong >= 0) {
        results.add(
            Result.failure(
                new RecordException(
                    "word "
                        + wrong
                        + " of a record has the id "
                        + Array.getInt(text, wrong)
                        + "; ids start at 0")));
      } else {
        long added = Math.max(0, (long) units - order + 1);
        windows += added;
        allIds |= ids[i];
        texts.add(text);
        results.add(Result.of(added));
      }
    }
  }

  /** Per record, the OR of all its ids, which is negative if any id is; 0 for bytes. */
  private static <T> int[] idBits(List<T> batch, Team team) {
    int[] all = new int[batch.size()];
    long[] ends = new long[batch.size()]; // end of each record, in ids
    long end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += batch.get(i) instanceof int[] words ? words.length : 0;
      ends[i] = end;
    }
    if (end == 0) {
      return all;
    }
    AtomicIntegerArray shared = new AtomicIntegerArray(all.length);
    int shares = Math.toIntExact((end + SHARE - 1) / SHARE);
    team.run(shares, share -> orShare(batch, ends, (long) share * SHARE, shared));
    for (int i = 0; i < all.length; i++) {
      all[i] = shared.get(i);
    }
    return all;
  }

  /** Combines one step's ids of the batch, starting at a given id. */
  private static <T> void orShare(List<T> batch, long[] ends, long from, AtomicIntegerArray all) {
    int record = Arrays.binarySearch(ends, from + 1);
    record = record < 0 ? -record - 1 : record;
    while (record > 0 && ends[record - 1] > from) {
      record--; // of records with equal ends, only the first has ids
    }
    long to = Math.min(from + SHARE, ends[ends.length - 1]);
    for (long at = from; at < to; record++) {
      if (batch.get(record) instanceof int[] words && words.length > 0) {
        int begin = (int) (at - (ends[record] - words.length));
        int last = (int) Math.min(words.length, begin + (to - at));
        int bits = 0;
        for (int i = begin; i < last; i++) {
          bits |= words[i];
        }
        int found = bits;
        all.getAndUpdate(record, before -> before | found);
        at += last - begin;
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

  /** Bits of the largest id that can be counted, 1 or more; 1 for bytes. */
  int idBits() {
    return Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(allIds));
  }

  /** The number of their n-grams. */
  long windows() {
    return windows;
  }

  /** One result per record of the batch. */
  List<Result<Long>> results() {
    return results;
  }
}
