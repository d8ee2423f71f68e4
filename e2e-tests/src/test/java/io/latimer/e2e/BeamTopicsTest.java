package io.latimer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Latimer;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code latimer beam translate} from topic to topic gives what a job with these topics gives. */
@Timeout(300)
class BeamTopicsTest {
  private static final RecordCodec<DeadLetter> LETTERS = RecordCodec.of(DeadLetter.class);

  @TempDir Path folder;
  private Flow flow;

  @BeforeEach
  void start() throws Exception {
    JobJar.requireBeam();
    flow = Flow.between(folder, 1, 1);
    flow.topic("beam", 1);
    flow.topic("beam-dead", 1);
  }

  @AfterEach
  void stop() {
    if (flow != null) {
      flow.close();
    }
  }

  /** Starts the command on topic {@code in}. */
  private Process beam(String... more) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("beam", "translate"));
    arguments.addAll(List.of("--model", Flow.MODEL.toString(), "--device", "cpu"));
    arguments.addAll(List.of("--bootstrap-servers", flow.broker().bootstrapServers()));
    arguments.addAll(List.of("--input-topic", "in", "--output-topic", "beam"));
    arguments.addAll(List.of("--dead-letter-topic", "beam-dead"));
    arguments.addAll(List.of(more));
    ProcessBuilder program =
        Jvm.program(
            System.getProperty("java.class.path"),
            Latimer.class.getName(),
            arguments.toArray(String[]::new));
    program.command().add(1, "-Dlatimer.home=" + Flow.ROOT);
    return program
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("beam.log").toFile())
        .start();
  }

  private static void end(Process program) throws InterruptedException {
    List<ProcessHandle> children = program.children().toList();
    program.destroy();
    if (!program.waitFor(60, TimeUnit.SECONDS)) {
      program.destroyForcibly();
    }
    children.forEach(ProcessHandle::destroyForcibly);
  }

  private List<ConsumerRecord<byte[], byte[]>> await(String topic, int count) throws IOException {
    List<ConsumerRecord<byte[], byte[]>> found = flow.await(topic, count);
    if (found.size() < count) { // the direct runner is slow on a machine that has other work
      found = flow.await(topic, count);
    }
    assertThat(found).as(Files.readString(folder.resolve("beam.log"))).hasSize(count);
    return found;
  }

  /** Puts sentences and a record that is none into the topic. */
  private List<String> send() throws Exception {
    List<String> sentences = Flow.feed().subList(30, 70);
    flow.send(1, sentences.subList(0, 20));
    flow.send(new ProducerRecord<>("in", 0, null, new byte[] {(byte) 0xC0}));
    flow.send(1, sentences.subList(20, 40));
    return sentences;
  }

  /** All but the times that the stages took. */
  private static Translation result(Translation translation) {
    return Translation.newBuilder(translation).setTimings(List.of()).build();
  }

  /** By default they are Avro. */
  @ParameterizedTest
  @ValueSource(strings = {"direct", "flink"})
  void translationsAreThoseOfAJob(String runner) throws Exception {
    List<String> sentences = send();
    flow.start(flow.job(Flow.translate(Flow.MODEL, ", device: cpu, beam: 3, nbest: 2"), 1));
    List<Translation> expected = Received.translations(flow.await("out", sentences.size()));
    DeadLetter refused = LETTERS.decode(flow.await("dead", 1).get(0).value());
    flow.cancelAll();
    assertThat(expected).hasSize(sentences.size()).allMatch(one -> one.getScore() != null);

    Process program = beam("--runner", runner, "--set", "beam=3", "--set", "nbest=2");
    try {
      List<Translation> found = Received.translations(await("beam", sentences.size()));
      assertThat(found.stream().map(BeamTopicsTest::result))
          .containsExactlyInAnyOrderElementsOf(
              expected.stream().map(BeamTopicsTest::result).toList());
      DeadLetter letter = LETTERS.decode(await("beam-dead", 1).get(0).value());
      assertThat(letter.getOrigin()).isEqualTo(refused.getOrigin());
      assertThat(letter.getOriginal()).isEqualTo(refused.getOriginal());
      assertThat(letter.getErrorMessage()).isEqualTo(refused.getErrorMessage());
    } finally {
      end(program);
    }
  }

  /** What the operator makes of texts, without any pipeline. */
  private static List<String> translations(List<String> texts) throws IOException {
    try (Translate translate =
        Translate.opener(TranslateOptions.DEFAULTS).open(Flow.MODEL, Device.CPU)) {
      return translate.apply(texts).stream().map(result -> result.orElseThrow().text()).toList();
    }
  }

  @Test
  void aTopicOfTextsHasTheTranslationsOnly() throws Exception {
    List<String> sentences = send();
    Process program = beam("--format", "text", "--", "--parallelism=1");
    try {
      List<String> found = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> record : await("beam", sentences.size())) {
        found.add(new String(record.value(), UTF_8));
      }
      assertThat(found).containsExactlyInAnyOrderElementsOf(translations(sentences));
    } finally {
      end(program);
    }
  }
}
