/** What the clients of Kafka sources and Kafka sinks share. */
package io.latimer.pipelines.client;
