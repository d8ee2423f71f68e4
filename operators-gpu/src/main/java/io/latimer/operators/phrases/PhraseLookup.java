package io.latimer.operators.phrases;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseSearch;
import io.latimer.operators.phrases.index.PhraseSections;
import io.latimer.operators.util.Utf8;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds all phrases of a sentence that occur in an index, in the two passes of He, Lin and Lopez
 * 2013, section 3: the longest match at every place, then the bounds of each shorter phrase. Not
 * thread-safe; reused from sentence to sentence.
 */
final class PhraseLookup {
  /** Maximum phrases of a sentence; without a limit of their length there may be 2^31. */
  static final int MAX_PHRASES = 1 << 19;

  private static final int RANK_SHIFT = 16;
  private static final int SEGMENT_SHIFT = RANK_SHIFT + 31;

  private final PhraseOptions options;
  private final List<PhraseSearch> searches;
  private final Set<Long> seen = new HashSet<>();

  private int[] from = new int[64];
  private long[] keys = new long[64];
  private int size;

  PhraseLookup(PhraseIndex index, PhraseOptions options) {
    this.options = options;
    this.searches = index.segments().stream().map(PhraseSearch::new).toList();
  }

  /** The ids of words; {@link PhraseSections#END} for those that the index lacks. */
  static int[] ids(PhraseIndex index, SentenceWords sentence) {
    return ids(index, sentence, 0, sentence.size());
  }

  /**
   * The same for a part of a sentence.
   *
   * @param from its first word
   * @param to the word after its last
   */
  static int[] ids(PhraseIndex index, SentenceWords sentence, int from, int to) {
    int[] ids = new int[to - from];
    boolean wellFormed = sentence.isWellFormed();
    for (int i = from; i < to; i++) {
      // Ill-formed text is never a word of the index.
      boolean text = wellFormed || Utf8.loneSurrogate(sentence.word(i)) < 0;
      ids[i - from] =
          text
              ? index.source().id(sentence.utf8(), sentence.from(i), sentence.to(i))
              : PhraseSections.END;
    }
    return ids;
  }

  /**
   * Finds the distinct phrases of a sentence, by their first places, then by length.
   *
   * @return false if there are more than {@link #MAX_PHRASES}; none is kept then
   */
  boolean find(int[] sentence) {
    size = 0;
    seen.clear();
    int[] matches = new int[searches.size()];
    int end = 0; // of the phrase from this position on that the index has
    for (int place = 0; place < sentence.length; place++) {
      end = Math.max(end, place);
      while (end < sentence.length && sentence[end] != PhraseSections.END) {
        end++;
      }
      int most = options.longest(end - place);
      int longest = 0;
      for (int i = 0; most > 0 && i < matches.length; i++) {
        matches[i] = searches.get(i).longest(sentence, place, most);
        longest = Math.max(longest, matches[i]);
      }
      int segment = 0;
      for (int words = 1; words <= longest; words++) {
        while (matches[segment] < words) {
          segment++; // where a longer phrase occurs, the shorter does, too
        }
        add(place, key(segment, searches.get(segment).first(sentence, place, words), words));
      }
      if (size > MAX_PHRASES) {
        size = 0;
        return false;
      }
    }
    return true;
  }

  private void add(int place, long key) {
    if (!seen.add(key)) {
      return;
    }
    if (size == from.length) {
      int wider = PhraseResults.wider(size);
      from = Arrays.copyOf(from, wider);
      keys = Arrays.copyOf(keys, wider);
    }
    from[size] = place;
    keys[size++] = key;
  }

  /** The places of the phrases found. */
  int[] from() {
    return Arrays.copyOf(from, size);
  }

  /** The keys of the phrases found. */
  long[] keys() {
    return Arrays.copyOf(keys, size);
  }

  /**
   * Identifies a phrase by the first segment that has it, the rank of its first suffix there, and
   * its length.
   */
  private static long key(int segment, int rank, int words) {
    return (long) segment << SEGMENT_SHIFT | (long) rank << RANK_SHIFT | words;
  }

  static int segment(long key) {
    return (int) (key >>> SEGMENT_SHIFT);
  }

  static int rank(long key) {
    return (int) (key >>> RANK_SHIFT) & Integer.MAX_VALUE;
  }

  static int words(long key) {
    return (int) key & 0xFFFF;
  }
}
