package io.latimer.cli.beam;

import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.translate.ModelOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Translates a file or topics with a Beam pipeline. */
@Command(
    name = "translate",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Translate with a Beam pipeline on this machine: a file, line by line as 'latimer translate'"
          + " does, or Kafka topics until Ctrl-C stops it.",
    },
    footer = {
      "",
      "Examples:",
      "  latimer beam translate --input feed.txt --output translations.txt",
      "  latimer beam translate --bootstrap-servers localhost:9092 --input-topic feed \\",
      "    --output-topic translations --dead-letter-topic dead-letters",
    })
final class BeamTranslateCommand extends TerminalCommand implements Callable<Integer> {
  private static final String MAIN = "io.latimer.pipelines.beam.TranslateProgram";

  /** A runner on this machine. */
  enum Runner {
    DIRECT("DirectRunner"),
    FLINK("FlinkRunner");

    private final String beamName;

    Runner(String beamName) {
      this.beamName = beamName;
    }
  }

  @Option(
      names = "--runner",
      paramLabel = "direct|flink",
      defaultValue = "flink",
      description =
          "Beam's runner; flink is a cluster in the process; direct is for tests, and holds all"
              + " records of a file in memory (default: ${DEFAULT-VALUE}).")
  private Runner runner;

  @Mixin private ModelOption model;

  @Mixin private DeviceOption device;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "A setting of the translate stage as in a job file, such as beam=4 or"
              + " batch.max-records=64; repeatable.")
  private List<String> settings = List.of();

  @Option(names = "--input", paramLabel = "FILE", description = "The file to translate.")
  private Path input;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "The file to write, which is replaced when the translation is complete.")
  private Path output;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description = "Kafka brokers, separated by commas.")
  private String servers;

  @Option(
      names = "--input-topic",
      paramLabel = "TOPIC",
      description = "A topic to translate; repeatable.")
  private List<String> inputTopics = List.of();

  @Option(
      names = "--output-topic",
      paramLabel = "TOPIC",
      description = "The topic for translations.")
  private String outputTopic;

  @Option(
      names = "--dead-letter-topic",
      paramLabel = "TOPIC",
      description = "The topic for records that cannot be translated.")
  private String deadLetterTopic;

  @Option(
      names = "--format",
      paramLabel = "avro|json|text",
      description = "Format of the translations in the topic (default: avro).")
  private Format format;

  /** The output formats, named as in a job file. */
  enum Format {
    AVRO,
    JSON,
    TEXT
  }

  @Parameters(
      paramLabel = "OPTION",
      arity = "0..*",
      description =
          "Options of the pipeline and its runner, after --, such as --parallelism=2"
              + " --checkpointingInterval=10000.")
  private List<String> others = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add("--runner=" + runner.beamName);
    arguments.add("--model=" + model.file().toAbsolutePath());
    arguments.add("--settings=device=" + device.device(spec.commandLine()));
    for (String setting : settings) {
      int comma = setting.indexOf(',');
      if (comma >= 0 && setting.indexOf('=', comma) >= 0) {
        throw usage(
            "--set takes one KEY=VALUE, whose value has no = after a comma; found \""
                + setting
                + "\". Repeat --set for each setting.");
      }
      arguments.add("--settings=" + setting);
    }
    boolean files = input != null && output != null;
    boolean topics =
        servers != null && !inputTopics.isEmpty() && outputTopic != null && deadLetterTopic != null;
    boolean anyTopic =
        servers != null || !inputTopics.isEmpty() || outputTopic != null || deadLetterTopic != null;
    if (files && !anyTopic) {
      require(format == null, "--format is for topics; a file is written as text, line by line.");
      arguments.add("--input=" + input.toAbsolutePath());
      arguments.add("--output=" + output.toAbsolutePath());
      arguments.add("--ordered");
      arguments.add("--encoding=TEXT");
    } else if (topics && input == null && output == null) {
      arguments.add("--bootstrapServers=" + servers);
      inputTopics.forEach(topic -> arguments.add("--inputTopics=" + topic));
      arguments.add("--outputTopic=" + outputTopic);
      arguments.add("--deadLetterTopic=" + deadLetterTopic);
      arguments.add("--format=" + (format == null ? Format.AVRO : format));
    } else {
      throw usage(
          "Name --input and --output, or --bootstrap-servers, --input-topic, --output-topic and"
              + " --dead-letter-topic.");
    }
    arguments.addAll(others);
    return BeamProcess.run(MAIN, arguments);
  }
}
