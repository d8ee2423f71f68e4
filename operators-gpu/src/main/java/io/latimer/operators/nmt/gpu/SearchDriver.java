package io.latimer.operators.nmt.gpu;

import io.latimer.operators.RecordException;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.SourceChecks;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a search going: sentences of all calls join it when there is room, steps are queued some
 * ahead of what is known of them, and who has ended is drained beside the steps. Used by one thread
 * at a time, whichever needs progress.
 */
final class SearchDriver implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SearchDriver.class);

  /** The part of the free memory that a search for many sentences may take. */
  private static final int SHARE = 2;

  private final GpuWeights model;
  private final DecodeOptions options;
  private final DecodeGpu.Tuning tuning;

  private final Set<GpuCall> calls = new LinkedHashSet<>();
  private final Deque<GpuSentence> waiting = new ArrayDeque<>();

  /** Those that have ended and are not being drained yet. */
  private final Deque<GpuSentence> ended = new ArrayDeque<>();

  // of the search that there is: none before the first sentence comes, and after a failure
  private GpuSearch search;

  private SearchGrowth growth;
  private Admission admission;
  private RowBound bound;
  private GpuSentence[] byPlace;
  private int live;

  SearchDriver(GpuWeights model, DecodeOptions options, DecodeGpu.Tuning tuning) {
    this.model = model;
    this.options = options;
    this.tuning = tuning;
  }

  /** Puts a call's sentences into the line. */
  void add(GpuCall call) {
    calls.add(call);
    waiting.addAll(call.sentences());
  }

  /**
   * Does what can be done now, then waits for the device. To be repeated as long as a call waits.
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
      if (search == null || !search.room().holds(options, length)) {
        if (search != null && !admission.isEmpty()) {
          return; // a larger search is made when this one has run dry
        }
        makeRoom();
        continue;
      }
      if (admission.isEmpty()
          && growth.couldBeLarger(search.room(), length, () -> mayTake(search.bytes()))) {
        makeRoom();
        continue;
      }
      List<GpuSentence> group = admission.next(waiting);
      if (group.isEmpty()) {
        return;
      }
      for (GpuSentence sentence : group) {
        byPlace[sentence.place] = sentence;
      }
      search.join(group);
      bound.joined(group.size());
      live += group.size();
    }
  }

  private void step() {
    search.step(bound.next(live));
    bound.launched();
  }

  private void ended(int place) {
    live--;
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

  /** What a search may take of the device, with what it holds already. */
  private long mayTake(long held) {
    return Math.min(tuning.memory(), (model.gpu().freeMemory() + held) / SHARE);
  }

  /**
   * Makes a search that holds the first of the waiting, in place of the one that there is: as large
   * as is of use, or as memory allows. Where not even that sentence fits alone, it fails.
   */
  private void makeRoom() {
    int length = waiting.peek().length();
    closeSearch();
    SearchRoom wanted = SearchRoom.of(options, length);
    long limit = mayTake(0);
    growth = new SearchGrowth(options, wanted, limit);
    Optional<SearchRoom> room = Optional.of(wanted);
    Throwable reason = null;
    while (room.isPresent()) {
      try {
        boolean alone = room.get().sentences() == 1;
        begin(new GpuSearch(model, options, room.get(), tuning, alone ? tuning.memory() : limit));
        if (search.room().sentences() < wanted.sentences()) {
          LOG.warn(
              "translation on {} has room for {} sentences at a time and not for {}, as memory is"
                  + " short: {} bytes may be taken",
              model.gpu(),
              search.room().sentences(),
              wanted.sentences(),
              limit);
        }
        growth.made(mayTake(search.bytes()));
        return;
      } catch (DeviceMemoryException | OutOfMemoryError e) {
        reason = e;
        room = room.get().smaller(options, length);
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
    admission = new Admission(made.room(), options);
    bound = new RowBound(options.beamSize(), model.leastWords(options), tuning.ahead());
    byPlace = new GpuSentence[made.room().sentences()];
    live = 0;
  }

  /** The search cannot go on: everybody who waits hears of it. A later call makes a new one. */
  void fail(Throwable reason) {
    calls.forEach(call -> call.fail(reason));
    calls.clear();
    waiting.clear();
    ended.clear();
    live = 0;
    try {
      closeSearch();
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  private void closeSearch() {
    if (search != null) {
      GpuSearch closing = search;
      search = null;
      closing.close();
    }
  }

  /** What the search has room for; null where there is none. */
  SearchRoom room() {
    return search == null ? null : search.room();
  }

  @Override
  public void close() {
    closeSearch();
  }
}
