package io.latimer.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.kafka.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as it is: a broker, a cluster, a job and a model. */
final class DemoCommandTest {
  @TempDir private Path folder;

  @BeforeEach
  @AfterEach
  void nameTheCheckout() {
    System.setProperty("latimer.home", System.getProperty("latimer.root"));
  }

  @Test
  void theFeedComesBackTranslatedInOrder() {
    Run run = Run.of("demo", "--rate", "0", "--limit", "20", "--beam", "1");
    assertThat(run.err())
        .containsPattern("Kafka at 127.0.0.1:[0-9]+, Flink and the model ready after ")
        .contains("20 sentences in, 20 translated, 0 refused in ");
    assertThat(run.exitCode()).isZero();
    List<String> pairs = run.out().lines().toList();
    assertThat(pairs).hasSize(20);
    assertThat(pairs.get(0))
        .isEqualTo("Good morning! Did you sleep well?\tGuten Morgen! Hast du gut geschlafen?");
    String sources =
        String.join("\n", pairs.stream().map(p -> p.substring(0, p.indexOf('\t'))).toList()) + "\n";
    String cli = Run.withInput(sources, "translate", "--beam", "1").out();
    assertThat(pairs.stream().map(p -> p.substring(p.indexOf('\t') + 1)))
        .containsExactlyElementsOf(cli.lines().toList());
  }

  @Test
  void somebodyElsesBrokerIsUsedAndLeftAsItWas() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start();
        Admin admin =
            Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()))) {
      String tooLong = "word ".repeat(30_000); // more than a record may have
      String feed = "I found the key.\n" + tooLong + "\n\nWhere is my umbrella?\n";
      Run run =
          Run.withInput(
              feed,
              "demo",
              "--file=-",
              "--rate=0",
              "--beam=1",
              "--bootstrap-servers=" + kafka.bootstrapServers());
      assertThat(run.out().lines())
          .satisfiesExactly(
              pair -> assertThat(pair).startsWith("I found the key.\t"),
              pair -> assertThat(pair).startsWith("Where is my umbrella?\t"));
      assertThat(run.err())
          .contains("Kafka at " + kafka.bootstrapServers(), "latimer: refused: word word")
          .contains("3 sentences in, 2 translated, 1 refused");
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(admin.listTopics().names().get()).isEmpty();
    }
  }

  @Test
  void aFeedIsSentAgainAndAnEmptyOneIsSaidToBe() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      Path feed = Files.writeString(folder.resolve("feed.txt"), "Yes.\nI found the key.\n");
      List<String> demo =
          List.of(
              "demo", "--rate=0", "--beam=1", "--bootstrap-servers=" + kafka.bootstrapServers());
      Run run = Run.of(with(demo, "--file=" + feed, "--loop", "--limit=5"));
      assertThat(run.exitCode()).isZero();
      assertThat(run.out().lines().map(pair -> pair.substring(0, pair.indexOf('\t'))))
          .containsExactly("Yes.", "I found the key.", "Yes.", "I found the key.", "Yes.");
      Path blank = Files.writeString(folder.resolve("blank.txt"), "\n \n");
      Run empty = Run.of(with(demo, "--file=" + blank, "--loop"));
      assertThat(empty.exitCode()).isZero();
      assertThat(empty.err()).contains("latimer: the feed is empty: no line of it has text.\n");
    }
  }

  private static String[] with(List<String> arguments, String... more) {
    return Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void aFolderIsNoFeed() {
    Run run = Run.of("demo", "--file", folder.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo("latimer: " + folder + " is a folder; name a file with --file.\n");
  }

  @Test
  void aKafkaThatDoesNotAnswerIsSaidSo() {
    Run run = Run.of("demo", "--bootstrap-servers", "127.0.0.1:1");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "latimer: no Kafka answers at 127.0.0.1:1 within 6 s; check the address, or omit"
                + " --bootstrap-servers.\n");
  }

  @Test
  void aModelThatIsNoneIsSaidSoBeforeAnythingIsStreamed() throws Exception {
    Path text = folder.resolve("model.lmx");
    Files.write(text, "not a model".getBytes(StandardCharsets.UTF_8));
    Run run = Run.of("demo", "--model", text.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("latimer: " + text + " is not a Latimer index file\n");
    Path none = folder.resolve("none.lmx");
    assertThat(Run.of("demo", "--model", none.toString()).err()).contains("none.lmx is not there");
  }

  @Test
  void whatIsOutOfRangeIsWrongUsage() {
    assertThat(Run.of("demo", "--rate", "-1").exitCode()).isEqualTo(2);
    assertThat(Run.of("demo", "--rate", "NaN").exitCode()).isEqualTo(2);
    assertThat(Run.of("demo", "--limit", "0").exitCode()).isEqualTo(2);
    assertThat(Run.of("demo", "--duration", "3x").err()).contains("30s");
    assertThat(Run.of("demo", "--beam", "0").exitCode()).isEqualTo(2);
    assertThat(Run.of("demo", "--loop", "--file", "-").err()).contains("--loop needs a file");
    assertThat(Run.of("demo", "--keep", "--bootstrap-servers", "127.0.0.1:1").exitCode())
        .isEqualTo(2);
  }

  @Test
  void withAPageTheJobHasTheVerdictsOfTheExampleIndexes() throws Exception {
    String plain = Run.of("demo", "--print-config").out();
    assertThat(plain).contains("alignment: false").doesNotContain("phrases", "control:");
    Path examples = Path.of(System.getProperty("latimer.root"), "examples").toAbsolutePath();
    Path copy = Files.createDirectory(folder.resolve("examples"));
    Files.createSymbolicLink(copy.resolve("models"), examples.resolve("models"));
    System.setProperty("latimer.home", folder.toString());
    assertThat(Run.of("demo", "--print-config", "--web").out())
        .contains("alignment: true")
        .doesNotContain("phrases", "control:"); // nothing is built
    Path indexes = Files.createDirectory(copy.resolve("indexes"));
    for (String name : List.of("front-desk.lpx", "front-desk.llm", "front-desk.lgx")) {
      Files.createFile(indexes.resolve(name));
    }
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"), Run.of("demo", "--print-config", "--web").out());
    Run check = Run.of("run", "--check=offline", "--config", file.toString());
    assertThat(check.err()).isEmpty();
    assertThat(check.out())
        .containsSubsequence("phrases:", "translate:", "score:", "grammar-check:")
        .containsPattern("corrections: latimer-demo-[0-9a-f]+-corrections");
  }
}
