package io.latimer.pipelines.shared;

/**
 * Learns what a {@link StageClient} sees of its batches, to be passed on to the metrics of an
 * engine. Called by the threads of the batches, several at once; must be quick and not throw.
 */
public interface ClientMetrics {
  /** Passes nothing on. */
  ClientMetrics NONE = new ClientMetrics() {};

  /**
   * A batch with records of the client.
   *
   * @param records in the batch, those of other clients included; 1 or more
   * @param own records of the client in it, 1 or more
   * @param failures own records with a failure, all of them if the batch failed, except those that
   *     the client had given up; 0 to {@code own}
   * @param queueNanos how long the longest waiting of its own records has waited, in nanoseconds
   * @param nanos how long the stages worked on the batch, in nanoseconds
   */
  record Batch(int records, int own, int failures, long queueNanos, long nanos) {}

  /**
   * The stages are open for the client.
   *
   * @param nanos how long that took it, in nanoseconds: short if another client had opened them
   */
  default void opened(long nanos) {}

  /** A batch with records of the client has ended. */
  default void ended(Batch batch) {}
}
