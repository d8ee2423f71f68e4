/** A job's sinks, and the transactions that make those to Kafka exactly-once. */
package io.latimer.pipelines.flink.sink;
