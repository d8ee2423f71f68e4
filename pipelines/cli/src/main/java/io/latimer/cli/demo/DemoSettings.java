package io.latimer.cli.demo;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The settings of a demo run.
 *
 * @param runId identifies this run and its records and topics
 * @param feedName name of the feed in its records
 * @param rate sentences per second; 0 for no limit
 * @param limit maximum number of sentences to send
 * @param duration maximum time to send
 * @param loop whether the feed starts again at its end
 * @param keep whether the broker keeps running after the feed's end until it is stopped
 * @param learns whether the job learns corrections
 */
record DemoSettings(
    String runId,
    String feedName,
    double rate,
    long limit,
    Duration duration,
    boolean loop,
    boolean keep,
    boolean learns) {

  String sourceTopic() {
    return runId + "-sentences";
  }

  String translationTopic() {
    return runId + "-translations";
  }

  String deadLetterTopic() {
    return runId + "-dead-letters";
  }

  String controlTopic() {
    return runId + "-control";
  }

  String correctionsTopic() {
    return runId + "-corrections";
  }

  /** All topics of the run. */
  List<String> topics() {
    List<String> topics = List.of(sourceTopic(), translationTopic(), deadLetterTopic());
    return learns
        ? Stream.concat(topics.stream(), Stream.of(controlTopic(), correctionsTopic())).toList()
        : topics;
  }
}
