package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.Correction;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that translates, and is taught words that it could not know: most by phrases. */
@Timeout(300)
class TranslationLearnTest {
  private static final int PARTITIONS = 2;
  private static final String GAZEBO = "The gazebo is small.";
  private static final String LAMP = "The lamp is big.";

  private static final ParallelText TEXT =
      ParallelText.of(
          "the house is small . ||| das haus ist klein . ||| 0-0 1-1 2-2 3-3 4-4",
          "the garden is big . ||| der garten ist groß . ||| 0-0 1-1 2-2 3-3 4-4",
          "the lamp is small . ||| die lampe ist klein . ||| 0-0 1-1 2-2 3-3 4-4",
          "we see the lamp . ||| wir sehen die lampe . ||| 0-0 1-1 2-2 3-3 4-4");

  @TempDir Path folder;
  private Flow flow;
  private Commands commands;
  private int sent;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, PARTITIONS, PARTITIONS);
    commands = new Commands(flow);
    flow.topic("fixes", 1);
    TEXT.index(folder, "index.lpx");
    model("model.llm", TEXT);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /** The device that the stage runs on. */
  Device device() {
    return Device.CPU;
  }

  /** Makes a language model, most of whose words are of other texts, as is usual. */
  private Path model(String name, ParallelText text) throws Exception {
    Path file = folder.resolve(name);
    List<String> lines = new ArrayList<>();
    text.pairs().forEach(pair -> lines.add(String.join(" ", pair.target())));
    for (int i = 0; i < 1_000; i++) {
      lines.add("die sache" + i + " ist groß . das ding" + i + " ist klein .");
    }
    LanguageModels.estimate(lines, file);
    return file;
  }

  private JobConfig job(int parallelism) {
    return job(parallelism, "");
  }

  private JobConfig job(int parallelism, String learn) {
    return job(
        "phrases: \"%s\", language-model: \"%s\", target-language: de"
            .formatted(folder.resolve("index.lpx"), folder.resolve("model.llm")),
        parallelism,
        learn);
  }

  private JobConfig job(String translate, int parallelism, String learn) {
    return flow.job(
        "translate: {%s, device: \"%s\"}".formatted(translate, device()),
        parallelism,
        commands.section("learn: [{stage: translate, corrections: fixes" + learn + "}]"));
  }

  /** Sends a correction of raw texts, whose words the job aligns. */
  private void correct(String id, String source, String target) throws Exception {
    Correction correction = new Correction(id, Instant.ofEpochMilli(1_000), source, target, null);
    byte[] value = RecordCodec.of(Correction.class).encode(correction);
    flow.send(new ProducerRecord<>("fixes", 0, bytes(id), value));
  }

  /** Sends a text to each partition; returns the translations. */
  private List<Translation> translate(String text) throws Exception {
    int first = sent;
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      records.add(new ProducerRecord<>("in", partition, bytes("" + sent++), bytes(text)));
    }
    flow.sendAll(records);
    flow.await("out", sent);
    List<ConsumerRecord<byte[], byte[]>> received = flow.readAll("out");
    assertThat(received).hasSize(sent);
    received.removeIf(one -> number(one.key()) < first); // of any partition, in any order
    return Received.translations(received);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int number(byte[] key) {
    return Integer.parseInt(new String(key, StandardCharsets.UTF_8));
  }

  /** Sends a text to each partition until the newest translations are as wanted; returns one. */
  private Translation await(String text, Predicate<Translation> wanted) throws Exception {
    while (true) {
      List<Translation> newest = translate(text);
      if (newest.stream().allMatch(wanted)) {
        return newest.get(0);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  @Test
  void aCorrectionTeachesAWordThatTheNextTranslationsUse() throws Exception {
    JobID job = flow.start(job(2));
    Translation before = translate(GAZEBO).get(0);
    assertThat(before.getText()).contains("gazebo").endsWith(" ist klein.");
    assertThat(before.getLearnedPairs()).isZero();

    correct("c1", "We see the Gazebo.", "Wir sehen die Gartenlaube.");
    commands.awaitLearned(1);
    List<Translation> next = translate(GAZEBO); // of both subtasks, without a second try
    assertThat(next).extracting(Translation::getLearnedPairs).containsOnly(1L);
    assertThat(next)
        .extracting(Translation::getText)
        .allSatisfy(text -> assertThat(text).contains("gartenlaube").doesNotContain("gazebo"));
    Translation after = next.get(0);
    assertThat(after.getModelId()).isEqualTo(before.getModelId());
    assertThat(after.getLanguageModelId()).isEqualTo(before.getLanguageModelId()).hasSize(64);

    job = flow.restore(flow.stop(job), job(1));
    Translation restored = translate(GAZEBO).get(0);
    assertThat(restored.getText()).isEqualTo(after.getText());
    assertThat(restored.getLearnedPairs()).isEqualTo(1);
    assertThat(flow.restarts(job)).isZero();
  }

  @Test
  void aTaughtWordIsChosenInOtherSentencesInAllSubtasksAndAfterARestore() throws Exception {
    JobID job = flow.start(job(2));
    assertThat(translate(LAMP))
        .extracting(Translation::getText)
        .containsOnly("Die lampe ist groß.");

    correct("c1", "We see the lamp.", "Wir sehen die Leuchte.");
    commands.awaitLearned(1);
    for (int parallelism : new int[] {2, 1}) {
      assertThat(translate(LAMP))
          .extracting(Translation::getText)
          .containsOnly("Die leuchte ist groß.");
      job = flow.restore(flow.stop(job), job(parallelism));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTaughtSentenceSurvivesTheLossOfAllTaskManagersAndARestore(boolean byPhrases)
      throws Exception {
    JobConfig config = byPhrases ? job(2) : job("model: \"" + Flow.MODEL + "\", beam: 1", 2, "");
    String taught = "Winzig  ist's, das Salettl!";
    JobID job = flow.start(config);
    assertThat(translate(GAZEBO)).extracting(Translation::getText).doesNotContain(taught);
    correct("c1", GAZEBO, taught);
    commands.awaitLearned(1);
    assertTaught(taught);

    flow.replaceTaskManagers();
    assertTaught(taught);
    assertThat(flow.restarts(job)).isPositive();
    flow.restore(flow.stop(job), config);
    assertTaught(taught);
  }

  /** Translates the sentence in all subtasks: each record names the correction. */
  private void assertTaught(String text) throws Exception {
    assertThat(translate(GAZEBO))
        .hasSize(PARTITIONS)
        .allSatisfy(
            one -> {
              assertThat(one.getText()).isEqualTo(text);
              assertThat(one.getLearnedPairs()).isEqualTo(1);
              assertThat(one.getCorrections())
                  .containsExactly(new LearnedFrom("c1", Instant.ofEpochMilli(1_000)));
            });
  }

  @Test
  void aTaughtSentenceStaysTaughtInANewIndexFileAndAfterARestore() throws Exception {
    Files.createDirectory(folder.resolve("compacted"));
    JobConfig config =
        job(2, ", compact: {pairs: 2, directory: \"" + folder.resolve("compacted") + "\"}");
    JobID job = flow.start(config);
    String taught = "Der Pavillon  ist klein – und mein!";
    correct("c1", GAZEBO, taught);
    Translation beside = await(GAZEBO, one -> one.getText().equals(taught));
    assertThat(beside.getLearnedPairs()).isEqualTo(1);

    correct("c2", "We see the Gazebo.", "Wir sehen die Laube.");
    Translation inFile = await(GAZEBO, one -> !one.getModelId().equals(beside.getModelId()));
    for (int start = 0; start < 2; start++) {
      for (Translation one : translate("the GAZEBO is small")) {
        assertThat(one.getText()).isEqualTo(taught);
        assertThat(one.getLearnedPairs()).isZero();
        assertThat(one.getModelId()).isEqualTo(inFile.getModelId());
        assertThat(one.getCorrections())
            .containsExactly(new LearnedFrom("c1", Instant.ofEpochMilli(1_000)));
      }
      assertThat(translate("We see the gazebo."))
          .extracting(Translation::getText)
          .containsOnly("Wir sehen die Laube.");
      job = flow.restore(flow.stop(job), config);
    }
  }

  @Test
  void thePhraseIndexIsSwappedAndTheLanguageModelStays() throws Exception {
    JobConfig config = job(2);
    JobID job = flow.start(config);
    Translation before = await(GAZEBO, one -> true);
    ParallelText more = TEXT.and(ParallelText.of("the gazebo ||| die laube ||| 0-0 1-1"));
    Path next = more.index(folder, "next.lpx");
    commands.assertDone(commands.swap(config, "translate", IndexRefs.of(next)));
    Translation after = await(GAZEBO, one -> !one.getModelId().equals(before.getModelId()));
    assertThat(after.getText()).isEqualTo("Die laube ist klein.");
    assertThat(after.getLanguageModelId()).isEqualTo(before.getLanguageModelId());
    commands.assertRefused(
        commands.swap(config, "translate", IndexRefs.of(folder.resolve("model.llm"))),
        "phrase-index",
        "language-model");

    // the state has both, whatever was swapped
    String savepoint = flow.stop(job);
    Path other = model("other.llm", TEXT.part(0, 2));
    Files.move(other, folder.resolve("model.llm"), StandardCopyOption.REPLACE_EXISTING);
    JobResult result = flow.cluster().requestJobResult(flow.restore(savepoint, job(2))).get();
    assertThat(result.isSuccess()).isFalse();
    assertThat(Failures.messages(result.getSerializedThrowable().orElseThrow()))
        .contains("model.llm changed under the job");
  }
}
