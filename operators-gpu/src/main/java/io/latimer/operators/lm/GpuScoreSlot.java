package io.latimer.operators.lm;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/**
 * Buffers for tokens on their way to a device and back, with their own stream. Holds one piece of
 * work at a time.
 */
final class GpuScoreSlot implements AutoCloseable {
  private final GpuLanguageModel model;
  private final int room;
  private final int contexts;
  private final Closer closer = new Closer();
  private final Stream stream;
  private final PinnedBuffer in;
  private final PinnedBuffer out;
  private final DeviceBuffer tokens;
  private final DeviceBuffer log10;
  private final DeviceBuffer lengths;
  private final DeviceBuffer stateLengths;
  private final DeviceBuffer stateBackoffs;
  private final DeviceBuffer positions;
  private final DeviceBuffer pickedLengths;
  private final DeviceBuffer pickedBackoffs;

  // Parts: tokens of one sentence that are scored together.
  private final int[] records; // sentence of each part
  private final int[] froms; // its first token, in the sentence
  private final int[] counts; // its number of tokens, 1 or more
  private final int[] places; // of its first token, in the slot
  private final byte[] before; // tokens of context that precede it

  private SentenceBatch batch;
  private int parts;
  private int used;
  private int firstQuery;
  private int queries;

  GpuScoreSlot(GpuLanguageModel model, int room) {
    this.model = model;
    this.room = room;
    this.contexts = Math.max(1, model.model().order() - 1);
    Gpu gpu = model.gpu();
    int most = mostParts();
    this.records = new int[most];
    this.froms = new int[most];
    this.counts = new int[most];
    this.places = new int[most];
    this.before = new byte[most];
    try {
      this.in = closer.add(pinned(gpu, Integer.BYTES * Math.addExact(room, most)));
      this.out = closer.add(pinned(gpu, backoffsAt() + 4 * contexts * most));
      Arena arena = closer.add(new Arena(gpu, GpuLanguageModel.OPERATOR));
      this.stream = closer.add(new Stream(gpu, GpuLanguageModel.OPERATOR));
      this.tokens = arena.allocate(4L * room);
      this.log10 = arena.allocate(4L * room);
      this.lengths = arena.allocate(room);
      this.stateLengths = arena.allocate(room);
      this.stateBackoffs = arena.allocate(4L * contexts * room);
      this.positions = arena.allocate(4L * most);
      this.pickedLengths = arena.allocate(most);
      this.pickedBackoffs = arena.allocate(4L * contexts * most);
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  private static PinnedBuffer pinned(Gpu gpu, int bytes) {
    return new PinnedBuffer(gpu, GpuLanguageModel.OPERATOR, bytes);
  }

  /** The maximum number of parts per launch. */
  int mostParts() {
    return room / 4;
  }

  private int lengthsAt() {
    return 4 * room;
  }

  private int statesAt() {
    return lengthsAt() + room;
  }

  private int backoffsAt() {
    return (statesAt() + mostParts() + 7) / 8 * 8;
  }

  /** Clears what a failed attempt may have left. */
  void clear() {
    if (parts > 0 || queries > 0) {
      stream.synchronize();
      parts = 0;
      used = 0;
      queries = 0;
    }
  }

  /**
   * Takes as many tokens of a sentence as fit.
   *
   * @param from the first token
   * @param context number of unscored tokens of context that must precede them
   * @return the number of tokens taken
   */
  int add(int record, int from, int tokens, int context) {
    if (used + context >= room || parts == records.length) {
      return 0;
    }
    int count = Math.min(tokens - from, room - used - context);
    records[parts] = record;
    froms[parts] = from;
    counts[parts] = count;
    before[parts] = (byte) context;
    places[parts++] = used + context;
    used += context + count;
    return count;
  }

  /** Queues the scoring of the added tokens. */
  void start(SentenceBatch these, Team team) {
    batch = these;
    if (parts == 0) {
      return;
    }
    IntBuffer to = in.bytes().asIntBuffer();
    team.forEach(
        parts,
        SentenceBatch.SHARE,
        i -> {
          int context = before[i];
          for (int k = -context; k < counts[i]; k++) {
            int flags = (k == -context ? LmTokens.FIRST : 0) | (k < 0 ? LmTokens.CONTEXT : 0);
            to.put(places[i] + k, these.id(records[i], froms[i] + k) | flags);
          }
          to.put(room + i, places[i] + counts[i] - 1);
        });
    queue(used);
    if (model.model().order() > 1) {
      pickStates(parts);
    }
  }

  private void queue(int size) {
    stream.copyIn(in, 0, 4L * size, tokens);
    model.score(stream, tokens, size, log10, lengths, stateLengths, stateBackoffs);
    stream.copyOut(log10, 4L * size, out, 0);
    stream.copyOut(lengths, size, out, lengthsAt());
  }

  private void pickStates(int states) {
    stream.copyIn(in, 4L * room, 4L * states, positions);
    stream.call(
        "lat_lm_states",
        positions.address(),
        (long) states,
        model.model().order(),
        stateLengths.address(),
        stateBackoffs.address(),
        pickedLengths.address(),
        pickedBackoffs.address());
    stream.copyOut(pickedLengths, states, out, statesAt());
    stream.copyOut(pickedBackoffs, 4L * contexts * states, out, backoffsAt());
  }

  /** Waits for the queued work and stores the scores in the batch. */
  void finish(Team team) {
    if (parts == 0) {
      return;
    }
    stream.synchronize();
    int count = parts;
    parts = 0;
    used = 0;
    ByteBuffer bytes = out.bytes();
    FloatBuffer floats = bytes.asFloatBuffer();
    team.forEach(count, SentenceBatch.SHARE, i -> finish(i, bytes, floats));
  }

  private void finish(int part, ByteBuffer bytes, FloatBuffer floats) {
    int record = records[part];
    int to = batch.first(record) + froms[part];
    floats.get(places[part], batch.log10, to, counts[part]);
    bytes.get(lengthsAt() + places[part], batch.lengths, to, counts[part]);
    if (froms[part] + counts[part] < batch.tokens(record)) {
      return;
    }
    int state = 0;
    if (model.model().order() > 1) {
      state = bytes.get(statesAt() + part);
      int at = backoffsAt() / Float.BYTES + part * contexts;
      floats.get(at, batch.stateBackoffs(), batch.stateAt(record), state);
    }
    batch.finish(record, state);
  }

  /** Queues the scoring of queries, with one token per id. */
  void startQueries(LmQueries all, int from, int count, Team team) {
    firstQuery = from;
    queries = count;
    int width = all.width();
    int[] ids = all.ids();
    IntBuffer to = in.bytes().asIntBuffer();
    team.forEach(
        count,
        SentenceBatch.SHARE,
        i -> {
          boolean first = true;
          for (int k = 0; k < width; k++) {
            int id = ids[(from + i) * width + k];
            int token = id == LmQueries.NONE ? 0 : id;
            token |= first ? LmTokens.FIRST : 0;
            token |= k < width - 1 ? LmTokens.CONTEXT : 0;
            to.put(i * width + k, token);
            first = id == LmQueries.NONE;
          }
        });
    queue(count * width);
  }

  /** Waits for the queued queries. */
  void finishQueries(int width, float[] toLog10, byte[] toLengths, Team team) {
    if (queries == 0) {
      return;
    }
    stream.synchronize();
    int count = queries;
    queries = 0;
    ByteBuffer bytes = out.bytes();
    team.forEach(
        count,
        SentenceBatch.SHARE,
        i -> {
          int place = i * width + width - 1;
          toLog10[firstQuery + i] = bytes.getFloat(4 * place);
          toLengths[firstQuery + i] = bytes.get(lengthsAt() + place);
        });
  }

  @Override
  public void close() {
    closer.close();
  }
}
