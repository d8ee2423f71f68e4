package io.latimer.operators.lm;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.device.Team;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;

/**
 * Room for some tokens on their way to a device and back, and a stream of its own. What is started
 * is finished before anything else is started.
 */
final class GpuScoreSlot implements AutoCloseable {
  /** Parts, or queries, that a thread takes at a time. */
  private static final int SHARE = 256;

  private final LmOnGpu model;
  private final int room;
  private final int contexts;
  private final Arena arena;
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
  private List<GpuScorePart> parts = List.of();
  private int firstQuery;
  private int queries;

  GpuScoreSlot(LmOnGpu model, int room) {
    this.model = model;
    this.room = room;
    this.contexts = Math.max(1, model.model().order() - 1);
    Gpu gpu = model.gpu();
    int most = mostParts();
    this.arena = new Arena(gpu, ScoreWordsGpu.OPERATOR);
    this.stream = new Stream(gpu, ScoreWordsGpu.OPERATOR);
    this.in =
        new PinnedBuffer(gpu, ScoreWordsGpu.OPERATOR, Integer.BYTES * Math.addExact(room, most));
    this.out = new PinnedBuffer(gpu, ScoreWordsGpu.OPERATOR, backoffsAt() + 4 * contexts * most);
    try {
      this.tokens = arena.allocate(4L * room);
      this.log10 = arena.allocate(4L * room);
      this.lengths = arena.allocate(room);
      this.stateLengths = arena.allocate(room);
      this.stateBackoffs = arena.allocate(4L * contexts * room);
      this.positions = arena.allocate(4L * most);
      this.pickedLengths = arena.allocate(most);
      this.pickedBackoffs = arena.allocate(4L * contexts * most);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The most parts that can be started together. */
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

  /** Forgets what an attempt that failed may have left. */
  void clear() {
    if (!parts.isEmpty() || queries > 0) {
      stream.synchronize();
      parts = List.of();
      queries = 0;
    }
  }

  /** Queues the scoring of parts. */
  void start(List<GpuScorePart> these, int used, Team team) {
    parts = these;
    if (these.isEmpty()) {
      return;
    }
    IntBuffer to = in.bytes().asIntBuffer();
    forShares(
        these.size(),
        team,
        i -> {
          GpuScorePart part = these.get(i);
          part.target().write(part.from(), part.count(), part.context(), to, part.at());
          to.put(room + i, part.last());
        });
    queue(used);
    if (model.model().order() > 1) {
      pickStates(these.size());
    }
  }

  private void queue(int used) {
    stream.copyIn(in, 0, 4L * used, tokens);
    model.score(stream, tokens, used, log10, lengths, stateLengths, stateBackoffs);
    stream.copyOut(log10, 4L * used, out, 0);
    stream.copyOut(lengths, used, out, lengthsAt());
  }

  private void pickStates(int states) {
    stream.copyIn(in, 4L * room, 4L * states, positions);
    model
        .gpu()
        .call(
            ScoreWordsGpu.OPERATOR,
            "lat_lm_states",
            positions.address(),
            (long) states,
            model.model().order(),
            stateLengths.address(),
            stateBackoffs.address(),
            pickedLengths.address(),
            pickedBackoffs.address(),
            stream.handle());
    stream.copyOut(pickedLengths, states, out, statesAt());
    stream.copyOut(pickedBackoffs, 4L * contexts * states, out, backoffsAt());
  }

  /** Waits for what was started, and hands on the sentences that end there. */
  void finish(Team team, ObjIntConsumer<WordScores> take) {
    if (parts.isEmpty()) {
      return;
    }
    stream.synchronize();
    List<GpuScorePart> these = parts;
    parts = List.of();
    ByteBuffer bytes = out.bytes();
    FloatBuffer floats = bytes.asFloatBuffer();
    boolean states = model.model().order() > 1;
    forShares(
        these.size(),
        team,
        i -> {
          GpuScorePart part = these.get(i);
          GpuScoreTarget target = part.target();
          floats.get(part.scores(), target.log10(), part.from(), part.count());
          bytes.get(lengthsAt() + part.scores(), target.lengths(), part.from(), part.count());
          if (part.ends()) {
            float[] backoffs = new float[contexts];
            floats.get(backoffsAt() / 4 + i * contexts, backoffs);
            take.accept(
                target.result(states ? bytes.get(statesAt() + i) : 0, backoffs), target.record());
          }
        });
  }

  /** Queues the scoring of queries, each with a token for every id that it may have. */
  void startQueries(LmQueries all, int from, int count, Team team) {
    firstQuery = from;
    queries = count;
    int width = all.width();
    int[] ids = all.ids();
    IntBuffer to = in.bytes().asIntBuffer();
    forShares(
        count,
        team,
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

  /** Waits for the queries that were started. */
  void finishQueries(int width, float[] toLog10, byte[] toLengths, Team team) {
    if (queries == 0) {
      return;
    }
    stream.synchronize();
    int count = queries;
    queries = 0;
    ByteBuffer bytes = out.bytes();
    forShares(
        count,
        team,
        i -> {
          int place = i * width + width - 1;
          toLog10[firstQuery + i] = bytes.getFloat(4 * place);
          toLengths[firstQuery + i] = bytes.get(lengthsAt() + place);
        });
  }

  /** Does something for each number below a size, many of them on each thread of a team. */
  static void forShares(int size, Team team, IntConsumer each) {
    team.run(
        (size + SHARE - 1) / SHARE,
        share -> {
          for (int i = share * SHARE; i < Math.min(size, (share + 1) * SHARE); i++) {
            each.accept(i);
          }
        });
  }

  @Override
  public void close() {
    stream.close();
    arena.close();
    in.close();
    out.close();
  }
}
