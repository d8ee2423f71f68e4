package io.latimer.operators.lm;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.Stream;
import io.latimer.operators.device.UploadRing;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A language model on a GPU: the same bytes as {@link LanguageModel#words}, {@link
 * LanguageModel#ngrams} and its {@link WordTable}. Immutable; shared by all scorers of a process.
 */
public final class GpuLanguageModel implements AutoCloseable {
  /** The owner of what the operator on the model allocates. */
  static final String OPERATOR = "lm";

  private static final String OWNER = "lm model";

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
   * @param model must stay open as long as this
   * @param device a GPU
   * @throws io.latimer.operators.device.DeviceMemoryException if it does not fit: {@link
   *     LanguageModel#deviceBytes} are needed
   */
  public GpuLanguageModel(LanguageModel model, Device device) {
    this.model = model;
    this.gpu = Gpu.open(device);
    WordTable vocabulary = model.vocabulary();
    this.arena =
        Arena.exact(
            gpu,
            OWNER,
            model.words().remaining(),
            model.ngramBytes(),
            vocabulary.text().remaining(),
            vocabulary.starts().remaining(),
            vocabulary.table().remaining());
    try (UploadRing ring = new UploadRing(gpu, OWNER)) {
      this.words = copied(List.of(model.words()), ring);
      this.ngrams = copied(model.ngrams(), ring);
      this.wordText = copied(List.of(vocabulary.text()), ring);
      this.wordStarts = copied(List.of(vocabulary.starts()), ring);
      this.wordTable = copied(List.of(vocabulary.table()), ring);
      ring.stream().synchronize();
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private DeviceBuffer copied(List<ByteBuffer> pieces, UploadRing ring) {
    DeviceBuffer there = arena.allocate(pieces.stream().mapToLong(ByteBuffer::limit).sum());
    ring.upload(pieces, there);
    return there;
  }

  /** The model. */
  public LanguageModel model() {
    return model;
  }

  /** The device. */
  public Gpu gpu() {
    return gpu;
  }

  /** {@link LanguageModel#words} on the device. */
  public DeviceBuffer words() {
    return words;
  }

  /** {@link LanguageModel#ngrams} on the device. */
  public DeviceBuffer ngrams() {
    return ngrams;
  }

  /** Bytes allocated on the device. */
  public long bytes() {
    return arena.capacity();
  }

  /**
   * Queues the lookup of the words of texts: lat_lm_tokens.
   *
   * @param scratch at least {@link #tokenScratch} bytes for this text
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
    stream.callWithin(
        scratch,
        "lat_lm_tokens",
        tokenArguments(
            text.address(),
            textBytes,
            ends.address(),
            texts,
            options,
            tokens.address(),
            offsets.address()));
  }

  /** Bytes of scratch memory that {@link #tokens} needs for text of the given size. */
  long tokenScratch(Stream stream, long textBytes) {
    return stream.scratchBytes(
        "lat_lm_tokens", tokenArguments(0, textBytes, 0, 1, ScoreOptions.SENTENCES, 0, 0));
  }

  private Object[] tokenArguments(
      long text,
      long textBytes,
      long ends,
      long texts,
      ScoreOptions options,
      long tokens,
      long offsets) {
    return new Object[] {
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
      offsets
    };
  }

  /** Queues the summation of the scores of texts: lat_lm_sums. */
  void sums(
      Stream stream,
      DeviceBuffer tokens,
      DeviceBuffer offsets,
      long texts,
      DeviceBuffer log10,
      DeviceBuffer totals,
      DeviceBuffer unknown,
      DeviceBuffer unknownTotals) {
    stream.call(
        "lat_lm_sums",
        tokens.address(),
        offsets.address(),
        texts,
        log10.address(),
        totals.address(),
        unknown.address(),
        unknownTotals.address());
  }

  /**
   * Queues the scoring of tokens: lat_lm_hash_score or lat_lm_btree_score.
   *
   * @param stateLengths null if not wanted
   * @param stateBackoffs null if not wanted
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
    stream.call(
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
        stateBackoffs == null ? 0L : stateBackoffs.address());
  }

  /** Frees its memory. Closing twice is safe. */
  @Override
  public void close() {
    arena.close();
  }
}
