package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedSegment;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseSearch;
import io.latimer.operators.phrases.index.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Which extractions of a phrase are from learned pairs: its samples in their segment are extracted
 * again, on the host, whatever device extracted the batch. Immutable.
 */
final class LearnedExtractions {
  static final LearnedExtractions NONE = new LearnedExtractions(null);

  /** The extractions of one translation. */
  private static final class Found {
    int count;
    final NavigableSet<Long> pairs = new TreeSet<>(); // their numbers
  }

  private final PhraseIndex index;
  private final Map<List<Integer>, Found> byTarget = new HashMap<>();

  private LearnedExtractions(PhraseIndex index) {
    this.index = index;
  }

  /**
   * Extracts a phrase from the learned pairs.
   *
   * @param index has learned pairs
   * @param phrase the ids of its words, which occur in the index
   * @param all its occurrences in the index
   * @param samples the number of those that were sampled
   */
  static LearnedExtractions of(
      PhraseIndex index, PhraseOptions options, int[] phrase, long all, int samples) {
    LearnedSegment learned = index.learnedSegment();
    PhraseSearch search = new PhraseSearch(learned.segment());
    if (search.longest(phrase, 0, phrase.length) < phrase.length) {
      return NONE;
    }
    int start = search.first(phrase, 0, phrase.length);
    int end = search.end(phrase, 0, phrase.length);
    LearnedExtractions found = new LearnedExtractions(index);
    PhraseOccurrence occurrence = new PhraseOccurrence(learned.segment(), options);
    int occurrences = end - start;
    Sampling sampling =
        new Sampling(start, occurrences, samples - options.sampled(all - occurrences));
    while (sampling.hasNext()) {
      found.extract(occurrence, (int) (start + sampling.next()), phrase.length);
    }
    return found;
  }

  private void extract(PhraseOccurrence occurrence, int rank, int phraseWords) {
    LearnedSegment learned = index.learnedSegment();
    int position = learned.segment().suffix(rank);
    occurrence.extract(
        position,
        phraseWords,
        (target, words) -> {
          Found found =
              byTarget.computeIfAbsent(words(learned.segment(), target, words), any -> new Found());
          found.count++;
          found.pairs.add(learned.pairAt(position));
        });
  }

  private static List<Integer> words(Segment segment, int position, int words) {
    List<Integer> ids = new ArrayList<>(words);
    for (int i = 0; i < words; i++) {
      ids.add(segment.target(position + i));
    }
    return ids;
  }

  /**
   * How many extractions gave a translation.
   *
   * @param segment that has the translation
   * @param position of its first word there
   */
  int count(Segment segment, int position, int words) {
    if (byTarget.isEmpty()) {
      return 0;
    }
    Found found = byTarget.get(words(segment, position, words));
    return found == null ? 0 : found.count;
  }

  /** The distinct pairs that gave a translation, the newest first. */
  List<LearnedPair> pairs(Segment segment, int position, int words, int most) {
    if (byTarget.isEmpty()) {
      return List.of();
    }
    Found found = byTarget.get(words(segment, position, words));
    return found == null
        ? List.of()
        : found.pairs.descendingSet().stream().limit(most).map(index.learned()::get).toList();
  }
}
