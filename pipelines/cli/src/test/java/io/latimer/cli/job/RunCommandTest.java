package io.latimer.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.latimer.cli.DamagedModel;
import io.latimer.cli.Latimer;
import io.latimer.cli.Run;
import io.latimer.cli.terminal.Terminal;
import io.latimer.kafka.EmbeddedKafka;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class RunCommandTest {
  private static final Path JOBS = Path.of(System.getProperty("latimer.root"), "examples/jobs");

  @TempDir private Path folder;

  static Stream<Path> exampleJobs() throws IOException {
    try (Stream<Path> files = Files.list(JOBS)) {
      return files.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("exampleJobs")
  void everyExampleIsAJobFile(Path job) {
    Run run = Run.of("run", "--check=offline", "--config", job.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    String index =
        switch (job.getFileName().toString()) {
          case "grammar.yaml" -> "shipping.lgx";
          case "learning-phrases.yaml", "phrase-translation.yaml" -> "front-desk.lpx";
          case "rolling-model.yaml" -> "front-desk.llm";
          default -> "tatoeba-en-de.lmx";
        };
    assertThat(run.out()).startsWith("name: ").contains(index, "max-parallelism");
  }

  @Test
  void doubtfulTranslationsGoToASinkOfTheirOwn() throws IOException {
    Path model = JOBS.resolveSibling("models/tatoeba-en-de.lmx");
    String job =
        """
        name: doubts
        source:
          list:
            lines:
              - Good morning! Did you sleep well?
              - Bonjour tout le monde, je suis très content de vous voir.
              - The key is under the flowerpot.
        stages:
          - translate: {model: '%s'}
        sinks:
          - files: {path: good, quality-from: 0.5}
          - files: {name: review, path: review, quality-below: 0.5}
        """
            .formatted(model);
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--config", file.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(lines("good"))
        .containsExactlyInAnyOrder(
            "Guten Morgen! Hast du gut geschlafen?", "Der Schlüssel ist unter dem Blumentopf.");
    assertThat(lines("review")).hasSize(1);
  }

  private List<String> lines(String written) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder.resolve(written)).filter(Files::isRegularFile)) {
      for (Path file : files.toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    return lines;
  }

  @Test
  void theExampleOfAGrammarSaysWhereMessagesLeaveIt() throws IOException {
    Path language = JOBS.resolveSibling("grammars/shipping.lark");
    Path grammar = folder.resolve("shipping.lgx");
    assertThat(
            Run.of("grammar", "compile", language.toString(), "--out", grammar.toString())
                .exitCode())
        .isZero();
    String job =
        Files.readString(JOBS.resolve("grammar.yaml"))
            .replaceFirst("grammar: \\S+", "grammar: " + grammar.getFileName())
            .replace("sinks:\n  - print:", "sinks:\n  - files:\n      path: out");
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--config", file.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    List<String> verdicts;
    try (Stream<Path> written = Files.walk(folder.resolve("out")).filter(Files::isRegularFile)) {
      verdicts = Files.readAllLines(written.findFirst().orElseThrow());
    }
    assertThat(verdicts)
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .contains("\"derivable\":true,\"words\":13,\"longestPrefix\":13,")
                    .contains("\"roots\":[\"start\"", "\"continuation\":null,"),
            line ->
                assertThat(line)
                    .contains("\"derivable\":false,\"words\":11,\"longestPrefix\":0,")
                    .contains("\"continuation\":{\"viable\":11,\"complete\":false,"),
            line ->
                assertThat(line)
                    .contains("\"viable\":3,")
                    .contains("\"gale\"", "\"severe\"", "\"nextWords\":11}"),
            line -> assertThat(line).contains("\"viable\":7,", "\"fair\"", "\"rain\""));
  }

  @Test
  void theLivePageIsThereWhileTheJobRuns() throws IOException {
    String job =
        """
        source: {list: {lines: [one, two]}}
        stages: [identity]
        sinks: [print: {}]
        """;
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--config", file.toString(), "--web=0");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err())
        .containsPattern("latimer: its records are shown at http://localhost:[0-9]+/\\R");
    try (ServerSocket occupied = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String web = "--web=" + occupied.getLocalPort();
      Run refused = Run.of("run", "--config", file.toString(), web);
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err()).contains("the live page cannot listen at 127.0.0.1:");
    }
    Run alone = Run.of("run", "--config", file.toString(), "--web-write");
    assertThat(alone.exitCode()).isEqualTo(2);
    assertThat(alone.err()).contains("options that begin with --web- need --web.");
  }

  /** In a terminal, so that the records of a job that ends soon can be looked at. */
  @Test
  void thePageStaysInATerminal() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            source: {list: {lines: [one, two]}}
            stages: [identity]
            sinks: [print: {}]
            """);
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
            new PrintStream(err, false, StandardCharsets.UTF_8),
            false,
            false,
            true,
            80);
    Thread command =
        new Thread(() -> Latimer.run(terminal, "run", "--config", file.toString(), "--web=0"));
    command.start();
    while (!err.toString(StandardCharsets.UTF_8).contains("the page stays until Ctrl-C.")) {
      assertThat(command.isAlive()).as(err.toString(StandardCharsets.UTF_8)).isTrue();
      Thread.sleep(50);
    }
    Matcher address =
        Pattern.compile("shown at (\\S+)").matcher(err.toString(StandardCharsets.UTF_8));
    assertThat(address.find()).isTrue();
    HttpRequest events = HttpRequest.newBuilder(URI.create(address.group(1) + "events")).build();
    assertThat(HttpClient.newHttpClient().send(events, HttpResponse.BodyHandlers.ofString()).body())
        .contains("\"source\":\"one\"", "\"source\":\"two\"", "\"translated\":2,")
        .containsPattern("\"largest\":[12],") // a metric that ended with the job
        .endsWith("event: end\ndata: {}\n\n");
    command.interrupt();
    command.join();
  }

  @Test
  void whatCheckPrintsIsTheSameJob() throws IOException {
    Run first = Run.of("run", "--check=offline", "--config", JOBS.resolve("kafka.yaml").toString());
    Path printed = Files.writeString(folder.resolve("printed.yaml"), first.out());
    assertThat(Run.of("run", "--check=offline", "--config", printed.toString()).out())
        .isEqualTo(first.out());
  }

  @Test
  void checkPrintsNoSecrets() throws IOException {
    String job =
        """
        source:
          kafka: {topics: [in], properties: {ssl.key.password: s3cr3t}}
        stages: [identity]
        """;
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--check=offline", "--config", file.toString());
    assertThat(run.out()).contains("ssl.key.password: '******'").doesNotContain("s3cr3t");
  }

  @Test
  void checkNamesEverythingThatIsMissing() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start();
        Admin admin =
            Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic("there", 1, (short) 1))).all().get();
      String job =
          """
          source: {kafka: {bootstrap-servers: "%1$s", topics: [there, absent]}}
          stages: [translate: {model: none.lmx}]
          sinks: [kafka: {bootstrap-servers: "127.0.0.1:1", topic: out}]
          dead-letters: {kafka: {bootstrap-servers: "%1$s", topic: there}}
          """
              .formatted(kafka.bootstrapServers());
      Path file = Files.writeString(folder.resolve("job.yaml"), job);
      Run run = Run.of("run", "--check", "--config", file.toString());
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out()).startsWith("name: ");
      assertThat(run.err().lines())
          .satisfiesExactly(
              line -> assertThat(line).contains("none.lmx"),
              line ->
                  assertThat(line)
                      .isEqualTo(
                          "latimer: source: Kafka at "
                              + kafka.bootstrapServers()
                              + " has no topic absent; create it with 'latimer topics'."),
              line ->
                  assertThat(line)
                      .startsWith("latimer: sink ")
                      .contains("no Kafka answers at 127.0.0.1:1 within 6 s"));
      assertThat(Run.of("run", "--check=offline", "--config", file.toString()).exitCode()).isZero();
    }
  }

  @Test
  void checkLooksForTheTopicOfCorrections() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("control", 1);
      Path file =
          Files.writeString(
              folder.resolve("job.yaml"),
              """
              source: {list: {lines: [one]}}
              stages: [phrases: {index: none.lpx}]
              sinks: [print: {}]
              control:
                bootstrap-servers: "%s"
                topic: control
                learn: [{stage: phrases, corrections: corrections}]
              """
                  .formatted(kafka.bootstrapServers()));
      assertThat(Run.of("run", "--check", "--config", file.toString()).err())
          .contains(
              "latimer: control.learn of stage phrases: Kafka at "
                  + kafka.bootstrapServers()
                  + " has no topic corrections; create it with 'latimer topics'.");
    }
  }

  @Test
  void checkConnectsToFeedsOnce() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/events",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().flush(); // and no event
        });
    server.createContext("/busy", exchange -> exchange.sendResponseHeaders(503, -1));
    server.createContext("/silent", exchange -> {});
    server.start();
    try {
      String at = "http://127.0.0.1:" + server.getAddress().getPort();
      assertFeed("wikimedia: {url: '" + at + "/events'}", 0, "");
      assertFeed(
          "wikimedia: {url: '" + at + "/none'}",
          1,
          "latimer: source: "
              + at
              + "/none cannot be read: the server answered HTTP 404; check the address.\n");
      assertFeed(
          "rss: {url: '" + at + "/busy'}",
          1,
          "latimer: source: "
              + at
              + "/busy cannot be read now: the server answered HTTP 503; check the address.\n");
      assertFeed(
          "wikimedia: {url: '" + at + "/silent'}",
          1,
          "latimer: source: " + at + "/silent did not answer within 6 s; check the address.\n");
      assertFeed(
          "rss: {url: '" + at + "/events'}",
          1,
          "latimer: source: " + at + "/events did not answer within 6 s; check the address.\n");
    } finally {
      server.stop(0);
    }
    assertFeed(
        "bluesky: {url: 'ws://127.0.0.1:1/'}",
        1,
        "latimer: source: ws://127.0.0.1:1/ cannot be read now: no connection to 127.0.0.1:1; check"
            + " the address.\n");
    String none = folder.resolve("none").toString();
    assertFeed(
        "lines: {path: none}",
        0,
        "latimer: source: there is no file " + none + "; the job waits for it.\n");
    assertFeed(
        "captions: {path: none}",
        1,
        "latimer: source: there is no file " + none + "; check the path.\n");
    assertFeed("stdin: {}", 0, "");
  }

  private void assertFeed(String feed, int exitCode, String message) throws Exception {
    String job =
        "source: {feed: {from: {" + feed + "}}}\nstages: [identity]\nsinks: [files: {path: out}]\n";
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--check", "--config", file.toString());
    assertThat(run.err()).isEqualTo(message);
    assertThat(run.exitCode()).isEqualTo(exitCode);
  }

  /** Kafka's default is to create a topic that is written to. */
  @ParameterizedTest
  @CsvSource({"true, exactly-once, 0", "false, at-least-once, 1"})
  void aSinksTopicThatTheBrokerCreatesMayBeMissing(String creates, String delivery, int exitCode)
      throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(Map.of("auto.create.topics.enable", creates))) {
      String job =
          """
          source: {list: {lines: [one]}}
          stages: [identity]
          sinks: [kafka: {bootstrap-servers: "%1$s", topic: out, delivery: %2$s}]
          restarts: {attempts: 0}
          """
              .formatted(kafka.bootstrapServers(), delivery);
      Path file = Files.writeString(folder.resolve("job.yaml"), job);
      String missing =
          "latimer: sink kafka: Kafka at "
              + kafka.bootstrapServers()
              + " has no topic out; "
              + (exitCode == 0
                  ? "the brokers may create it.\n"
                  : "create it with 'latimer topics'.\n");
      Run check = Run.of("run", "--check", "--config", file.toString());
      assertThat(check.err()).isEqualTo(missing);
      assertThat(check.exitCode()).isEqualTo(exitCode);
      Run run = Run.of("run", "--config", file.toString());
      assertThat(run.err()).startsWith(missing);
      assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    }
  }

  @Test
  void checkOpensTheIndexes() throws IOException {
    Path model = DamagedModel.in(folder);
    String job =
        Files.readString(JOBS.resolve("list.yaml"))
            .replaceFirst("model: \\S+", "model: " + model.getFileName());
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--check", "--config", file.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("damaged.lmx is corrupt: section ").hasLineCount(1);
    Run good = Run.of("run", "--check", "--config", JOBS.resolve("list.yaml").toString());
    assertThat(good.err()).isEmpty();
    assertThat(good.exitCode()).isZero();
  }

  @Test
  void anUnknownKeyIsRefusedWithItsLineAndTheNearestName() throws IOException {
    String job = Files.readString(JOBS.resolve("list.yaml")).replace("beam:", "beem:");
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--config", file.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "latimer: "
                + file
                + ", line 17: stages[0].translate.beem: \"beem\" is not a valid name here; did you"
                + " mean \"beam\"?\n");
  }

  @Test
  void aJobWithADamagedModelDoesNotStart() throws IOException {
    Path model = DamagedModel.in(folder);
    String job =
        Files.readString(JOBS.resolve("list.yaml"))
            .replaceFirst("model: \\S+", "model: " + model.getFileName());
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    Run run = Run.of("run", "--config", file.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .contains("damaged.lmx is corrupt: section " + DamagedModel.SECTION)
        .hasLineCount(1);
  }

  /** Flink's default, checkpoints in the job master's memory, ends at 5 MiB a task. */
  @Test
  void aStateOfManyMegabytesIsCheckpointedWithoutAFolderInTheJobFile() throws IOException {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < 12_000; line++) {
      for (int word = 0; word < 30; word++) {
        text.append(word == 0 ? "" : " ").append(Integer.toString(random.nextInt(50_000), 36));
      }
      text.append('\n');
    }
    Files.writeString(folder.resolve("text.txt"), text);
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            source: {files: {path: text.txt}}
            stages: [{ngrams: {order: 3, window: 1h, top: 1, sinks: [{print: {}}]}}]
            sinks: []
            dead-letters: {print: {}}
            checkpoints: {interval: 200ms}
            """);
    Run run = Run.of("run", "--config", file.toString());
    assertThat(run.err()).doesNotContain("failed");
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void aJobFileThatIsNotThereIsSaidSo() {
    Run run = Run.of("run", "--config", folder.resolve("none.yaml").toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo("latimer: " + folder.resolve("none.yaml") + ": no such file.\n");
    assertThat(Run.of("run").exitCode()).isEqualTo(2);
  }

  @Test
  void aFolderIsNoJobFile() {
    assertThat(Run.of("run", "--config", folder.toString()).err())
        .isEqualTo("latimer: " + folder + ": a folder; expected a job file\n");
  }

  private Run failing(String source) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            "name: failing\n"
                + source
                + "stages:\n  - identity: {}\nsinks:\n  - print: {}\nrestarts: {attempts: 0}\n");
    Run run = Run.of("run", "--config", file.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    return run;
  }

  @Test
  void aSocketThatRefusesIsNamed() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Run run = failing("source:\n  socket: {host: 127.0.0.1, port: " + port + "}\n");
    assertThat(run.err().lines().toList())
        .last()
        .isEqualTo(
            "latimer: the job failed: cannot read from 127.0.0.1:" + port + ": Connection refused");
  }

  @Test
  void aKafkaThatDoesNotAnswerIsNamedBeforeTheJobRuns() throws IOException {
    Run run =
        failing(
            """
            source:
              kafka: {bootstrap-servers: "127.0.0.1:1", topics: [sentences], start: earliest}
            """);
    assertThat(run.err())
        .isEqualTo(
            "latimer: source: no Kafka answers at 127.0.0.1:1 within 6 s; check that it runs, and"
                + " bootstrap-servers.\n");
  }

  /** What an ended run leaves must not make the next one start from the end. */
  @Test
  void aJobThatCameToItsEndBeginsAnew() throws IOException {
    Files.writeString(folder.resolve("text.txt"), "one\n");
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            source: {files: {path: text.txt}}
            stages: [identity]
            sinks: [files: {path: out}]
            checkpoints: {interval: 100ms, directory: state}
            """);
    for (int i = 0; i < 2; i++) {
      Run run = Run.of("run", "--config", file.toString());
      assertThat(run.err()).contains("the job ended after").doesNotContain("resuming");
    }
    try (Stream<Path> written = Files.walk(folder.resolve("out"))) {
      assertThat(written.filter(Files::isRegularFile)).hasSize(2);
    }
    try (Stream<Path> left = Files.walk(folder.resolve("state"))) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("chk-"))).isEmpty();
    }
  }

  @Test
  void aStateThatIsNotThereIsNamed() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"), "source: {list: {lines: [a]}}\nstages: [identity]\n");
    Path none = folder.resolve("none");
    Run run = Run.of("run", "--config", file.toString(), "--restore", none.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("latimer: the job cannot start from file://" + none + ": ")
        .contains("is not there, or has no metadata; --fresh begins without a state.");
    assertThat(Run.of("run", "--config", file.toString(), "--restore", "x", "--fresh").exitCode())
        .isEqualTo(2);
  }

  @Test
  void theDemosJobFileIsOne() throws IOException {
    System.setProperty("latimer.home", System.getProperty("latimer.root"));
    Run demo = Run.of("demo", "--print-config", "--beam", "2", "--split-sentences", "false");
    assertThat(demo.exitCode()).isZero();
    Path file = Files.writeString(folder.resolve("demo.yaml"), demo.out());
    Run run = Run.of("run", "--check=offline", "--config", file.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains(
            "beam: 2\n",
            "split-sentences: no",
            "precision: auto",
            "interval: 250ms",
            "delivery: exactly-once");
  }
}
