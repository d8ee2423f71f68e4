package io.latimer.pipelines.flink;

import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.GroupCall.MemberCall;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * Metrics of the batches of a group of stages, and of each of its stages in a group named {@link
 * BatchMetrics#STAGE}; updated by its device threads.
 */
final class StageMetrics {
  private final Histogram queueMillis;
  private final Histogram operatorMillis;
  private final Meter tokens;
  private final List<Member> members = new ArrayList<>();

  /** Of the stages; new ones when they are opened anew. */
  private volatile List<Gauge<Integer>> gpus;

  /** Metrics of one stage. */
  private record Member(Histogram queueMillis, Histogram operatorMillis, Counter deadLetters) {
    Member(MetricGroup group) {
      this(
          histogram(group, BatchMetrics.QUEUE_TIME.id()),
          histogram(group, BatchMetrics.OPERATOR_TIME.id()),
          group.counter(BatchMetrics.DEAD_LETTERS.id()));
    }

    void update(MemberCall call) {
      queueMillis.update(millis(call.queueNanos()));
      operatorMillis.update(millis(call.nanos()));
      deadLetters.inc(call.refused());
    }
  }

  /**
   * Registers the metrics.
   *
   * @param group of the operator
   * @param gpus of each stage
   */
  StageMetrics(MetricGroup group, List<BatchStage> stages, List<Gauge<Integer>> gpus) {
    this.gpus = gpus;
    queueMillis = histogram(group, BatchMetrics.QUEUE_TIME.id());
    operatorMillis = histogram(group, BatchMetrics.OPERATOR_TIME.id());
    tokens = group.meter(BatchMetrics.TOKENS_PER_SECOND.id(), new MeterView(new SimpleCounter()));
    group.gauge(BatchMetrics.GPU.id(), gpu(0));
    for (int i = 0; i < stages.size(); i++) {
      MetricGroup own = group.addGroup(BatchMetrics.STAGE, stages.get(i).name());
      members.add(new Member(own));
      own.gauge(BatchMetrics.GPU.id(), gpu(i));
    }
  }

  private static Histogram histogram(MetricGroup group, String name) {
    return group.histogram(name, new DescriptiveStatisticsHistogram(GathererMetrics.WINDOW));
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  private Gauge<Integer> gpu(int stage) {
    return () -> gpus.get(stage).getValue();
  }

  /** The stages were opened anew. */
  void reopened(List<Gauge<Integer>> gpus) {
    this.gpus = gpus;
  }

  /** The stages have processed a batch, or a part of one. */
  synchronized void update(List<MemberCall> calls) {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).update(calls.get(i));
    }
  }

  /**
   * A batch is done.
   *
   * @param queued milliseconds that it waited
   */
  synchronized void update(List<Envelope> done, long queued, long nanos) {
    queueMillis.update(queued);
    operatorMillis.update(millis(nanos));
    long count = 0;
    for (Envelope envelope : done) {
      if (envelope.getTranslation() != null) {
        count += envelope.getTranslation().getTargetTokens();
      }
    }
    tokens.markEvent(count);
  }
}
