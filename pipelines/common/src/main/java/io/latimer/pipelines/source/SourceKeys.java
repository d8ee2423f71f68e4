package io.latimer.pipelines.source;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.feed.FeedKeys;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The keys of sources and of their decoding. */
public final class SourceKeys {
  /** {@code source: kafka}. */
  public static final class Kafka {
    public static final ConfigKey<List<String>> TOPICS =
        ConfigKey.of(
            "topics",
            ConfigTypes.texts(),
            List.of(),
            "Topics to read; alternatively, set `topic-pattern`.");
    public static final ConfigKey<String> TOPIC_PATTERN =
        ConfigKey.of(
            "topic-pattern",
            ConfigTypes.text("a regular expression", SourceKeys::isPattern),
            "",
            "Regular expression (Java syntax) for the names of the topics to read, instead of"
                + " `topics`.");
    public static final ConfigKey<String> GROUP_ID =
        ConfigKey.of(
            "group-id",
            ConfigTypes.text(),
            "",
            "Consumer group for committed offsets; if empty, the job's name.");
    public static final ConfigKey<String> START =
        ConfigKey.of(
            "start",
            ConfigTypes.text(
                "committed, earliest, latest, or an instant such as 2026-11-21T12:00:00Z",
                SourceKeys::isStart),
            "committed",
            "Where to start without a checkpoint: at the group's `committed` offsets (or the"
                + " earliest if there are none), `earliest`, `latest`, or the first records with"
                + " a timestamp at or after an instant.");
    public static final ConfigKey<Boolean> BOUNDED =
        ConfigKey.of(
            "bounded",
            ConfigTypes.flag(),
            false,
            "Whether to stop at the offsets that were the latest when the job started.");
    public static final ConfigKey<Tombstones> TOMBSTONES =
        ConfigKey.of(
            "tombstones",
            ConfigTypes.word(Tombstones.class),
            Tombstones.DEAD_LETTER,
            "What becomes of records without a value, which delete their key in compacted topics:"
                + " `dead-letter`; `drop` skips them; `forward` writes them to the sinks, all of"
                + " which must be `kafka`, with key, headers and no value. `forward` needs a key:"
                + " a record with neither key nor value is a dead letter.");
    public static final ConfigKey<Map<String, String>> CLIENT_PROPERTIES =
        ConfigKey.of(
            "properties",
            ConfigTypes.properties(),
            Map.of(),
            ClientKeys.PROPERTIES
                + " Defaults: `isolation.level` = `read_committed`, `receive.buffer.bytes` = -1"
                + " (chosen by the operating system).");
    public static final ConfigSection SECTION =
        ConfigSection.of(
            "kafka",
            "Kafka topics. Keys, headers and timestamps are kept.",
            ClientKeys.BOOTSTRAP_SERVERS,
            TOPICS,
            TOPIC_PATTERN,
            GROUP_ID,
            START,
            BOUNDED,
            TOMBSTONES,
            CLIENT_PROPERTIES);

    private Kafka() {}
  }

  /** {@code source: files}. */
  public static final class Files {
    public static final ConfigKey<String> PATH =
        ConfigKey.required(
            "path",
            ConfigTypes.path(false),
            "feed.txt",
            "File or folder; a relative path is relative to the job file's folder.");
    public static final ConfigKey<Duration> WATCH =
        ConfigKey.of(
            "watch",
            ConfigTypes.duration(Duration.ZERO),
            Duration.ZERO,
            "Interval for checking the folder for new files; 0 reads the existing files and ends."
                + " Each file is read once, as it is when first seen, so move complete files into"
                + " the folder.");
    public static final ConfigSection SECTION =
        ConfigSection.of("files", "Text files, one sentence per line.", PATH, WATCH);

    private Files() {}
  }

  /** {@code source: socket}. */
  public static final class Socket {
    public static final ConfigKey<String> HOST =
        ConfigKey.of("host", ConfigTypes.name(), "localhost", "Name or address to connect to.");
    public static final ConfigKey<Integer> PORT =
        ConfigKey.required("port", ConfigTypes.integer(1, 65_535), 7000, "TCP port to connect to.");
    public static final ConfigSection SECTION =
        ConfigSection.of(
            "socket",
            "Lines from a TCP socket to which the job connects. A socket cannot be read again:"
                + " after a failure, lines that were read but not checkpointed are lost.",
            HOST,
            PORT);

    private Socket() {}
  }

  /** {@code source: list}. */
  public static final class Lines {
    public static final ConfigKey<List<String>> LINES =
        ConfigKey.required(
            "lines",
            ConfigTypes.texts(),
            List.of("Good morning.", "How are you?"),
            "The sentences, one per record.");
    public static final ConfigSection SECTION =
        ConfigSection.of("list", "Sentences in the job file itself.", LINES);

    private Lines() {}
  }

  /** {@code input}. */
  public static final class Input {
    public static final ConfigKey<InputConfig.Encoding> ENCODING =
        ConfigKey.of(
            "encoding",
            ConfigTypes.word(InputConfig.Encoding.class),
            InputConfig.Encoding.AUTO,
            "How records are encoded: `avro` (in single-object encoding a `Sentence`, or another job's `Translation`, whose text"
                + " becomes the sentence), `text`"
                + " (UTF-8, one sentence a record), or `auto`, which tells them apart. But for `text`,"
                + " a file that begins as an Avro container (`Obj`, 1) is read as one: of records from"
                + " which Avro resolves a `Sentence` or a `Translation`, codec null or deflate. A damaged block becomes a"
                + " dead letter that names file and byte; the blocks after it are read.");
    public static final ConfigKey<String> FEED =
        ConfigKey.of(
            "feed",
            ConfigTypes.text(),
            "",
            "Feed of plain text and of `source: feed`; if empty, the name of its topic or file, or that"
                + " of the feed.");
    public static final ConfigKey<String> LANGUAGE =
        ConfigKey.of(
            "language",
            ConfigTypes.text(
                "a BCP 47 tag such as en, or empty",
                text -> text.isEmpty() || text.matches("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")),
            "",
            "Language of plain text as a BCP 47 tag; if empty, unknown.");
    public static final ConfigKey<Integer> MAX_RECORD_BYTES =
        ConfigKey.of(
            "max-record-bytes",
            ConfigTypes.integer(1, 1 << 30),
            1 << 20,
            "Maximum record length in bytes. A longer record becomes a dead letter; for a line of"
                + " a file or socket it contains this many bytes.");
    public static final ConfigSection SECTION =
        ConfigSection.of(
            "input",
            "How the bytes of the source become sentences.",
            ENCODING,
            FEED,
            LANGUAGE,
            MAX_RECORD_BYTES);

    private Input() {}
  }

  /** The kinds of source. */
  public static final List<ConfigSection> SECTIONS =
      List.of(Kafka.SECTION, Files.SECTION, Socket.SECTION, FeedKeys.SECTION, Lines.SECTION);

  private SourceKeys() {}

  private static boolean isPattern(String text) {
    try {
      Pattern.compile(text);
      return true;
    } catch (PatternSyntaxException e) {
      return false;
    }
  }

  private static boolean isStart(String text) {
    if (List.of("committed", "earliest", "latest").contains(text)) {
      return true;
    }
    try {
      Instant.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }
}
