package io.latimer.pipelines.sink;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.Settings;
import java.util.ArrayList;
import java.util.List;

/** Makes sinks of what a job file says, for records, tables and dead letters. */
public final class Sinks {
  private Sinks() {}

  /**
   * Makes a sink.
   *
   * @param name its name in the job's state
   * @param job name of the job
   */
  public static SinkConfig of(Choice choice, String name, String job) {
    Settings sink = choice.settings();
    return switch (choice.kind()) {
      case "kafka" -> {
        String prefix = sink.get(SinkKeys.TRANSACTIONAL_ID_PREFIX);
        yield new SinkConfig.Kafka(
            name,
            sink.get(ClientKeys.BOOTSTRAP_SERVERS),
            sink.get(SinkKeys.TOPIC),
            sink.get(SinkKeys.DELIVERY) == SinkKeys.Delivery.EXACTLY_ONCE,
            prefix.isEmpty() ? job + "-" + name : prefix,
            ClientProperties.of(sink.get(SinkKeys.PRODUCER_PROPERTIES)));
      }
      case "files" ->
          new SinkConfig.Files(
              name, sink.get(SinkKeys.FOLDER), sink.get(SinkKeys.FORMAT) == SinkKeys.Format.AVRO);
      case "print" -> new SinkConfig.Print(name);
      case "fail" -> new SinkConfig.Fail(name);
      default -> throw new IllegalStateException("sink " + choice.kind());
    };
  }

  /**
   * The sinks of a stage's tables.
   *
   * @param settings of the stage
   * @param stage its name
   * @param job name of the job
   * @return none for stages that make no tables
   */
  public static List<SinkConfig> ofTables(Settings settings, String stage, String job) {
    if (!settings.section().keys().contains(SinkKeys.TABLES)) {
      return List.of();
    }
    List<SinkConfig> sinks = new ArrayList<>();
    for (Choice choice : settings.get(SinkKeys.TABLES)) {
      String own = choice.settings().get(SinkKeys.NAME);
      // no name of a sink has a slash: it parts what no other sink is called
      String name = stage + "/" + (own.isEmpty() ? choice.kind() : own);
      sinks.add(of(choice, name, job));
    }
    return sinks;
  }
}
