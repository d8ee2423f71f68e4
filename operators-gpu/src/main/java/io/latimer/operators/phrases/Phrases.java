package io.latimer.operators.phrases;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.SplitRetry;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Finds the phrases of tokenized sentences in an indexed parallel text and extracts their
 * translations, with counts and features (He, Lin and Lopez, "Massively Parallel Suffix Array
 * Queries and On-Demand Phrase Extraction for Statistical Machine Translation Using GPUs", 2013).
 * Words are separated as by {@link WordIds#split}. A phrase that several sentences of a batch share
 * is extracted once.
 */
public final class Phrases implements BatchOperator<String, PhraseTable> {
  /**
   * Default memory of a GPU for a batch, in bytes: half for its results, half for the work on them.
   */
  public static final long GPU_BYTES = 16L << 30;

  /** Sentences that a thread of the host splits at a time. */
  private static final int SHARE = 128;

  private final ExtractPhrases extract;
  private final PhraseOptions options;
  private final Closer closer = new Closer();
  private boolean closed;

  /**
   * Makes an operator.
   *
   * @param extract closed with this object
   * @param lease of the index; closed last
   */
  Phrases(ExtractPhrases extract, PhraseOptions options, Lease<?> lease) {
    closer.add(lease);
    this.extract = closer.add(extract);
    this.options = options;
  }

  /**
   * An opener of operators for an index file. The index is loaded once per process and device, and
   * shared by all operators; on a GPU, a batch takes at most {@link #GPU_BYTES} besides.
   */
  public static IndexOpener<Phrases> opener(PhraseOptions options) {
    return opener(options, GPU_BYTES);
  }

  /**
   * The same with a limit of memory.
   *
   * @param gpuBytes limit of GPU memory for a batch: its results and the work on them; batches that
   *     need more are split
   */
  public static IndexOpener<Phrases> opener(PhraseOptions options, long gpuBytes) {
    return opener(options, gpuBytes, false);
  }

  /**
   * The same for an index and the pairs that a job learned since it was made: the answers are those
   * of an index with the pairs in it, as a segment of their own. Only sampling differs: up to
   * {@link PhraseOptions#samples} occurrences in the pairs are sampled in addition to those in the
   * index, so that a phrase that is frequent there does not crowd out what was learned.
   *
   * @param gpuBytes as above
   * @param learned pairs that the index does not have; operators with equal ones share one copy
   */
  public static IndexOpener<Phrases> opener(
      PhraseOptions options, long gpuBytes, LearnedPairs learned) {
    return opener(options, index -> new ExtractPhrasesGpu(index, gpuBytes, false), learned);
  }

  /**
   * The same, with or without removing repeated phrases.
   *
   * @param gpuBytes as above
   * @param repeats whether a GPU extracts a phrase again for each sentence of a batch that has it,
   *     as if no sentences had phrases in common; for benchmarks
   */
  public static IndexOpener<Phrases> opener(PhraseOptions options, long gpuBytes, boolean repeats) {
    return opener(
        options, index -> new ExtractPhrasesGpu(index, gpuBytes, repeats), LearnedPairs.none());
  }

  /** The same with any extractor for a GPU. */
  static IndexOpener<Phrases> opener(
      PhraseOptions options, Function<GpuPhraseIndex, ExtractPhrases> onGpu, LearnedPairs learned) {
    return new IndexOpener<>(
        PhraseIndex.KIND,
        (residents, ref, device) ->
            device.kind() == Device.Kind.GPU
                ? IndexOpener.own(
                    lease(
                        residents,
                        ref,
                        device,
                        GpuPhraseIndex.class,
                        (file, on) -> new GpuPhraseIndex(PhraseIndex.open(file), on),
                        learned,
                        GpuPhraseIndex::with),
                    lease -> new Phrases(onGpu.apply(lease.get()), options, lease))
                : IndexOpener.own(
                    lease(
                        residents,
                        ref,
                        device,
                        PhraseIndex.class,
                        (file, on) -> PhraseIndex.open(file),
                        learned,
                        PhraseIndex::with),
                    lease ->
                        new Phrases(
                            new ExtractPhrasesCpu(lease.get(), Team.defaultThreads()),
                            options,
                            lease)));
  }

  /** Leases an index, or the index with learned pairs, which shares the index's own copy. */
  private static <T extends AutoCloseable> Lease<T> lease(
      ResidentIndexes residents,
      IndexRef ref,
      Device device,
      Class<T> type,
      ResidentIndexes.Loader<T> loader,
      LearnedPairs learned,
      BiFunction<T, LearnedPairs, T> with) {
    Supplier<Lease<T>> base = () -> residents.acquire(ref, device, type, loader);
    return learned.isEmpty()
        ? base.get()
        : residents.derive(
            ref,
            device,
            type,
            "learned " + learned.digest(),
            base,
            index -> with.apply(index, learned));
  }

  /** The index. */
  public PhraseIndex index() {
    return extract.index();
  }

  /** One phrase table per sentence; the results are views, created on demand. */
  @Override
  public List<Result<PhraseTable>> apply(List<String> batch) {
    return applyWords(SentenceWords.of(batch));
  }

  /** The same for sentences whose words are shared with other operators. */
  public List<Result<PhraseTable>> applyWords(List<SentenceWords> batch) {
    if (closed) {
      throw new OperatorException("the phrase operator is closed; open another");
    }
    List<Result<PhraseTable>> results = new ArrayList<>(batch.size());
    List<SentenceWords> sentences = new ArrayList<>(batch.size());
    // size() splits a sentence into words, here on all threads
    extract.team().forEach(batch.size(), SHARE, i -> batch.get(i).size());
    for (SentenceWords words : batch) {
      int most = PhraseIndex.MAX_SENTENCE_WORDS;
      boolean fits = words.size() <= most;
      results.add(
          fits
              ? null
              : Result.failure(
                  SentenceWords.tooLong(words.size(), most, "phrases are looked up in")));
      if (fits) {
        sentences.add(words);
      }
    }
    Parts parts = new Parts();
    SplitRetry.fill(results, sentences, parts::extract, extract::recover, this::doesNotFit);
    return results;
  }

  /** The parts of a batch, whose phrases are numbered in sequence. */
  private final class Parts {
    private int phrases; // of the parts so far

    List<Result<PhraseTable>> extract(List<SentenceWords> sentences) {
      ExtractedPhrases part = extract.extract(sentences.toArray(SentenceWords[]::new), options);
      List<Result<PhraseTable>> tables = tables(part, phrases);
      phrases = Math.addExact(phrases, part.phrases.words().length);
      return tables;
    }
  }

  private static List<Result<PhraseTable>> tables(ExtractedPhrases extracted, int firstNumber) {
    List<SentenceWords> sentences = List.of(extracted.sentences);
    List<Result<PhraseTable>> tables = new ArrayList<>(sentences.size());
    for (int i = 0; i < sentences.size(); i++) {
      tables.add(
          extracted.isRefused(i)
              ? Result.failure(tooMany())
              : Result.of(new PhraseTable(extracted, i, firstNumber)));
    }
    return tables;
  }

  private RecordException doesNotFit(SentenceWords sentence, Throwable cause) {
    return new RecordException(
        "the phrases of the sentence of "
            + sentence.size()
            + " words and their translations do not fit into memory ("
            + cause.getMessage()
            + "); take fewer samples, or limit the words of phrases");
  }

  private static RecordException tooMany() {
    return new RecordException(
        "more than "
            + PhraseLookup.MAX_PHRASES
            + " phrases of the sentence occur in the index; split it, or set a maximum of words for"
            + " source phrases");
  }

  @Override
  public void close() {
    closed = true;
    closer.close();
  }
}
