package io.latimer.pipelines.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.QualityRange;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.source.Tombstones;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.TranslateStage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobConfigReaderTest {
  private static final Path BASE = Path.of("/jobs/news");

  private static final String SMALLEST =
      """
      source:
        kafka:
          topics: sentences
      stages:
        - translate:
            model: models/en-de.lmx
      """;

  private static JobConfig read(String yaml) {
    return JobConfigReader.read(yaml, "job.yaml", BASE);
  }

  private static List<String> problems(String yaml) {
    try {
      JobConfig job = read(yaml);
      throw new AssertionError("read as " + job);
    } catch (ConfigException e) {
      return e.problems();
    }
  }

  @Test
  void everythingElseHasADefault() {
    JobConfig job = read(SMALLEST);
    assertThat(job.name()).isEqualTo("latimer");
    assertThat(job.source())
        .isEqualTo(
            new SourceConfig.Kafka(
                "localhost:9092",
                List.of("sentences"),
                "",
                "latimer",
                "committed",
                false,
                Tombstones.DEAD_LETTER,
                ClientProperties.NONE));
    assertThat(job.input()).isEqualTo(InputConfig.DEFAULTS);
    assertThat(job.batch())
        .isEqualTo(
            new JobConfig.Batching(
                new MicroBatcher.Limits(64, 4096, 20), 3, true, Duration.ofMinutes(5), 3, true));
    assertThat(job.sinks()).containsExactly(new SinkConfig.Print("print", Format.TEXT));
    assertThat(job.deadLetters()).isEqualTo(new SinkConfig.Fail("dead-letters"));
    assertThat(job.maxParallelism()).isEqualTo(128);
    assertThat(job.stages()).extracting(StageConfig::name).containsExactly("translate");
  }

  @Test
  void relativePathsBelongToTheFolderOfTheFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("job.yaml");
    Files.writeString(file, SMALLEST + "checkpoints: {directory: state}\n");
    JobConfig job = JobConfigReader.read(file);
    assertThat(job.stages().get(0).settings().get(TranslateStage.MODEL))
        .isEqualTo(folder.toAbsolutePath().resolve("models/en-de.lmx").toString());
    assertThat(job.checkpoints().directory())
        .isEqualTo("file://" + folder.toAbsolutePath().resolve("state"));
    assertThat(read(SMALLEST + "checkpoints: {directory: 's3://bucket/a'}\n").checkpoints())
        .extracting(JobConfig.Checkpoints::directory)
        .isEqualTo("s3://bucket/a");
  }

  @Test
  void aJobIsTheSameAfterItIsWrittenAndReadAgain() {
    for (String yaml : List.of(SMALLEST, full())) {
      JobConfig job = read(yaml);
      JobConfig again = JobConfigReader.read(job.toYaml(), "again", Path.of("/elsewhere"));
      assertThat(again).isEqualTo(allWritten(job));
      assertThat(again.written()).isEqualTo(allWritten(job).written()).hasSize(5);
      assertThat(again.toYaml()).isEqualTo(job.toYaml());
    }
  }

  @Test
  void aWrittenJobHasWhatItsNamesStandFor() {
    String yaml =
        """
        sinks: [{kafka: {topic: out}}, {print: {}}]
        dead-letters: {kafka: {topic: dead}}
        checkpoints: {directory: /state}
        """;
    assertThat(read(SMALLEST + yaml).toMaskedProperties())
        .containsEntry("source.kafka.group-id", "latimer")
        .containsEntry("sinks[0].kafka.name", "kafka")
        .containsEntry("sinks[0].kafka.transactional-id-prefix", "latimer:kafka:")
        .containsEntry("sinks[1].print.name", "print")
        .containsEntry("dead-letters.kafka.transactional-id-prefix", "latimer:dead-letters:")
        .containsEntry("checkpoints.directory", "file:///state");
  }

  @Test
  void sinksTakeRangesOfQuality() {
    String job =
        """
        name: news
        source: {list: {lines: [Hello]}}
        stages:
          - translate: {model: model.lmx}
        sinks:
          - print: {quality-from: 0.5}
          - files: {name: review, path: /review, quality-below: 0.5}
        """;
    assertThat(read(job).sinks())
        .extracting(SinkConfig::takes)
        .containsExactly(new QualityRange(0.5, 1), new QualityRange(0, 0.5));
    assertThat(read(job.replace("0.5}", "1}")).sinks())
        .extracting(SinkConfig::takes)
        .containsExactly(new QualityRange(1, 1), QualityRange.ALL);
    assertThat(problems(job.replace("quality-below: 0.5", "quality-below: 0")))
        .containsExactly(
            "line 5: sinks: sink review: quality-from 0.0 is not below quality-below 0.0: the sink"
                + " would get nothing");
  }

  @Test
  void everySourceAndSinkIsRead() {
    assertThat(read(full()).sinks())
        .containsExactly(
            new SinkConfig.Kafka(
                "kafka",
                "k1:9092,k2:9092",
                "out",
                Format.AVRO,
                true,
                "news:kafka:",
                false,
                ClientProperties.of(
                    Map.of(
                        "security.protocol", "SASL_SSL",
                        "retries", "5",
                        "sasl.jaas.config", "x password=\"${ENV:KAFKA_PASSWORD}\";"))),
            new SinkConfig.Files("archive", "/jobs/news/out", Format.AVRO),
            new SinkConfig.Print("print", Format.TEXT));
    assertThat(read(full()).deadLetters())
        .isEqualTo(
            new SinkConfig.Kafka(
                "dead-letters",
                "localhost:9092",
                "dead",
                Format.AVRO,
                false,
                "dl:",
                true,
                ClientProperties.NONE));
    assertThat(read(source("files: {path: in, watch: 10s}")).source())
        .isEqualTo(new SourceConfig.Files("/jobs/news/in", Duration.ofSeconds(10)));
    assertThat(read(source("socket: {port: 7000}")).source())
        .isEqualTo(new SourceConfig.Socket("localhost", 7000));
    assertThat(read(source("list: {lines: [a, '', 3]}")).source())
        .isEqualTo(new SourceConfig.Lines(List.of("a", "", "3")));
  }

  private static String source(String source) {
    return "source: {" + source + "}\nstages: [identity]\n";
  }

  private static String full() {
    return """
    name: news
    parallelism: 2
    max-parallelism: 64
    source:
      kafka:
        topic-pattern: 'news\\..*'
        start: 2026-11-21T12:00:00Z
        bounded: true
    input: {encoding: text, feed: wire, language: en-GB, max-record-bytes: 4096}
    event-time: {out-of-orderness: 0, idleness: 1min}
    batch:
      max-records: 256
      max-tokens: 10000
      max-wait: 1500ms
      in-flight: 5
      ordered: false
      timeout: 0
    stages:
      - translate:
          name: to-german
          model: /models/en-de.lmx
          target-language: de
          beam: 8
          nbest: 4
          alignment: true
          max-length-factor: 2.5
          split-sentences: no
          device: gpu:1
      - identity
    sinks:
      - kafka:
          bootstrap-servers: k1:9092,k2:9092
          topic: out
          properties:
            security.protocol: SASL_SSL
            retries: 5
            sasl.jaas.config: 'x password="${ENV:KAFKA_PASSWORD}";'
      - files: {name: archive, path: out, format: avro}
      - print
    dead-letters:
      kafka: {topic: dead, delivery: at-least-once, transactional-id-prefix: dl, lost-transactions: accept}
    checkpoints: {interval: 2s, timeout: 14min, directory: /state}
    restarts: {attempts: 3, delay: 100ms}
    engine: {state.backend.type: rocksdb}
    """;
  }

  @Test
  void anUnknownKeyIsRefusedWithTheNearestNameItsPathAndLine() {
    assertThat(problems(SMALLEST.replace("topics:", "topic:")))
        .containsExactly(
            "line 3: source.kafka.topic: \"topic\" is not a valid name here; did you mean"
                + " \"topics\"?");
    assertThat(problems(SMALLEST + "      baem: 5\n"))
        .containsExactly(
            "line 7: stages[0].translate.baem: \"baem\" is not a valid name here; did you mean"
                + " \"beam\"?");
    assertThat(problems(SMALLEST + "zzzzzzzzz: 5\n").get(0))
        .startsWith(
            "line 7: zzzzzzzzz: \"zzzzzzzzz\" is not a valid name here; valid names are name,"
                + " source");
    assertThat(problems(SMALLEST.replace("translate", "tranlsate")))
        .containsExactly(
            "line 5: stages[0]: \"tranlsate\" is not a valid name here; did you mean"
                + " \"translate\"?");
  }

  @Test
  void aWrongValueIsRefusedWithWhatWasExpectedAndFound() {
    assertThat(problems(SMALLEST + "      beam: many\n"))
        .containsExactly(
            "line 7: stages[0].translate.beam: expected a whole number from 0 to 64, found"
                + " \"many\"");
    assertThat(problems(SMALLEST + "batch: {max-records: 0, max-wait: 20}\n"))
        .containsExactly(
            "line 7: batch.max-records: expected a whole number from 1 to 1048576, found \"0\"",
            "line 7: batch.max-wait: expected a duration such as 20ms, 5s, 10min, 1h or 1d, found"
                + " \"20\"");
    assertThat(problems(SMALLEST + "input: {encoding: xml}\n"))
        .containsExactly("line 7: input.encoding: expected one of auto, avro, text, found \"xml\"");
    assertThat(problems(SMALLEST + "input: []\n").get(0))
        .startsWith("line 7: input: expected a mapping (encoding, feed")
        .endsWith("found a list");
    assertThat(problems(SMALLEST.replace("sentences", "{a: b}")).get(0))
        .isEqualTo("line 3: source.kafka.topics: expected a list, each item text, found a mapping");
    assertThat(problems(SMALLEST + "name: null\n")).hasSize(1);
  }

  @Test
  void allProblemsAreNamedAtOnceInTheirOrder() {
    assertThat(problems("source: {feed: {from: {lines: {path: 's3://a/b'}}}}\nparallelism: x\n"))
        .satisfiesExactly(
            p -> assertThat(p).startsWith("line 1: source.feed.from.lines.path: s3://a/b is not"),
            p -> assertThat(p).startsWith("line 1: stages: required"),
            p -> assertThat(p).startsWith("line 2: parallelism: expected"));
    assertThat(problems("stages: [{score: {of: all}}]\nparallelism: x\n"))
        .satisfiesExactlyInAnyOrder(
            p -> assertThat(p).startsWith("line 1: stages[0].score.of: expected"),
            p -> assertThat(p).startsWith("line 1: stages[0].score.model: required"),
            p -> assertThat(p).startsWith("line 1: source: required"),
            p -> assertThat(p).startsWith("line 2: parallelism: expected"));
  }

  @Test
  void whatDoesNotGoTogetherIsRefused() {
    assertThat(problems(SMALLEST + "parallelism: 129\n").get(0))
        .startsWith("line 7: parallelism: must be from 1 to max-parallelism");
    assertThat(problems(SMALLEST + "      beam: 2\n      nbest: 3\n").get(0))
        .startsWith("line 5: stages[0].translate: the n-best must be from 1 to the beam size, 2");
    assertThat(problems(SMALLEST + "  - translate: {model: b.lmx}\n").get(0))
        .startsWith("line 4: stages: duplicate name \"translate\"");
    assertThat(problems(SMALLEST.replace("stages:", "sinks: []\nstages:")).get(0))
        .startsWith("line 4: sinks: a job needs at least one sink");
    assertThat(
            problems(SMALLEST + "sinks: [{kafka: {topic: out}}]\ncheckpoints:\n  interval: 0\n")
                .get(0))
        .startsWith("line 9: checkpoints.interval: is 0, but sink kafka is exactly-once");
    assertThat(problems(source("kafka: {topics: a, topic-pattern: b}")).get(0))
        .startsWith("line 1: source.kafka: give either topics or topic-pattern");
    assertThat(problems("source: {list: {lines: []}, socket: {port: 1}}\nstages: [identity]\n"))
        .containsExactly(
            "line 1: source: expected exactly one of kafka, files, socket, feed, list, found 2"
                + " keys");
  }

  @Test
  void aStageFollowsATopicOfModels() {
    String yaml =
        """
        source: {list: {lines: [a]}}
        stages: [{score: {model: a.llm}}, {score: {name: other, model: b.llm}}, {identity: {}}]
        control:
          topic: c
          load-timeout: 30s
          follow:
            - {stage: score, topic: models}
            - {stage: other, topic: models, feed: sports, running: true}
        """;
    JobConfig job = read(yaml);
    assertThat(job.control().loadTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(job.control().follow())
        .containsExactly(
            new ControlConfig.Follow("score", "models", "", false),
            new ControlConfig.Follow("other", "models", "sports", true));
    assertThat(read(job.toYaml()).control()).isEqualTo(job.control());
    assertThat(problems(yaml.replace("stage: other", "stage: score")).get(0))
        .startsWith("line 6: control.follow");
    assertThat(problems(yaml.replace("stage: other", "stage: identity")).get(0))
        .startsWith("line 6: control.follow: stage identity: the job has no stage score of");
    assertThat(problems(yaml.replace("topic: c\n", "start: latest\n")).get(0))
        .contains("control.topic: is empty, but a stage follows a topic of models");
    assertThat(problems(yaml.replace("stage: score, ", "")).get(0))
        .contains("control.follow[0]")
        .contains("stage");
    assertThat(problems(yaml.replace("30s", "0")).get(0)).contains("at least 1ms");
  }

  @Test
  void aSinkHasTheFormatThatItCanWrite() {
    String yaml =
        """
        source: {list: {lines: [a]}}
        stages: [identity]
        sinks:
          - kafka: {topic: out, format: json}
          - files: {path: /out, format: json}
          - print: {format: json}
          - kafka: {topic: texts, format: text, name: texts}
        dead-letters:
          files: {path: /dead, format: avro}
        """;
    JobConfig job = read(yaml);
    assertThat(job.sinks())
        .containsExactly(
            kafka("kafka", "out", Format.JSON),
            new SinkConfig.Files("files", "/out", Format.JSON),
            new SinkConfig.Print("print", Format.JSON),
            kafka("texts", "texts", Format.TEXT));
    assertThat(job.deadLetters())
        .isEqualTo(new SinkConfig.Files("dead-letters", "/dead", Format.AVRO));
    assertThat(read(job.toYaml())).isEqualTo(allWritten(job));
    assertThat(problems(SMALLEST + "sinks: [{print: {format: avro}}]\n"))
        .containsExactly(
            "line 7: sinks[0].print.format: expected one of json, text, found \"avro\"");
  }

  @Test
  void tombstonesAreForwardedToTopicsOnly() {
    String forward = SMALLEST.replace("sentences\n", "sentences\n    tombstones: forward\n");
    assertThat(read(SMALLEST).forwardsTombstones()).isFalse();
    assertThat(problems(forward))
        .containsExactly(
            "line 4: source.kafka.tombstones: is forward, but sink print is not a Kafka topic, and"
                + " cannot take records without a value; use sinks kafka only, or set tombstones:"
                + " drop or tombstones: dead-letter");
    assertThat(problems(forward + "sinks: [{kafka: {topic: out}}, {files: {path: out}}]\n").get(0))
        .contains("sink files is not a Kafka topic");
    String tables = "  - ngrams: {order: 1, window: 1d, sinks: [{kafka: {topic: tables}}]}\n";
    assertThat(problems(forward + tables + "sinks: []\n").get(0))
        .startsWith("line 4: source.kafka.tombstones: is forward, but the job has no sink of");
    JobConfig job = read(forward + "sinks: [{kafka: {topic: out}}]\n");
    assertThat(job.forwardsTombstones()).isTrue();
    assertThat(read(job.toYaml())).isEqualTo(allWritten(job));
    assertThat(problems(forward.replace("forward", "keep")))
        .containsExactly(
            "line 4: source.kafka.tombstones: expected one of dead-letter, drop, forward, found"
                + " \"keep\"");
  }

  /** What is written with its defaults takes precedence over a cluster's settings. */
  private static JobConfig allWritten(JobConfig job) {
    return job.on(job.checkpoints(), job.parallelism(), job.maxParallelism(), true);
  }

  @Test
  void keysThatTheFileLeavesToTheClusterAreKnown() {
    assertThat(read(SMALLEST).written()).isEmpty();
    assertThat(
            read(SMALLEST + "parallelism: 1\ncheckpoints: {interval: 10s}\nrestarts: {delay: 5s}\n")
                .written())
        .containsExactlyInAnyOrder(
            JobConfig.EngineKey.PARALLELISM,
            JobConfig.EngineKey.CHECKPOINT_INTERVAL,
            JobConfig.EngineKey.RESTARTS);
  }

  @Test
  void aPrintedFileHasNoSecretsOfItsOwn() {
    String yaml =
        """
        source:
          kafka:
            topics: [in]
            properties:
              sasl.jaas.config: org.x.Login required username="me" password="in the file";
              ssl.keystore.password: also
              ssl.key.password: ${ENV:KEY_PASSWORD}
              client.id: mine
        stages: [identity]
        sinks:
          - kafka:
              topic: out
              properties:
                sasl.jaas.config: 'x required password="${ENV:PASSWORD}";'
                ssl.key.password: ${file:/run/secrets/kafka.properties:key}
        engine: {s3.secret-key: hidden too, web.url: 'https://me:word@host/'}
        batch: {max-tokens: 7}
        """;
    String masked = read(yaml).toMaskedYaml();
    assertThat(masked)
        .contains(
            "username=\"me\" password=\"******\";",
            "ssl.keystore.password: '******'",
            "ssl.key.password: ${ENV:KEY_PASSWORD}",
            "client.id: mine",
            "password=\"${ENV:PASSWORD}\"",
            "ssl.key.password: ${file:/run/secrets/kafka.properties:key}",
            "s3.secret-key: '******'",
            "https://me:******@host/",
            "max-tokens: 7")
        .doesNotContain("in the file", "also", "hidden too", "word@");
    assertThat(read(yaml).toMaskedProperties())
        .containsEntry("source.kafka.properties.ssl.keystore.password", "******")
        .containsEntry("stages[0].identity.device", "cpu")
        .containsEntry("batch.max-tokens", "7")
        .containsEntry("source.kafka.topics", "[in]");
  }

  @Test
  void whatFlinkItselfHidesIsMaskedAndSoAreQuotedQuotesAndAddresses() {
    String secret = "s3cr3t".repeat(20_000);
    String yaml =
        """
        source:
          kafka:
            topics: [in]
            properties:
              sasl.jaas.config: 'x required username="me" password="in \\"the s3cr3t\\" file" a="b";'
              client.rack: 'password="%s" b=c'
              client.id: 'password="no end s3cr3t'
        stages: [identity]
        sinks: [print: {}]
        checkpoints: {directory: 's3://key:s3cr3t@bucket/state'}
        engine: {fs.azure.account.key.store.net: s3cr3t, x.service-key: s3cr3t}
        """
            .formatted(secret);
    String masked = read(yaml).toMaskedYaml();
    assertThat(masked)
        .contains(
            "username=\"me\" password=\"******\" a=\"b\";",
            "password=\"******\" b=c",
            "s3://key:******@bucket/state",
            "fs.azure.account.key.store.net: '******'",
            "x.service-key: '******'")
        .doesNotContain("s3cr3t");
    String lines = "source: {list: {lines: ['see http://a:b@c']}}\nstages: [identity]\n";
    assertThat(read(lines).toMaskedYaml()).contains("http://a:b@c");
  }

  @Test
  void aLongListOfShortLinesIsAJobFile() {
    String yaml = "source: {list: {lines: [" + "a, ".repeat(600_000) + "b]}}\nstages: [identity]\n";
    assertThat(read(yaml).source())
        .isInstanceOfSatisfying(
            SourceConfig.Lines.class, list -> assertThat(list.lines()).hasSize(600_001));
  }

  private static SinkConfig kafka(String name, String topic, Format format) {
    return new SinkConfig.Kafka(
        name,
        "localhost:9092",
        topic,
        format,
        true,
        "latimer:" + name + ":",
        false,
        ClientProperties.NONE);
  }

  @Test
  void aRecordIsTranslatedOnce() {
    String second = "  - score: {model: a.llm}\n  - translate: {model: b.lmx, name: second}\n";
    assertThat(problems(SMALLEST + second).get(0))
        .startsWith("line 4: stages: \"translate\" and \"second\" both translate")
        .endsWith("let a second job read the topic or the files of this one");
  }

  @Test
  void sinksDoNotShareTransactions() {
    String sinks =
        """
        sinks:
          - kafka: {topic: a, transactional-id-prefix: tx}
          - kafka: {topic: b, transactional-id-prefix: PREFIX, name: second}
        dead-letters:
          kafka: {topic: c, transactional-id-prefix: DEAD}
        """;
    String apart = sinks.replace("PREFIX", "ty").replace("DEAD", "dead");
    assertThat(read(SMALLEST + apart).sinks()).hasSize(2);
    assertThat(problems(SMALLEST + sinks.replace("PREFIX", "tx")).get(0))
        .startsWith("line 7: sinks: duplicate transactional-id-prefix \"tx:\"");
    assertThat(problems(SMALLEST + sinks.replace("DEAD", "tx")).get(0))
        .startsWith("line 10: dead-letters: duplicate");
    // transactions are found by the beginning of their ids
    for (String alike : List.of("tx:1", "tx:-0")) {
      assertThat(problems(SMALLEST + apart.replace("ty", alike)).get(0))
          .startsWith("line 7: sinks: transactional-id-prefix \"" + alike + ":\" of sink second")
          .contains("\"tx:\" of sink kafka");
      assertThat(problems(SMALLEST + sinks.replace("PREFIX", "ty").replace("DEAD", alike)).get(0))
          .startsWith("line 10: dead-letters: transactional-id-prefix");
    }
    // the colon that ends each prefix keeps these apart
    for (String other : List.of("tx-1", "t")) {
      assertThat(read(SMALLEST + apart.replace("ty", other)).sinks()).hasSize(2);
    }
    assertThat(
            read(SMALLEST + apart.replace("prefix: dead}", "prefix: tx, delivery: at-least-once}"))
                .sinks())
        .hasSize(2);
  }

  private static String prefix(String job, String sink) {
    String yaml = "name: '" + job + "'\n" + SMALLEST + "sinks: [{kafka: {topic: a, name: SINK}}]\n";
    JobConfig config = read(yaml.replace("SINK", sink));
    return ((SinkConfig.Kafka) config.sinks().get(0)).transactionalIdPrefix();
  }

  @Test
  void jobsDoNotShareTransactions() {
    assertThat(prefix("news", "eu-kafka")).isEqualTo("news:eu-kafka:");
    assertThat(prefix("news-eu", "kafka")).isEqualTo("news-eu:kafka:");
    List<String> prefixes = new ArrayList<>();
    for (String job : List.of("a", "a:", "a:b", "a%3Ab", "a%", "a%25", "a:b:", "b", ":", "::")) {
      for (String sink : List.of("b", "b-0", "b-0-1", "c")) {
        prefixes.add(prefix(job, sink));
      }
    }
    for (String one : prefixes) {
      // the ids that the connector makes of them
      assertThat(prefixes.stream().filter(other -> (other + "-0-17").startsWith(one)))
          .containsExactly(one);
    }
  }

  private static String checkpoints(String interval, String timeout, String sink) {
    return SMALLEST
        + "checkpoints: {interval: "
        + interval
        + ", timeout: "
        + timeout
        + "}\nsinks: [{kafka: {topic: a"
        + sink
        + "}}]\n";
  }

  @Test
  void transactionsThatTimeOutBeforeTheirCheckpointAreRefused() {
    assertThat(read(checkpoints("5min", "10min", "")).sinks()).hasSize(1);
    assertThat(problems(checkpoints("5min", "600001ms", "")).get(0))
        .startsWith("line 7: checkpoints.interval: 300000 ms and checkpoints.timeout (600001 ms)")
        .contains("exceed transaction.timeout.ms of sink kafka (900000 ms)");
    String longer = ", properties: {transaction.timeout.ms: 3600000}";
    assertThat(read(checkpoints("5min", "55min", longer)).sinks()).hasSize(1);
    assertThat(problems(checkpoints("300001ms", "55min", longer)).get(0))
        .contains("(3600000 ms)", "transaction.max.timeout.ms");
    assertThat(
            problems(checkpoints("1s", "1s", ", properties: {transaction.timeout.ms: 1h}")).get(0))
        .contains("line 8: sinks: transaction.timeout.ms of sink kafka must be a whole number");
    // the cluster may set the other
    assertThat(
            read(SMALLEST + "checkpoints: {interval: 1h}\nsinks: [{kafka: {topic: a}}]\n").sinks())
        .hasSize(1);
    // nothing to lose
    assertThat(read(checkpoints("1h", "1h", ", delivery: at-least-once")).sinks()).hasSize(1);
    // the sinks of tables and dead letters have transactions, too
    String dead =
        SMALLEST + "checkpoints: {interval: 1h, timeout: 1s}\ndead-letters: {kafka: {topic: a}}\n";
    assertThat(problems(dead).get(0)).contains("sink dead-letters");
    String tables =
        """
        source: {list: {lines: []}}
        checkpoints: {interval: 1h, timeout: 1s}
        stages: [{ngrams: {sinks: [{kafka: {topic: a}}]}}]
        """;
    assertThat(problems(tables).get(0)).contains("sink ngrams/kafka");
  }

  @Test
  void keysGivenTwiceAreRefused() {
    assertThat(problems(SMALLEST + "name: a\nname: b\n"))
        .containsExactly("line 8: name: duplicate key; remove one");
    assertThat(problems(SMALLEST + "engine: {a: 1, a: 2}\n"))
        .containsExactly("line 7: engine.a: duplicate key; remove one");
  }

  @Test
  void whatIsNoYamlIsRefusedWithItsLine() {
    assertThat(problems("name: [\nsource: }\n").get(0)).startsWith("line 2: not valid YAML: ");
    assertThat(problems("")).containsExactly("line 1: the file is empty");
    assertThat(problems("a: " + "[".repeat(200_000)).get(0)).contains("too deeply");
    assertThat(problems("name: a\nsource: &a [*a]").get(0))
        .isEqualTo("line 2: not valid YAML: the alias *a is inside what it stands for");
    assertThat(problems("name: \"\\UFFFFFFFF\"").get(0)).startsWith("line 1: not valid YAML: ");
    assertThat(problems("%YAML 99999999999.1\n--- {}").get(0)).startsWith("line 1: not valid");
    assertThat(problems("name: " + "x".repeat((1 << 20) + 1)).get(0)).contains("1048577 char");
    String bomb = "a: &a [x, x]\n";
    for (char c = 'b'; c <= 'z'; c++) {
      char before = (char) (c - 1);
      bomb += c + ": &" + c + " [*" + before + ", *" + before + "]\n";
    }
    assertThat(problems(bomb).get(0)).contains("it has more than 2000000 values");
    assertThat(problems("just words").get(0)).startsWith("line 1: the file: expected a mapping");
    assertThat(problems("name: !!java.io.File [x]\n" + SMALLEST).get(0))
        .startsWith("line 1: name: expected non-empty text");
  }

  @Test
  void anchorsSaveRepetitions() {
    String yaml = SMALLEST + "engine: {a: &x some, b: *x}\n";
    assertThat(read(yaml).engineSettings().resolve()).containsEntry("b", "some");
  }

  @Test
  void aFileOfAnySizeIsRefused(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("job.yaml");
    Files.write(file, new byte[(64 << 20) + 1]);
    assertThatThrownBy(() -> JobConfigReader.read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("more than 67108864 bytes");
  }

  @Test
  void aFileThatIsNotUtf8IsRefused(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("job.yaml");
    Files.write(file, "name: \u00e9".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> JobConfigReader.read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("not valid UTF-8");
  }

  @Test
  void valuesOfPropertiesAreNeverPrinted() {
    JobConfig job = read(full().replace("${ENV:KAFKA_PASSWORD}", "hush"));
    assertThat(job.toString()).doesNotContain("hush").doesNotContain("rocksdb");
    assertThat(problems(full().replace("retries: 5", "retries: {hush: hush}")).toString())
        .doesNotContain("hush");
  }

  private static String learning(String control) {
    return """
    source: {kafka: {topics: sentences}}
    stages:
      - phrases: {index: a.lpx}
      - phrases: {index: b.lpx, name: more}
      - identity
    control:
    """
        + control.indent(2);
  }

  @Test
  void aStageThatLearnsHasDefaults() {
    String yaml =
        learning("topic: control\nlearn: [{stage: phrases}, {stage: more, max-pairs: 7}]");
    ControlConfig control = read(yaml).control();
    assertThat(control.learn())
        .containsExactly(
            new ControlConfig.Learn("phrases", "", 10_000, 16 << 20, 5_000, ""),
            new ControlConfig.Learn("more", "", 7, 16 << 20, 5_000, ""));
    assertThat(control.learn().get(1).isCompacted()).isFalse();
  }

  @Test
  void everythingOfAStageThatLearnsIsReadAndWritten() {
    JobConfig job =
        read(
            learning(
                """
                topic: control
                learn:
                  - stage: more
                    corrections: fixes
                    max-pairs: 100
                    max-size: 2MiB
                    compact: {pairs: 50, directory: compacted}
                """));
    assertThat(job.control().learn())
        .containsExactly(
            new ControlConfig.Learn("more", "fixes", 100, 2 << 20, 50, "/jobs/news/compacted"));
    assertThat(JobConfigReader.read(job.toYaml(), "again", BASE).control())
        .isEqualTo(job.control());
  }

  @Test
  void aGlossaryLearnsTermsButIsNotCompacted() {
    String yaml =
        """
        source: {kafka: {topics: sentences}}
        stages: [{translate: {model: m.lmx%s}}]
        control: {topic: c, learn: [{stage: translate}, {stage: translate.glossary%s}]}
        """;
    assertThat(read(yaml.formatted(", glossary: g.ltx", ", max-pairs: 9")).control().learn())
        .endsWith(new ControlConfig.Learn("translate.glossary", "", 9, 16 << 20, 5_000, ""));
    assertThat(problems(yaml.formatted("", "")).get(0))
        .contains("stage translate.glossary: the job has no stage of this name that learns");
    assertThat(problems(yaml.formatted(", memory: m.lpx", ".x")).get(0)).contains("no stage");
    String compact = ", compact: {pairs: 5, directory: d}";
    assertThat(problems(yaml.formatted(", glossary: g.ltx", compact)).get(0))
        .contains("and terms are not written to a glossary");
  }

  @Test
  void aStageWithAModelLearnsButIsNotCompacted() {
    String yaml =
        """
        source: {kafka: {topics: sentences}}
        stages: [{translate: {model: m.lmx}}]
        control: {topic: c, learn: [{stage: translate, max-pairs: 9%s}]}
        """;
    assertThat(read(yaml.formatted("")).control().learn())
        .containsExactly(new ControlConfig.Learn("translate", "", 9, 16 << 20, 5_000, ""));
    assertThat(problems(yaml.formatted(", compact: {pairs: 5, directory: d}")).get(0))
        .contains(
            "stage translate: compact.directory is for stages with phrases; a model takes no");
  }

  @Test
  void learningThatCannotWorkIsRefused() {
    assertThat(problems(learning("topic: c\nlearn: [{stage: identity}]")).get(0))
        .startsWith("line ")
        .contains("stage identity: the job has no stage of this name that learns");
    assertThat(problems(learning("topic: c\nlearn: [{stage: other}]")).get(0)).contains("no stage");
    assertThat(problems(learning("learn: [{stage: more}]")).get(0))
        .contains("control.topic: is em");
    assertThat(problems(learning("topic: c\nlearn: [{stage: more}, {stage: more}]")).get(0))
        .contains("duplicate name");
    assertThat(
            problems(
                learning(
                    "topic: c\nlearn: [{stage: more, corrections: f}, {stage: phrases,"
                        + " corrections: f}]")))
        .first()
        .asString()
        .contains("topic f is read for something else");
    assertThat(problems(learning("topic: c\nlearn: [{stage: more, corrections: c}]")).get(0))
        .contains("topic c is read for something else");
    assertThat(problems(learning("topic: c\nlearn: [{stage: more, max-pairs: 100001}]")).get(0))
        .contains("expected a whole number from 1 to 100000");
    assertThat(
            problems(
                learning(
                    "topic: c\nlearn: [{stage: more, max-pairs: 9, compact: {pairs: 9, directory:"
                        + " d}}]")))
        .first()
        .asString()
        .contains("compact.pairs must be less than max-pairs");
    assertThat(
            problems(
                learning(
                    "topic: c\nlearn: [{stage: more, compact: {directory: 'https://host/x'}}]")))
        .first()
        .asString()
        .contains("no folder that files can be written to");
    assertThat(
            problems(
                learning(
                    "topic: c\nlearn: [{stage: more, compact: {directory: 's3://a:b@bucket/x'}}]")))
        .first()
        .asString()
        .contains("has a user name or a password");
    assertThat(problems(learning("topic: c\nlearn: [{max-pairs: 3}]")).get(0))
        .contains("control.learn[0].stage: required");
  }
}
