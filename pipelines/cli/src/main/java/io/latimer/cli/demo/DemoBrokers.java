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
  private static final short BROKERS_DEFAULT = -1; // the cluster's settings

  private final DemoSettings settings;
  private final String bootstrapServers;
  private final EmbeddedKafka own;

  private DemoBrokers(DemoSettings settings, String bootstrapServers, EmbeddedKafka own) {
    this.settings = settings;
    this.bootstrapServers = bootstrapServers;
    this.own = own;
  }

  /** Starts a broker and creates the topics. */
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

  /** Creates the topics on existing brokers. */
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
          "the topics " + topics() + " could not be deleted: " + e.getCause().getMessage(), e);
    }
  }

  private List<String> topics() {
    return settings.topics();
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
                + " s; check the address, or omit --bootstrap-servers.",
            e);
      }
      throw new CommandException(
          "Kafka at " + bootstrapServers + " cannot create topics: " + e.getCause().getMessage(),
          e);
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
