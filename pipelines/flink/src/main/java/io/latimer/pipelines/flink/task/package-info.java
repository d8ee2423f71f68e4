/**
 * What every task of a job needs: its device, its threads, the labels of its metrics, and the error
 * that no restart mends.
 */
package io.latimer.pipelines.flink.task;
