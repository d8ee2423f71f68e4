package io.latimer.cli.demo;

import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The demo's job: a regular job file, created for one run. */
final class DemoJob {
  /**
   * Transactions are committed at checkpoints, and only then visible to readers of committed
   * records: exactly-once delivery adds up to this time to the latency.
   */
  private static final String CHECKPOINT_INTERVAL = "250ms";

  private final DemoSettings settings;
  private final Path model;
  private final Device device;
  private final TranslateOptions options;

  DemoJob(DemoSettings settings, Path model, Device device, TranslateOptions options) {
    this.settings = settings;
    this.model = model.toAbsolutePath().normalize();
    this.device = device;
    this.options = options;
  }

  /** The job file. */
  String yaml(String bootstrapServers) {
    return """
    # The job of 'latimer demo'; 'latimer run --config FILE' runs it, too, once its topics exist.
    name: %1$s

    source:
      kafka:
        bootstrap-servers: %2$s
        topics: [%3$s]
        start: earliest

    stages:
      - translate:
          model: %4$s
          device: %5$s
          precision: %14$s
          beam: %6$d
          length-normalization: %7$s
          max-length-factor: %8$s
          allow-unknown: %9$s
          shortlist: %15$s
          split-sentences: %10$s

    sinks:
      - kafka:
          bootstrap-servers: %2$s
          topic: %11$s
          delivery: exactly-once

    dead-letters:
      kafka:
        bootstrap-servers: %2$s
        topic: %12$s
        delivery: exactly-once

    # Translations become visible when a checkpoint commits them.
    checkpoints:
      interval: %13$s
    """
        .formatted(
            settings.runId(),
            quoted(bootstrapServers),
            settings.sourceTopic(),
            quoted(model.toString()),
            device,
            options.search().beamSize(),
            options.search().lengthNormalization(),
            options.search().maxLengthFactor(),
            options.search().allowUnknown(),
            options.splitSentences().map(split -> split ? "\"yes\"" : "\"no\"").orElse("model"),
            settings.translationTopic(),
            settings.deadLetterTopic(),
            CHECKPOINT_INTERVAL,
            options.precision().map(NmtPrecision::toString).orElse("auto"),
            options.search().shortlist());
  }

  JobConfig config(String bootstrapServers) {
    return JobConfigReader.read(yaml(bootstrapServers), "the demo's job file", model.getParent());
  }

  /** The job, ready for submission. */
  StreamExecutionEnvironment environment(String bootstrapServers) {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
    TranslationJob.build(environment, config(bootstrapServers));
    return environment;
  }

  /** Loads the model while the rest is starting; the job in this process shares it. */
  AutoCloseable loadModel() {
    return Translate.opener(options).open(model, device);
  }

  /** Any text as a YAML string. */
  private static String quoted(String text) {
    StringBuilder yaml = new StringBuilder("\"");
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                yaml.append('\\').append((char) c);
              } else if (c < ' ' || c == 0x7f) {
                yaml.append(String.format("\\x%02x", c));
              } else {
                yaml.append((char) c);
              }
            });
    return yaml.append('"').toString();
  }
}
