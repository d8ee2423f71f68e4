package io.latimer.operators.nmt.gpu;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.Event;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.Graph;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.ProfilerRange;
import io.latimer.operators.device.Stream;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.util.Closer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A search on a device with all its resources there and on the host: memory, streams, graphs and
 * page-locked buffers. It queues work on request and reads results; its callers decide which
 * sentences join and how many rows a step has. Not thread-safe.
 */
final class GpuSearch implements AutoCloseable {
  static final String OWNER = "nmt";

  private static final Logger LOG = LoggerFactory.getLogger(GpuSearch.class);

  private static final int SCORES = 1;
  private static final int ALLOW_UNKNOWN = 2;
  private static final int ALIGNMENT = 4;
  private static final int SHORTLIST = 64;
  private static final int FIRST_ENDED = 256;
  private static final int BEST_ENDED = 512;
  private static final int END_LOOPS = 1024;
  private static final int GIVEN = 2048;

  private static final int SLOTS = 2;

  /** A step of few hypotheses takes little longer than to wake a thread that sleeps. */
  private static final int FEW_ROWS = 64;

  private static final long SHORT_STEP_NANOS = 1_000_000;

  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  // lat_nmt_report
  private static final int ROWS = 0;
  private static final int ENDED = 4;
  private static final int QUEUE = 8;

  /** Marks entries of the report's queue that the device has not written yet. */
  private static final int NOT_YET = -1;

  private final Gpu gpu;
  private final DecodeOptions options;
  private final SearchCapacity capacity;
  private final Closer held = new Closer();
  private final Stream steps;
  private final Stream drains;
  private final ByteBuffer report;
  private final long handle;
  private final long bytes;
  private final Event[] stepEvents;
  private final JoinSlot[] joinSlots = new JoinSlot[SLOTS];
  private final DrainSlot[] drainSlots = new DrainSlot[SLOTS];
  private final int mostRows;

  private final Map<Integer, Graph> graphs = new HashMap<>();
  private final Set<Integer> seen = new HashSet<>();
  private boolean usesGraphs;
  private long stepsLaunched;
  private long stepsDone;
  private long joins;
  private long drainsStarted;
  private long drainsDone;
  private int endedRead;

  /**
   * Makes a search.
   *
   * @param limit maximum device memory in bytes
   * @throws DeviceMemoryException if it does not fit; then nothing is held
   * @throws OutOfMemoryError if a result does not fit into page-locked memory; then nothing is held
   */
  GpuSearch(
      GpuWeights model,
      DecodeOptions options,
      SearchCapacity capacity,
      DecodeTuning tuning,
      long limit) {
    this.gpu = model.gpu();
    this.options = options;
    this.capacity = capacity;
    this.usesGraphs = tuning.graphs();
    this.mostRows = capacity.sentences() * options.beamSize();
    try {
      PinnedBuffer reported =
          held.add(new PinnedBuffer(gpu, OWNER, QUEUE + 4 * capacity.sentences()));
      this.report = reported.bytes();
      for (int at = 0; at < report.limit(); at += 4) {
        report.putInt(at, 0);
      }
      long made = create(model, options, capacity, reported);
      this.handle = made;
      held.add(() -> gpu.run("lat_nmt_search_destroy", made));
      Arena arena = held.add(new Arena(gpu, OWNER, limit));
      this.bytes = gpu.number("lat_nmt_search_bytes", handle);
      DeviceBuffer memory = arena.allocate(bytes);
      for (int i = 0; i < SLOTS; i++) {
        joinSlots[i] = new JoinSlot();
        drainSlots[i] = new DrainSlot();
      }
      this.stepEvents = new Event[tuning.ahead()];
      for (int i = 0; i < stepEvents.length; i++) {
        stepEvents[i] = held.add(new Event(gpu, OWNER));
      }
      // Streams last: they are closed first, which waits for the users of the others.
      this.drains = held.add(new Stream(gpu, OWNER));
      this.steps = held.add(new Stream(gpu, OWNER));
      steps.call("lat_nmt_search_place", handle, memory.address());
      steps.synchronize();
      for (int i = 0; i < capacity.sentences(); i++) {
        INT.setOpaque(report, QUEUE + 4 * i, NOT_YET);
      }
      this.endedRead = (int) INT.getAcquire(report, ENDED);
    } catch (RuntimeException | Error e) {
      held.closeAfter(e);
      throw e;
    }
  }

  /** lat_nmt_options: 64-bit numbers in the order of the header. */
  private static long[] words(GpuWeights model, DecodeOptions options, SearchCapacity capacity) {
    int flags =
        (options.scores() ? SCORES : 0)
            | (options.allowUnknown() ? ALLOW_UNKNOWN : 0)
            | (options.alignment() ? ALIGNMENT : 0)
            | (model.hasShortlist() && options.shortlist() ? SHORTLIST : 0)
            | (options.has(DecodeOptions.Switch.END_LOOPS) ? END_LOOPS : 0)
            | (options.has(DecodeOptions.Switch.GIVEN) ? GIVEN : 0)
            | switch (model.settings().search().rule()) {
              case SHRINK -> 0;
              case FIRST_ENDED -> FIRST_ENDED;
              case BEST_ENDED -> BEST_ENDED;
            };
    return new long[] {
      options.beamSize(),
      options.nBest(),
      flags,
      Double.doubleToRawLongBits(options.lengthNormalization()),
      capacity.sentences(),
      capacity.tokens(),
      options.limit(1), // the factor, rounded up
      capacity.joinSentences(),
      capacity.joinTokens(),
      capacity.longest(),
      capacity.weights()
    };
  }

  /** Device memory of a search in bytes. */
  static long bytes(GpuWeights model, DecodeOptions options, SearchCapacity capacity) {
    Gpu gpu = model.gpu();
    try (PinnedBuffer report = new PinnedBuffer(gpu, OWNER, QUEUE + 4 * capacity.sentences())) {
      long made = create(model, options, capacity, report);
      long bytes = gpu.number("lat_nmt_search_bytes", made);
      gpu.run("lat_nmt_search_destroy", made);
      return bytes;
    }
  }

  private static long create(
      GpuWeights model, DecodeOptions options, SearchCapacity capacity, PinnedBuffer report) {
    long[] made = new long[1];
    long[] words = words(model, options, capacity);
    Object[] arguments = {model.handle(), words, report.address(), made};
    model.gpu().call(OWNER, "lat_nmt_search_create", arguments);
    return made[0];
  }

  SearchCapacity capacity() {
    return capacity;
  }

  /** Device memory in use, in bytes. */
  long bytes() {
    return bytes;
  }

  // ---- joining

  /** Sentences in transit to the device. */
  private final class JoinSlot {
    /** Size of lat_nmt_sentence. */
    private static final int SENTENCE = 32;

    private final PinnedBuffer memory =
        held.add(
            new PinnedBuffer(
                gpu, OWNER, SENTENCE * capacity.joinSentences() + 4 * mostJoiningIds()));
    private final Event read = held.add(new Event(gpu, OWNER));

    void join(List<GpuSentence> group) {
      read.await();
      ByteBuffer bytes = memory.bytes();
      for (GpuSentence sentence : group) {
        bytes
            .putInt(sentence.place)
            .putInt(sentence.length())
            .putInt(sentence.firstToken)
            .putInt(sentence.limit())
            .putLong(sentence.firstWeight)
            .putInt(sentence.prefix().length)
            .putInt(sentence.mayLoop() ? 1 : 0);
      }
      int idsAt = SENTENCE * capacity.joinSentences();
      IntBuffer ids = bytes.position(idsAt).slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
      for (GpuSentence sentence : group) {
        ids.put(sentence.ids());
      }
      for (GpuSentence sentence : group) {
        ids.put(sentence.prefix());
      }
      steps.call(
          "lat_nmt_join", handle, memory.address(), (long) group.size(), memory.address() + idsAt);
      steps.record(read);
    }
  }

  /** Tokens and prefixes that join together: a prefix is no longer than a translation may be. */
  private int mostJoiningIds() {
    return Math.multiplyExact(capacity.joinTokens(), 1 + options.limit(1));
  }

  /** Queues the joining of sentences with assigned places, longest first. */
  void join(List<GpuSentence> group) {
    joinSlots[(int) (joins % SLOTS)].join(group);
    joins++;
  }

  // ---- steps

  /** Queues a step of at most the given rows; at most {@code ahead} steps may be in flight. */
  void step(int rows) {
    int bucket = RowBound.bucket(rows, mostRows);
    ProfilerRange range = ProfilerRange.begin(OWNER, "step of", bucket, "rows");
    try {
      Graph graph = graphs.get(bucket);
      if (graph == null && usesGraphs && !seen.add(bucket)) {
        // Captured on second use: the first use loads the kernels.
        graph = capture(bucket);
      }
      if (graph != null) {
        graph.launch(steps);
      } else {
        launch(bucket);
      }
      steps.record(stepEvents[(int) (stepsLaunched % stepEvents.length)]);
    } finally {
      range.end();
    }
    stepsLaunched++;
  }

  private void launch(int rows) {
    steps.call("lat_nmt_step", handle, (long) rows);
  }

  private Graph capture(int bucket) {
    try {
      Graph graph = steps.capture(() -> launch(bucket));
      held.addBelow(graph); // closed with the streams
      graphs.put(bucket, graph);
      return graph;
    } catch (DeviceMemoryException e) {
      LOG.warn("steps are launched one kernel at a time: no memory for a graph", e);
      usesGraphs = false;
      return null;
    }
  }

  int stepsInFlight() {
    return (int) (stepsLaunched - stepsDone);
  }

  /** Waits for the oldest step in flight. */
  void awaitStep() {
    Event step = stepEvents[(int) (stepsDone % stepEvents.length)];
    if (rows() <= FEW_ROWS) {
      step.await(SHORT_STEP_NANOS);
    } else {
      step.await();
    }
    stepsDone++;
  }

  /** Live hypotheses after the last step that was waited for, or after a later one. */
  int rows() {
    return (int) INT.getAcquire(report, ROWS);
  }

  /** Reports the places of the sentences that ended since the last call. */
  void ended(IntConsumer place) {
    int ended = (int) INT.getAcquire(report, ENDED);
    while (endedRead != ended) {
      int at = QUEUE + 4 * Integer.remainderUnsigned(endedRead, capacity.sentences());
      int found = (int) INT.getAcquire(report, at);
      if (found == NOT_YET) {
        return; // of an unfinished step: its event delivers it
      }
      INT.setOpaque(report, at, NOT_YET);
      endedRead++;
      place.accept(found);
    }
  }

  // ---- draining

  /** Results in transit to the host. */
  private final class DrainSlot {
    /** Words per drain, unless one result needs more. */
    private static final int USUAL_WORDS = 1 << 20;

    private static final int MOST = 4096;

    /** Size of lat_nmt_ended. */
    private static final int ENDED = 8;

    private final int most = Math.min(MOST, capacity.sentences());
    private final int words = Math.max(USUAL_WORDS, resultWords(capacity.longest()));
    private final PinnedBuffer ended = held.add(new PinnedBuffer(gpu, OWNER, ENDED * most));
    private final PinnedBuffer results =
        held.add(new PinnedBuffer(gpu, OWNER, Math.multiplyExact(4, words)));
    private final Event written = held.add(new Event(gpu, OWNER));
    private final Deque<GpuSentence> sentences = new ArrayDeque<>();

    void start(Deque<GpuSentence> from) {
      ByteBuffer list = ended.bytes();
      int at = 0;
      while (!from.isEmpty() && sentences.size() < most) {
        int need = resultWords(from.peek().length());
        if (need > words - at) {
          break;
        }
        GpuSentence sentence = from.remove();
        list.putInt(sentence.place).putInt(at);
        sentences.add(sentence);
        at += need;
      }
      drains.call(
          "lat_nmt_drain", handle, ended.address(), (long) sentences.size(), results.address());
      drains.record(written);
    }

    void finish(BiConsumer<GpuSentence, int[]> take) {
      written.await();
      IntBuffer from = results.bytes().asIntBuffer();
      ByteBuffer list = ended.bytes();
      for (int i = 0; !sentences.isEmpty(); i++) {
        GpuSentence sentence = sentences.remove();
        int at = list.getInt(ENDED * i + 4);
        take.accept(sentence, GpuResult.copy(from, at, sentence.length(), options));
      }
    }
  }

  private int resultWords(int length) {
    long words = SearchCapacity.resultWords(options, length);
    if (words > SearchCapacity.MOST_RESULT_WORDS) {
      throw new OutOfMemoryError(
          "a result of " + words + " words of 4 bytes is larger than a page-locked buffer");
    }
    return (int) words;
  }

  int drainsInFlight() {
    return (int) (drainsStarted - drainsDone);
  }

  boolean canDrain() {
    return drainsInFlight() < SLOTS;
  }

  /** Queues the draining of ended sentences, as many as fit. */
  void startDrain(Deque<GpuSentence> ended) {
    drainSlots[(int) (drainsStarted % SLOTS)].start(ended);
    drainsStarted++;
  }

  /** Whether the oldest drain in flight is done. */
  boolean isDrained() {
    return drainSlots[(int) (drainsDone % SLOTS)].written.isReached();
  }

  /** Waits for the oldest drain in flight and delivers its results. */
  void finishDrain(BiConsumer<GpuSentence, int[]> take) {
    ProfilerRange range = ProfilerRange.begin(OWNER, "results");
    try {
      drainSlots[(int) (drainsDone % SLOTS)].finish(take);
    } finally {
      range.end();
    }
    drainsDone++;
  }

  /** Waits for queued work and releases everything. Closing twice is safe. */
  @Override
  public void close() {
    held.close();
  }
}
