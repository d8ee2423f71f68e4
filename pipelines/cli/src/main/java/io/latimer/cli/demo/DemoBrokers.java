package io.latimer.cli.demo;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.job.LocalCluster;
import io.latimer.kafka.EmbeddedKafka;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/** The demo's Kafka, with the topics of one run: on its own broker or on the user's. */
final class DemoBrokers implements AutoCloseable {
  private static final int ANSWER_MILLIS = 6_000;
  private static final short BROKERS_DEFAULT = -1; // what the cluster's settings say

  private final DemoSettings settings;
  private final String bootstrapServers;
  private final EmbeddedKafka own;

  private DemoBrokers(DemoSettings settings, String bootstrapServers, EmbeddedKafka own) {
    this.settings = settings;
    this.bootstrapServers = bootstrapServers;
    this.own = own;
  }

  /** Starts a broker and makes the topics. */
  static DemoBrokers own(DemoSettings settings) throws IOException, InterruptedException {
    EmbeddedKafka kafka = EmbeddedKafka.start();
    DemoBrokers brokers = new DemoBrokers(settings, kafka.bootstrapServers(), kafka);
    try {
      brokers.createTopics();
      return brokers;
    } catch (RuntimeException | InterruptedException e) {
      kafka.close();
      throw e;
    }
  }

  /** Makes the topics on brokers that are there. */
  static DemoBrokers at(String bootstrapServers, DemoSettings settings)
      throws InterruptedException {
    DemoBrokers brokers = new DemoBrokers(settings, bootstrapServers, null);
    brokers.createTopics();
    return brokers;
  }

  String bootstrapServers() {
    return bootstrapServers;
  }

  /** Ends the demo's own broker, or removes the run's topics from the user's. */
  @Override
  public void close() {
    if (own != null) {
      own.close();
      return;
    }
    try (Admin admin = admin()) {
      admin.deleteTopics(topics()).all().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new CommandException(
          "the topics " + topics() + " are left behind: " + e.getCause().getMessage(), e);
    }
  }

  private List<String> topics() {
    return List.of(settings.sourceTopic(), settings.translationTopic(), settings.deadLetterTopic());
  }

  private void createTopics() throws InterruptedException {
    try (Admin admin = admin()) {
      admin
          .createTopics(
              topics().stream().map(name -> new NewTopic(name, 1, BROKERS_DEFAULT)).toList())
          .all()
          .get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new CommandException(
            "no Kafka answers at "
                + bootstrapServers
                + " within "
                + ANSWER_MILLIS / 1000
                + " s; check the address, or leave out --bootstrap-servers.",
            e);
      }
      throw new CommandException(
          "Kafka at " + bootstrapServers + " makes no topics: " + e.getCause().getMessage(), e);
    }
  }

  private Admin admin() {
    try {
      return Admin.create(
          Map.of(
              AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
              bootstrapServers,
              AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
              ANSWER_MILLIS,
              AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
              ANSWER_MILLIS / 2));
    } catch (KafkaException e) {
      throw new CommandException(
          "the brokers \"" + bootstrapServers + "\" cannot be used: " + LocalCluster.rootMessage(e),
          e);
    }
  }
}
