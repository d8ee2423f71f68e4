package io.latimer.pipelines.metrics;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.metrics.Metric.Kind;
import java.util.List;

/**
 * The metrics of a stage that processes batches. Each is registered in the group of the stage's
 * operators; {@link #FILLS} once for each {@link MicroBatcher.Fill}, under its name in lower case.
 */
public final class BatchMetrics {
  /** The group of metrics of one stage; below it is a group of the stage's name. */
  public static final String STAGE = "stage";

  public static final Metric BATCH_SIZE =
      new Metric("batchSize", Kind.HISTOGRAM, "records", "Records per batch.");
  public static final Metric FILLS =
      new Metric(
          "batches",
          Kind.COUNTER,
          "batches",
          "Closed batches, by reason: records, tokens, time, barrier, watermark, end.");
  public static final Metric QUEUE_TIME =
      new Metric(
          "queueTime",
          Kind.HISTOGRAM,
          "milliseconds",
          "Time from a batch's first record to the start of the operator.");
  public static final Metric OPERATOR_TIME =
      new Metric(
          "operatorTime",
          Kind.HISTOGRAM,
          "milliseconds",
          "Time that the operator took for a batch.");
  public static final Metric TOKENS_PER_SECOND =
      new Metric(
          "tokensPerSecond",
          Kind.METER,
          "tokens per second",
          "Target tokens that the model wrote, end tokens included.");
  public static final Metric DEAD_LETTERS =
      new Metric(
          "deadLetters",
          Kind.COUNTER,
          "records",
          "Records refused by the stage or while they were read.");

  public static final Metric GPU =
      new Metric("gpu", Kind.GAUGE, "", "Index of the subtask's GPU, or -1 for the CPU.");

  /** All of them. */
  public static final List<Metric> ALL =
      List.of(BATCH_SIZE, FILLS, QUEUE_TIME, OPERATOR_TIME, TOKENS_PER_SECOND, DEAD_LETTERS, GPU);

  private BatchMetrics() {}
}
