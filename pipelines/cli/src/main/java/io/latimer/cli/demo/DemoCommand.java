package io.latimer.cli.demo;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.DurationConverter;
import io.latimer.cli.command.Examples;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.cli.terminal.Terminal;
import io.latimer.cli.translate.SearchOptions;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.TranslateOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Translates a live feed through a Kafka broker and a Flink job, all of it on this machine. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Translate a live feed: start a Kafka broker and a Flink cluster on this machine, send"
          + " sentences to a topic, let a job translate them, and show each translation as it"
          + " arrives.",
    },
    footer = {
      "",
      "Examples:",
      "  latimer demo",
      "  latimer demo --rate 50 --duration 30s",
      "  tail -f chat.log | latimer demo --file -",
      "  latimer demo --file feed.txt --rate 0 > translations.tsv",
      "  latimer demo --bootstrap-servers broker:9092",
    })
public final class DemoCommand implements Callable<Integer> {
  @Option(
      names = {"-m", "--model"},
      paramLabel = "FILE",
      description = "Model file (.lmx); the English-German example if not given.")
  private Path model;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description =
          "The feed, a sentence or more a line; - is the standard input. 336 everyday sentences if"
              + " not given.")
  private String file;

  @Option(
      names = {"-r", "--rate"},
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Records to send a second; 0 sends as many as there are (default: ${DEFAULT-VALUE}).")
  private double rate;

  @Option(names = "--limit", paramLabel = "N", description = "End after so many records.")
  private Long limit;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "End after so long, such as 30s or 5m.")
  private Duration duration;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description =
          "Use this Kafka instead of one of the demo's own. Three topics are made for the run and"
              + " deleted at its end.")
  private String bootstrapServers;

  @Mixin private SearchOptions search;

  @Option(
      names = "--print-config",
      description = "Print the job file of the demo, for 'latimer run', and do nothing else.")
  private boolean printConfig;

  @Spec private CommandSpec spec;

  private final Terminal terminal;

  DemoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    if (!(rate >= 0 && rate <= 1e6)) {
      throw new ParameterException(spec.commandLine(), "--rate must be from 0 to 1000000.");
    }
    if (limit != null && limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be at least 1.");
    }
    TranslateOptions options = search.options(spec.commandLine(), 1, true, false);
    Device device = search.device(spec.commandLine());
    Path modelFile = model == null ? Examples.model() : model;
    String id =
        String.format(Locale.ROOT, "latimer-demo-%08x", ThreadLocalRandom.current().nextInt());
    DemoSettings settings =
        new DemoSettings(
            id,
            feedName(),
            rate,
            limit == null ? Long.MAX_VALUE : limit,
            duration == null ? Duration.ofDays(365) : duration);
    DemoJob job = new DemoJob(settings, modelFile, device, options);
    if (printConfig) {
      terminal.results(job.yaml(bootstrapServers == null ? "localhost:9092" : bootstrapServers));
      return 0;
    }
    if (!Files.isRegularFile(modelFile)) {
      throw new CommandException(modelFile + " is not there; name a model file with --model.");
    }
    try (InputStream feed = feed();
        StopSignal stop = new StopSignal()) {
      return new Demo(settings, job, terminal, stop).run(feed, bootstrapServers);
    }
  }

  private String feedName() {
    if (file == null) {
      return "everyday";
    }
    return file.equals("-") ? "stdin" : String.valueOf(Path.of(file).getFileName());
  }

  private InputStream feed() throws IOException {
    if (file != null && file.equals("-")) {
      return terminal.in();
    }
    Path path = file == null ? Examples.feed() : Path.of(file);
    if (Files.isDirectory(path)) {
      throw new CommandException(path + " is a folder; name a file with --file.");
    }
    return Files.newInputStream(path);
  }
}
