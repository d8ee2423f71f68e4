package io.latimer.pipelines.metrics;

import java.util.List;

/** The metrics of stages that process batches, by operator of their group. */
public final class BatchMetrics {
  /** The label of metrics of one stage. */
  public static final String STAGE = "stage";

  public static final Metric BATCH_SIZE =
      Metric.histogram("batchSize", "records", "Records of a closed batch.");
  public static final Metric FILLS =
      Metric.counter(
          "batches",
          "batches",
          "Closed batches by what closed them: `records`, `tokens` (a limit was reached), `time`"
              + " (the batch was open for its maximum time, and the stages were not busy), `barrier` (a checkpoint), `watermark`"
              + " (the input became idle or active), `swap` (of an index, or of what a stage has"
              + " learned), `set` (of limits), `end` (of the input).",
          "fill");
  public static final Metric OPEN_RECORDS =
      Metric.gauge(
          "openRecords",
          "records",
          "Records in the batch that is being gathered; 0 if there is none.");

  /** Metrics of the operator that forms batches. */
  public static final List<Metric> GATHER = List.of(BATCH_SIZE, FILLS, OPEN_RECORDS);

  public static final Metric QUEUE_TIME =
      Metric.time("queueTime", "Time from a batch's first record to the start of the first stage.");
  public static final Metric OPERATOR_TIME =
      Metric.time(
          "operatorTime",
          "Time from the start of a batch's first stage to the end of its last one.");
  public static final Metric IN_FLIGHT =
      Metric.gauge("inFlight", "batches", "Batches in the operator: waiting, or being processed.");
  public static final Metric QUEUE_DEPTH =
      Metric.gauge(
          "queueDepth", "batches", "Batches in the operator on which no stage has begun to work.");
  public static final Metric TOKENS_PER_SECOND =
      Metric.meter(
          "tokensPerSecond",
          "tokens per second",
          "Target tokens that the model wrote, end tokens included.");
  public static final Metric GPU =
      Metric.gauge(
          "gpu",
          "",
          "Index of the GPU that the subtask uses, or -1 for the CPU; of a group, that of its"
              + " first stage.");

  public static final Metric STAGE_QUEUE_TIME =
      Metric.time(
          "queueTime",
          "Time that a batch waited for the stage; for the first one, from the batch's first"
              + " record.",
          STAGE);
  public static final Metric STAGE_TIME =
      Metric.time(
          "operatorTime",
          "Time that the stage worked on a batch: the whole call, with its transfers and kernels.",
          STAGE);
  public static final Metric TRANSFER_TIME =
      Metric.time(
          "transferTime",
          "Time that the GPU copied a batch from and to the host, for one batch a second. No values"
              + " on the CPU. Always 0 for `translate`, whose kernels copy.",
          STAGE);
  public static final Metric KERNEL_TIME =
      Metric.time(
          "kernelTime",
          "The same for the kernels, and all other work on the GPU. Batches of `translate` share"
              + " this work: a value is the time of what the batch's thread queued for all of them,"
              + " as far as the GPU had finished it when the batch ended; work on two streams"
              + " counts twice while it overlaps.",
          STAGE);
  public static final Metric STEP_TIME =
      Metric.time(
          "stepTime",
          "Time that a step of the stage took for a batch. Only `translate` has steps: `prepare`"
              + " and `restore` on the host, `decode` on the device.",
          STAGE,
          "step");
  public static final Metric STAGE_IN_FLIGHT =
      Metric.gauge("inFlight", "batches", "Batches on which the stage is working.", STAGE);
  public static final Metric STAGE_QUEUE_DEPTH =
      Metric.gauge(
          "queueDepth",
          "batches",
          "Batches whose earlier stages are done and that wait for this one.",
          STAGE);
  public static final Metric STAGE_DEAD_LETTERS =
      Metric.counter("deadLetters", "records", "Records that the stage refused.", STAGE);
  public static final Metric STAGE_GPU =
      Metric.gauge("gpu", "", "Index of the stage's GPU, or -1 for the CPU.", STAGE);
  public static final Metric GPU_MEMORY =
      Metric.gauge(
          "gpuMemory",
          "bytes",
          "Memory of the stage's GPU; -1 on the CPU, and for a GPU that was lost.",
          STAGE);
  public static final Metric GPU_MEMORY_USED =
      Metric.gauge(
          "gpuMemoryUsed",
          "bytes",
          "What is in use of it, by all processes on the machine; -1 as above.",
          STAGE);

  public static final Metric INDEX_INFO =
      Metric.gauge(
          "indexInfo",
          "",
          "Always 1: its labels are the version and the SHA-256 of the index that later batches"
              + " use. A version that is not known is `none`.",
          STAGE,
          "version",
          "sha256");
  public static final Metric INDEX_BYTES =
      Metric.gauge("indexBytes", "bytes", "Length of the file of that index.", STAGE);
  public static final Metric INDEX_AGE =
      Metric.gauge(
          "indexAge",
          "seconds",
          "Time since the subtask uses that index: since its start or the last swap. Learning pairs"
              + " does not change it.",
          STAGE);
  public static final Metric INDEX_LOAD_TIME =
      Metric.gauge(
          "indexLoadTime",
          "milliseconds",
          "Time that the subtask took to open that index; short if another subtask of the process"
              + " had loaded it. -1 if unknown.",
          STAGE);
  public static final Metric LEARNED_PAIRS =
      Metric.gauge(
          "learnedPairs",
          "pairs",
          "Learned sentence pairs that later batches use beside that index; 0 for a stage that does"
              + " not learn.",
          STAGE);

  public static final Metric DROPPED_SPANS =
      Metric.counter(
          "droppedSpans",
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
      Metric.counter("deadLetters", "records", "Records that became dead letters here.");
  public static final Metric DEAD_LETTER_REASONS =
      Metric.counter(
          "deadLetters",
          "records",
          "The same by the stage that refused them, or `read` or `sink`, and the reason:"
              + " `unreadable` (the record cannot be read), `refused` (by the stage), `timeout` (the"
              + " stage hangs on it), `too-long` (for a sink).",
          STAGE,
          "reason");
  public static final Metric WATERMARK_LAG =
      Metric.gauge(
          "watermarkLag",
          "milliseconds",
          "Current time minus the last watermark that left the stages; -1 before the first one and"
              + " after the last one.");

  /** Metrics of the operator that splits batches into records. */
  public static final List<Metric> SCATTER =
      List.of(DEAD_LETTERS, DEAD_LETTER_REASONS, WATERMARK_LAG);

  private BatchMetrics() {}
}
