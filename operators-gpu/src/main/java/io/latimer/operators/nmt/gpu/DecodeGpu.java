package io.latimer.operators.nmt.gpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Monitors;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;

/**
 * {@link Decode} on a GPU. Thread-safe: concurrent calls are spread over a few searches. The
 * sentences of all calls in a search join it as others leave, so the device does not wait for the
 * longest sentence of a call before it starts the next. A step processes only live hypotheses: the
 * batch shrinks as in Algorithm 2 of "Fast Neural Machine Translation Implementation" (Hoang et
 * al., 2018), and grows again as sentences join. While one search reads sentences or ends a step,
 * the steps of another keep the device busy.
 *
 * <p>There is no dedicated thread: one of a search's waiting callers drives it. Device and host
 * memory is allocated for the first sentence and does not grow with the batch; a sentence that does
 * not fit makes the search larger. If memory is short, there is one search, which holds fewer
 * sentences at a time, logs a warning, and is rebuilt when it is empty and more memory is free.
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
  private final SearchPool<SharedSearch> searches;
  private final int most; // number of searches
  private final Closer held = new Closer();
  private final Team team = new Team(Team.defaultThreads(MOST_THREADS));

  /** Maximum size of a search in bytes. */
  private final long memory;

  // guarded by this
  private long usualBytes; // of a search for sentences of usual length; 0 if not known yet
  private int grownFor =
      SearchCapacity.USUAL_LONGEST; // sentences that the first search has grown for
  private int callers;
  private boolean closed;

  /**
   * Decodes with a shared model, which must be closed after this, with {@link
   * DecodeTuning#DEFAULT}.
   *
   * @param model weights on the device that decodes, in its precision
   * @param options of the search
   */
  public DecodeGpu(GpuWeights model, DecodeOptions options) {
    this(model, options, DecodeTuning.DEFAULT);
  }

  /**
   * Decodes with a shared model, which must be closed after this.
   *
   * @param model weights on the device that decodes, in its precision
   * @param options of the search
   * @param tuning of the implementation
   */
  public DecodeGpu(GpuWeights model, DecodeOptions options, DecodeTuning tuning) {
    this.model = model;
    this.options = options.forModel(model.settings().search());
    this.memory = tuning.memory();
    this.most = tuning.searches();
    List<SharedSearch> made = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      made.add(held.add(new SharedSearch(model, this.options, tuning)));
    }
    this.searches = new SearchPool<>(made, SharedSearch::close);
  }

  /**
   * {@inheritDoc}
   *
   * @throws io.latimer.operators.device.DeviceLostException if the device is unusable; all callers
   *     that wait for the same search get it
   */
  @Override
  public List<Result<Decoded>> apply(List<DecodeInput> batch) {
    begin();
    try {
      GpuCall call = new GpuCall(batch, model.settings(), options);
      if (!call.isDone()) {
        decode(call);
      }
      return call.results(team);
    } finally {
      end();
    }
  }

  /** Two for each search: one is on the device while another is prepared. More are safe. */
  @Override
  public int inFlight() {
    return 2 * most;
  }

  /** The first search's capacity, while no call is active; null if there is no search. */
  SearchCapacity capacity() {
    return searches.first().capacity();
  }

  /** Searches that may have memory. */
  int made() {
    return searches.made();
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

  /**
   * All searches but the first are made only where memory is ample, and used only for sentences of
   * usual length. They give way to a longer one that makes the first search grow, and to a sentence
   * that finds too little memory.
   */
  private void decode(GpuCall call) {
    int longest = call.longest();
    boolean usual = longest <= SearchCapacity.USUAL_LONGEST;
    boolean alone = !usual && !isRoomFor(longest);
    if (!alone) {
      searches.share(usual, this::isMemoryAmple, search -> search.decode(call));
      if (call.isShortOfMemory() && most > 1) {
        call.retry();
        alone = true;
      }
    }
    if (alone) {
      searches.alone(search -> search.decode(call));
    }
    grownFor(longest);
  }

  /** Whether all searches together would take at most half of the free memory. */
  private synchronized boolean isMemoryAmple() {
    if (usualBytes == 0) {
      usualBytes =
          GpuSearch.bytes(model, options, SearchCapacity.of(options, SearchCapacity.USUAL_LONGEST));
    }
    return usualBytes <= memory && usualBytes <= model.gpu().freeMemory() / inFlight();
  }

  /** Whether the first search has all useful room for a sentence, or can take it as well. */
  private synchronized boolean isRoomFor(int longest) {
    if (longest <= grownFor) {
      return true;
    }
    long useful = GpuSearch.bytes(model, options, SearchCapacity.of(options, longest));
    return Math.min(useful, memory) <= model.gpu().freeMemory() / ContinuousBatching.SHARE;
  }

  private synchronized void grownFor(int longest) {
    grownFor = Math.max(grownFor, SearchCapacity.of(options, longest).longest());
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
    held.close();
  }
}
