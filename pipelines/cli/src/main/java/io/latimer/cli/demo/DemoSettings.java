package io.latimer.cli.demo;

import java.time.Duration;

/**
 * What the demo is asked for.
 *
 * @param runId names this run, so that it finds its own records and topics
 * @param feedName name of the feed in its records
 * @param rate sentences per second; 0 for as many as there are
 * @param limit most sentences to send
 * @param duration longest time to send for
 */
record DemoSettings(String runId, String feedName, double rate, long limit, Duration duration) {

  String sourceTopic() {
    return runId + "-sentences";
  }

  String translationTopic() {
    return runId + "-translations";
  }

  String deadLetterTopic() {
    return runId + "-dead-letters";
  }
}
