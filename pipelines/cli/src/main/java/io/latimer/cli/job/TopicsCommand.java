package io.latimer.cli.job;

import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.source.SourceConfig;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Creates the topics of a job file. */
@Command(
    name = "topics",
    sortOptions = false,
    description = {
      "Create the Kafka topics that a job file names and that do not exist: those of its source,"
          + " sinks, dead letters and control section. Topics that exist stay as they are.",
    },
    footer = {
      "",
      "Example:",
      "  latimer topics --config job.yaml --partitions 4",
    })
public final class TopicsCommand extends TerminalCommand implements Callable<Integer> {
  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      required = true,
      description = "The job file, YAML; docs/job-config.md lists its keys.")
  private Path file;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Partitions of each new topic (default: ${DEFAULT-VALUE}); the topic of commands has 1.")
  private int partitions;

  @Option(
      names = "--replication-factor",
      paramLabel = "N",
      description = "Copies of each partition of a new topic (default: the brokers' own).")
  private Integer replicationFactor;

  @Override
  public Integer call() throws Exception {
    require("--partitions", partitions, Integer.MAX_VALUE);
    if (replicationFactor != null) {
      require("--replication-factor", replicationFactor, Short.MAX_VALUE);
    }
    JobConfig config = JobConfigReader.read(file);
    Collection<JobTopics.Topic> topics = JobTopics.of(config);
    boolean pattern = false;
    if (config.source() instanceof SourceConfig.Kafka kafka && kafka.topics().isEmpty()) {
      pattern = true;
      terminal.message(
          "latimer: source: topic-pattern "
              + kafka.topicPattern()
              + " names no topic; create the topics that it is to match yourself.");
    }
    if (topics.isEmpty() && !pattern) {
      terminal.message("latimer: job " + config.name() + " has no Kafka topics.");
    }
    return make(topics) ? 0 : ExitCodes.FAILED;
  }

  private void require(String option, int value, int most) {
    require(
        value >= 1 && value <= most,
        option + " must be from 1 to " + most + ", found " + value + ".");
  }

  /** Whether all topics exist now. */
  private boolean make(Collection<JobTopics.Topic> topics) throws InterruptedException {
    TopicMaker maker =
        new TopicMaker(partitions, Optional.ofNullable(replicationFactor).map(Integer::shortValue));
    Set<String> silent = new HashSet<>(); // each would take just as long
    boolean all = true;
    for (JobTopics.Topic topic : topics) {
      if (silent.contains(topic.servers())) {
        continue;
      }
      try {
        terminal.results(maker.make(topic) + "\n");
      } catch (KafkaException | ExecutionException e) {
        Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
        if (BrokerErrors.isSilence(cause)) {
          silent.add(topic.servers());
        }
        String what = topic.what() + ", topic " + topic.name();
        terminal.message("latimer: " + BrokerErrors.sentence(what, topic.servers(), cause));
        all = false;
      }
    }
    return all;
  }
}
