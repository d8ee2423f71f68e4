package io.latimer.cli.feed;

import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.pipelines.feed.Feed;
import io.latimer.pipelines.feed.FeedConfig;
import io.latimer.pipelines.feed.FeedKeys;
import io.latimer.pipelines.feed.FeedMeter;
import io.latimer.pipelines.feed.FeedPosition;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads a live feed. */
@Command(
    name = "feed",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Read a live feed, and print its records or send them to a Kafka topic, as a job with this"
          + " feed as its source reads them.",
      "",
      "A record that cannot be read is reported on the standard error, and the exit code is 1. With"
          + " --position, the command resumes where it stopped; what it wrote within the last second"
          + " before a crash is written again.",
    },
    footer = {
      "",
      "Sources and their keys, as in job files (docs/feeds.md describes them):",
      "  wikimedia  url, since, text, where, user-agent",
      "  rss        url, poll, text, user-agent",
      "  bluesky    url, since, languages, user-agent",
      "  captions   path, follow, start, max-gap, max-wait",
      "  lines      path, follow",
      "  stdin",
      "Every source has give-up: how long errors may go on, such as 10min; 0 for ever.",
      "",
      "Examples:",
      "  latimer feed wikimedia 'where={/wiki: enwiki, /bot: false}' --limit 10",
      "  latimer feed rss url=https://example.org/news.xml --position news.position",
      "  latimer feed bluesky languages=en --to posts.en --position bluesky.position",
      "  latimer feed captions path=talk.en.vtt --format text",
      "  latimer feed lines path=app.log --position app.position --to sentences",
    })
public final class FeedCommand extends TerminalCommand implements Callable<Integer> {
  private static final Duration MAX_AHEAD = Duration.ofDays(1);

  @Parameters(index = "0", paramLabel = "SOURCE", description = "Kind of the feed; see below.")
  private String kind;

  @Parameters(
      index = "1..*",
      paramLabel = "KEY=VALUE",
      description = "Settings of the feed, with the keys of job files.")
  private List<String> settings = List.of();

  @Option(
      names = "--position",
      paramLabel = "FILE",
      description =
          "Keep the position in the feed in a file, and resume there. Written once a second, after"
              + " what came before it.")
  private Path position;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "End after N records; without it, at the end of the feed, if it has one.")
  private Long limit;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "json",
      description =
          "Print json or text: one record or its text a line (default: ${DEFAULT-VALUE}).")
  private FeedSink.Format format;

  @Option(
      names = "--name",
      paramLabel = "FEED",
      defaultValue = "",
      description = "Name of the feed in the records (input.feed); if omitted, the source's own.")
  private String name;

  @Option(
      names = "--language",
      paramLabel = "TAG",
      defaultValue = "",
      description =
          "Language of records whose source does not tell it (input.language), such as en.")
  private String language;

  @Option(
      names = "--to",
      paramLabel = "TOPIC",
      description =
          "Send to a Kafka topic instead of printing, as Avro with the records' ids as keys.")
  private String topic;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      defaultValue = "localhost:9092",
      description = "Kafka brokers, separated by commas (default: ${DEFAULT-VALUE}).")
  private String bootstrapServers;

  @Option(
      names = "--property",
      paramLabel = "NAME=VALUE",
      description =
          "A property of the Kafka client. $${ENV:NAME} in it stands for an environment variable.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    require(limit == null || limit >= 1, "--limit must be at least 1.");
    FeedConfig config = config();
    Optional<PositionFile> file = Optional.ofNullable(position).map(PositionFile::new);
    FeedPosition start = file.isPresent() ? file.get().read(config) : config.start();
    SentenceReader reader =
        new SentenceReader(
            new InputConfig(
                InputConfig.DEFAULTS.encoding(),
                name,
                language,
                InputConfig.DEFAULTS.maxRecordBytes()),
            MAX_AHEAD);
    long refused;
    int stopped;
    try (StopSignal stop = new StopSignal();
        Feed feed =
            config.open(
                start,
                reader.feedContext(
                    terminal.in(),
                    warning -> terminal.message("latimer: " + warning + "."),
                    FeedMeter.NONE));
        FeedSink sink = sink()) {
      FeedRun run = new FeedRun(feed, start, reader, sink, file, terminal, System::nanoTime);
      refused = run.run(limit == null ? Long.MAX_VALUE : limit, stop);
      stopped = stop.exitCode();
    }
    if (refused > 0) {
      terminal.message(
          "latimer: " + refused + (refused == 1 ? " record was" : " records were") + " not read.");
    }
    return stopped != 0 ? stopped : refused > 0 ? ExitCodes.FAILED : 0;
  }

  private FeedConfig config() {
    try {
      return FeedKeys.parse(kind, settings, Path.of("").toAbsolutePath());
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage(), e);
    }
  }

  private FeedSink sink() {
    return topic == null
        ? FeedSink.printing(terminal, format)
        : new TopicSink(bootstrapServers, topic, properties);
  }
}
