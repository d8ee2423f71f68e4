package io.latimer.pipelines;

import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.Settings;
import java.util.ArrayList;
import java.util.List;

/** Makes sinks of what a job file says, for records, tables and dead letters. */
final class Sinks {
  private Sinks() {}

  /**
   * Makes a sink.
   *
   * @param name its name in the job's state
   * @param job name of the job
   */
  static JobConfig.Sink of(Choice choice, String name, String job) {
    Settings sink = choice.settings();
    return switch (choice.kind()) {
      case "kafka" -> {
        String prefix = sink.get(JobKeys.Sinks.TRANSACTIONAL_ID_PREFIX);
        yield new JobConfig.KafkaSink(
            name,
            sink.get(JobKeys.Kafka.BOOTSTRAP_SERVERS),
            sink.get(JobKeys.Sinks.TOPIC),
            sink.get(JobKeys.Sinks.DELIVERY) == JobKeys.Delivery.EXACTLY_ONCE,
            prefix.isEmpty() ? job + "-" + name : prefix,
            ClientProperties.of(sink.get(JobKeys.Sinks.PRODUCER_PROPERTIES)));
      }
      case "files" ->
          new JobConfig.FileSink(
              name,
              sink.get(JobKeys.Sinks.FOLDER),
              sink.get(JobKeys.Sinks.FORMAT) == JobKeys.Format.AVRO);
      case "print" -> new JobConfig.PrintSink(name);
      case "fail" -> new JobConfig.FailSink(name);
      default -> throw new IllegalStateException("sink " + choice.kind());
    };
  }

  /**
   * The sinks of a stage's tables.
   *
   * @return none for stages that make no tables
   */
  static List<JobConfig.Sink> ofTables(StageConfig stage, String job) {
    if (!stage.settings().section().keys().contains(JobKeys.Sinks.TABLES)) {
      return List.of();
    }
    List<JobConfig.Sink> sinks = new ArrayList<>();
    for (Choice choice : stage.settings().get(JobKeys.Sinks.TABLES)) {
      String own = choice.settings().get(JobKeys.Sinks.NAME);
      // no name of a sink has a slash: it parts what no other sink is called
      String name = stage.name() + "/" + (own.isEmpty() ? choice.kind() : own);
      sinks.add(of(choice, name, job));
    }
    return sinks;
  }
}
