package io.latimer.pipelines.metrics;

import io.latimer.pipelines.metrics.Metric.Kind;
import java.util.List;

/** The metrics of stages that process batches, by operator of their group. */
public final class BatchMetrics {
  /** The label of metrics of one stage. */
  public static final String STAGE = "stage";

  private static final List<String> OF_STAGE = List.of(STAGE);

  public static final Metric BATCH_SIZE =
      new Metric("batchSize", Kind.HISTOGRAM, "records", "Records of a closed batch.");
  public static final Metric FILLS =
      new Metric(
          "batches",
          Kind.COUNTER,
          "batches",
          List.of("fill"),
          "Closed batches by what closed them: `records`, `tokens` (a limit was reached), `time`"
              + " (the batch was open for its maximum time, and the stages were not busy), `barrier` (a checkpoint), `watermark`"
              + " (the input became idle or active), `swap` (of an index, or of what a stage has"
              + " learned), `set` (of limits), `end` (of the input).");
  public static final Metric OPEN_RECORDS =
      new Metric(
          "openRecords",
          Kind.GAUGE,
          "records",
          "Records in the batch that is being gathered; 0 if there is none.");

  /** Metrics of the operator that forms batches. */
  public static final List<Metric> GATHER = List.of(BATCH_SIZE, FILLS, OPEN_RECORDS);

  public static final Metric QUEUE_TIME =
      new Metric(
          "queueTime",
          Kind.HISTOGRAM,
          "milliseconds",
          "Time from a batch's first record to the start of the first stage.");
  public static final Metric OPERATOR_TIME =
      new Metric(
          "operatorTime",
          Kind.HISTOGRAM,
          "milliseconds",
          "Time from the start of a batch's first stage to the end of its last one.");
  public static final Metric IN_FLIGHT =
      new Metric(
          "inFlight",
          Kind.GAUGE,
          "batches",
          "Batches in the operator: waiting, or being processed.");
  public static final Metric QUEUE_DEPTH =
      new Metric(
          "queueDepth",
          Kind.GAUGE,
          "batches",
          "Batches in the operator on which no stage has begun to work.");
  public static final Metric TOKENS_PER_SECOND =
      new Metric(
          "tokensPerSecond",
          Kind.METER,
          "tokens per second",
          "Target tokens that the model wrote, end tokens included.");
  public static final Metric GPU =
      new Metric(
          "gpu",
          Kind.GAUGE,
          "",
          "Index of the GPU that the subtask uses, or -1 for the CPU; of a group, that of its"
              + " first stage.");

  public static final Metric STAGE_QUEUE_TIME =
      new Metric(
          "queueTime",
          Kind.HISTOGRAM,
          "milliseconds",
          OF_STAGE,
          "Time that a batch waited for the stage; for the first one, from the batch's first"
              + " record.");
  public static final Metric STAGE_TIME =
      new Metric(
          "operatorTime",
          Kind.HISTOGRAM,
          "milliseconds",
          OF_STAGE,
          "Time that the stage worked on a batch: the whole call, with its transfers and kernels.");
  public static final Metric TRANSFER_TIME =
      new Metric(
          "transferTime",
          Kind.HISTOGRAM,
          "milliseconds",
          OF_STAGE,
          "Time that the GPU copied a batch from and to the host, for one batch a second. No values"
              + " on the CPU. Always 0 for `translate`, whose kernels copy.");
  public static final Metric KERNEL_TIME =
      new Metric(
          "kernelTime",
          Kind.HISTOGRAM,
          "milliseconds",
          OF_STAGE,
          "The same for the kernels, and all other work on the GPU. Batches of `translate` share"
              + " this work: a value is the time of what the batch's thread queued for all of them,"
              + " as far as the GPU had finished it when the batch ended; work on two streams"
              + " counts twice while it overlaps.");
  public static final Metric STEP_TIME =
      new Metric(
          "stepTime",
          Kind.HISTOGRAM,
          "milliseconds",
          List.of(STAGE, "step"),
          "Time that a step of the stage took for a batch. Only `translate` has steps: `prepare`"
              + " and `restore` on the host, `decode` on the device.");
  public static final Metric STAGE_IN_FLIGHT =
      new Metric(
          "inFlight", Kind.GAUGE, "batches", OF_STAGE, "Batches on which the stage is working.");
  public static final Metric STAGE_QUEUE_DEPTH =
      new Metric(
          "queueDepth",
          Kind.GAUGE,
          "batches",
          OF_STAGE,
          "Batches whose earlier stages are done and that wait for this one.");
  public static final Metric STAGE_DEAD_LETTERS =
      new Metric(
          "deadLetters", Kind.COUNTER, "records", OF_STAGE, "Records that the stage refused.");
  public static final Metric STAGE_GPU =
      new Metric("gpu", Kind.GAUGE, "", OF_STAGE, "Index of the stage's GPU, or -1 for the CPU.");
  public static final Metric GPU_MEMORY =
      new Metric(
          "gpuMemory",
          Kind.GAUGE,
          "bytes",
          OF_STAGE,
          "Memory of the stage's GPU; -1 on the CPU, and for a GPU that was lost.");
  public static final Metric GPU_MEMORY_USED =
      new Metric(
          "gpuMemoryUsed",
          Kind.GAUGE,
          "bytes",
          OF_STAGE,
          "What is in use of it, by all processes on the machine; -1 as above.");

  public static final Metric INDEX_INFO =
      new Metric(
          "indexInfo",
          Kind.GAUGE,
          "",
          List.of(STAGE, "version", "sha256"),
          "Always 1: its labels are the version and the SHA-256 of the index that later batches"
              + " use. A version that is not known is `none`.");
  public static final Metric INDEX_BYTES =
      new Metric("indexBytes", Kind.GAUGE, "bytes", OF_STAGE, "Length of the file of that index.");
  public static final Metric INDEX_AGE =
      new Metric(
          "indexAge",
          Kind.GAUGE,
          "seconds",
          OF_STAGE,
          "Time since the subtask uses that index: since its start or the last swap. Learning pairs"
              + " does not change it.");
  public static final Metric INDEX_LOAD_TIME =
      new Metric(
          "indexLoadTime",
          Kind.GAUGE,
          "milliseconds",
          OF_STAGE,
          "Time that the subtask took to open that index; short if another subtask of the process"
              + " had loaded it. -1 if unknown.");
  public static final Metric LEARNED_PAIRS =
      new Metric(
          "learnedPairs",
          Kind.GAUGE,
          "pairs",
          OF_STAGE,
          "Learned sentence pairs that later batches use beside that index; 0 for a stage that does"
              + " not learn.");

  public static final Metric DROPPED_SPANS =
      new Metric(
          "droppedSpans",
          Kind.COUNTER,
          "batches",
          "Batches without a span because their subtask had made as many as it may in a second.");

  /** Metrics of the operator that processes batches. */
  public static final List<Metric> GROUP =
      List.of(
          QUEUE_TIME,
          OPERATOR_TIME,
          IN_FLIGHT,
          QUEUE_DEPTH,
          TOKENS_PER_SECOND,
          GPU,
          DROPPED_SPANS,
          STAGE_QUEUE_TIME,
          STAGE_TIME,
          TRANSFER_TIME,
          KERNEL_TIME,
          STEP_TIME,
          STAGE_IN_FLIGHT,
          STAGE_QUEUE_DEPTH,
          STAGE_DEAD_LETTERS,
          STAGE_GPU,
          GPU_MEMORY,
          GPU_MEMORY_USED,
          INDEX_INFO,
          INDEX_BYTES,
          INDEX_AGE,
          INDEX_LOAD_TIME,
          LEARNED_PAIRS);

  public static final Metric DEAD_LETTERS =
      new Metric("deadLetters", Kind.COUNTER, "records", "Records that became dead letters here.");
  public static final Metric DEAD_LETTER_REASONS =
      new Metric(
          "deadLetters",
          Kind.COUNTER,
          "records",
          List.of(STAGE, "reason"),
          "The same by the stage that refused them, or `read` or `sink`, and the reason:"
              + " `unreadable` (the record cannot be read), `refused` (by the stage), `timeout` (the"
              + " stage hangs on it), `too-long` (for a sink).");
  public static final Metric WATERMARK_LAG =
      new Metric(
          "watermarkLag",
          Kind.GAUGE,
          "milliseconds",
          "Current time minus the last watermark that left the stages; -1 before the first one and"
              + " after the last one.");

  /** Metrics of the operator that splits batches into records. */
  public static final List<Metric> SCATTER =
      List.of(DEAD_LETTERS, DEAD_LETTER_REASONS, WATERMARK_LAG);

  private BatchMetrics() {}
}
