/**
 * The model provider {@code latimer} of Flink SQL: stages as models for {@code ML_PREDICT}, which
 * calls them with single rows. The calls of a process share batches.
 */
package io.latimer.pipelines.sql;
