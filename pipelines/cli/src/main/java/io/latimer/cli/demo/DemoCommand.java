package io.latimer.cli.demo;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.DurationConverter;
import io.latimer.cli.command.Examples;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.flinkui.FlinkUiOption;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.cli.translate.ModelOption;
import io.latimer.cli.translate.SearchOptions;
import io.latimer.cli.web.LivePage;
import io.latimer.cli.web.WebOptions;
import io.latimer.cli.web.WebSettings;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.TranslateOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Translates a live feed through a Kafka broker and a Flink job on this machine. */
@Command(
    name = "demo",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Translate a live feed: start a Kafka broker and a Flink cluster on this machine, send"
          + " sentences to a topic, translate them with a job, and show each translation as it"
          + " arrives.",
    },
    footer = {
      "",
      "Examples:",
      "  latimer demo",
      "  latimer demo --rate 50 --duration 30s",
      "  latimer demo --loop",
      "  latimer demo --web --web-write",
      "  tail -f chat.log | latimer demo --file -",
      "  latimer demo --file feed.txt --rate 0 > translations.tsv",
      "  latimer demo --bootstrap-servers broker:9092",
    })
public final class DemoCommand extends TerminalCommand implements Callable<Integer> {
  @Mixin private ModelOption model;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description =
          "The feed, one or more sentences per line; - is the standard input. 336 everyday"
              + " sentences if omitted.")
  private String file;

  @Option(
      names = {"-r", "--rate"},
      paramLabel = "N",
      defaultValue = "5",
      description = "Records per second; 0 sends them all at once (default: ${DEFAULT-VALUE}).")
  private double rate;

  @Option(names = "--limit", paramLabel = "N", description = "Stop after N records.")
  private Long limit;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Stop after this time, such as 30s or 5m.")
  private Duration duration;

  @Option(
      names = "--loop",
      description =
          "Send the file again from its start, until Ctrl-C, --limit or --duration. With --web, so"
              + " are the everyday sentences.")
  private boolean loop;

  @Option(
      names = "--keep",
      description =
          "When the feed has ended, keep the demo's broker and its topics for other jobs, until"
              + " Ctrl-C.")
  private boolean keep;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description =
          "Use these brokers instead of the demo's own. The demo creates three topics and deletes"
              + " them at the end.")
  private String bootstrapServers;

  @Option(
      names = "--stop-timeout",
      paramLabel = "TIME",
      defaultValue = "20s",
      converter = DurationConverter.class,
      description =
          "How long a stop by Ctrl-C or SIGTERM waits for sentences that were sent, such as 5s"
              + " (default: ${DEFAULT-VALUE}). A second Ctrl-C ends at once.")
  private Duration stopTimeout;

  @Mixin private WebOptions web;

  @Mixin private FlinkUiOption flinkUi;

  @Mixin private SearchOptions search;

  @Option(
      names = "--print-config",
      description = "Print the demo's job file, for 'latimer run', and exit.")
  private boolean printConfig;

  @Override
  public Integer call() throws Exception {
    require(rate >= 0 && rate <= 1e6, "--rate must be from 0 to 1000000.");
    require(limit == null || limit >= 1, "--limit must be at least 1.");
    require(
        !loop || !"-".equals(file),
        "--loop needs a file: the standard input cannot be read again.");
    require(
        !keep || bootstrapServers == null,
        "--keep keeps the demo's own broker; omit --bootstrap-servers.");
    Optional<WebSettings> page = web.settings();
    OptionalInt ui = flinkUi.port();
    TranslateOptions options = search.options(spec.commandLine(), 1, true, false);
    Device device = search.device(spec.commandLine());
    Path modelFile = model.imported(terminal);
    Optional<Examples.Indexes> indexes =
        page.isPresent() && model.isExample() ? Examples.indexes() : Optional.empty();
    String id =
        String.format(Locale.ROOT, "latimer-demo-%08x", ThreadLocalRandom.current().nextInt());
    DemoSettings settings =
        new DemoSettings(
            id,
            feedName(),
            rate,
            limit == null ? Long.MAX_VALUE : limit,
            duration == null ? Duration.ofDays(365) : duration,
            loop || (web.isOn() && file == null),
            keep,
            indexes.isPresent());
    DemoJob job = new DemoJob(settings, modelFile, device, options, page.isPresent(), indexes);
    if (printConfig) {
      terminal.results(job.yaml(bootstrapServers == null ? "localhost:9092" : bootstrapServers));
      return 0;
    }
    if (!Files.isRegularFile(modelFile)) {
      throw new CommandException(modelFile + " is not there; name a model file with --model.");
    }
    DemoFeed feed = feed();
    try (StopSignal stop = new StopSignal(stopTimeout);
        LivePage shown = page.map(LivePage::start).orElse(null)) {
      return new Demo(settings, job, terminal, stop, stopTimeout, shown, ui)
          .run(feed, bootstrapServers);
    }
  }

  private String feedName() {
    if (file == null) {
      return "everyday";
    }
    return file.equals("-") ? "stdin" : String.valueOf(Path.of(file).getFileName());
  }

  private DemoFeed feed() throws IOException {
    if (file != null && file.equals("-")) {
      return terminal::in;
    }
    Path path = file == null ? Examples.feed() : Path.of(file);
    if (Files.isDirectory(path)) {
      throw new CommandException(path + " is a folder; name a file with --file.");
    }
    Files.newInputStream(path).close(); // opened now to report problems early
    return () -> Files.newInputStream(path);
  }
}
