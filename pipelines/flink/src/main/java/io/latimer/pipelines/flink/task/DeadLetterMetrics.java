package io.latimer.pipelines.flink.task;

import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.schemas.DeadLetter;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** Counts the dead letters of an operator by stage and reason. */
public final class DeadLetterMetrics {
  private final MetricGroup group;
  private final Counter all;
  private final Map<String, Map<DeadLetterReason, Counter>> byStage = new HashMap<>();

  /**
   * Registers the metrics.
   *
   * @param stages that may refuse records; their counters are registered at once
   */
  public DeadLetterMetrics(MetricGroup group, Collection<String> stages) {
    this.group = group;
    this.all = group.counter(BatchMetrics.DEAD_LETTERS.id());
    for (String stage : stages) {
      DeadLetterReason.ofStage(stage).forEach(reason -> counter(stage, reason));
    }
  }

  /** Counts a dead letter under its stage and its reason. */
  public void count(DeadLetter letter) {
    all.inc();
    counter(letter.getStage(), DeadLetterReason.of(letter)).inc();
  }

  private Counter counter(String stage, DeadLetterReason reason) {
    return byStage
        .computeIfAbsent(stage, name -> new EnumMap<>(DeadLetterReason.class))
        .computeIfAbsent(
            reason,
            why ->
                Labels.add(group, BatchMetrics.DEAD_LETTER_REASONS, stage, why.label())
                    .counter(BatchMetrics.DEAD_LETTER_REASONS.id()));
  }
}
