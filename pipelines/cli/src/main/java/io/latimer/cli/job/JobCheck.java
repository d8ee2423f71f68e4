package io.latimer.cli.job;

import io.latimer.cli.command.Errors;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.util.FileErrors;
import io.latimer.pipelines.feed.FeedConfig;
import io.latimer.pipelines.feed.FeedContext;
import io.latimer.pipelines.feed.FeedException;
import io.latimer.pipelines.feed.FeedMeter;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.flink.kafka.BriefAdmin;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Checks a job's external dependencies: indexes, devices, brokers, topics and feeds. */
final class JobCheck {
  private static final String CREATE = "create it with 'latimer topics'.";

  private final JobConfig config;
  private final List<String> problems = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Servers that do not answer; asking them again would take just as long. */
  private final Set<String> silent = new HashSet<>();

  private JobCheck(JobConfig config) {
    this.config = config;
  }

  /**
   * The findings, in sentences.
   *
   * @param problems what keeps the job from starting
   * @param notes what is missing but not needed to start
   */
  record Findings(List<String> problems, List<String> notes) {
    static final Findings NONE = new Findings(List.of(), List.of());
  }

  /** One sentence for each thing that is missing or unusable. */
  static Findings all(JobConfig config) throws InterruptedException {
    JobCheck check = new JobCheck(config);
    check.stages();
    check.source(true);
    check.feed();
    check.sinks();
    check.control(JobTopics.ofControl(config.control()));
    return new Findings(check.problems, check.notes);
  }

  /**
   * Checks brokers and topics: one sentence for each broker that does not answer and each topic
   * that does not exist. Topics that match a pattern may be created later, and those of sinks by
   * brokers that do so.
   */
  static Findings brokers(JobConfig config) throws InterruptedException {
    JobCheck check = new JobCheck(config);
    check.source(false);
    check.sinks();
    check.control(Map.of(config.control().topic(), "control"));
    return new Findings(check.problems, check.notes);
  }

  private void stages() {
    List<Stage> stages;
    try {
      stages = TranslationJob.newStages(config);
    } catch (RuntimeException e) {
      problems.add(Errors.sentence(e));
      return;
    }
    ResidentIndexes indexes = new ResidentIndexes();
    for (Stage stage : stages) {
      if (stage instanceof BatchStage batch) {
        try (batch) {
          batch.open(Device.parse(batch.device()), indexes);
        } catch (RuntimeException e) {
          problems.add("stage " + stage.name() + ": " + Errors.sentence(e));
        }
      }
    }
  }

  /** Topics of commands, of published models and of corrections, with the keys that name them. */
  private void control(Map<String, String> topics) throws InterruptedException {
    ControlConfig control = config.control();
    if (!control.isOn() || silent.contains(control.bootstrapServers())) {
      return;
    }
    try (Admin admin = BriefAdmin.of(control.bootstrapServers(), control.properties())) {
      for (String topic : missing(admin, List.copyOf(topics.keySet()))) {
        problems.add(topics.get(topic) + noTopic(control.bootstrapServers(), topic) + CREATE);
      }
    } catch (KafkaException | ExecutionException e) {
      problems.add(reason("control", control.bootstrapServers(), e));
    }
  }

  private void source(boolean patterns) throws InterruptedException {
    if (config.source() instanceof SourceConfig.Kafka kafka) {
      try (Admin admin = BriefAdmin.of(kafka.bootstrapServers(), kafka.properties())) {
        if (kafka.topics().isEmpty() && patterns) {
          Pattern pattern = Pattern.compile(kafka.topicPattern());
          if (admin.listTopics().names().get().stream().noneMatch(pattern.asMatchPredicate())) {
            problems.add(
                "source: no topic at "
                    + kafka.bootstrapServers()
                    + " matches "
                    + kafka.topicPattern()
                    + ".");
          }
        }
        missing(admin, kafka.topics())
            .forEach(
                topic ->
                    problems.add("source" + noTopic(kafka.bootstrapServers(), topic) + CREATE));
      } catch (KafkaException | ExecutionException e) {
        problems.add(reason("source", kafka.bootstrapServers(), e));
      }
    }
  }

  /** Checks the feed with one attempt; a running job would keep trying. */
  private void feed() throws InterruptedException {
    if (!(config.source() instanceof SourceConfig.Feed source)) {
      return;
    }
    FeedConfig feed = source.config();
    FeedContext context =
        new SentenceReader(config.input(), config.eventTime().maxAhead())
            .feedContext(InputStream.nullInputStream(), warning -> {}, FeedMeter.NONE);
    try {
      feed.probe(context, Duration.ofMillis(BriefAdmin.ANSWER_MILLIS));
    } catch (NoSuchFileException e) {
      boolean waits = !feed.hasEnd();
      (waits ? notes : problems)
          .add(
              "source: there is no file "
                  + feed.location()
                  + (waits ? "; the job waits for it." : "; check the path."));
    } catch (FeedException e) {
      problems.add("source: " + e.getMessage() + ".");
    } catch (IOException e) {
      problems.add(
          "source: "
              + feed.location()
              + " cannot be read now: "
              + FileErrors.reason(e)
              + "; check the address.");
    }
  }

  private void sinks() throws InterruptedException {
    for (SinkConfig sink : config.allSinks()) {
      if (sink instanceof SinkConfig.Kafka kafka && !silent.contains(kafka.bootstrapServers())) {
        String what = JobTopics.what(sink);
        try (Admin admin = BriefAdmin.of(kafka.bootstrapServers(), kafka.properties())) {
          if (!missing(admin, List.of(kafka.topic())).isEmpty()) {
            boolean created = createsTopics(admin);
            (created ? notes : problems)
                .add(
                    what
                        + noTopic(kafka.bootstrapServers(), kafka.topic())
                        + (created ? "the brokers may create it." : CREATE));
          }
        } catch (KafkaException | ExecutionException e) {
          problems.add(reason(what, kafka.bootstrapServers(), e));
        }
      }
    }
  }

  private static String noTopic(String servers, String topic) {
    return ": Kafka at " + servers + " has no topic " + topic + "; ";
  }

  /** Whether brokers create topics on the first write; true if unknown. */
  private static boolean createsTopics(Admin admin) throws InterruptedException {
    try {
      Node broker = admin.describeCluster().nodes().get().iterator().next();
      ConfigResource settings = new ConfigResource(ConfigResource.Type.BROKER, broker.idString());
      ConfigEntry creates =
          admin
              .describeConfigs(List.of(settings))
              .all()
              .get()
              .get(settings)
              .get("auto.create.topics.enable");
      return creates == null || !"false".equals(creates.value());
    } catch (ExecutionException e) {
      return true; // a job needs no permission to read the brokers' settings
    }
  }

  private static List<String> missing(Admin admin, List<String> names)
      throws InterruptedException, ExecutionException {
    List<String> missing = new ArrayList<>();
    for (Map.Entry<String, ? extends KafkaFuture<?>> topic :
        admin.describeTopics(names).topicNameValues().entrySet()) {
      try {
        topic.getValue().get();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
          throw e;
        }
        missing.add(topic.getKey());
      }
    }
    return missing;
  }

  private String reason(String what, String servers, Exception error) {
    Throwable cause = error instanceof ExecutionException ? error.getCause() : error;
    if (BrokerErrors.isSilence(cause)) {
      silent.add(servers);
    }
    return BrokerErrors.sentence(what, servers, cause);
  }
}
