package io.latimer.operators.lm;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.util.Closer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;

/**
 * Scores texts on a device, which also splits and looks up their words: raw text goes in, columns
 * come back. There are two copies and two waits, regardless of the number of texts; the second copy
 * starts when the number of tokens is known.
 */
final class GpuTextWorkspace implements TextScoring.Workspace {
  /** Default capacity in bytes of text. */
  static final int BYTES = 1 << 20;

  private static final int BYTES_PER_TEXT = 32;

  /** LAT_LM_TEXT_PADDING. */
  private static final int PADDING = 16;

  private final GpuLanguageModel model;
  private final int bytes;
  private final int mostTexts;
  private final int offsetsAt; // per-token and per-text output lies before it, tokens after it
  private final Closer closer = new Closer();
  private final Stream stream;
  private final PinnedBuffer in;
  private final PinnedBuffer out;
  private final ByteBuffer inBytes;
  private final ByteBuffer outBytes;
  private final DeviceBuffer input;
  private final DeviceBuffer output;
  private final DeviceBuffer scratch;
  private final int[] ends;
  private ScoreOptions options = ScoreOptions.SENTENCES;
  private int used;
  private int texts;

  // Texts to copy: neighbouring lines of an array, which one copy brings, or a single text.
  private byte[] run;
  private int runFrom;
  private int runEnd; // behind the line feed of the last
  private int runAt; // in the input

  /**
   * Makes a workspace.
   *
   * @param bytes capacity in bytes of text, 256 or more
   */
  GpuTextWorkspace(GpuLanguageModel model, int bytes) {
    this.model = model;
    this.bytes = bytes;
    this.mostTexts = bytes / BYTES_PER_TEXT;
    this.ends = new int[mostTexts];
    int mostTokens = (bytes + 1) / 2 + 2 * mostTexts;
    this.offsetsAt = columnBytes(mostTokens, mostTexts);
    int inSize = endsAt(bytes) + 4 * mostTexts;
    int outSize = tokensAt(mostTexts) + 4 * mostTokens;
    Gpu gpu = model.gpu();
    try {
      this.in = closer.add(new PinnedBuffer(gpu, GpuLanguageModel.OPERATOR, inSize));
      this.out = closer.add(new PinnedBuffer(gpu, GpuLanguageModel.OPERATOR, outSize));
      this.inBytes = in.bytes();
      this.outBytes = out.bytes();
      Arena arena = closer.add(new Arena(gpu, GpuLanguageModel.OPERATOR));
      this.stream = closer.add(new Stream(gpu, GpuLanguageModel.OPERATOR));
      this.input = arena.allocate(inSize);
      this.output = arena.allocate(outSize);
      this.scratch = arena.allocate(model.tokenScratch(stream, bytes));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  private static int aligned(int size) {
    return (int) ((size + Arena.ALIGNMENT - 1) / Arena.ALIGNMENT * Arena.ALIGNMENT);
  }

  /** The output before the offsets: log10, lengths, totals, unknown words and their totals. */
  private static int columnBytes(int tokens, int texts) {
    return aligned(4 * tokens) + aligned(tokens) + 2 * aligned(4 * texts) + aligned(8 * texts);
  }

  private static int endsAt(int textBytes) {
    return aligned(textBytes + PADDING);
  }

  private int tokensAt(int ofTexts) {
    return offsetsAt + aligned(4 * (ofTexts + 1));
  }

  @Override
  public void begin(ScoreOptions scoring) {
    options = scoring;
    used = 0;
    texts = 0;
    run = null;
  }

  @Override
  public boolean add(byte[] text, int from, int to) {
    int length = to - from;
    if (texts == mostTexts || length >= bytes - used) {
      return false;
    }
    if (text != run || from != runEnd || text[from - 1] != '\n') {
      copyRun();
      run = text;
      runFrom = from;
      runAt = used;
    }
    runEnd = to + 1;
    used += length;
    ends[texts++] = used++;
    return true;
  }

  private void copyRun() {
    if (run != null) {
      int length = runEnd - 1 - runFrom;
      inBytes.put(runAt, run, runFrom, length);
      inBytes.put(runAt + length, (byte) '\n');
    }
  }

  @Override
  public int texts() {
    return texts;
  }

  @Override
  public ScoreColumns score() {
    copyRun();
    int size = texts;
    int textBytes = used;
    begin(options);
    int endsAt = endsAt(textBytes);
    ints(inBytes, endsAt, size).put(ends, 0, size);
    stream.copyIn(in, 0, endsAt + 4L * size, input);
    DeviceBuffer offsets = output.slice(offsetsAt, 4L * (size + 1));
    DeviceBuffer tokens = output.slice(tokensAt(size), output.bytes() - tokensAt(size));
    model.tokens(
        stream,
        input,
        textBytes,
        input.slice(endsAt, 4L * size),
        size,
        options,
        tokens,
        offsets,
        scratch);
    stream.copyOut(offsets.slice(4L * size, 4), 4, out, 0);
    stream.synchronize();
    return score(size, outBytes.getInt(0), tokens, offsets);
  }

  private ScoreColumns score(int size, int count, DeviceBuffer tokens, DeviceBuffer offsets) {
    int log10At = offsetsAt - columnBytes(count, size);
    int lengthsAt = log10At + aligned(4 * count);
    int totalsAt = lengthsAt + aligned(count);
    int unknownAt = totalsAt + aligned(4 * size);
    int unknownTotalsAt = unknownAt + aligned(4 * size);
    DeviceBuffer log10 = output.slice(log10At, 4L * count);
    model.score(stream, tokens, count, log10, output.slice(lengthsAt, count), null, null);
    model.sums(
        stream,
        tokens,
        offsets,
        size,
        log10,
        output.slice(totalsAt, 4L * size),
        output.slice(unknownAt, 4L * size),
        output.slice(unknownTotalsAt, 8L * size));
    // The columns per text lie between those per token.
    int from = options.words() ? log10At : totalsAt;
    long all = tokensAt(size) + (options.words() ? 4L * count : 0) - from;
    stream.copyOut(output.slice(from, all), all, out, from);
    stream.synchronize();
    ScoreColumns columns = new ScoreColumns(size, count, options);
    if (options.words()) {
      ints(outBytes, tokensAt(size), count).get(columns.tokens());
      part(outBytes, log10At, 4 * count).asFloatBuffer().get(columns.log10());
      outBytes.get(lengthsAt, columns.lengths());
    }
    ints(outBytes, offsetsAt, size + 1).get(columns.offsets());
    part(outBytes, totalsAt, 4 * size).asFloatBuffer().get(columns.totals());
    ints(outBytes, unknownAt, size).get(columns.unknown());
    part(outBytes, unknownTotalsAt, 8 * size).asDoubleBuffer().get(columns.unknownTotals());
    return columns;
  }

  private static ByteBuffer part(ByteBuffer of, int at, int length) {
    return of.slice(at, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static IntBuffer ints(ByteBuffer of, int at, int count) {
    return part(of, at, 4 * count).asIntBuffer();
  }

  /** Looks up the words of a longer text on the host, and scores them piece by piece. */
  @Override
  public ScoreColumns scoreAlone(byte[] text, int from, int to) {
    int[] tokens = LmText.tokens(model.model(), options, text, from, to);
    float[] log10 = new float[tokens.length];
    byte[] lengths = new byte[tokens.length];
    int most = bytes / 8;
    IntBuffer piece = ints(inBytes, 0, most);
    DeviceBuffer onDevice = output.slice(offsetsAt, 4L * most);
    int count;
    for (int done = 0; done < tokens.length; done += count) {
      int context = Math.min(done, model.model().order() - 1);
      count = Math.min(tokens.length - done, most - context);
      for (int i = -context; i < count; i++) {
        int flags = (i == -context ? LmTokens.FIRST : 0) | (i < 0 ? LmTokens.CONTEXT : 0);
        piece.put(context + i, tokens[done + i] | flags);
      }
      int all = context + count;
      stream.copyIn(in, 0, 4L * all, onDevice);
      int lengthsAt = aligned(4 * all);
      DeviceBuffer scores = output.slice(0, lengthsAt + all);
      model.score(stream, onDevice, all, scores, output.slice(lengthsAt, all), null, null);
      stream.copyOut(scores, scores.bytes(), out, 0);
      stream.synchronize();
      part(outBytes, 4 * context, 4 * count).asFloatBuffer().get(log10, done, count);
      outBytes.get(lengthsAt + context, lengths, done, count);
    }
    return ScoreColumns.summed(1, tokens, new int[] {0, tokens.length}, options, log10, lengths);
  }

  @Override
  public void close() {
    closer.close();
  }
}
