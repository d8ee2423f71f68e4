package io.latimer.cli.job;

import io.latimer.pipelines.flink.kafka.BriefAdmin;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates topics that do not exist.
 *
 * @param partitions of a new topic, unless its records need a single one
 * @param replicationFactor of a new topic; empty for the brokers' default
 */
record TopicMaker(int partitions, Optional<Short> replicationFactor) {
  /**
   * Creates a topic, unless it exists.
   *
   * @return the outcome, for the user
   * @throws ExecutionException if the brokers refuse it or do not answer
   */
  String make(JobTopics.Topic topic) throws InterruptedException, ExecutionException {
    try (Admin admin = BriefAdmin.of(topic.servers(), topic.properties())) {
      OptionalInt found = partitions(admin, topic.name());
      if (found.isPresent()) {
        return exists(topic, found.getAsInt());
      }
      int number = topic.ofCommands() ? 1 : partitions;
      try {
        NewTopic made = new NewTopic(topic.name(), Optional.of(number), replicationFactor);
        admin.createTopics(List.of(made)).all().get();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
        // created by another program meanwhile
        return exists(topic, partitions(admin, topic.name()).orElse(number));
      }
      return "created " + topic.name() + ", " + count(number);
    }
  }

  private static String exists(JobTopics.Topic topic, int partitions) {
    String line = topic.name() + " exists, " + count(partitions);
    return topic.ofCommands() && partitions > 1
        ? line
            + "; commands keep their order in a single one only: delete the topic, and run this again"
        : line;
  }

  private static String count(int partitions) {
    return partitions == 1 ? "1 partition" : partitions + " partitions";
  }

  private static OptionalInt partitions(Admin admin, String name)
      throws InterruptedException, ExecutionException {
    try {
      return OptionalInt.of(
          admin
              .describeTopics(List.of(name))
              .topicNameValues()
              .get(name)
              .get()
              .partitions()
              .size());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return OptionalInt.empty();
      }
      throw e;
    }
  }
}
