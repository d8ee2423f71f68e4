/** The common settings of the clients of Kafka sources and Kafka sinks. */
package io.latimer.pipelines.client;
