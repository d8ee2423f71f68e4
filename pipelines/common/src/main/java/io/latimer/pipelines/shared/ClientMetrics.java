package io.latimer.pipelines.shared;

/**
 * Receives measurements of a {@link StageClient}'s batches, for the metrics of an engine. Called
 * concurrently by the threads of the batches; must be quick and not throw.
 */
public interface ClientMetrics {
  /** Ignores all measurements. */
  ClientMetrics NONE = new ClientMetrics() {};

  /**
   * A batch with records of the client.
   *
   * @param records in the batch, those of other clients included; 1 or more
   * @param own records of the client in it, 1 or more
   * @param failures own records with a failure, all of them if the batch failed, except those that
   *     the client had given up; 0 to {@code own}
   * @param queueNanos the longest wait of any of its own records, in nanoseconds
   * @param nanos how long the stages worked on the batch, in nanoseconds
   */
  record Batch(int records, int own, int failures, long queueNanos, long nanos) {}

  /**
   * Called when the stages are open for the client.
   *
   * @param nanos how long opening took, in nanoseconds; short if another client had opened them
   */
  default void opened(long nanos) {}

  /** Called when a batch with records of the client has ended. */
  default void ended(Batch batch) {}
}
