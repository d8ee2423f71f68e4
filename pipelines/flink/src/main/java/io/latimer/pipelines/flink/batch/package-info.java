/**
 * The journey of a batch. {@link io.latimer.pipelines.flink.batch.BatchGatherer} forms
 * micro-batches; Flink's own async operator runs {@link
 * io.latimer.pipelines.flink.batch.StageFunction} on them, with one thread per batch in flight, and
 * keeps those in flight in checkpoints; {@link io.latimer.pipelines.flink.batch.BatchScatter}
 * splits them into records again. The three are chained.
 */
package io.latimer.pipelines.flink.batch;
