package io.latimer.operators.phrases;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.List;

/**
 * Extracts phrases on all cores: the sentences are divided among the threads for the lookup, the
 * distinct phrases for the extraction. Reads the index from its mapped file.
 */
final class ExtractPhrasesCpu implements ExtractPhrases {
  /** Parts per thread: a thread that finishes early takes another. */
  private static final int PARTS = 16;

  private final PhraseIndex index;
  private final Team team;

  /**
   * Makes an extractor.
   *
   * @param index must stay open as long as the extractor is used, and is not closed with it
   * @param threads 1 or more
   */
  ExtractPhrasesCpu(PhraseIndex index, int threads) {
    this.index = index;
    this.team = new Team(threads);
  }

  @Override
  public PhraseIndex index() {
    return index;
  }

  @Override
  public Team team() {
    return team;
  }

  @Override
  public ExtractedPhrases extract(SentenceWords[] sentences, PhraseOptions options) {
    int[][] from = new int[sentences.length][];
    long[][] keys = new long[sentences.length][];
    boolean[] refused = new boolean[sentences.length];
    team.inParts(
        sentences.length,
        parts(sentences.length),
        (part, first, end) -> {
          PhraseLookup lookup = new PhraseLookup(index, options);
          for (int i = first; i < end; i++) {
            refused[i] = !lookup.find(PhraseLookup.ids(index, sentences[i]));
            from[i] = lookup.from();
            keys[i] = lookup.keys();
          }
        });
    long[] distinct = distinct(keys);
    PhraseResults[] results = new PhraseResults[parts(distinct.length)];
    team.inParts(
        distinct.length,
        results.length,
        (part, first, end) -> {
          PhraseExtraction extraction = new PhraseExtraction(index, options);
          results[part] = new PhraseResults();
          for (int i = first; i < end; i++) {
            extraction.extract(distinct[i], results[part]);
          }
        });
    List<PhraseResults> parts = List.of(results);
    return new ExtractedPhrases(
        index,
        sentences,
        options,
        refused,
        places(from, keys, distinct),
        PhraseResults.phrases(parts),
        PhraseResults.pairs(parts));
  }

  private int parts(int size) {
    return Math.min(size, PARTS * team.size());
  }

  private static long[] distinct(long[][] keys) {
    long[] all = Arrays.stream(keys).flatMapToLong(Arrays::stream).toArray();
    Arrays.parallelSort(all);
    return Arrays.stream(all).distinct().toArray();
  }

  private static ExtractedPhrases.Places places(int[][] from, long[][] keys, long[] distinct) {
    int[] starts = new int[from.length + 1];
    for (int i = 0; i < from.length; i++) {
      starts[i + 1] = PhraseResults.sum(starts[i], from[i].length);
    }
    int[] allFrom = Arrays.stream(from).flatMapToInt(Arrays::stream).toArray();
    int[] phrase =
        Arrays.stream(keys)
            .flatMapToLong(Arrays::stream)
            .mapToInt(key -> Arrays.binarySearch(distinct, key))
            .toArray();
    return new ExtractedPhrases.Places(starts, allFrom, phrase);
  }

  @Override
  public void close() {} // holds memory only
}
