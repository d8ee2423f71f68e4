/**
 * Latimer's jobs on Flink's DataStream API: a source, a list of stages, a sink and dead letters.
 *
 * <p>A stage is three chained operators: {@link io.latimer.pipelines.flink.BatchGatherer} makes
 * micro-batches, Flink's own async operator runs {@link io.latimer.pipelines.flink.StageFunction}
 * on them (in as many device threads a subtask as the stage has batches in flight) and keeps those
 * in flight in checkpoints, and {@link io.latimer.pipelines.flink.BatchScatter} takes them apart
 * again.
 */
package io.latimer.pipelines.flink;
