package io.latimer.cli.demo;

import io.latimer.cli.command.Examples;
import io.latimer.cli.web.LivePage;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Path;
import java.util.Optional;
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
  private final boolean alignment;
  private final Optional<Examples.Indexes> indexes;

  /**
   * Creates a job.
   *
   * @param alignment whether its records have word alignments
   * @param indexes for stages that accompany the translation
   */
  DemoJob(
      DemoSettings settings,
      Path model,
      Device device,
      TranslateOptions options,
      boolean alignment,
      Optional<Examples.Indexes> indexes) {
    this.alignment = alignment;
    this.indexes = indexes;
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
    %17$s  - translate:
          model: %4$s
          device: %5$s
          precision: %14$s
          beam: %6$d
          length-normalization: %7$s
          max-length-factor: %8$s
          allow-unknown: %9$s
          shortlist: %15$s
          split-sentences: %10$s
          alignment: %16$s%18$s

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
      interval: %13$s%19$s
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
            options.search().shortlist(),
            alignment,
            indexes.map(DemoJob::phrases).orElse(""),
            indexes.map(DemoJob::verdicts).orElse(""),
            indexes.map(found -> learning(bootstrapServers)).orElse(""));
  }

  private static String phrases(Examples.Indexes found) {
    return "  - phrases:\n      index: " + quoted(found.phrases()) + "\n";
  }

  private static String verdicts(Examples.Indexes found) {
    return "\n  - score:\n      model: "
        + quoted(found.languageModel())
        + "\n      of: translation\n  - grammar-check:\n      grammar: "
        + quoted(found.grammar())
        + "\n      of: translation\n      next-words: 5";
  }

  private static String quoted(Path file) {
    return quoted(file.toAbsolutePath().toString());
  }

  /** The section that lets the page send corrections. */
  private String learning(String bootstrapServers) {
    return "\n\ncontrol:\n  bootstrap-servers: "
        + quoted(bootstrapServers)
        + "\n  topic: "
        + settings.controlTopic()
        + "\n  learn:\n    - stage: phrases\n      corrections: "
        + settings.correctionsTopic();
  }

  JobConfig config(String bootstrapServers) {
    return JobConfigReader.read(yaml(bootstrapServers), "the demo's job file", model.getParent());
  }

  /**
   * The job, ready for submission.
   *
   * @param page shows its records; null for none
   */
  StreamExecutionEnvironment environment(String bootstrapServers, LivePage page) {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
    if (page == null) {
      TranslationJob.build(environment, config(bootstrapServers));
    } else {
      TranslationJob.build(environment, config(bootstrapServers), page.tap());
    }
    return environment;
  }

  /** Preloads the model while the rest is starting; the job in this process shares it. */
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
