package io.latimer.pipelines;

/**
 * The metrics of a stage, whatever engine shows them. Each is registered in the group of the
 * stage's operators; {@link #FILLS} once for each {@link MicroBatcher.Fill}, under its name in
 * lower case.
 */
public enum BatchMetrics {
  BATCH_SIZE("batchSize", Kind.HISTOGRAM, "records", "Records of a batch."),
  FILLS(
      "batches",
      Kind.COUNTER,
      "batches",
      "Batches that were closed, by the reason: records, tokens, time, barrier, watermark, end."),
  QUEUE_TIME(
      "queueTime",
      Kind.HISTOGRAM,
      "milliseconds",
      "From the first record of a batch to the start of the operator on it."),
  OPERATOR_TIME(
      "operatorTime", Kind.HISTOGRAM, "milliseconds", "What the operator took for a batch."),
  TOKENS_PER_SECOND(
      "tokensPerSecond",
      Kind.METER,
      "tokens per second",
      "Target tokens that the model wrote, end tokens included."),
  DEAD_LETTERS(
      "deadLetters", Kind.COUNTER, "records", "Records that the stage or the reading refused.");

  /** What kind of metric it is. */
  public enum Kind {
    COUNTER,
    METER,
    HISTOGRAM
  }

  private final String id;
  private final Kind kind;
  private final String unit;
  private final String doc;

  BatchMetrics(String id, Kind kind, String unit, String doc) {
    this.id = id;
    this.kind = kind;
    this.unit = unit;
    this.doc = doc;
  }

  /** Its name. */
  public String id() {
    return id;
  }

  /** What kind of metric it is. */
  public Kind kind() {
    return kind;
  }

  /** In what it counts. */
  public String unit() {
    return unit;
  }

  /** What it says. */
  public String doc() {
    return doc;
  }
}
