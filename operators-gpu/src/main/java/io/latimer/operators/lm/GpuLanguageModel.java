package io.latimer.operators.lm;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.lm.model.LmVocabulary;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A language model on a GPU: the very bytes of its file that {@link LanguageModel#words}, {@link
 * LanguageModel#ngrams} and its {@link LmVocabulary} have. Immutable; shared by all scorers of a
 * process.
 */
public final class GpuLanguageModel implements AutoCloseable {
  private static final String OWNER = "lm model";
  private static final int STAGED = 16 << 20;

  private final LanguageModel model;
  private final Gpu gpu;
  private final Arena arena;
  private final DeviceBuffer words;
  private final DeviceBuffer ngrams;
  private final DeviceBuffer wordText;
  private final DeviceBuffer wordStarts;
  private final DeviceBuffer wordTable;

  /**
   * Copies a model to a device.
   *
   * @param model stays open as long as this
   * @param device a GPU
   * @throws io.latimer.operators.device.DeviceMemoryException if it does not fit: {@link
   *     LanguageModel#deviceBytes} are needed
   */
  public GpuLanguageModel(LanguageModel model, Device device) {
    this.model = model;
    this.gpu = Gpu.open(device);
    this.arena = new Arena(gpu, OWNER);
    try {
      this.words = arena.allocate(model.words().remaining());
      this.ngrams = arena.allocate(model.ngramBytes());
      LmVocabulary vocabulary = model.vocabulary();
      this.wordText = arena.allocate(vocabulary.text().remaining());
      this.wordStarts = arena.allocate(vocabulary.starts().remaining());
      this.wordTable = arena.allocate(vocabulary.table().remaining());
      try (Stream stream = new Stream(gpu, OWNER);
          PinnedBuffer staged = new PinnedBuffer(gpu, OWNER, STAGED)) {
        copy(List.of(model.words()), words, stream, staged);
        copy(model.ngrams(), ngrams, stream, staged);
        copy(List.of(vocabulary.text()), wordText, stream, staged);
        copy(List.of(vocabulary.starts()), wordStarts, stream, staged);
        copy(List.of(vocabulary.table()), wordTable, stream, staged);
      }
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static void copy(
      List<ByteBuffer> pieces, DeviceBuffer to, Stream stream, PinnedBuffer staged) {
    long at = 0;
    for (ByteBuffer piece : pieces) {
      for (long from = 0; from < piece.limit(); from += STAGED) {
        int length = (int) Math.min(STAGED, piece.limit() - from);
        staged.bytes().put(piece.slice((int) from, length));
        stream.copyIn(staged, 0, length, to.slice(at, length));
        stream.synchronize();
        at += length;
      }
    }
  }

  /** The model. */
  public LanguageModel model() {
    return model;
  }

  Gpu gpu() {
    return gpu;
  }

  /**
   * Queues the looking up of the words of texts, as lat_lm_tokens has it.
   *
   * @param scratch {@link #tokenScratch} of as much text, or more
   */
  void tokens(
      Stream stream,
      DeviceBuffer text,
      long textBytes,
      DeviceBuffer ends,
      long texts,
      ScoreOptions options,
      DeviceBuffer tokens,
      DeviceBuffer offsets,
      DeviceBuffer scratch) {
    tokens(
        stream,
        text.address(),
        textBytes,
        ends.address(),
        texts,
        options,
        tokens.address(),
        offsets.address(),
        scratch.address(),
        new long[] {scratch.bytes()});
  }

  /** Bytes of scratch memory that {@link #tokens} needs for so many bytes of text. */
  long tokenScratch(Stream stream, long textBytes) {
    long[] size = new long[1];
    tokens(stream, 0, textBytes, 0, 1, ScoreOptions.SENTENCES, 0, 0, 0, size);
    return size[0];
  }

  private void tokens(
      Stream stream,
      long text,
      long textBytes,
      long ends,
      long texts,
      ScoreOptions options,
      long tokens,
      long offsets,
      long scratch,
      long[] scratchBytes) {
    gpu.call(
        ScoreWordsGpu.OPERATOR,
        "lat_lm_tokens",
        text,
        textBytes,
        ends,
        texts,
        wordText.address(),
        wordStarts.address(),
        model.vocabulary().size(),
        wordTable.address(),
        model.vocabulary().slots(),
        model.vocabulary().longest(),
        options.begin() ? model.beginSentence() : LmTokens.NONE,
        options.end() ? model.endSentence() : LmTokens.NONE,
        tokens,
        offsets,
        scratch,
        scratchBytes,
        stream.handle());
  }

  /** Queues the summing of the scores of texts, as lat_lm_sums has it. */
  void sums(
      Stream stream,
      DeviceBuffer tokens,
      DeviceBuffer offsets,
      long texts,
      DeviceBuffer log10,
      DeviceBuffer totals,
      DeviceBuffer unknown,
      DeviceBuffer unknownTotals) {
    gpu.call(
        ScoreWordsGpu.OPERATOR,
        "lat_lm_sums",
        tokens.address(),
        offsets.address(),
        texts,
        log10.address(),
        totals.address(),
        unknown.address(),
        unknownTotals.address(),
        stream.handle());
  }

  /**
   * Queues the scoring of tokens, as lat_lm_hash_score and lat_lm_btree_score have them.
   *
   * @param stateLengths null where they are not wanted
   * @param stateBackoffs null where they are not wanted
   */
  void score(
      Stream stream,
      DeviceBuffer tokens,
      long count,
      DeviceBuffer log10,
      DeviceBuffer lengths,
      DeviceBuffer stateLengths,
      DeviceBuffer stateBackoffs) {
    boolean hash = model.layout() == LmLayout.HASH;
    gpu.call(
        ScoreWordsGpu.OPERATOR,
        hash ? "lat_lm_hash_score" : "lat_lm_btree_score",
        tokens.address(),
        count,
        model.order(),
        words.address(),
        model.vocabulary().size(),
        ngrams.address(),
        hash ? (long) model.buckets() : model.ngramBytes() / Integer.BYTES,
        log10.address(),
        lengths.address(),
        stateLengths == null ? 0L : stateLengths.address(),
        stateBackoffs == null ? 0L : stateBackoffs.address(),
        stream.handle());
  }

  /** Gives its memory back. Closing twice is safe. */
  @Override
  public void close() {
    arena.close();
  }
}
