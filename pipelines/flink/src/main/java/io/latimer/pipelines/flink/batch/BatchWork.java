package io.latimer.pipelines.flink.batch;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.record.HangingRecordException;
import io.latimer.pipelines.stage.GroupCall;
import io.latimer.pipelines.stage.GroupEndedException;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.StageVersions;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageReference;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processing of one batch by the stages. Records that have timed out too often are processed
 * one by one, after the others. One thread at a time works on a batch.
 */
final class BatchWork implements Runnable {
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
      RunningStages stages,
      StageMetrics metrics,
      BatchSpans spans,
      TimedOutRecords timedOut,
      int attempts,
      TimeLimit limit,
      SinkValues values) {}

  /** Handles a call that has timed out. */
  private interface TimedOut {
    void of(GroupCall call) throws Exception;
  }

  private final Common common;
  private final RunningStages stages;
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
    this.stages = common.stages();
    this.batch = batch;
    this.result = result;
    this.records = batch.getEnvelopes();
    this.done = new Envelope[records.size()];
  }

  /** The index versions that the batch is stamped with; empty unless indexes may be swapped. */
  List<StageReference> stamps() {
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

  @Override
  public void run() {
    if (stages.haveFailed()) {
      // the task is failing, and waiting batches will be restored from its state
      return;
    }
    try {
      if (start == 0) {
        queued = Math.max(0, System.currentTimeMillis() - batch.getOpenedAt().toEpochMilli());
        start = System.nanoTime();
        common.metrics().begun();
      }
      if (!together) {
        together();
        together = true;
      }
      oneByOne();
      List<Envelope> all = List.of(done);
      common.timedOut().forget(records.stream().filter(record -> !hung.contains(record)).toList());
      common.metrics().update(all, queued, System.nanoTime() - start);
      common.spans().add(batch, all, start, calls);
      use.close();
      List<Envelope> encoded = all.stream().map(common.values()::encode).toList();
      Batch complete = new Batch(encoded, batch.getOpenedAt(), batch.getReferences());
      result.complete(new EmittedResult(complete, () -> stages.emitted(this)));
      stages.done();
    } catch (TimeLimit.TooLate e) {
      LOG.info("stage {} finished a call that had timed out", common.group(), e.getCause());
    } catch (GroupEndedException e) {
      restart();
    } catch (Throwable e) {
      // also errors: the task must learn of any failure, or it would wait forever
      stages.fail(result, e);
    }
  }

  private void restart() {
    try {
      stages.restart(this);
    } catch (Throwable e) { // such as a thread that cannot be started
      stages.fail(result, e);
    }
  }

  private void together() throws Exception {
    List<Envelope> some = new ArrayList<>();
    for (Envelope record : records) {
      if (common.timedOut().count(record) < common.attempts()) {
        some.add(record);
      }
    }
    if (some.isEmpty()) {
      return;
    }
    Iterator<Envelope> results = call(some, call -> failBatch(some, call)).iterator();
    for (int i = 0; i < done.length; i++) {
      if (common.timedOut().count(records.get(i)) < common.attempts()) {
        done[i] = results.next();
      }
    }
  }

  private void oneByOne() throws Exception {
    for (; next < done.length; next++) {
      if (done[next] != null) {
        continue;
      }
      Envelope record = records.get(next);
      if (common.timedOut().count(record) > common.attempts()) {
        refuse(record, common.timedOut().lastStage(record));
        continue;
      }
      try {
        done[next] = call(List.of(record), call -> abandon(record, call)).get(0);
      } catch (TimeLimit.TooLate e) {
        stages.returned();
        throw e;
      }
    }
  }

  private List<Envelope> call(List<Envelope> some, TimedOut timedOut) throws Exception {
    GroupCall call = group().call(some, TimeUnit.MILLISECONDS.toNanos(queued));
    List<Envelope> results =
        common.limit().call(call::run, call::workedNanos, () -> giveUp(call, timedOut));
    List<GroupCall.MemberCall> parts = call.memberCalls();
    calls.addAll(parts);
    common.metrics().update(parts);
    return results;
  }

  /** Abandons a call that hangs, before the stages are reopened here or by a restarted task. */
  private void giveUp(GroupCall call, TimedOut timedOut) {
    try {
      call.abandon();
    } catch (Throwable e) { // also errors: the task must learn that the call hangs
      LOG.warn("stage {} could not give up a call that hangs", call.workingStage(), e);
    }
    try {
      timedOut.of(call);
    } catch (Throwable e) { // the timer would swallow it
      stages.fail(result, e);
    }
  }

  /** The stages, open on the batch's own index versions; a restored batch may have to open them. */
  private StageGroup group() {
    try {
      return use.group();
    } catch (IndexFormatException e) {
      throw new UnrecoverableException("stage of " + common.group() + ": " + e.getMessage(), e);
    }
  }

  /** Turns the next record, on which the stage hangs, into a dead letter. */
  private void refuse(Envelope record, String stage) {
    hung.add(record);
    done[next] =
        DeadLetters.refuse(
            record,
            stage,
            new HangingRecordException(
                "the stage did not finish this record by itself in "
                    + common.limit().millis()
                    + " ms, after "
                    + common.attempts()
                    + " batches with it had timed out; if the device is only slow, raise"
                    + " batch.timeout"));
  }

  /** Handles a record that has timed out even when processed alone. */
  private void abandon(Envelope record, GroupCall call) throws Exception {
    String at = call.workingStage();
    count(List.of(record), at); // so a restarted task does not try it again
    if (!stages.hangs()) {
      failTimedOut(
          at, List.of(record), ", and " + RunningStages.MAX_HANGING + " threads hang already");
      return;
    }
    LOG.warn("stage {} hangs on a record; a thread is abandoned", at);
    refuse(record, at);
    stages.resume(this);
  }

  private void failBatch(List<Envelope> some, GroupCall call) {
    stages.failing();
    String at = call.workingStage();
    int count = count(some, at);
    failTimedOut(at, some, count == 0 ? "" : ", attempt " + count + " of " + common.attempts());
  }

  /** Counts a time-out and returns the highest count of the records; 0 if counting failed. */
  private int count(List<Envelope> some, String at) {
    try {
      return common.timedOut().timedOut(some, at);
    } catch (IOException | RuntimeException e) {
      LOG.warn("stage {}: the job master did not count a time-out", at, e);
      return 0;
    }
  }

  private void failTimedOut(String at, List<Envelope> some, String circumstance) {
    stages.fail(
        result,
        new TimeoutException(
            "stage "
                + at
                + " did not finish "
                + (some.size() == 1 ? "a record" : "a batch of " + some.size() + " records")
                + " in "
                + common.limit().millis()
                + " ms"
                + circumstance
                + "; the job restarts from its last checkpoint. If the device is only slow, raise"
                + " batch.timeout or make batches smaller"));
  }
}
