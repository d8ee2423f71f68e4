package io.latimer.pipelines.stage;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.DeviceClock;
import io.latimer.operators.device.ProfilerRange;
import io.latimer.operators.util.Monitors;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processing of one micro-batch by a {@link StageGroup}. A thread that finishes a stage
 * continues with one that waited for it; others that waited start in separate threads. If each
 * stage reads the one before it, all work runs in the calling thread.
 */
public final class GroupCall {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCall.class);

  private final StageGroup group;
  private final List<BatchStage> members;
  private final List<Envelope> batch;
  private final long queueNanos;
  private final BatchValues values;
  private final Done[] done;
  private final int[] missing; // number of unfinished earlier members

  /** The members at work, in starting order. */
  private final Set<Integer> working = new LinkedHashSet<>();

  private int unfinished; // number of members that have started
  private Throwable failure;
  private long worked;
  private long workingSince;

  /**
   * The measurements of a member's call.
   *
   * @param stage its name
   * @param queueNanos time that the batch waited before its first members, or for its turn, in
   *     nanoseconds
   * @param began {@link System#nanoTime} when it began to work; 0 if it did not
   * @param nanos time that it worked, in nanoseconds
   * @param records number of records it processed, 0 or more
   * @param refused how many of them it refused that no earlier member in the job file also refused:
   *     one for each of its dead letters
   * @param device how long it kept a GPU busy; measured for few batches, and never without a GPU
   */
  public record MemberCall(
      String stage,
      long queueNanos,
      long began,
      long nanos,
      int records,
      int refused,
      Optional<DeviceClock.Times> device) {}

  /**
   * The results of a member.
   *
   * @param places the places of the records it processed, ascending
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Done(
      int[] places,
      List<Result<RecordChange>> results,
      StageTiming timing,
      long began,
      Optional<DeviceClock.Times> device) {
    /** The result of a record, which it must have processed. */
    Result<RecordChange> of(int place) {
      return results.get(Arrays.binarySearch(places, place));
    }

    MemberCall call(int refused) {
      return new MemberCall(
          timing.getStage(),
          timing.getQueueNanos(),
          began,
          timing.getNanos(),
          places.length,
          refused,
          device);
    }
  }

  GroupCall(StageGroup group, List<Envelope> batch, long queueNanos) {
    this.group = group;
    this.members = group.members();
    this.batch = List.copyOf(batch);
    this.queueNanos = queueNanos;
    this.values = new BatchValues(this.batch);
    this.done = new Done[members.size()];
    this.missing =
        IntStream.range(0, done.length).map(member -> group.earlier(member).size()).toArray();
  }

  /**
   * Processes the batch. Call this once.
   *
   * @return as many records, in the same order; a record that cannot be processed has a failure
   * @throws OperatorException if a stage can no longer process records; the message names the stage
   * @throws GroupEndedException if the group was ended meanwhile; the batch can be processed by
   *     another one
   */
  public List<Envelope> run() {
    List<Integer> first =
        IntStream.range(0, done.length).filter(member -> missing[member] == 0).boxed().toList();
    synchronized (this) {
      unfinished = first.size();
    }
    work(forkAllButOne(first));
    awaitAll();
    return results();
  }

  /** Runs a member, then one that has waited for it, and so on. */
  private void work(int first) {
    int member = first;
    while (member >= 0) {
      Done ended = null;
      Throwable reason = null;
      try {
        ended = apply(member);
      } catch (Throwable e) { // also errors: otherwise the call would wait forever
        reason = named(members.get(member), e);
      }
      member = forkAllButOne(end(member, ended, reason));
    }
  }

  /**
   * Starts all but the first of several members in other threads, and returns the first; -1 if
   * there is none.
   */
  private int forkAllButOne(List<Integer> ready) {
    for (int member : ready.subList(Math.min(1, ready.size()), ready.size())) {
      try {
        group.fork(() -> work(member));
      } catch (Throwable e) { // such as a thread that cannot be started
        end(member, null, e);
      }
    }
    return ready.isEmpty() ? -1 : ready.get(0);
  }

  /** Ends a member, and returns those that waited only for it. */
  private synchronized List<Integer> end(int member, Done ended, Throwable reason) {
    unfinished--;
    done[member] = ended;
    if (reason != null) {
      fail(reason);
    }
    List<Integer> ready = new ArrayList<>();
    for (int later = member + 1; failure == null && later < done.length; later++) {
      if (group.earlier(later).contains(member) && --missing[later] == 0) {
        ready.add(later);
      }
    }
    unfinished += ready.size();
    notifyAll();
    return ready;
  }

  private void fail(Throwable reason) {
    if (failure == null || failure instanceof GroupEndedException) {
      failure = reason;
    } else if (reason != failure && !(reason instanceof GroupEndedException)) {
      failure.addSuppressed(reason);
    }
  }

  private static Throwable named(BatchStage stage, Throwable e) {
    String where = "stage " + stage.name();
    if (e instanceof GroupEndedException) {
      return e;
    }
    if (e instanceof OperatorException) {
      return new OperatorException(where + ": " + e.getMessage(), e);
    }
    if (e instanceof RuntimeException) {
      return new OperatorException(where + ": " + e, e);
    }
    e.addSuppressed(new OperatorException("in " + where)); // an error keeps its type
    return e;
  }

  /**
   * Waits for all stages, because others may still be working when one fails, and must not be
   * closed meanwhile.
   */
  private synchronized void awaitAll() {
    Monitors.awaitUninterruptibly(this, () -> unfinished == 0);
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  private Done apply(int member) {
    int[] places = places(member);
    BatchStage stage = members.get(member);
    if (places.length == 0) {
      return new Done(
          places, List.of(), new StageTiming(stage.name(), 0L, 0L, 0), 0, Optional.empty());
    }
    Translation[] drafts = new Translation[places.length];
    for (int i = 0; i < drafts.length; i++) {
      drafts[i] = seen(member, places[i]);
    }
    StageLoad load = group.loads().get(member);
    long waited = group.semaphore(member).enter();
    load.begun();
    try {
      long queued = waited + (group.earlier(member).isEmpty() ? queueNanos : 0);
      StageBatch given = new StageBatch(stage, values, places, drafts);
      long start = begin(member);
      List<Result<RecordChange>> results;
      Optional<DeviceClock.Times> device = Optional.empty();
      ProfilerRange range = ProfilerRange.begin(stage.name(), places.length, "records");
      try {
        if (load.isMeasured(start)) {
          DeviceClock.Measured<List<Result<RecordChange>>> measured =
              DeviceClock.measure(() -> stage.apply(given));
          results = measured.value();
          device = measured.times();
          if (!measured.queued()) {
            load.notMeasured(start); // such as if another batch's thread did the work
          }
        } else {
          results = stage.apply(given);
        }
      } finally {
        range.end();
        finish(member);
      }
      long nanos = System.nanoTime() - start;
      if (results.size() != places.length) {
        throw new IllegalStateException(
            results.size() + " results of " + places.length + " records");
      }
      return new Done(
          places,
          List.copyOf(results),
          new StageTiming(stage.name(), nanos, queued, places.length),
          start,
          device);
    } finally {
      load.ended();
      group.semaphore(member).leave();
    }
  }

  private synchronized long begin(int member) {
    long now = System.nanoTime();
    if (working.isEmpty()) {
      workingSince = now;
    }
    working.add(member);
    return now;
  }

  private synchronized void finish(int member) {
    working.remove(member);
    if (working.isEmpty()) {
      worked += System.nanoTime() - workingSince;
    }
  }

  /**
   * The time so far in which stages were working on the batch, in nanoseconds, without time spent
   * waiting for other batches.
   */
  public synchronized long workedNanos() {
    return worked + (working.isEmpty() ? 0 : System.nanoTime() - workingSince);
  }

  /**
   * The name of the stage that has been working on the batch for the longest time; if none is, of
   * the first that has not finished it.
   */
  public synchronized String workingStage() {
    int member =
        working.stream()
            .findFirst()
            .or(
                () ->
                    IntStream.range(0, done.length)
                        .filter(i -> done[i] == null)
                        .boxed()
                        .findFirst())
            .orElse(0);
    return members.get(member).name();
  }

  /** Abandons the call: tells the stages that are working on the batch that they hang. */
  public void abandon() {
    List<BatchStage> hanging;
    synchronized (this) {
      hanging = working.stream().map(members::get).toList();
    }
    hanging.forEach(BatchStage::abandon);
  }

  /**
   * Runs the call for a limited time, in which waiting for other batches does not count. A call
   * that hangs is abandoned; then {@code hangs} is told, in the timer's thread.
   *
   * @throws TimeLimit.TooLate if the call ends after that
   */
  public List<Envelope> run(TimeLimit limit, Consumer<GroupCall> hangs) {
    return limit.call(this::run, this::workedNanos, () -> giveUp(hangs));
  }

  private void giveUp(Consumer<GroupCall> hangs) {
    try {
      abandon();
    } catch (Throwable e) { // also errors: whoever waits must learn that the call hangs
      LOG.warn("stage {} could not give up a call that hangs", workingStage(), e);
    }
    hangs.accept(this);
  }

  /** The measurements of all stages, in order. Call this after {@link #run}. */
  public List<MemberCall> memberCalls() {
    int[] refused = new int[done.length];
    for (int place = 0; place < batch.size(); place++) {
      int member = batch.get(place).getFailure() == null ? refusing(place) : -1;
      if (member >= 0) {
        refused[member]++;
      }
    }
    return IntStream.range(0, done.length)
        .mapToObj(member -> done[member].call(refused[member]))
        .toList();
  }

  /**
   * The records that neither came with a failure nor were refused by a member that this one reads.
   */
  private int[] places(int member) {
    boolean[] refused = new boolean[batch.size()];
    for (int earlier : group.earlier(member)) {
      Done one = done(earlier);
      for (int i = 0; i < one.places.length; i++) {
        refused[one.places[i]] |= one.results.get(i) instanceof Result.Failure;
      }
    }
    return IntStream.range(0, refused.length)
        .filter(place -> !refused[place] && batch.get(place).getFailure() == null)
        .toArray();
  }

  private synchronized Done done(int member) {
    return done[member];
  }

  /** The translation of a record as seen by a member. */
  private Translation seen(int member, int place) {
    Envelope record = batch.get(place);
    if (member == 0) {
      return record.getTranslation();
    }
    Translation draft = Envelopes.draft(record, members.get(0).kind());
    for (int earlier : group.earlier(member)) {
      change(draft, earlier, place);
    }
    return draft;
  }

  /** Applies a member's changes to a record that it did not refuse. */
  private void change(Translation draft, int member, int place) {
    Done by = done(member);
    draft.setTimings(StageBatch.append(draft.getTimings(), by.timing));
    by.of(place).orElseThrow().apply(draft);
  }

  private List<Envelope> results() {
    List<Envelope> results = new ArrayList<>(batch.size());
    for (int place = 0; place < batch.size(); place++) {
      results.add(batch.get(place).getFailure() == null ? result(place) : batch.get(place));
    }
    return results;
  }

  /** The first member that refuses a record; -1 if none does. */
  private int refusing(int place) {
    for (int member = 0; member < done.length; member++) {
      if (done[member].of(place) instanceof Result.Failure) {
        return member;
      }
    }
    return -1;
  }

  /** A record with the changes of all members up to the first one that refuses it. */
  private Envelope result(int place) {
    Envelope record = batch.get(place);
    Translation draft = null;
    for (int member = 0; member < done.length; member++) {
      if (done[member].of(place) instanceof Result.Failure<RecordChange> refused) {
        Envelope reached = draft == null ? record : Envelopes.with(record, draft);
        return DeadLetters.refuse(reached, members.get(member).name(), refused.error());
      }
      if (draft == null) {
        draft = Envelopes.draft(record, members.get(0).kind());
      }
      change(draft, member, place);
    }
    return Envelopes.with(record, draft);
  }
}
