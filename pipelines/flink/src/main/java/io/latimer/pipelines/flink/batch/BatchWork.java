package io.latimer.pipelines.flink.batch;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.record.HangingRecordException;
import io.latimer.pipelines.stage.GroupCall;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.StageVersions;
import io.latimer.pipelines.stage.TimeLimit;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageIndexVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processing of one batch by the stages. Records that have timed out too often are processed
 * one by one, after the others. One thread at a time works on a batch.
 */
final class BatchWork {
  private static final Logger LOG = LoggerFactory.getLogger(BatchWork.class);

  /**
   * What all batches of a subtask share.
   *
   * @param group its name
   * @param attempts how often a record's batches may time out before it is processed alone
   * @param limit maximum time that the stages may work on a batch
   * @param values encodes processed records for the sinks
   */
  record Common(
      String group,
      StageMetrics metrics,
      BatchSpans spans,
      TimedOutRecords timedOut,
      int attempts,
      TimeLimit limit,
      SinkValues values) {}

  private final Common common;
  private final ResultFuture<Batch> result;
  private final Batch batch;
  private final List<Envelope> records;
  private final Envelope[] done;
  private final List<Envelope> hung = new ArrayList<>();
  private final List<GroupCall.MemberCall> calls = new ArrayList<>();

  /** The threads in which it runs or is queued. */
  private StageThreads on;

  private StageVersions.Use use;

  private boolean together;
  private long queued;

  /** {@link System#nanoTime} when it began; 0 before. */
  private long start;

  /** The next record that may have to be processed alone. */
  private int next;

  /**
   * Creates the work on a batch.
   *
   * @param result completed once all records are done
   */
  BatchWork(Batch batch, ResultFuture<Batch> result, Common common) {
    this.common = common;
    this.batch = batch;
    this.result = result;
    this.records = batch.getEnvelopes();
    this.done = new Envelope[records.size()];
  }

  /** The index versions that the batch is stamped with; empty unless indexes may be swapped. */
  List<StageIndexVersion> stamps() {
    return batch.getReferences();
  }

  ResultFuture<Batch> result() {
    return result;
  }

  /** Assigns the batch to threads in which its stages stay open. */
  void runIn(StageThreads threads, StageVersions.Use open) {
    on = threads;
    use = open;
  }

  boolean runsIn(StageThreads threads) {
    return on == threads;
  }

  /**
   * Processes the records that are not done yet.
   *
   * @param hangs told of a call that hangs, in the timer's thread, after it was abandoned
   * @return the batch with all records processed
   * @throws TimeLimit.TooLate if a call ends after {@code hangs} was told of it
   * @throws io.latimer.pipelines.stage.GroupEndedException if the threads end; the work can be
   *     resumed in others
   * @throws IOException if the job master does not forget the time-outs of records
   */
  Batch process(Consumer<GroupCall> hangs) throws IOException {
    if (start == 0) {
      queued = Math.max(0, System.currentTimeMillis() - batch.getOpenedAt().toEpochMilli());
      start = System.nanoTime();
      common.metrics().begun();
    }
    if (!together) {
      together(hangs);
      together = true;
    }
    oneByOne(hangs);
    List<Envelope> all = List.of(done);
    common.timedOut().forget(records.stream().filter(record -> !hung.contains(record)).toList());
    common.metrics().update(all, queued, System.nanoTime() - start);
    common.spans().add(batch, all, start, calls);
    use.close();
    List<Envelope> encoded = all.stream().map(common.values()::encode).toList();
    return new Batch(encoded, batch.getOpenedAt(), batch.getReferences());
  }

  /** Whether a record is processed with others: it has not timed out too often. */
  private boolean isJoint(Envelope record) {
    return common.timedOut().count(record) < common.attempts();
  }

  private List<Envelope> joint() {
    return records.stream().filter(this::isJoint).toList();
  }

  private void together(Consumer<GroupCall> hangs) {
    List<Envelope> some = joint();
    if (some.isEmpty()) {
      return;
    }
    Iterator<Envelope> results = call(some, hangs).iterator();
    for (int i = 0; i < done.length; i++) {
      if (isJoint(records.get(i))) {
        done[i] = results.next();
      }
    }
  }

  private void oneByOne(Consumer<GroupCall> hangs) {
    for (; next < done.length; next++) {
      if (done[next] != null) {
        continue;
      }
      Envelope record = records.get(next);
      if (common.timedOut().count(record) > common.attempts()) {
        refuse(common.timedOut().lastStage(record));
      } else {
        done[next] = call(List.of(record), hangs).get(0);
      }
    }
  }

  private List<Envelope> call(List<Envelope> some, Consumer<GroupCall> hangs) {
    GroupCall call = group().call(some, TimeUnit.MILLISECONDS.toNanos(queued));
    List<Envelope> results = call.run(common.limit(), hangs);
    List<GroupCall.MemberCall> parts = call.memberCalls();
    calls.addAll(parts);
    common.metrics().update(parts);
    return results;
  }

  /** The stages, open on the batch's own index versions; a restored batch may have to open them. */
  private StageGroup group() {
    try {
      return use.group();
    } catch (IndexFormatException e) {
      throw new UnrecoverableException("stage of " + common.group() + ": " + e.getMessage(), e);
    }
  }

  /** Whether the call that hangs is of one record only, processed alone. */
  boolean isOneByOne() {
    return together;
  }

  /**
   * Counts a time-out of the records that hang, so that a restarted task knows of it.
   *
   * @param at the stage that hangs
   * @return how often it happened, as part of a message; empty if that is not known
   */
  String countTimeOut(String at) {
    try {
      int count = common.timedOut().timedOut(hanging(), at);
      return count == 0 ? "" : ", attempt " + count + " of " + common.attempts();
    } catch (IOException | RuntimeException e) {
      LOG.warn("stage {}: the job master did not count a time-out", at, e);
      return "";
    }
  }

  private List<Envelope> hanging() {
    return together ? List.of(records.get(next)) : joint();
  }

  /**
   * Turns the next record, on which a stage hangs, into a dead letter.
   *
   * @param at the stage that hangs
   */
  void refuse(String at) {
    Envelope record = records.get(next);
    hung.add(record);
    done[next] =
        DeadLetters.refuse(
            record,
            at,
            new HangingRecordException(
                "the stage did not finish this record by itself in "
                    + common.limit().millis()
                    + " ms, after "
                    + common.attempts()
                    + " batches with it had timed out; if the device is only slow, raise"
                    + " batch.timeout"));
  }

  /**
   * The failure of the task when a call hangs.
   *
   * @param at the stage that hangs
   * @param circumstance appended to the time
   */
  TimeoutException timedOut(String at, String circumstance) {
    int size = hanging().size();
    return new TimeoutException(
        "stage "
            + at
            + " did not finish "
            + (size == 1 ? "a record" : "a batch of " + size + " records")
            + " in "
            + common.limit().millis()
            + " ms"
            + circumstance
            + "; the job restarts from its last checkpoint. If the device is only slow, raise"
            + " batch.timeout or make batches smaller");
  }
}
