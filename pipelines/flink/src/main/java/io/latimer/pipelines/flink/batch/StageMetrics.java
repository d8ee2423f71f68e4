package io.latimer.pipelines.flink.batch;

import io.latimer.pipelines.flink.task.GpuGauges;
import io.latimer.pipelines.flink.task.Labels;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.metrics.Metric;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.GroupCall.MemberCall;
import io.latimer.pipelines.stage.StageLoad;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageTiming;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/**
 * Metrics of the batches of a group of stages, and of each of its stages with the label {@link
 * BatchMetrics#STAGE}; updated by its device threads.
 */
final class StageMetrics {
  private final Histogram queueMillis;
  private final Histogram operatorMillis;
  private final Meter tokens;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger queued = new AtomicInteger();
  private final List<Member> members = new ArrayList<>();

  /** The current threads of the stages; replaced when the stages are reopened. */
  private volatile StageThreads threads;

  /** Metrics of one stage. */
  private final class Member {
    private final MetricGroup operator;
    private final String stage;
    private final Histogram queueMillis;
    private final Histogram operatorMillis;
    private final Histogram transferMillis;
    private final Histogram kernelMillis;
    private final Counter deadLetters;
    private final Map<String, Histogram> steps = new HashMap<>();

    Member(MetricGroup operator, int index, String stage) {
      this.operator = operator;
      this.stage = stage;
      queueMillis = Labels.histogram(operator, BatchMetrics.STAGE_QUEUE_TIME, stage);
      operatorMillis = Labels.histogram(operator, BatchMetrics.STAGE_TIME, stage);
      transferMillis = Labels.histogram(operator, BatchMetrics.TRANSFER_TIME, stage);
      kernelMillis = Labels.histogram(operator, BatchMetrics.KERNEL_TIME, stage);
      MetricGroup own = operator.addGroup(BatchMetrics.STAGE, stage);
      deadLetters = own.counter(BatchMetrics.STAGE_DEAD_LETTERS.id());
      load(own, BatchMetrics.STAGE_QUEUE_DEPTH, index, StageLoad::waiting);
      load(own, BatchMetrics.STAGE_IN_FLIGHT, index, StageLoad::working);
      GpuGauges.addIndex(own, () -> threads.device(index));
      GpuGauges.addMemory(operator, stage, () -> threads.device(index));
    }

    private void load(MetricGroup own, Metric metric, int index, ToIntFunction<StageLoad> part) {
      Gauge<Integer> gauge = () -> part.applyAsInt(threads.load(index));
      own.gauge(metric.id(), gauge);
    }

    void update(MemberCall call) {
      queueMillis.update(millis(call.queueNanos()));
      operatorMillis.update(millis(call.nanos()));
      deadLetters.inc(call.refused());
      call.device()
          .ifPresent(
              times -> {
                transferMillis.update(millis(times.transfer()));
                kernelMillis.update(millis(times.kernel()));
              });
    }

    /** Updates the step timings from one record of a batch; false if it has none. */
    boolean updateSteps(List<StageTiming> timings) {
      boolean found = false;
      for (StageTiming timing : timings) {
        String name = timing.getStage();
        if (name.length() > stage.length() + 1
            && name.charAt(stage.length()) == '/'
            && name.startsWith(stage)) {
          steps
              .computeIfAbsent(
                  name.substring(stage.length() + 1),
                  step -> Labels.histogram(operator, BatchMetrics.STEP_TIME, stage, step))
              .update(millis(timing.getNanos()));
          found = true;
        }
      }
      return found;
    }
  }

  /**
   * Registers the metrics.
   *
   * @param group of the operator
   * @param threads give the devices of the stages
   */
  StageMetrics(MetricGroup group, List<BatchStage> stages, StageThreads threads) {
    this.threads = threads;
    queueMillis = Labels.histogram(group, BatchMetrics.QUEUE_TIME);
    operatorMillis = Labels.histogram(group, BatchMetrics.OPERATOR_TIME);
    tokens = group.meter(BatchMetrics.TOKENS_PER_SECOND.id(), new MeterView(new SimpleCounter()));
    Gauge<Integer> all = inFlight::get;
    group.gauge(BatchMetrics.IN_FLIGHT.id(), all);
    Gauge<Integer> waiting = queued::get;
    group.gauge(BatchMetrics.QUEUE_DEPTH.id(), waiting);
    GpuGauges.addIndex(group, () -> this.threads.device(0));
    for (int i = 0; i < stages.size(); i++) {
      members.add(new Member(group, i, stages.get(i).name()));
    }
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  /** Called when the stages were reopened. */
  void reopened(StageThreads opened) {
    this.threads = opened;
  }

  /** Called when a batch arrives. */
  void arrived() {
    queued.incrementAndGet();
    inFlight.incrementAndGet();
  }

  /** Called when the stages begin to process a batch. */
  void begun() {
    queued.decrementAndGet();
  }

  /** Called when the stages have processed a batch or a part of one. */
  synchronized void update(List<MemberCall> calls) {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).update(calls.get(i));
    }
  }

  /**
   * Called when a batch is done.
   *
   * @param queued queueing time in milliseconds
   */
  synchronized void update(List<Envelope> done, long queued, long nanos) {
    inFlight.decrementAndGet();
    queueMillis.update(queued);
    operatorMillis.update(millis(nanos));
    long count = 0;
    for (Envelope envelope : done) {
      if (envelope.getTranslation() != null) {
        count += envelope.getTranslation().getTargetTokens();
      }
    }
    tokens.markEvent(count);
    members.forEach(member -> updateSteps(member, done));
  }

  private static void updateSteps(Member member, List<Envelope> done) {
    for (Envelope envelope : done) {
      if (envelope.getTranslation() != null
          && member.updateSteps(envelope.getTranslation().getTimings())) {
        return; // the same for all records of a batch
      }
    }
  }
}
