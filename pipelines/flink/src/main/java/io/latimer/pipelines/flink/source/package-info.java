/** A job's sources: Kafka, files, sockets, feeds and lists of lines. */
package io.latimer.pipelines.flink.source;
