package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Translation;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Language models that are swapped while a job runs, through topics of commands and statuses. */
@Timeout(240)
class SwapTest {
  private static final int PARTITIONS = 2;

  @TempDir Path folder;
  private Flow flow;
  private Commands commands;
  private Path first;
  private Path second;
  private int sent;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, PARTITIONS, PARTITIONS);
    commands = new Commands(flow);
    first = estimate("first.llm", 0);
    second = estimate("second.llm", 100);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  private Path estimate(String name, int from) throws Exception {
    Path file = folder.resolve(name);
    LanguageModels.estimate(Flow.feed().subList(from, from + 100), file);
    return file;
  }

  private JobConfig job(Path model, int parallelism) {
    return flow.job("score: {model: \"" + model + "\"}", parallelism, commands.section());
  }

  /** Sends sentences to both partitions, numbered in each, with the partition as their key. */
  private void send(int count) throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    List<String> feed = Flow.feed();
    for (int i = 0; i < count; i++, sent++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        String text = partition + " " + sent + " " + feed.get(sent % feed.size());
        records.add(new ProducerRecord<>("in", partition, bytes("" + partition), bytes(text)));
      }
    }
    flow.sendAll(records);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The models that scored the records of a partition one after the other, without repetition. */
  private List<String> models(List<Translation> received, int partition) {
    List<String> models = new ArrayList<>();
    received.stream()
        .filter(one -> partition(one) == partition)
        .sorted(Comparator.comparingInt(SwapTest::number))
        .map(one -> one.getLanguageScores().get(0).getModelId())
        .forEach(
            model -> {
              if (models.isEmpty() || !models.get(models.size() - 1).equals(model)) {
                models.add(model);
              }
            });
    return models;
  }

  private static int partition(Translation one) {
    return Integer.parseInt(one.getSource().getText().split(" ", 3)[0]);
  }

  private static int number(Translation one) {
    return Integer.parseInt(one.getSource().getText().split(" ", 3)[1]);
  }

  /** All records that were sent have arrived, each once, those of a key in their order. */
  private List<Translation> received() throws Exception {
    flow.await("out", PARTITIONS * sent);
    List<Translation> received = Received.translations(flow.readAll("out"));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      int own = partition;
      List<Integer> numbers =
          received.stream().filter(one -> partition(one) == own).map(SwapTest::number).toList();
      assertThat(numbers).hasSize(sent).isSorted();
      assertThat(new LinkedHashSet<>(numbers)).hasSize(sent);
    }
    return received;
  }

  private static String model(Path file) throws Exception {
    return IndexRefs.of(file).sha256();
  }

  /** Names of models by their ids: the id is of the content. */
  private Map<String, String> names(List<Translation> received) {
    Map<String, String> names = new HashMap<>();
    names.put(models(received, 0).get(0), "first");
    models(received, 0).forEach(model -> names.putIfAbsent(model, "second"));
    return names;
  }

  @Test
  void aSwapUnderLoadAndItsRollbackLoseAndDoubleNothing() throws Exception {
    JobConfig config = job(first, 2);
    flow.start(config);
    send(20);
    flow.await("out", 2);

    String there = commands.swap(config, "score", IndexRefs.of(second));
    while (commands.statuses(there).stream().noneMatch(one -> one.getState().equals("in-use"))) {
      send(10);
    }
    commands.assertDone(there);
    send(20);
    flow.await("out", PARTITIONS * sent);
    String back = commands.swap(config, "score", IndexRefs.of(first));
    commands.assertDone(back);
    send(20);

    List<Translation> received = received();
    Map<String, String> names = names(received);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(models(received, partition).stream().map(names::get))
          .containsExactly("first", "second", "first");
    }
    assertThat(
            commands.statuses(there).stream().map(one -> one.getSubtask() + " " + one.getState()))
        .containsExactlyInAnyOrder(
            "-1 received", "0 loading", "1 loading", "0 in-use", "1 in-use", "-1 in-use");
    assertThat(commands.statuses(there))
        .allSatisfy(one -> assertThat(one.getReference().getSha256()).isEqualTo(model(second)));
  }

  @Test
  void aKilledTaskManagerDoesNotTakeASwapBack() throws Exception {
    JobConfig config = job(first, 3);
    JobID job = flow.start(config);
    send(20);
    flow.await("out", 2);
    commands.assertDone(commands.swap(config, "score", IndexRefs.of(second)));
    send(20);
    flow.await("out", PARTITIONS * sent);
    int before = sent;

    flow.cluster().terminateTaskManager(1).get();
    flow.cluster().startTaskManager();
    send(50);

    List<Translation> received = received();
    assertThat(flow.restarts(job)).isPositive();
    Map<String, String> names = names(received);
    assertThat(received)
        .filteredOn(one -> number(one) >= before)
        .allSatisfy(
            one ->
                assertThat(names.get(one.getLanguageScores().get(0).getModelId()))
                    .isEqualTo("second"));
    Scores.assertThose(first, scoredBy("first", received, names), "source");
    Scores.assertThose(second, scoredBy("second", received, names), "source");
  }

  private static List<Translation> scoredBy(
      String name, List<Translation> received, Map<String, String> names) {
    List<Translation> scored =
        received.stream()
            .filter(one -> names.get(one.getLanguageScores().get(0).getModelId()).equals(name))
            .toList();
    assertThat(scored).isNotEmpty();
    return scored;
  }

  @Test
  void refusedSwapsLeaveTheIndexInUse() throws Exception {
    JobConfig config = job(first, 2);
    flow.start(config);
    send(10);
    IndexRef good = IndexRefs.of(second);

    Path damaged = folder.resolve("damaged.llm");
    byte[] bytes = Files.readAllBytes(second);
    bytes[bytes.length / 2] ^= 1;
    Files.write(damaged, bytes);
    commands.assertRefused(
        commands.swap(config, "score", at(damaged.toUri().toString(), good)), "damaged.llm");
    Path missing = folder.resolve("missing.llm");
    commands.assertRefused(
        commands.swap(config, "score", at(missing.toUri().toString(), good)),
        "missing.llm",
        "not exist");
    commands.assertRefused(
        commands.swap(config, "score", IndexRefs.of(Flow.MODEL)),
        "expects an index of kind language-model, found translation-model");
    // of the wrong kind, whatever the command says
    IndexRef model = IndexRefs.of(Flow.MODEL);
    commands.assertRefused(
        commands.swap(
            config,
            "score",
            new IndexRef(good.kind(), model.uri(), model.sha256(), model.version())),
        "expected an index of kind language-model, found translation-model");
    commands.assertRefused(
        commands.swap(config, "score", at(first.toUri().toString(), good)),
        "in use with other content");
    commands.assertRefused(
        commands.swap(config, "translate", good), "the job has no stage translate");
    flow.send(new ProducerRecord<>("control", 0, null, bytes("swap it, please")));
    commands.swap("of-another", "another", "score", good);
    while (commands.statuses("").isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    assertThat(commands.statuses("").get(0).getMessage())
        .contains("control, partition 0")
        .contains("not a");
    send(10);
    assertThat(models(received(), 0)).hasSize(1);

    String id = commands.swap(config, "score", good);
    commands.assertDone(id);
    commands.assertDone(commands.swap(config, "score", IndexRefs.of(first)));
    commands.swap(id, config.name(), "score", good); // delivered again
    String other = commands.swap(config, "none", good); // after that one
    commands.await(other);
    send(10);

    assertThat(models(received(), 0)).hasSize(1);
    assertThat(commands.statuses(id))
        .filteredOn(one -> one.getState().equals("received"))
        .hasSize(1);
    assertThat(commands.statuses("of-another")).isEmpty();
  }

  /** The topic of commands has no end, but the job has. */
  @Test
  void aJobWhoseSourceHasAnEndReadsTheCommandsThatAreThereAndEnds() throws Exception {
    JobConfig config =
        Flow.config(job(first, 2).toYaml().replace("bounded: false", "bounded: true"), folder);
    send(30);
    String id = commands.swap(config, "score", IndexRefs.of(second));

    JobID job = flow.start(config);

    assertThat(flow.cluster().requestJobResult(job).get().getSerializedThrowable()).isEmpty();
    received();
    List<ControlStatus> whole =
        commands.statuses(id).stream().filter(one -> one.getSubtask() < 0).toList();
    assertThat(whole).extracting(ControlStatus::getState).contains("received").hasSize(2);
    // whether it was loaded before the records ended depends on time
    assertThat(whole).extracting(ControlStatus::getState).containsAnyOf("in-use", "refused");
  }

  private static IndexRef at(String uri, IndexRef index) {
    return new IndexRef(index.kind(), URI.create(uri), index.sha256(), index.version());
  }

  @Test
  void aRestoredJobGoesOnWithWhatItWasSwappedToUntilTheJobFileChanges() throws Exception {
    JobConfig config = job(first, 2);
    JobID job = flow.start(config);
    send(10);
    flow.await("out", 2);
    commands.assertDone(commands.swap(config, "score", IndexRefs.of(second)));
    send(10);
    flow.await("out", PARTITIONS * sent);
    String swapped = flow.stop(job);

    JobID again = flow.restore(swapped, job(first, 1)); // with another parallelism
    send(10);
    flow.await("out", PARTITIONS * sent);
    String later = flow.stop(again);
    Map<String, String> names = names(received());
    assertThat(models(received(), 1).stream().map(names::get)).containsExactly("first", "second");

    Path third = estimate("third.llm", 200);
    JobID changed = flow.restore(later, job(third, 2));
    send(10);
    List<Translation> received = received();
    flow.stop(changed);
    assertThat(models(received, 0)).hasSize(3);
  }
}
