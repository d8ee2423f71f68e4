package io.latimer.operators.smt;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.memory.LearnedMemory;
import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.nmt.TranslationMemory;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseSearch;
import io.latimer.operators.phrases.index.PhraseSections;
import io.latimer.operators.phrases.index.Segment;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.Vocabulary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sentence pairs of a phrase index as a translation memory. A sentence is found if its words,
 * split and cased like the index's text, are a whole sentence there; of several translations, the
 * most frequent one is used, and of equally frequent ones the last in the text. A sentence with an
 * address or a symbol inside it that the index lacks is not found.
 */
public final class IndexedTranslationMemory implements TranslationMemory {
  /**
   * Maximum places in a segment, where a sentence's words end a sentence, that are examined: single
   * words and full stops have any number of them.
   */
  private static final int MOST_PLACES = 1 << 14;

  private final PhraseIndex index;
  private final TextPipeline pipeline;
  private final Lease<PhraseIndex> lease;

  private IndexedTranslationMemory(TextPipeline pipeline, Lease<PhraseIndex> lease) {
    this.index = lease.get();
    this.pipeline = pipeline;
    this.lease = lease;
  }

  /**
   * Opens the memory of an index, which is used in place where it is mapped.
   *
   * @param text how the index's text was prepared
   */
  public static IndexedTranslationMemory open(
      ResidentIndexes residents, IndexRef ref, PhraseText text) {
    Lease<PhraseIndex> lease =
        residents.acquire(
            ref, Device.CPU, PhraseIndex.class, (file, device) -> PhraseIndex.open(file));
    try {
      return new IndexedTranslationMemory(text.pipeline(lease.get()), lease);
    } catch (RuntimeException | Error e) {
      lease.close();
      throw e;
    }
  }

  /**
   * Opens the memory of an index behind the texts that corrections taught: those that the index
   * has, and learned ones.
   *
   * @param learned pairs that the index does not have
   * @param similarity from which taught sentences are similar, in percent of words; {@link
   *     LearnedMemory#EXACT} for none
   */
  public static TranslationMemory open(
      ResidentIndexes residents,
      IndexRef ref,
      PhraseText text,
      LearnedPairs learned,
      int similarity) {
    IndexedTranslationMemory memory = open(residents, ref, text);
    return LearnedMemory.open(
        residents, ref, memory.index, text.learned(learned.texts(), learned, similarity), memory);
  }

  @Override
  public String id() {
    return index.id();
  }

  @Override
  public String version() {
    return index.version();
  }

  @Override
  public Optional<Remembered> find(String sentence) {
    List<SourceSentence> prepared = pipeline.prepare(sentence, false);
    if (prepared.size() != 1 || prepared.get(0).isEmpty() || !prepared.get(0).isWhole()) {
      return Optional.empty();
    }
    SourceSentence only = prepared.get(0);
    int[] words = new int[only.tokens().size()];
    for (int i = 0; i < words.length; i++) {
      words[i] = index.source().id(only.tokens().get(i));
      if (words[i] == PhraseSections.END) {
        return Optional.empty();
      }
    }
    return best(words).map(ids -> Remembered.of(pipeline.restore(only, ids, null)));
  }

  /** The tokens of the best translation of a sentence. */
  private Optional<int[]> best(int[] words) {
    Map<List<Integer>, Integer> counts = new LinkedHashMap<>(); // by the last place of each
    for (Segment segment : index.segments()) {
      count(words, segment, counts);
    }
    List<Integer> best = null;
    for (Map.Entry<List<Integer>, Integer> one : counts.entrySet()) {
      best = best == null || one.getValue() >= counts.get(best) ? one.getKey() : best;
    }
    return Optional.ofNullable(best).map(ids -> ids.stream().mapToInt(Integer::intValue).toArray());
  }

  /**
   * Counts the translations in a segment. Suffixes that begin with the words and a sentence's end
   * come first among those that begin with the words, because the end has the lowest id.
   */
  private static void count(int[] words, Segment segment, Map<List<Integer>, Integer> counts) {
    PhraseSearch search = new PhraseSearch(segment);
    if (search.longest(words, 0, words.length) < words.length) {
      return;
    }
    int first = search.first(words, 0, words.length);
    int end = Math.min(search.end(words, 0, words.length), first + MOST_PLACES);
    List<Integer> places = new ArrayList<>();
    for (int rank = first; rank < end; rank++) {
      int position = segment.suffix(rank);
      if (position + words.length >= segment.sourceLength()
          || segment.source(position + words.length) != PhraseSections.END) {
        break;
      }
      if (position == 0 || segment.source(position - 1) == PhraseSections.END) {
        places.add(position);
      }
    }
    places.sort(null);
    for (int position : places) {
      List<Integer> target = target(segment, segment.targetStart(position));
      Integer before = counts.remove(target);
      counts.put(target, before == null ? 1 : before + 1);
    }
  }

  /** The tokens of the target sentence at a position. */
  private static List<Integer> target(Segment segment, int start) {
    List<Integer> ids = new ArrayList<>();
    for (int at = start; segment.target(at) != PhraseSections.END; at++) {
      ids.add(IndexWords.id(segment.target(at)));
    }
    ids.add(Vocabulary.END);
    return ids;
  }

  @Override
  public void close() {
    try {
      pipeline.close();
    } finally {
      lease.close();
    }
  }
}
