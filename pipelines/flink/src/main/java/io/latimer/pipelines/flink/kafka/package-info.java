/** Kafka's clients: their properties, records that are read, and sources with an end. */
package io.latimer.pipelines.flink.kafka;
