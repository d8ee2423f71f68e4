package io.latimer.operators.phrases;

import static io.latimer.operators.phrases.GpuBatchField.ALL_SAMPLES;
import static io.latimer.operators.phrases.GpuBatchField.AT;
import static io.latimer.operators.phrases.GpuBatchField.ENTRIES;
import static io.latimer.operators.phrases.GpuBatchField.ENTRY_STARTS;
import static io.latimer.operators.phrases.GpuBatchField.FOUND;
import static io.latimer.operators.phrases.GpuBatchField.FOUND_STARTS;
import static io.latimer.operators.phrases.GpuBatchField.GROUPS;
import static io.latimer.operators.phrases.GpuBatchField.GROUP_COUNT;
import static io.latimer.operators.phrases.GpuBatchField.GROUP_PHRASE;
import static io.latimer.operators.phrases.GpuBatchField.GROUP_TARGET;
import static io.latimer.operators.phrases.GpuBatchField.KEYS;
import static io.latimer.operators.phrases.GpuBatchField.LOOSE;
import static io.latimer.operators.phrases.GpuBatchField.MATCHES;
import static io.latimer.operators.phrases.GpuBatchField.MAX_SOURCE;
import static io.latimer.operators.phrases.GpuBatchField.MAX_TARGET;
import static io.latimer.operators.phrases.GpuBatchField.MOST_SAMPLES;
import static io.latimer.operators.phrases.GpuBatchField.OCCURRENCES;
import static io.latimer.operators.phrases.GpuBatchField.OUTCOMES;
import static io.latimer.operators.phrases.GpuBatchField.PAIRS;
import static io.latimer.operators.phrases.GpuBatchField.PAIR_COUNT;
import static io.latimer.operators.phrases.GpuBatchField.PAIR_SEGMENT;
import static io.latimer.operators.phrases.GpuBatchField.PAIR_STARTS;
import static io.latimer.operators.phrases.GpuBatchField.PAIR_TARGET;
import static io.latimer.operators.phrases.GpuBatchField.PAIR_WORDS;
import static io.latimer.operators.phrases.GpuBatchField.PHRASES;
import static io.latimer.operators.phrases.GpuBatchField.PHRASE_WORDS;
import static io.latimer.operators.phrases.GpuBatchField.PLACE_FROM;
import static io.latimer.operators.phrases.GpuBatchField.PLACE_PHRASE;
import static io.latimer.operators.phrases.GpuBatchField.PLACE_STARTS;
import static io.latimer.operators.phrases.GpuBatchField.RANGES;
import static io.latimer.operators.phrases.GpuBatchField.REPEATS;
import static io.latimer.operators.phrases.GpuBatchField.SAMPLES;
import static io.latimer.operators.phrases.GpuBatchField.SAMPLE_STARTS;
import static io.latimer.operators.phrases.GpuBatchField.SENTENCES;
import static io.latimer.operators.phrases.GpuBatchField.SENTENCE_NUMBERS;
import static io.latimer.operators.phrases.GpuBatchField.SENTENCE_STARTS;
import static io.latimer.operators.phrases.GpuBatchField.SOURCE_GIVEN_TARGET;
import static io.latimer.operators.phrases.GpuBatchField.TARGET_GIVEN_SOURCE;
import static io.latimer.operators.phrases.GpuBatchField.TEXT;
import static io.latimer.operators.phrases.GpuBatchField.WORDS;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.ReadBackRing;
import io.latimer.operators.device.Stream;
import io.latimer.operators.device.UploadRing;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.IntBuffer;
import java.util.List;

/**
 * Extracts phrases on a GPU: words are looked up on the host, all else on the device, in six steps
 * for the whole batch. Between them the host learns how much memory the next one needs. A batch of
 * a few sentences passes through all steps in one kernel, with one wait. The results are those of
 * {@link ExtractPhrasesCpu}; lexical weights may differ in their last bits.
 */
final class ExtractPhrasesGpu implements ExtractPhrases {
  private static final String OWNER = "phrases";

  /** Threads that look up words and read results. */
  private static final int MOST_THREADS = 16;

  private static final int SLOTS = 8;
  private static final int SLOT = 2 << 20;
  private static final int CHUNK = 1 << 18;

  /**
   * Words of a batch up to which one kernel takes less time than the six steps; few enough for any
   * sentence's phrases.
   */
  private static final int SMALL_WORDS = 256;

  /** Device memory of such a batch, and how much of it is copied before its results are known. */
  private static final long SMALL_BYTES = 16 << 20;

  private static final int SMALL_RESULTS = 256 << 10;

  /** The columns of results are arrays. */
  private static final int MAX_ROWS = PhraseResults.MAX_ROWS;

  private final GpuPhraseIndex index;
  private final boolean repeats;
  private final Closer closer = new Closer();
  private final Team team;
  private final UploadRing upload;
  private final ReadBackRing readBack;
  private final Stream stream;
  private final PinnedBuffer report;
  private final long resultBytes;
  private final long scratchBytes;
  private Arena results;
  private Arena scratch;

  /**
   * Makes an extractor.
   *
   * @param index must stay open as long as the extractor is used, and is not closed with it
   * @param bytes limit of device memory for a batch
   * @param repeats whether a phrase is extracted again for each sentence that has it; for
   *     benchmarks
   */
  ExtractPhrasesGpu(GpuPhraseIndex index, long bytes, boolean repeats) {
    this(index, bytes / 2, bytes - bytes / 2, repeats);
  }

  /**
   * Makes an extractor.
   *
   * @param resultBytes limit of memory for a batch's results
   * @param scratchBytes limit of memory for the work on them
   * @param repeats as above
   */
  ExtractPhrasesGpu(GpuPhraseIndex index, long resultBytes, long scratchBytes, boolean repeats) {
    this.index = index;
    this.repeats = repeats;
    this.resultBytes = resultBytes;
    this.scratchBytes = scratchBytes;
    Gpu gpu = index.gpu();
    try {
      this.team = new Team(Team.defaultThreads(MOST_THREADS));
      this.report = closer.add(new PinnedBuffer(gpu, OWNER, SMALL_RESULTS));
      this.readBack = closer.add(new ReadBackRing(gpu, OWNER, team, SLOTS, SLOT));
      this.upload = closer.add(new UploadRing(gpu, OWNER, team, SLOTS, SLOT, CHUNK));
      this.stream = upload.stream();
      openArenas();
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  @Override
  public PhraseIndex index() {
    return index.index();
  }

  @Override
  public Team team() {
    return team;
  }

  @Override
  public ExtractedPhrases extract(SentenceWords[] sentences, PhraseOptions options) {
    boolean[] refused = new boolean[sentences.length];
    GpuPhraseBatch batch = begin(sentences, options);
    if (!runWhole(batch)) {
      find(batch);
      if (refuse(batch, refused)) {
        batch = begin(without(refused, sentences), options);
        find(batch);
      }
      extract(batch);
    }
    return read(batch, sentences, options, refused);
  }

  private GpuPhraseBatch begin(SentenceWords[] sentences, PhraseOptions options) {
    GpuPhraseBatch batch = new GpuPhraseBatch(index, stream, results, scratch, report);
    batch.set(MOST_SAMPLES, options.samples());
    batch.set(MAX_SOURCE, options.maxSource());
    batch.set(MAX_TARGET, options.maxTarget());
    batch.set(LOOSE, options.loose() ? 1 : 0);
    batch.set(REPEATS, repeats ? 1 : 0);
    upload(batch, new GpuPhraseText(index(), sentences, team));
    return batch;
  }

  /** Runs all steps of a small batch at once; false for any other. */
  private boolean runWhole(GpuPhraseBatch batch) {
    scratch.reset();
    return batch.get(WORDS) <= SMALL_WORDS
        && batch.get(MOST_SAMPLES) > 0
        && scratch.room() >= SMALL_BYTES
        && batch.runWhole(scratch.allocate(SMALL_BYTES));
  }

  /**
   * Marks the sentences that have too many phrases.
   *
   * @return whether there are any
   */
  private boolean refuse(GpuPhraseBatch batch, boolean[] refused) {
    if (batch.places() <= PhraseLookup.MAX_PHRASES) {
      return false;
    }
    int[] starts = new int[refused.length + 1];
    readBack.read(stream, List.of(batch.part(PLACE_STARTS, starts)));
    boolean any = false;
    for (int i = 0; i < refused.length; i++) {
      refused[i] = starts[i + 1] - starts[i] > PhraseLookup.MAX_PHRASES;
      any |= refused[i];
    }
    return any;
  }

  private static final SentenceWords NO_WORDS = new SentenceWords("");

  private static SentenceWords[] without(boolean[] refused, SentenceWords[] sentences) {
    SentenceWords[] rest = sentences.clone();
    for (int i = 0; i < rest.length; i++) {
      rest[i] = refused[i] ? NO_WORDS : rest[i];
    }
    return rest;
  }

  private void upload(GpuPhraseBatch batch, GpuPhraseText text) {
    upload.upload(IntBuffer.wrap(text.all), batch.allocate(TEXT, text.all.length, Integer.BYTES));
    long numbers = batch.get(TEXT) + (long) Integer.BYTES * text.words;
    batch.set(SENTENCE_NUMBERS, numbers);
    batch.set(SENTENCE_STARTS, numbers + (long) Integer.BYTES * text.words);
    batch.set(WORDS, text.words);
    batch.set(SENTENCES, text.all.length - 2L * text.words - 1);
  }

  private void find(GpuPhraseBatch batch) {
    long segments = index().segments().size();
    long words = batch.get(WORDS);
    batch.allocate(MATCHES, words * segments, Short.BYTES);
    batch.allocate(ENTRY_STARTS, words + 1, Long.BYTES);
    batch.run("lat_phrases_match", ENTRIES, 0, Integer.MAX_VALUE);
    long entries = batch.get(ENTRIES);
    batch.allocate(PLACE_STARTS, batch.get(SENTENCES) + 1, Integer.BYTES);
    batch.allocate(PLACE_FROM, entries, Integer.BYTES);
    batch.allocate(PLACE_PHRASE, entries, Integer.BYTES);
    batch.allocate(KEYS, entries, Long.BYTES);
    batch.allocate(AT, entries, Integer.BYTES);
    batch.run("lat_phrases_find", PHRASES, 1, MAX_ROWS);
  }

  /** Extracts the translations of the phrases found. */
  private void extract(GpuPhraseBatch batch) {
    long phrases = batch.get(PHRASES);
    batch.allocate(RANGES, phrases * index().segments().size(), 2 * Integer.BYTES);
    batch.allocate(OCCURRENCES, phrases, Long.BYTES);
    batch.allocate(SAMPLES, phrases, Integer.BYTES);
    batch.allocate(PHRASE_WORDS, phrases, Integer.BYTES);
    batch.allocate(SAMPLE_STARTS, phrases + 1, Long.BYTES);
    batch.run("lat_phrases_bounds", ALL_SAMPLES, 3, Long.MAX_VALUE);
    long samples = batch.get(ALL_SAMPLES);
    batch.allocate(OUTCOMES, phrases * ExtractionOutcome.COUNT, Integer.BYTES);
    batch.allocate(FOUND, samples, Long.BYTES);
    batch.allocate(FOUND_STARTS, samples + 1, Long.BYTES);
    batch.run("lat_phrases_extract", PAIRS, 4, Integer.MAX_VALUE);
    long pairs = batch.get(PAIRS);
    batch.allocate(GROUP_PHRASE, pairs, Integer.BYTES);
    batch.allocate(GROUP_TARGET, pairs, Long.BYTES);
    batch.allocate(GROUP_COUNT, pairs, Integer.BYTES);
    batch.run("lat_phrases_group", GROUPS, 5, MAX_ROWS);
    long groups = batch.get(GROUPS);
    batch.allocate(PAIR_STARTS, phrases + 1, Integer.BYTES);
    batch.allocate(PAIR_SEGMENT, groups, Byte.BYTES);
    batch.allocate(PAIR_TARGET, groups, Integer.BYTES);
    batch.allocate(PAIR_WORDS, groups, Integer.BYTES);
    batch.allocate(PAIR_COUNT, groups, Integer.BYTES);
    batch.allocate(TARGET_GIVEN_SOURCE, groups, Double.BYTES);
    batch.allocate(SOURCE_GIVEN_TARGET, groups, Double.BYTES);
    batch.queue("lat_phrases_finish");
  }

  private ExtractedPhrases read(
      GpuPhraseBatch batch, SentenceWords[] sentences, PhraseOptions options, boolean[] refused) {
    int placeCount = batch.places();
    int phraseCount = (int) batch.get(PHRASES);
    int groupCount = (int) batch.get(GROUPS);
    ExtractedPhrases.Places places =
        new ExtractedPhrases.Places(
            new int[sentences.length + 1], new int[placeCount], new int[placeCount]);
    ExtractedPhrases.Columns phrases =
        new ExtractedPhrases.Columns(
            new int[phraseCount],
            new long[phraseCount],
            new int[phraseCount],
            new int[phraseCount * ExtractionOutcome.COUNT],
            new int[phraseCount + 1]);
    ExtractedPhrases.Pairs pairs =
        new ExtractedPhrases.Pairs(
            new byte[groupCount],
            new int[groupCount],
            new int[groupCount],
            new int[groupCount],
            new double[groupCount],
            new double[groupCount]);
    batch.read(
        readBack,
        List.of(
            batch.part(PLACE_STARTS, places.starts()),
            batch.part(PLACE_FROM, places.from()),
            batch.part(PLACE_PHRASE, places.phrase()),
            batch.part(PHRASE_WORDS, phrases.words()),
            batch.part(OCCURRENCES, phrases.occurrences()),
            batch.part(SAMPLES, phrases.samples()),
            batch.part(OUTCOMES, phrases.outcomes()),
            batch.part(PAIR_STARTS, phrases.pairStarts()),
            batch.part(PAIR_SEGMENT, pairs.segment()),
            batch.part(PAIR_TARGET, pairs.target()),
            batch.part(PAIR_WORDS, pairs.words()),
            batch.part(PAIR_COUNT, pairs.count()),
            batch.part(TARGET_GIVEN_SOURCE, pairs.targetGivenSource()),
            batch.part(SOURCE_GIVEN_TARGET, pairs.sourceGivenTarget())));
    return new ExtractedPhrases(index(), sentences, options, refused, places, phrases, pairs);
  }

  private void openArenas() {
    results = new Arena(index.gpu(), OWNER, resultBytes);
    scratch = new Arena(index.gpu(), OWNER, scratchBytes);
  }

  private void closeArenas() {
    results.close();
    scratch.close();
  }

  /**
   * Waits for what a failed batch had queued, and frees its memory: the blocks that it allocated
   * one by one may be too small for a part of it with larger arrays.
   */
  @Override
  public void recover() {
    stream.synchronize();
    closeArenas();
    openArenas();
  }

  @Override
  public void close() {
    try {
      closer.close();
    } finally {
      closeArenas();
    }
  }
}
