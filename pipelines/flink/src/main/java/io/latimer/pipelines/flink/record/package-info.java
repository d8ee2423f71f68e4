/**
 * How records are written: the types and serializers of Flink's streams, the bytes of Kafka's
 * records and of lines, and their sizes.
 */
package io.latimer.pipelines.flink.record;
