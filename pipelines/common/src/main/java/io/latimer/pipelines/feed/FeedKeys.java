package io.latimer.pipelines.feed;

import com.fasterxml.jackson.core.JsonPointer;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigType;
import io.latimer.pipelines.config.ConfigTypes;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The keys of {@code source: feed}. */
public final class FeedKeys {
  /** Parts of an RSS entry. */
  public enum EntryText {
    /** The title. */
    TITLE,
    /** The summary, or the content if there is none. */
    SUMMARY,
    /** The title and, on the next line, the summary. */
    BOTH
  }

  private static final Pattern SETTING = Pattern.compile("([a-z-]+)=([^\n\r]*)");
  private static final Pattern LINE = Pattern.compile("^line [0-9]+: ");

  private static final String WHERE_SINCE =
      "Where to start without a checkpoint: at an instant such as 2026-11-21T12:00:00Z, if the"
          + " server still has the events since then; if empty, now.";

  static final ConfigKey<String> USER_AGENT =
      ConfigKey.of(
          "user-agent",
          ConfigTypes.text(
              "up to 200 printable ASCII characters", text -> text.matches("[ -~]{1,200}")),
          "latimer",
          "How the job introduces itself to the server. Some ask for a contact, such as an address"
              + " of yours.");

  /** {@code wikimedia}. */
  public static final class Wikimedia {
    public static final ConfigKey<String> URL =
        ConfigKey.of(
            "url",
            url("http", "https"),
            "https://stream.wikimedia.org/v2/stream/recentchange",
            "Address of the stream, or of several whose names are separated by commas.");
    public static final ConfigKey<String> SINCE = ConfigKey.of("since", since(), "", WHERE_SINCE);
    public static final ConfigKey<String> TEXT =
        ConfigKey.of(
            "text",
            ConfigTypes.text("a JSON pointer such as /comment", FeedKeys::isPointer),
            "/comment",
            "JSON pointer (RFC 6901) to the text in an event. Events without a text there are"
                + " skipped.");
    public static final ConfigKey<Map<String, String>> WHERE =
        ConfigKey.of(
            "where",
            ConfigTypes.properties(),
            Map.of(),
            "JSON pointers, and the values that an event has there; other events are skipped. For"
                + " example, `{/wiki: enwiki, /type: edit, /bot: false}`.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "wikimedia",
            "Wikimedia EventStreams: server-sent events whose data are JSON objects. Resumes by the"
                + " id of the last event.",
            URL,
            SINCE,
            TEXT,
            WHERE,
            USER_AGENT);

    private Wikimedia() {}
  }

  /** {@code rss}. */
  public static final class Rss {
    public static final ConfigKey<String> URL =
        ConfigKey.required(
            "url",
            url("http", "https"),
            "https://example.org/news.xml",
            "Address of the document.");
    public static final ConfigKey<Duration> POLL =
        ConfigKey.of(
            "poll",
            ConfigTypes.duration(Duration.ZERO),
            Duration.ofMinutes(5),
            "Time between two requests; 0 reads the document once and ends.");
    public static final ConfigKey<EntryText> TEXT =
        ConfigKey.of(
            "text",
            ConfigTypes.word(EntryText.class),
            EntryText.BOTH,
            "What of an entry is its text: the `title`, the `summary` (or the content, if there is"
                + " no summary), or `both`, on a line each. HTML becomes plain text.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "rss",
            "An RSS or Atom feed, which is fetched again if it has changed. Every entry is read"
                + " once, by its GUID or id.",
            URL,
            POLL,
            TEXT,
            USER_AGENT);

    private Rss() {}
  }

  /** {@code bluesky}. */
  public static final class Bluesky {
    public static final ConfigKey<String> URL =
        ConfigKey.of(
            "url",
            url("wss", "ws"),
            "wss://jetstream2.us-east.bsky.network/subscribe",
            "Address of a Jetstream server.");
    public static final ConfigKey<String> SINCE = ConfigKey.of("since", since(), "", WHERE_SINCE);
    public static final ConfigKey<List<String>> LANGUAGES =
        ConfigKey.of(
            "languages",
            ConfigTypes.texts(),
            List.of(),
            "Languages of the posts to read, as their authors tag them, such as `en`; if empty,"
                + " all.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "bluesky",
            "New posts of Bluesky, from a Jetstream server by websocket. Resumes by the server's"
                + " cursor.",
            URL,
            SINCE,
            LANGUAGES,
            USER_AGENT);

    private Bluesky() {}
  }

  /** {@code captions}. */
  public static final class Captions {
    public static final ConfigKey<String> PATH =
        ConfigKey.required(
            "path",
            ConfigTypes.localFilePath(false),
            "talk.en.vtt",
            "A local file; a relative path is relative to the job file's folder.");
    public static final ConfigKey<Boolean> FOLLOW =
        ConfigKey.of(
            "follow",
            ConfigTypes.flag(),
            false,
            "Whether to wait for more cues at the end of the file, and for the file itself.");
    public static final ConfigKey<String> START =
        ConfigKey.of(
            "start",
            since(),
            "",
            "When time 0 of the captions was, such as 2026-11-21T12:00:00Z: the event times count"
                + " from there. If empty, they are the times of reading.");
    public static final ConfigKey<Duration> MAX_GAP =
        ConfigKey.of(
            "max-gap",
            ConfigTypes.duration(Duration.ofMillis(1)),
            Duration.ofSeconds(3),
            "A sentence ends where there is no caption for longer than this.");
    public static final ConfigKey<Duration> MAX_WAIT =
        ConfigKey.of(
            "max-wait",
            ConfigTypes.duration(Duration.ofMillis(1)),
            Duration.ofSeconds(10),
            "How long the beginning of a sentence waits for the next cue of a file that is"
                + " followed.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "captions",
            "Captions in a SubRip (SRT) or WebVTT file. Cues are joined into sentences, as many as"
                + " there are; their times are in the header `captions`, from which `latimer"
                + " captions` makes WebVTT of the translations. Resumes within the cue where it"
                + " stopped.",
            PATH,
            FOLLOW,
            START,
            MAX_GAP,
            MAX_WAIT);

    private Captions() {}
  }

  /** {@code lines}. */
  public static final class Lines {
    public static final ConfigKey<String> PATH =
        ConfigKey.required(
            "path",
            ConfigTypes.localFilePath(false),
            "feed.log",
            "A local file; a relative path is relative to the job file's folder.");
    public static final ConfigKey<Boolean> FOLLOW =
        ConfigKey.of(
            "follow",
            ConfigTypes.flag(),
            true,
            "Whether to wait for more at the end of the file, and for the file itself. A file that"
                + " was rotated is read to its end, then the one that has its name now.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "lines",
            "The lines of a file that grows. The task manager must have the file. Resumes at the"
                + " byte where it stopped.",
            PATH,
            FOLLOW);

    private Lines() {}
  }

  private static final ConfigSection STDIN =
      ConfigSection.of(
          "stdin",
          "The lines of standard input, for `./latimer run`. They cannot be read again: after a"
              + " failure, lines that were read but not checkpointed are lost.");

  /** The kinds of feed. */
  public static final List<ConfigSection> KINDS =
      List.of(
          Wikimedia.SECTION, Rss.SECTION, Bluesky.SECTION, Captions.SECTION, Lines.SECTION, STDIN);

  public static final ConfigKey<Choice> FROM =
      ConfigKey.required(
          "from",
          ConfigTypes.choice(KINDS),
          new Choice(Wikimedia.SECTION.settings().build()),
          "What kind of feed it is, and where.");
  public static final ConfigKey<Duration> GIVE_UP =
      ConfigKey.of(
          "give-up",
          ConfigTypes.duration(Duration.ZERO),
          Duration.ofHours(1),
          "How long errors of the feed may go on before the job fails; 0 for ever. The feed is"
              + " tried again after a second, then after longer and longer times up to a minute, or"
              + " when its server asks for it, within an hour.");
  public static final ConfigSection SECTION =
      ConfigSection.of(
          "feed",
          "A live feed, read by one subtask. Its position is part of checkpoints. See"
              + " [feeds.md](feeds.md).",
          FROM,
          GIVE_UP);

  private FeedKeys() {}

  /**
   * A feed from the command line.
   *
   * @param kind such as {@code lines}
   * @param settings {@code KEY=VALUE}, the keys being those of the kind, or {@code give-up}
   * @param base the folder that relative paths refer to
   * @throws IllegalArgumentException if they do not fit; the message is for the user
   */
  public static FeedConfig parse(String kind, List<String> settings, Path base) {
    StringBuilder keys = new StringBuilder();
    StringBuilder more = new StringBuilder();
    for (String setting : settings) {
      Matcher matcher = SETTING.matcher(setting);
      if (!matcher.matches()) {
        throw new IllegalArgumentException("expected KEY=VALUE, found " + setting);
      }
      String key = matcher.group(1);
      String value = matcher.group(2);
      if (!value.startsWith("{") && !value.startsWith("[")) {
        value = "'" + value.replace("'", "''") + "'"; // always a scalar
      }
      if (key.equals(GIVE_UP.name())) {
        more.append(key).append(": ").append(value).append('\n');
      } else {
        keys.append("    ").append(key).append(": ").append(value).append('\n');
      }
    }
    String quoted = "'" + kind.replace("'", "''") + "'";
    String yaml =
        keys.isEmpty()
            ? "from: " + quoted + "\n" + more
            : "from:\n  " + quoted + ":\n" + keys + more;
    try {
      return new FeedConfig(ConfigFile.read(SECTION, yaml, "", base));
    } catch (ConfigException e) {
      throw new IllegalArgumentException(
          e.problems().stream()
              .map(problem -> LINE.matcher(problem).replaceFirst(""))
              .map(problem -> withoutPath(problem, kind))
              .collect(Collectors.joining("; ")),
          e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(withoutPath(e.getMessage(), kind), e);
    }
  }

  private static String withoutPath(String problem, String kind) {
    String path = "from." + kind + ".";
    return problem.startsWith(path) ? problem.substring(path.length()) : problem;
  }

  private static ConfigType<String> url(String... schemes) {
    Set<String> known = Set.of(schemes);
    return ConfigTypes.text(
        "an address that begins with " + String.join("://, or ", schemes) + "://, without a user",
        text -> isUrl(text, known));
  }

  private static boolean isUrl(String text, Set<String> schemes) {
    try {
      URI uri = new URI(text);
      return uri.getScheme() != null
          && schemes.contains(uri.getScheme())
          && uri.getHost() != null
          && uri.getPort() < 1 << 16
          && uri.getRawUserInfo() == null; // it would not be sent, but written to every record
    } catch (java.net.URISyntaxException e) {
      return false;
    }
  }

  private static ConfigType<String> since() {
    return ConfigTypes.text(
        "an instant such as 2026-11-21T12:00:00Z, or empty",
        text -> text.isEmpty() || instant(text) != null);
  }

  private static Instant instant(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  static boolean isPointer(String text) {
    try {
      JsonPointer.compile(text);
      return !text.isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
