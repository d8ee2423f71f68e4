package io.latimer.operators.lm;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A language model on a GPU: the very bytes of its file that {@link LanguageModel#words} and {@link
 * LanguageModel#ngrams} have. Immutable; shared by all scorers of a process.
 */
public final class LmOnGpu implements AutoCloseable {
  private static final String OWNER = "lm model";
  private static final int STAGED = 16 << 20;

  private final LanguageModel model;
  private final Gpu gpu;
  private final Arena arena;
  private final DeviceBuffer words;
  private final DeviceBuffer ngrams;

  /**
   * Copies a model to a device.
   *
   * @param model stays open as long as this
   * @param device a GPU
   * @throws io.latimer.operators.device.DeviceMemoryException if it does not fit: {@link
   *     LanguageModel#deviceBytes} are needed
   */
  public LmOnGpu(LanguageModel model, Device device) {
    this.model = model;
    this.gpu = Gpu.open(device);
    this.arena = new Arena(gpu, OWNER);
    try {
      this.words = arena.allocate(model.words().remaining());
      this.ngrams = arena.allocate(model.ngramBytes());
      try (Stream stream = new Stream(gpu, OWNER);
          PinnedBuffer staged = new PinnedBuffer(gpu, OWNER, STAGED)) {
        copy(List.of(model.words()), words, stream, staged);
        copy(model.ngrams(), ngrams, stream, staged);
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
      for (int from = 0; from < piece.limit(); from += STAGED) {
        int length = Math.min(STAGED, piece.limit() - from);
        staged.bytes().put(piece.slice(from, length));
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

  /** Queues the scoring of tokens, as lat_lm_hash_score and lat_lm_btree_score have them. */
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
        stateLengths.address(),
        stateBackoffs.address(),
        stream.handle());
  }

  /** Gives its memory back. Closing twice is safe. */
  @Override
  public void close() {
    arena.close();
  }
}
