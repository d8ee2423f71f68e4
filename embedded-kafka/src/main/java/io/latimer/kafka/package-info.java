/** A real Kafka broker for the demo and the tests, in a child process. */
package io.latimer.kafka;
