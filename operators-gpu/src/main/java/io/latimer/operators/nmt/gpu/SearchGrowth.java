package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.function.LongSupplier;

/** Decides whether a search that was made smaller than is of use should be made anew. */
final class SearchGrowth {
  /** A search is made anew when it may take more than this many times the memory. */
  private static final int WORTHWHILE = 2;

  private final DecodeOptions options;
  private final SearchRoom wanted;
  private long limit;

  /**
   * Before a search is made.
   *
   * @param wanted as large as is of use for the sentence that it is made for
   * @param limit bytes that it may take of the device
   */
  SearchGrowth(DecodeOptions options, SearchRoom wanted, long limit) {
    this.options = options;
    this.wanted = wanted;
    this.limit = limit;
  }

  /**
   * The search has been made. It may hold more than the limit was: a search for one sentence may
   * take all the memory, and an allocation can succeed that the free memory seemed to rule out. It
   * is not made anew for what it holds already.
   *
   * @param mayTake bytes that a search may take of the device now, with what this one holds
   */
  void made(long mayTake) {
    limit = Math.max(limit, mayTake);
  }

  /**
   * Whether a search need not stay as small as it was made: it was for a longer sentence than the
   * next, or others have released memory since.
   *
   * @param room what the search has room for
   * @param length source tokens of the next sentence
   * @param mayTake bytes that a search may take of the device now, with what this one holds
   */
  boolean couldBeLarger(SearchRoom room, int length, LongSupplier mayTake) {
    if (room.sentences() == wanted.sentences()) {
      return false;
    }
    boolean shorter = SearchRoom.of(options, length).longest() < room.longest();
    return (shorter && room.isForTheLongest(options)) || mayTake.getAsLong() / WORTHWHILE > limit;
  }
}
