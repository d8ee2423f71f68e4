package io.latimer.cli.job;

import io.latimer.pipelines.job.JobConfig;
import java.util.List;
import org.apache.flink.runtime.operators.coordination.TaskNotRunningException;

/** Explains why a job failed, in a sentence without its full stop. */
record FailureReasons(JobConfig config) {
  /**
   * The reason for a failure. Messages of Kafka's clients name no address, and do not distinguish a
   * missing topic from a dead broker, so the brokers are checked. They are also checked if Flink
   * reports only that a message did not reach a task that had just failed, because the actual
   * reason is lost then.
   */
  String of(Throwable error) throws InterruptedException {
    String message = withoutFullStop(LocalCluster.rootMessage(error));
    boolean kafka = has(error, "org.apache.kafka.");
    if (kafka || has(error, TaskNotRunningException.class.getName())) {
      List<String> problems = JobCheck.brokers(config).problems();
      if (!problems.isEmpty()) {
        return withoutFullStop(problems.get(0));
      }
    }
    return kafka ? "Kafka: " + message : message;
  }

  /** Whether an error or one of its causes has a class name with this prefix. */
  private static boolean has(Throwable error, String name) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e.getClass().getName().startsWith(name)) {
        return true;
      }
    }
    return false;
  }

  private static String withoutFullStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }
}
