package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.Lexicon;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseIndexException;
import io.latimer.operators.phrases.index.PhraseSearch;
import io.latimer.operators.phrases.index.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Extracts the translations of phrases, one at a time: samples their occurrences, counts equal
 * translations and computes their lexical weights. Not thread-safe.
 */
final class PhraseExtraction {
  private final PhraseIndex index;
  private final PhraseOptions options;
  private final List<PhraseSearch> searches;
  private final List<PhraseOccurrence> occurrences;
  private final Map<Target, Target> targets = new HashMap<>();

  PhraseExtraction(PhraseIndex index, PhraseOptions options) {
    this.index = index;
    this.options = options;
    this.searches = index.segments().stream().map(PhraseSearch::new).toList();
    this.occurrences =
        index.segments().stream().map(segment -> new PhraseOccurrence(segment, options)).toList();
  }

  /** A target phrase at the first place where it was found, and how often it was. */
  private final class Target {
    final int segment;
    final int position;
    final int[] words;
    final int hash;
    int count;

    Target(int segment, int position, int length) {
      this.segment = segment;
      this.position = position;
      this.words = new int[length];
      Segment text = index.segments().get(segment);
      for (int i = 0; i < length; i++) {
        words[i] = text.target(position + i);
      }
      this.hash = Arrays.hashCode(words);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Target target && Arrays.equals(words, target.words);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** Extracts a phrase, which is appended to the columns. */
  void extract(long key, PhraseResults out) {
    int words = PhraseLookup.words(key);
    int[] phrase = phrase(key);
    int segments = searches.size();
    int[] starts = new int[segments];
    long[] before = new long[segments + 1]; // occurrences in earlier segments
    for (int i = 0; i < segments; i++) {
      before[i + 1] = before[i];
      if (searches.get(i).longest(phrase, 0, words) == words) {
        starts[i] = searches.get(i).first(phrase, 0, words);
        before[i + 1] += Math.max(0, searches.get(i).end(phrase, 0, words) - starts[i]);
      }
    }
    long all = before[segments];
    if (all == 0) {
      throw PhraseIndexException.corrupt("a phrase that was found is not found again");
    }
    int ofFile = index.learnedSegment() == null ? segments : index.learnedSegment().number();
    long inFile = before[ofFile];
    int samples = options.sampled(inFile);
    int[] outcomes = new int[ExtractionOutcome.COUNT];
    targets.clear();
    Sampling sampling = new Sampling(starts[PhraseLookup.segment(key)], inFile, samples);
    int segment = 0;
    while (sampling.hasNext()) {
      long sample = sampling.next();
      while (sample >= before[segment + 1]) {
        segment++;
      }
      int rank = (int) (starts[segment] + sample - before[segment]);
      outcomes[extract(segment, rank, words).column]++;
    }
    if (inFile < all) {
      int more = options.sampledOfLearned(all - inFile, samples);
      samples += more;
      sampling = new Sampling(starts[ofFile], all - inFile, more);
      while (sampling.hasNext()) {
        outcomes[extract(ofFile, (int) (starts[ofFile] + sampling.next()), words).column]++;
      }
    }
    out.addPhrase(words, all, samples, outcomes);
    addPairs(phrase, out);
  }

  /** The ids of a phrase's words, as they stand in the index. */
  private int[] phrase(long key) {
    Segment segment = index.segments().get(PhraseLookup.segment(key));
    int[] phrase = new int[PhraseLookup.words(key)];
    int rank = PhraseLookup.rank(key);
    int position = rank < segment.sourceLength() ? segment.suffix(rank) : segment.sourceLength();
    if (phrase.length > segment.sourceLength() - position) {
      throw PhraseIndexException.corrupt("a phrase that was found is outside of the text");
    }
    for (int i = 0; i < phrase.length; i++) {
      phrase[i] = segment.source(position + i);
    }
    return phrase;
  }

  private ExtractionOutcome extract(int segment, int rank, int words) {
    return occurrences
        .get(segment)
        .extract(
            index.segments().get(segment).suffix(rank),
            words,
            (position, targetWords) -> count(segment, position, targetWords));
  }

  private void count(int segment, int position, int words) {
    Target found = new Target(segment, position, words);
    Target known = targets.putIfAbsent(found, found);
    (known == null ? found : known).count++;
  }

  private void addPairs(int[] phrase, PhraseResults out) {
    List<Target> sorted = new ArrayList<>(targets.values());
    sorted.sort(
        Comparator.comparingInt((Target target) -> -target.count)
            .thenComparing(target -> target.words, Arrays::compare));
    Lexicon lexicon = index.lexicon();
    for (Target target : sorted) {
      out.addPair(
          target.segment,
          target.position,
          target.words.length,
          target.count,
          LexicalWeights.targetGivenSource(lexicon, phrase, target.words),
          LexicalWeights.sourceGivenTarget(lexicon, phrase, target.words));
    }
  }
}
