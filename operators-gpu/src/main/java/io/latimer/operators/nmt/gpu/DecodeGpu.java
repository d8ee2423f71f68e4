package io.latimer.operators.nmt.gpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.util.Monitors;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;

/**
 * {@link Decode} on a GPU. Thread-safe: the sentences of all calls share one search, which they
 * join as others leave, so the device does not wait for the longest sentence of a call before it
 * starts the next. A step processes only live hypotheses: the batch shrinks as in Algorithm 2 of
 * "Fast Neural Machine Translation Implementation" (Hoang et al., 2018), and grows again as
 * sentences join.
 *
 * <p>There is no dedicated thread: one of the waiting callers drives the search until its own
 * results are there, then another takes over. Device and host memory is allocated for the first
 * sentence and does not grow with the batch; a sentence that does not fit makes the search larger.
 * If memory is short, the search holds fewer sentences at a time, logs a warning, and is rebuilt
 * when it is empty and more memory is free.
 *
 * <p>In float32, results do not depend on the other sentences of the search. In 16 bits, products
 * of few and of many rows round differently, so scores vary by some thousandths and near ties may
 * resolve differently.
 */
public final class DecodeGpu implements Decode {
  /** Threads that read results. */
  private static final int MOST_THREADS = 16;

  private final GpuWeights model;
  private final DecodeOptions options;
  private final SearchDriver driver;
  private final Team team = new Team(Team.defaultThreads(MOST_THREADS), GpuSearch.OWNER);

  // guarded by this
  private final List<GpuCall> arrived = new ArrayList<>();
  private boolean driven;
  private int callers;
  private boolean closed;

  /**
   * Tuning of the implementation; in float32 only {@code forbidEnd} affects results.
   *
   * @param graphs whether to launch a step as one graph instead of kernel by kernel
   * @param ahead maximum steps queued before the first of them is known to be done, 1 to 64
   * @param memory maximum size of a search on the device in bytes; never more than half of the free
   *     memory unless one sentence needs it
   * @param forbidEnd whether to force hypotheses to their length limit: for benchmarks with
   *     untrained weights
   */
  public record Tuning(boolean graphs, int ahead, long memory, boolean forbidEnd) {
    /** Graphs, three steps ahead, as much memory as is useful. */
    public static final Tuning DEFAULT = new Tuning(true, 3, Long.MAX_VALUE, false);

    public Tuning {
      if (ahead < 1 || ahead > 64) {
        throw new IllegalArgumentException("steps ahead must be from 1 to 64, found " + ahead);
      }
      if (memory < 1) {
        throw new IllegalArgumentException("memory must be positive, found " + memory);
      }
    }

    /** A copy with or without graphs. */
    public Tuning withGraphs(boolean wanted) {
      return new Tuning(wanted, ahead, memory, forbidEnd);
    }

    /** A copy with another memory limit. */
    public Tuning withMemory(long bytes) {
      return new Tuning(graphs, ahead, bytes, forbidEnd);
    }

    /** A copy that forbids hypotheses to end, or not. */
    public Tuning withForbidEnd(boolean forbidden) {
      return new Tuning(graphs, ahead, memory, forbidden);
    }
  }

  /**
   * Decodes with a shared model, which must be closed after this, with {@link Tuning#DEFAULT}.
   *
   * @param model weights on the device that decodes, in its precision
   * @param options of the search
   */
  public DecodeGpu(GpuWeights model, DecodeOptions options) {
    this(model, options, Tuning.DEFAULT);
  }

  /**
   * Decodes with a shared model, which must be closed after this.
   *
   * @param model weights on the device that decodes, in its precision
   * @param options of the search
   * @param tuning of the implementation
   */
  public DecodeGpu(GpuWeights model, DecodeOptions options, Tuning tuning) {
    this.model = model;
    this.options = options;
    this.driver = new SearchDriver(model, options, tuning);
  }

  /**
   * {@inheritDoc}
   *
   * @throws io.latimer.operators.device.DeviceLostException if the device is unusable; all callers
   *     that wait for this decoder get it
   */
  @Override
  public List<Result<Decoded>> apply(List<int[]> batch) {
    begin();
    try {
      GpuCall call = new GpuCall(batch, model.sourceWords(), options);
      if (!call.isDone()) {
        decode(call);
      }
      return call.results(team);
    } finally {
      end();
    }
  }

  /** Two: one call is on the device while the next is prepared. More calls are safe. */
  @Override
  public int inFlight() {
    return 2;
  }

  /** The search's capacity, while no call is active; null if there is no search. */
  SearchRoom room() {
    return driver.room();
  }

  private synchronized void begin() {
    if (closed || model.isClosed()) {
      throw new OperatorException("this decoder is closed; open another");
    }
    callers++;
  }

  private synchronized void end() {
    callers--;
    notifyAll();
  }

  private void decode(GpuCall call) {
    synchronized (this) {
      arrived.add(call);
    }
    while (becomesDriver(call)) {
      try {
        drive(call);
      } finally {
        leave();
      }
    }
  }

  /**
   * Waits until a call is done (false), or no thread drives the search (true). Not interruptible:
   * the device still writes to our buffers.
   */
  private synchronized boolean becomesDriver(GpuCall call) {
    Monitors.awaitUninterruptibly(this, () -> call.isDone() || !driven);
    if (call.isDone()) {
      return false;
    }
    driven = true;
    return true;
  }

  private synchronized void leave() {
    driven = false;
    notifyAll();
  }

  private void drive(GpuCall call) {
    try {
      while (!call.isDone()) {
        takeArrived();
        if (driver.turn()) {
          wakeOthers();
        }
      }
    } catch (RuntimeException | Error e) {
      takeArrived();
      driver.fail(e);
    }
  }

  private synchronized void takeArrived() {
    arrived.forEach(driver::add);
    arrived.clear();
  }

  private synchronized void wakeOthers() {
    notifyAll();
  }

  /** Waits for all active calls. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      Monitors.awaitUninterruptibly(this, () -> callers == 0);
    }
    try {
      driver.close();
    } finally {
      team.close();
    }
  }
}
