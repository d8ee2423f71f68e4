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
 * The records of a batch that can be counted, and what becomes of each.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
final class NgramChecks<T> {
  /** Ids that a thread looks at a time. */
  private static final int SHARE = 1 << 16;

  private final List<T> texts = new ArrayList<>();
  private final List<Result<Long>> results = new ArrayList<>();
  private long windows;
  private int allIds;

  /**
   * Looks at the records of a batch; refuses what cannot be counted.
   *
   * @param team whose threads look at ids
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
        allIds |= ids[i];
        texts.add(text);
        results.add(Result.of(added));
      }
    }
  }

  /** Of each record, all its ids by OR, which is negative where one of them is; 0 for bytes. */
  private static <T> int[] idBits(List<T> batch, Team team) {
    int[] all = new int[batch.size()];
    long[] ends = new long[batch.size()]; // of the records, in ids
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

  /** The ids of the batch from one on, as many as a thread looks at a time. */
  private static <T> void orShare(List<T> batch, long[] ends, long from, AtomicIntegerArray all) {
    int record = Arrays.binarySearch(ends, from + 1);
    record = record < 0 ? -record - 1 : record;
    while (record > 0 && ends[record - 1] > from) {
      record--; // of records that end at one place, the first has the ids
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

  /** The n-grams of all of them. */
  long windows() {
    return windows;
  }

  /** One result per record of the batch. */
  List<Result<Long>> results() {
    return results;
  }
}
