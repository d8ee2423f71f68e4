package io.latimer.cli.job;

import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SourceConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The topics in a job's configuration. */
final class JobTopics {
  /**
   * A topic.
   *
   * @param what its role, such as {@code source}
   * @param servers its bootstrap servers
   * @param properties of the client
   * @param ofCommands whether it contains commands, whose order requires a single partition
   */
  record Topic(
      String name, String what, String servers, ClientProperties properties, boolean ofCommands) {}

  private JobTopics() {}

  /** All topics, without duplicates; those that are read come first. */
  static Collection<Topic> of(JobConfig config) {
    List<Topic> topics = new ArrayList<>();
    if (config.source() instanceof SourceConfig.Kafka kafka) {
      for (String topic : kafka.topics()) {
        topics.add(new Topic(topic, "source", kafka.bootstrapServers(), kafka.properties(), false));
      }
    }
    ControlConfig control = config.control();
    if (control.isOn()) {
      ofControl(control)
          .forEach(
              (topic, what) ->
                  topics.add(
                      new Topic(
                          topic,
                          what,
                          control.bootstrapServers(),
                          control.properties(),
                          topic.equals(control.topic()))));
    }
    for (SinkConfig sink : config.allSinks()) {
      if (sink instanceof SinkConfig.Kafka kafka) {
        topics.add(
            new Topic(
                kafka.topic(), what(kafka), kafka.bootstrapServers(), kafka.properties(), false));
      }
    }
    Map<List<String>, Topic> once = new LinkedHashMap<>();
    for (Topic topic : topics) {
      once.putIfAbsent(List.of(topic.servers(), topic.name()), topic);
    }
    return once.values();
  }

  /** The name of a sink in messages. */
  static String what(SinkConfig sink) {
    return sink.name().equals(JobConfig.DEAD_LETTERS) ? sink.name() : "sink " + sink.name();
  }

  /** The topics of commands, models and corrections, with the keys that name them. */
  static Map<String, String> ofControl(ControlConfig control) {
    Map<String, String> topics = new LinkedHashMap<>();
    topics.put(control.topic(), "control");
    for (ControlConfig.Follow follow : control.follow()) {
      topics.putIfAbsent(follow.topic(), "control.follow of stage " + follow.stage());
    }
    for (ControlConfig.Learn learn : control.learn()) {
      if (!learn.corrections().isEmpty()) {
        topics.putIfAbsent(learn.corrections(), "control.learn of stage " + learn.stage());
      }
    }
    return topics;
  }
}
