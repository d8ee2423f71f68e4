/**
 * The model provider {@code latimer} of Flink SQL: stages as models for {@code ML_PREDICT}, which
 * calls them with a row at a time. The calls of a process meet in shared batches.
 */
package io.latimer.pipelines.sql;
