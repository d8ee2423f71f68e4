/**
 * Commands to a running job: swaps, appends, settings and corrections. {@link
 * io.latimer.pipelines.flink.control.ControlIntake} reads them from a topic, and the gatherers of
 * all subtasks agree on each ({@link io.latimer.pipelines.flink.control.GroupCommands}) before any
 * batch is stamped with its result.
 */
package io.latimer.pipelines.flink.control;
