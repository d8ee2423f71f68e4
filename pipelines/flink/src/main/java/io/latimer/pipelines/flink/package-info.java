/**
 * Latimer's jobs on Flink's DataStream API: a source, a list of stages, a sink and dead letters.
 *
 * <p>A stage is three chained operators: {@link io.latimer.pipelines.flink.BatchGatherer} forms
 * micro-batches; Flink's own async operator runs {@link io.latimer.pipelines.flink.StageFunction}
 * on them (with one device thread per batch in flight of a subtask) and keeps those in flight in
 * checkpoints; {@link io.latimer.pipelines.flink.BatchScatter} splits them into records again.
 */
package io.latimer.pipelines.flink;
