package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.CorrectionStatus;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.JobID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example of a job that translates with a model and learns, run as it says, in two subtasks.
 */
@Timeout(240)
class LearningExampleTest {
  private static final int PARTITIONS = 2;

  /** The line of the example that teaches a pair. */
  private static final Pattern PAIR = Pattern.compile("printf '([^\\\\]+)\\\\t([^\\\\]+)\\\\n'");

  @TempDir Path folder;
  private Flow flow;
  private JobConfig config;
  private Path file;
  private String sentence;
  private String taught;
  private int sent;

  @BeforeEach
  void start() throws Exception {
    flow = new Flow(folder);
    flow.topic("desk", PARTITIONS);
    for (String topic :
        List.of("desk-translations", "desk-control", "desk-status", "desk-corrections")) {
      flow.topic(topic, 1);
    }
    String example = Files.readString(Flow.ROOT.resolve("examples/jobs/learning.yaml"));
    Matcher pair = PAIR.matcher(example);
    assertThat(pair.find()).isTrue();
    sentence = pair.group(1);
    taught = pair.group(2);
    String yaml =
        example
                .replace("localhost:9092", flow.broker().bootstrapServers())
                .replace("../models", Flow.ROOT.resolve("examples/models").toString())
                .replace("interval: 10s", "interval: 300ms")
            + "parallelism: "
            + PARTITIONS
            + "\n";
    file = Files.writeString(folder.resolve("job.yaml"), yaml);
    config = Flow.config(yaml, folder);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  @Test
  void aTaughtSentenceComesBackAsItWasTaughtInAllSubtasksAndAfterARestore() throws Exception {
    JobID job = flow.start(config);
    String before = translate(sentence).get(0).getText();
    for (Translation one : translate(sentence)) {
      assertThat(one.getText()).isEqualTo(before).isNotEqualTo(taught).isNotEmpty();
      assertThat(one.getCorrections()).isEmpty();
      assertThat(one.getMemorySentences()).isZero();
    }

    append(before);
    List<Translation> after = translate(sentence);
    assertTaught(after, taught);
    assertThat(translate("DO  you have a sauna ?"))
        .extracting(Translation::getText)
        .containsOnly(taught);
    assertThat(translate("Do you have a garden?"))
        .allSatisfy(other -> assertThat(other.getCorrections()).isEmpty());

    correct("a later one", sentence, "Gibt's hier  'ne Sauna?");
    while (!translate(sentence).stream()
        .allMatch(one -> one.getText().equals("Gibt's hier  'ne Sauna?"))) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    CorrectionStatus replaced = lastStatus("a later one");
    assertThat(replaced.getState()).isEqualTo("learned");
    assertThat(replaced.getBefore()).isEqualTo(taught);
    assertThat(replaced.getAfter()).isEqualTo("Gibt's hier  'ne Sauna?");
    JobID restored = flow.restore(flow.cancel(job), config);
    List<Translation> again = translate(sentence);
    assertTaught(again, "Gibt's hier  'ne Sauna?");
    assertThat(again)
        .allSatisfy(
            one ->
                assertThat(one.getCorrections())
                    .containsExactly(new LearnedFrom("a later one", Instant.ofEpochMilli(1_000))));
    assertThat(flow.restarts(restored)).isZero();
  }

  private static void assertTaught(List<Translation> translations, String text) {
    assertThat(translations)
        .hasSize(PARTITIONS)
        .allSatisfy(
            one -> {
              assertThat(one.getText()).isEqualTo(text);
              assertThat(one.getMemorySentences()).isEqualTo(1);
              assertThat(one.getCorrections()).hasSize(1);
              assertThat(one.getTargetTokens()).isZero();
            });
  }

  /**
   * As the example says.
   *
   * @param before the translation of the model
   */
  private void append(String before) {
    String pair = sentence + "\t" + taught + "\n";
    CommandRun done =
        CommandRun.of(
            pair, "control", "--config", file.toString(), "append", "translate", "--pairs", "-");
    assertThat(done.err()).isEmpty();
    assertThat(done.out())
        .isEqualTo(
            "job learning-example: stage translate uses learned pairs from 0 to 1\n  %s: %s -> %s\n"
                .formatted(sentence, before, taught));
  }

  /** What the status of the job says of a correction. */
  private CorrectionStatus lastStatus(String id) throws Exception {
    RecordCodec<ControlStatus> codec = RecordCodec.of(ControlStatus.class);
    while (true) {
      for (ConsumerRecord<byte[], byte[]> record : flow.readAll("desk-status")) {
        for (CorrectionStatus one : codec.decode(record.value()).getCorrections()) {
          if (one.getId().equals(id)) {
            return one;
          }
        }
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private void correct(String id, String source, String target) throws Exception {
    Correction correction = new Correction(id, Instant.ofEpochMilli(1_000), source, target, null);
    byte[] value = RecordCodec.of(Correction.class).encode(correction);
    flow.send(new ProducerRecord<>("desk-corrections", 0, null, value));
  }

  /** Sends a text to each partition; returns its translations, one of each subtask. */
  private List<Translation> translate(String text) throws Exception {
    int first = sent;
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      byte[] key = Integer.toString(sent++).getBytes(StandardCharsets.UTF_8);
      records.add(
          new ProducerRecord<>("desk", partition, key, text.getBytes(StandardCharsets.UTF_8)));
    }
    flow.sendAll(records);
    flow.await("desk-translations", sent);
    List<ConsumerRecord<byte[], byte[]>> received = flow.readAll("desk-translations");
    received.removeIf(
        one -> Integer.parseInt(new String(one.key(), StandardCharsets.UTF_8)) < first);
    return Received.translations(received);
  }
}
