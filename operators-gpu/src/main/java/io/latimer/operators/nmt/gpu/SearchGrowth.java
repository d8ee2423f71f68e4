package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.function.LongSupplier;

/** Decides when to rebuild a search that memory kept smaller than is useful. */
final class SearchGrowth {
  /** A search is rebuilt when it may use more than this many times its memory. */
  private static final int WORTHWHILE = 2;

  private final DecodeOptions options;
  private final SearchCapacity wanted;
  private long limit;

  /**
   * Prepares the decision, before a search is made.
   *
   * @param wanted the largest useful capacity for the sentence that the search is made for
   * @param limit device memory that it may use, in bytes
   */
  SearchGrowth(DecodeOptions options, SearchCapacity wanted, long limit) {
    this.options = options;
    this.wanted = wanted;
    this.limit = limit;
  }

  /**
   * Records that the search was made. It may use more than the limit: a search for one sentence may
   * take all memory, and an allocation can succeed that the free memory seemed to rule out. What it
   * already uses must not cause a rebuild.
   *
   * @param mayTake device memory that a search may use now, in bytes, including this one's
   */
  void made(long mayTake) {
    limit = Math.max(limit, mayTake);
  }

  /**
   * Whether a small search can be replaced by a larger one: it was made for a longer sentence than
   * the next, or memory has become free since.
   *
   * @param capacity the search's capacity
   * @param length number of source tokens of the next sentence
   * @param mayTake device memory that a search may use now, in bytes, including this one's
   */
  boolean couldBeLarger(SearchCapacity capacity, int length, LongSupplier mayTake) {
    if (capacity.sentences() == wanted.sentences()) {
      return false;
    }
    boolean shorter = SearchCapacity.of(options, length).longest() < capacity.longest();
    return (shorter && capacity.isForTheLongest(options))
        || mayTake.getAsLong() / WORTHWHILE > limit;
  }
}
