package io.latimer.operators.nmt.gpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * {@link Decode} on a GPU. Safe for use by several threads: the sentences of all calls share one
 * search, which they join as others leave it, so that the device need not wait for the longest
 * sentence of a call before it begins the next call. A step works on the hypotheses that live and
 * no others: the batch shrinks as in Algorithm 2 of "Fast Neural Machine Translation
 * Implementation" (Hoang et al., 2018), and here grows again, as sentences join it.
 *
 * <p>There is no thread that does this: of those who wait for their results, one drives the search
 * until its own are there, then another. Memory of the device and of the host is taken when the
 * first sentence comes and does not grow with the batch; a sentence that it has no room for makes
 * the search larger. Where memory is short, the search has room for fewer sentences at a time, says
 * so in the log, and is made anew when it has run dry and more memory is free.
 *
 * <p>In 32 bits no result depends on who shares the search. In 16 bits a product of few rows and
 * one of many round otherwise, so that scores move by some thousandths and a near tie may fall the
 * other way.
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
   * How the work is done; in 32 bits no result depends on it, save that of {@code forbidEnd}.
   *
   * @param graphs whether a step is launched as one graph, or kernel by kernel
   * @param ahead steps that are queued before the first of them is known to be done, 1 to 64
   * @param memory bytes of the device that a search may take at most; never more than half of what
   *     is free, unless one sentence needs it
   * @param forbidEnd whether hypotheses never end before their limit: for measuring with weights
   *     that were not trained
   */
  public record Tuning(boolean graphs, int ahead, long memory, boolean forbidEnd) {
    /** Graphs, three steps ahead, as much memory as is of use. */
    public static final Tuning DEFAULT = new Tuning(true, 3, Long.MAX_VALUE, false);

    public Tuning {
      if (ahead < 1 || ahead > 64) {
        throw new IllegalArgumentException("steps ahead must be from 1 to 64, found " + ahead);
      }
      if (memory < 1) {
        throw new IllegalArgumentException("memory must be positive, found " + memory);
      }
    }

    /** The same with or without graphs. */
    public Tuning withGraphs(boolean wanted) {
      return new Tuning(wanted, ahead, memory, forbidEnd);
    }

    /** The same with other bounds of memory. */
    public Tuning withMemory(long bytes) {
      return new Tuning(graphs, ahead, bytes, forbidEnd);
    }

    /** The same with hypotheses that end, or that do not. */
    public Tuning withForbidEnd(boolean forbidden) {
      return new Tuning(graphs, ahead, memory, forbidden);
    }
  }

  /**
   * Decodes with a model that others share and that is closed after this, as {@link
   * Tuning#DEFAULT}.
   *
   * @param model the weights on the device on which this decodes, in its precision
   * @param options how it searches
   */
  public DecodeGpu(GpuWeights model, DecodeOptions options) {
    this(model, options, Tuning.DEFAULT);
  }

  /**
   * Decodes with a model that others share and that is closed after this.
   *
   * @param model the weights on the device on which this decodes, in its precision
   * @param options how it searches
   * @param tuning how the work is done
   */
  public DecodeGpu(GpuWeights model, DecodeOptions options, Tuning tuning) {
    this.model = model;
    this.options = options;
    this.driver = new SearchDriver(model, options, tuning);
  }

  /**
   * {@inheritDoc}
   *
   * @throws io.latimer.operators.device.DeviceLostException if the device can no longer be used;
   *     all who wait for this decoder hear of it
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

  /** Two: one is on the device while another is prepared. Any number is safe. */
  @Override
  public int inFlight() {
    return 2;
  }

  /** What the search has room for, while nobody decodes; null where there is none. */
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

  /** Waits until a call is done (false), or nobody drives (true). */
  private synchronized boolean becomesDriver(GpuCall call) {
    awaitUninterruptibly(() -> call.isDone() || !driven);
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

  /** Results come even to whom is interrupted: the device writes to memory that is ours. */
  private void awaitUninterruptibly(BooleanSupplier condition) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the calls that are there. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      awaitUninterruptibly(() -> callers == 0);
    }
    try {
      driver.close();
    } finally {
      team.close();
    }
  }
}
