package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code control} and a running job. */
@Timeout(240)
class ControlCommandTest {
  @TempDir Path folder;
  private Flow flow;
  private Path first;
  private Path second;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 1, 1);
    flow.topic("control", 1);
    flow.topic("status", 2);
    first = folder.resolve("first.llm");
    second = folder.resolve("second.llm");
    LanguageModels.estimate(Flow.feed().subList(0, 50), first);
    LanguageModels.estimate(Flow.feed().subList(50, 100), second);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  private JobConfig job(String control) {
    String servers = flow.broker().bootstrapServers();
    return flow.job(
        "score: {model: \"" + first + "\"}", 1, control.replace("SERVERS", "\"" + servers + "\""));
  }

  private static final String CONTROL =
      "control: {bootstrap-servers: SERVERS, topic: control, start: earliest,"
          + " status: [kafka: {bootstrap-servers: SERVERS, topic: status}]}";

  private CommandRun control(JobConfig config, String... args) throws Exception {
    Path file = Files.writeString(folder.resolve("job.yaml"), config.toYaml());
    String[] all = new String[args.length + 3];
    all[0] = "control";
    all[1] = "--config";
    all[2] = file.toString();
    System.arraycopy(args, 0, all, 3, args.length);
    return CommandRun.of("", all);
  }

  @Test
  void aSwapIsSentAndItsEndAwaited() throws Exception {
    JobConfig config = job(CONTROL);
    flow.start(config);
    flow.send(1, Flow.feed().subList(0, 10));
    flow.await("out", 10);

    CommandRun done = control(config, "swap", "score=" + second);
    assertThat(done.err()).isEmpty();
    assertThat(done.exitCode()).isZero();
    assertThat(done.out())
        .isEqualTo(
            "job "
                + config.name()
                + ": stage score uses "
                + second.toUri()
                + " "
                + IndexRefs.of(second).sha256()
                + "\n");
    flow.send(1, Flow.feed().subList(10, 20));
    assertThat(
            Received.translations(flow.await("out", 20)).stream()
                .map(one -> one.getLanguageScores().get(0).getModelId())
                .distinct())
        .hasSize(2);

    Files.copy(first, second, StandardCopyOption.REPLACE_EXISTING);
    CommandRun wrong = control(config, "swap", "score=" + second);
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.err())
        .startsWith("latimer: job " + config.name() + " refused it and keeps the old index: ")
        .contains("second.llm is in use with other content");
  }

  /** The models that scored what was received, in order, without repetition. */
  private List<String> models(int records) throws Exception {
    return Received.translations(flow.await("out", records)).stream()
        .map(one -> one.getLanguageScores().get(0).getModelId())
        .distinct()
        .toList();
  }

  @Test
  void aStageIsSwappedToAModelOfAServerAndBack() throws Exception {
    byte[] content = Files.readAllBytes(second);
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/second.llm",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
          exchange.close();
        });
    server.start();
    try {
      String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/second.llm";
      JobConfig config =
          job(CONTROL + "\nindexes: {directory: \"" + folder.resolve("copies") + "\"}");
      flow.start(config);
      flow.send(1, Flow.feed().subList(0, 10));
      List<String> before = models(10);

      String sha256 = IndexRefs.of(second).sha256();
      CommandRun there = control(config, "swap", "score=" + address, "--sha256", sha256);
      assertThat(there.err()).isEmpty();
      assertThat(there.out())
          .isEqualTo(
              "job " + config.name() + ": stage score uses " + address + " " + sha256 + "\n");
      assertThat(requests).as("only the job fetches it, once").hasValue(1);
      flow.send(1, Flow.feed().subList(10, 20));
      List<String> after = models(20);
      assertThat(after).hasSize(2);

      CommandRun back = control(config, "swap", "score=" + first.toUri());
      assertThat(back.err()).isEmpty();
      flow.send(1, Flow.feed().subList(20, 30));
      assertThat(models(30)).isEqualTo(after);
      List<Translation> all = Received.translations(flow.readAll("out"));
      assertThat(all.subList(20, 30))
          .allSatisfy(
              one ->
                  assertThat(one.getLanguageScores().get(0).getModelId()).isEqualTo(before.get(0)));

      String other = "0".repeat(64);
      CommandRun wrong = control(config, "swap", "score=" + address, "--sha256", other);
      assertThat(wrong.exitCode()).isEqualTo(1);
      assertThat(wrong.err())
          .startsWith("latimer: job " + config.name() + " refused it and keeps the old index: ")
          .contains(address + " is not the file that was referred to", other, sha256);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void limitsAreSetInAllStages() throws Exception {
    JobConfig config =
        Flow.config(job(CONTROL).toYaml().replace("group: true", "group: false"), folder);
    flow.start(config);
    CommandRun done = control(config, "set", "batch.max-records=7", "batch.max-wait=1s");
    assertThat(done.err()).isEmpty();
    assertThat(done.out())
        .startsWith("job " + config.name() + ": batches have batch.max-records=7, batch.max-tokens")
        .endsWith("batch.max-wait=1000ms\n");
    flow.send(1, Flow.feed().subList(0, 14));
    flow.await("out", 14);

    CommandRun wrong = control(config, "set", "batch.max-record=7");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).contains("batch.max-record").contains("max-records");
    assertThat(control(config, "set", "checkpoints.interval=1s").err())
        .contains("expected KEY=VALUE, such as batch.max-records=32");
    assertThat(control(config, "set").err()).contains("Missing required parameter");
  }

  @Test
  void thePairsOfAFileAreLearned() throws Exception {
    ParallelText.of("the house ||| das haus ||| 0-0 1-1").index(folder, "index.lpx");
    String servers = flow.broker().bootstrapServers();
    JobConfig config =
        flow.job(
            "phrases: {index: \"" + folder.resolve("index.lpx") + "\"}",
            1,
            CONTROL
                .replace("SERVERS", "\"" + servers + "\"")
                .replaceFirst("}$", ", learn: [{stage: phrases, max-pairs: 300}]}"));
    flow.start(config);
    Path pairs = folder.resolve("pairs.tsv");
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 260; i++) {
      lines.add("the house " + i + "\tdas gebäude " + i + (i % 2 == 0 ? "\t0-0 1-1 2-2" : ""));
    }
    Files.write(pairs, lines);
    for (int time = 0; time < 2; time++) { // the second one changes nothing
      CommandRun done = control(config, "append", "phrases", "--pairs", pairs.toString());
      assertThat(done.err()).isEmpty();
      assertThat(done.out())
          .isEqualTo("job " + config.name() + ": stage phrases uses learned pairs from 0 to 260\n");
    }
    flow.send(1, List.of("the house 257"));
    SentencePhraseTable table =
        Received.translations(flow.await("out", 1)).get(0).getPhraseTables().get(0);
    assertThat(table.getLearnedPairs()).isEqualTo(260);
    assertThat(table.getPhrases())
        .filteredOn(phrase -> phrase.getText().equals("house 257"))
        .singleElement()
        .satisfies(
            phrase ->
                assertThat(phrase.getTranslations().get(0).getText()).isEqualTo("gebäude 257"));

    Files.writeString(pairs, "more\tmehr\nbad\n");
    CommandRun bad = control(config, "append", "phrases", "--pairs", pairs.toString());
    assertThat(bad.exitCode()).isEqualTo(1);
    assertThat(bad.err()).contains("pairs.tsv line 2: expected a source sentence");
    lines.replaceAll(line -> "also " + line + " x");
    lines.replaceAll(line -> line.substring(0, line.indexOf('\t')) + "\tauch");
    Files.write(pairs, lines);
    CommandRun full = control(config, "append", "phrases", "--pairs", pairs.toString());
    assertThat(full.exitCode()).isEqualTo(1);
    assertThat(full.err())
        .contains(
            " refused pairs: learned 40 of 256 corrections; stage phrases has no room for more")
        .contains("max-pairs is 300");
    assertThat(control(config, "append", "other", "--pairs", pairs.toString()).err())
        .contains("the job has no stage other; it has ");
    assertThat(control(config, "append", "phrases").err()).contains("--pairs");
  }

  @Test
  void aJobThatDoesNotRunDoesNotAnswer() throws Exception {
    CommandRun late = control(job(CONTROL), "swap", "score=" + second, "--timeout", "1s");
    assertThat(late.exitCode()).isEqualTo(1);
    assertThat(late.err()).contains("did not answer within 1 s; check that it runs");
    CommandRun later = control(job(CONTROL), "--timeout", "2s", "swap", "score=" + second);
    assertThat(later.err()).contains("did not answer within 2 s");
  }

  @Test
  void whatCannotBeSentIsSaidAtOnce() throws Exception {
    JobConfig config = job(CONTROL);
    assertThat(control(config, "swap", "score").exitCode()).isEqualTo(2);
    assertThat(control(config, "swap", "score=" + folder.resolve("none.llm")).err())
        .contains("none.llm");
    assertThat(control(config, "swap", "score=" + Flow.MODEL).err())
        .contains("expected an index of kind language-model, found translation-model");
    assertThat(control(config, "swap", "score=http://127.0.0.1/model.llm").err())
        .contains("http://127.0.0.1/model.llm needs --sha256");
    assertThat(control(job(""), "swap", "score=" + second).err())
        .contains("takes no commands: set control.topic");
    assertThat(
            control(
                    job("control: {bootstrap-servers: SERVERS, topic: control}"),
                    "swap",
                    "score=" + second)
                .err())
        .contains("has no Kafka topic of statuses");
    assertThat(control(config).err()).contains("Missing subcommand: append, set or swap.");
  }
}
