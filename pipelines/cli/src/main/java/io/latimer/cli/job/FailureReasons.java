package io.latimer.cli.job;

import io.latimer.pipelines.job.JobConfig;
import java.util.List;
import org.apache.kafka.common.KafkaException;

/** Why a job failed, in a sentence without its full stop. */
final class FailureReasons {
  private final JobConfig config;

  FailureReasons(JobConfig config) {
    this.config = config;
  }

  /**
   * The reason of a failure. Messages of Kafka's clients name no address, and are the same for a
   * missing topic and a dead broker, so the brokers are asked.
   */
  String of(Throwable error) throws InterruptedException {
    String message = LocalCluster.rootMessage(error);
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof KafkaException || e.getClass().getName().startsWith("org.apache.kafka.")) {
        List<String> problems = JobCheck.brokers(config);
        return problems.isEmpty() ? "Kafka: " + message : withoutFullStop(problems.get(0));
      }
    }
    return withoutFullStop(message);
  }

  private static String withoutFullStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }
}
