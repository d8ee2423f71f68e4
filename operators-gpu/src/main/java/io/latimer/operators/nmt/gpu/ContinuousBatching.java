package io.latimer.operators.nmt.gpu;

import io.latimer.operators.RecordException;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.SourceChecks;
import io.latimer.operators.util.Closer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a search running: sentences of all calls join when there is room, steps are queued some
 * ahead of their results, and ended sentences are drained while steps run. Used by one thread at a
 * time, whichever needs progress.
 */
final class ContinuousBatching implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ContinuousBatching.class);

  /** The fraction of free memory that a search for many sentences may use. */
  static final int SHARE = 2;

  private final GpuWeights model;
  private final DecodeOptions options;
  private final DecodeTuning tuning;

  private final Set<GpuCall> calls = new LinkedHashSet<>();
  private final Deque<GpuSentence> waiting = new ArrayDeque<>();

  /** Sentences that have ended and are not yet being drained. */
  private final Deque<GpuSentence> ended = new ArrayDeque<>();

  // state of the current search: none before the first sentence, and after a failure
  private GpuSearch search;

  private SearchGrowth growth;
  private Admission admission;
  private RowBound bound;
  private GpuSentence[] byPlace;
  private int live;

  /** Live sentences with a prefix. */
  private int prefixed;

  ContinuousBatching(GpuWeights model, DecodeOptions options, DecodeTuning tuning) {
    this.model = model;
    this.options = options;
    this.tuning = tuning;
  }

  /** Queues a call's sentences. */
  void add(GpuCall call) {
    calls.add(call);
    waiting.addAll(call.sentences());
  }

  /**
   * Does all work that is ready, then waits for the device. Repeat while a call waits.
   *
   * @return whether a call is done
   */
  boolean turn() {
    join();
    while (live > 0 && search.stepsInFlight() < tuning.ahead()) {
      step();
    }
    drain();
    if (live > 0) {
      search.awaitStep();
      bound.reported(search.rows());
      search.ended(this::ended);
    } else if (search != null && search.drainsInFlight() > 0) {
      search.finishDrain(this::drained);
    }
    return calls.removeIf(GpuCall::isDone);
  }

  private void join() {
    while (!waiting.isEmpty()) {
      int length = waiting.peek().length();
      if (search == null || !search.capacity().holds(options, length)) {
        if (search != null && !admission.isEmpty()) {
          return; // a larger search is made when this one is empty
        }
        makeRoom();
        continue;
      }
      if (admission.isEmpty()
          && growth.couldBeLarger(search.capacity(), length, () -> mayTake(search.bytes()))) {
        makeRoom();
        continue;
      }
      List<GpuSentence> group = admission.next(waiting);
      if (group.isEmpty()) {
        return;
      }
      for (GpuSentence sentence : group) {
        byPlace[sentence.place] = sentence;
        prefixed += isPrefixed(sentence);
      }
      search.join(group);
      bound.joined(group.size());
      live += group.size();
    }
  }

  private void step() {
    search.step(bound.next(live, prefixed));
    bound.launched();
  }

  private static int isPrefixed(GpuSentence sentence) {
    return sentence.prefix().length > 0 ? 1 : 0;
  }

  private void ended(int place) {
    live--;
    prefixed -= isPrefixed(byPlace[place]);
    ended.add(byPlace[place]);
    byPlace[place] = null;
  }

  private void drain() {
    while (search != null && search.drainsInFlight() > 0 && search.isDrained()) {
      search.finishDrain(this::drained);
    }
    while (!ended.isEmpty() && search.canDrain()) {
      search.startDrain(ended);
    }
  }

  private void drained(GpuSentence sentence, int[] result) {
    admission.leave(sentence);
    sentence.complete(result);
  }

  /** The device memory that a search may use, including what it already has. */
  private long mayTake(long held) {
    return Math.min(tuning.memory(), (model.gpu().freeMemory() + held) / SHARE);
  }

  /**
   * Replaces the search by one that holds the first waiting sentence: as large as useful, or as
   * memory allows. If not even that sentence fits alone, the sentence fails.
   */
  private void makeRoom() {
    int length = waiting.peek().length();
    closeSearch();
    SearchCapacity wanted = SearchCapacity.of(options, length);
    long limit = mayTake(0);
    growth = new SearchGrowth(options, wanted, limit);
    Optional<SearchCapacity> capacity = Optional.of(wanted);
    Throwable reason = null;
    while (capacity.isPresent()) {
      try {
        boolean alone = capacity.get().sentences() == 1;
        begin(
            new GpuSearch(model, options, capacity.get(), tuning, alone ? tuning.memory() : limit));
        if (search.capacity().sentences() < wanted.sentences()) {
          LOG.warn(
              "translation on {} has room for {} instead of {} sentences at a time because memory is"
                  + " short: {} bytes are available",
              model.gpu(),
              search.capacity().sentences(),
              wanted.sentences(),
              limit);
        }
        growth.made(mayTake(search.bytes()));
        return;
      } catch (DeviceMemoryException | OutOfMemoryError e) {
        reason = e;
        capacity = capacity.get().smaller(options, length);
      }
    }
    GpuSentence sentence = waiting.remove();
    RecordException error =
        SourceChecks.tooLarge(
            length,
            "the memory of " + model.gpu() + "; use a smaller beam, or a device with more memory",
            reason);
    sentence.fail(error);
  }

  private void begin(GpuSearch made) {
    search = made;
    admission = new Admission(made.capacity(), options);
    bound = new RowBound(options.beamSize(), model.leastWords(options), tuning.ahead());
    byPlace = new GpuSentence[made.capacity().sentences()];
    live = 0;
    prefixed = 0;
  }

  /** Fails the search for all waiting calls. A later call makes a new one. */
  void fail(Throwable reason) {
    calls.forEach(call -> call.fail(reason));
    calls.clear();
    waiting.clear();
    ended.clear();
    live = 0;
    prefixed = 0;
    Closer.runAfter(reason, this::closeSearch);
  }

  private void closeSearch() {
    if (search != null) {
      GpuSearch closing = search;
      search = null;
      closing.close();
    }
  }

  /** The search's capacity; null if there is no search. */
  SearchCapacity capacity() {
    return search == null ? null : search.capacity();
  }

  @Override
  public void close() {
    closeSearch();
  }
}
