/** {@code demo}: streams a feed through Kafka, Flink and a model on this machine. */
package io.latimer.cli.demo;
