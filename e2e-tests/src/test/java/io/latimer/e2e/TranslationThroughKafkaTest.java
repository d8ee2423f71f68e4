package io.latimer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Translation through a broker and a job. */
@Timeout(240)
class TranslationThroughKafkaTest {
  private static final RecordCodec<Sentence> SENTENCES = RecordCodec.of(Sentence.class);
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);
  private static final RecordCodec<DeadLetter> LETTERS = RecordCodec.of(DeadLetter.class);
  private static final Instant WHEN = Instant.parse("2026-11-20T08:15:30.123Z");

  @TempDir Path folder;
  private Flow flow;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 1, 1);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  @Test
  void translationsEqualThoseOfTheCommandLine() throws Exception {
    List<String> sentences = Flow.feed().subList(0, 80);
    flow.start(flow.job(Flow.translate(Flow.MODEL, ""), 1));
    flow.send(1, sentences);

    List<Translation> received = Received.translations(flow.await("out", sentences.size()));

    assertThat(received.stream().map(t -> t.getSource().getText()))
        .containsExactlyElementsOf(sentences);
    assertThat(received.stream().map(Translation::getText))
        .containsExactlyElementsOf(commandLine(sentences));
    assertThat(received).allMatch(t -> !t.getModelId().isEmpty() && !t.getTimings().isEmpty());
  }

  @Test
  void keysHeadersAndEventTimeAreKept() throws Exception {
    Sentence sentence =
        SENTENCES.decode(
            SENTENCES.encode(
                Sentence.newBuilder()
                    .setId("news-7")
                    .setFeed("news")
                    .setLanguage("en")
                    .setText("I came here alone.")
                    .setEventTime(WHEN)
                    .setHeaders(List.of())
                    .build()));
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            "in",
            0,
            WHEN.minusSeconds(60).toEpochMilli(),
            "key".getBytes(UTF_8),
            SENTENCES.encode(sentence));
    record.headers().add(new RecordHeader("trace", new byte[] {1, 2, 3}));
    record.headers().add(new RecordHeader("trace", new byte[] {4}));
    flow.start(flow.job(Flow.translate(Flow.MODEL, ""), 1));
    flow.send(record);

    ConsumerRecord<byte[], byte[]> out = flow.await("out", 1).get(0);

    assertThat(out.key()).isEqualTo("key".getBytes(UTF_8));
    assertThat(out.timestamp()).isEqualTo(WHEN.toEpochMilli());
    List<byte[]> traces = new ArrayList<>();
    out.headers().headers("trace").forEach(header -> traces.add(header.value()));
    assertThat(traces).containsExactly(new byte[] {1, 2, 3}, new byte[] {4});
    Translation translation = TRANSLATIONS.decode(out.value());
    assertThat(translation.getSource().getId()).isEqualTo("news-7");
    assertThat(translation.getSource().getEventTime()).isEqualTo(WHEN);
    assertThat(translation.getTargetLanguage()).isEqualTo("de");
  }

  /** The broker refuses times that are an hour ahead, and a refused record would fail the job. */
  @Test
  void aSentenceFromTheFutureIsWrittenInThePresentAndKeepsItsTime() throws Exception {
    Instant future = Instant.now().plus(Duration.ofHours(12)).truncatedTo(ChronoUnit.MILLIS);
    flow.start(flow.job(Flow.translate(Flow.MODEL, ", beam: 1"), 1));
    Instant start = Instant.now();
    for (String text : List.of("I came here alone.", "x".repeat(150_000))) {
      Sentence sentence =
          Sentence.newBuilder()
              .setId("future")
              .setFeed("news")
              .setLanguage("en")
              .setText(text)
              .setEventTime(future)
              .setHeaders(List.of())
              .build();
      flow.send(new ProducerRecord<>("in", 0, null, SENTENCES.encode(sentence)));
    }
    flow.send(1, List.of("I came here alone."));

    List<ConsumerRecord<byte[], byte[]>> out = flow.await("out", 2);
    ConsumerRecord<byte[], byte[]> dead = flow.await("dead", 1).get(0);

    assertThat(out).hasSize(2);
    Translation translation = TRANSLATIONS.decode(out.get(0).value());
    assertThat(translation.getSource().getEventTime()).isEqualTo(future);
    assertThat(LETTERS.decode(dead.value()).getOrigin().getOffset()).isEqualTo(1);
    for (long time : List.of(out.get(0).timestamp(), dead.timestamp())) {
      assertThat(Instant.ofEpochMilli(time)).isBetween(start.minusSeconds(1), Instant.now());
    }
  }

  @Test
  void tenKindsOfPoisonBecomeDeadLettersAmongNeighboursThatAreTranslated() throws Exception {
    Map<String, byte[]> poison = poison();
    assertThat(poison).hasSize(10);
    flow.start(
        flow.job(Flow.translate(Flow.MODEL, ", beam: 1"), 1, "input: {max-record-bytes: 200000}"));
    List<String> neighbours = Flow.feed().subList(0, poison.size() + 1);
    int next = 0;
    for (byte[] bytes : poison.values()) {
      flow.send(new ProducerRecord<>("in", 0, null, neighbours.get(next++).getBytes(UTF_8)));
      flow.send(new ProducerRecord<>("in", 0, null, bytes));
    }
    flow.send(new ProducerRecord<>("in", 0, null, neighbours.get(next).getBytes(UTF_8)));

    Map<Long, DeadLetter> letters = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : flow.await("dead", poison.size())) {
      DeadLetter letter = LETTERS.decode(record.value());
      letters.put(letter.getOrigin().getOffset(), letter);
    }
    Received.assertExactlyOnce(neighbours, flow.await("out", neighbours.size()));
    assertThat(letters).hasSize(poison.size());
    long offset = 1;
    for (Map.Entry<String, byte[]> one : poison.entrySet()) {
      DeadLetter letter = letters.get(offset);
      assertThat(letter).as(one.getKey()).isNotNull();
      byte[] expected = one.getValue() == null ? new byte[0] : one.getValue();
      assertThat(bytes(letter.getOriginal())).as(one.getKey()).isEqualTo(expected);
      assertThat(letter.getOrigin().getSource()).isEqualTo("in");
      assertThat(letter.getStage()).as(one.getKey()).isNotEmpty();
      assertThat(letter.getErrorMessage()).as(one.getKey()).isNotBlank();
      System.out.println(one.getKey() + ": " + letter.getStage() + ": " + letter.getErrorMessage());
      offset += 2;
    }
  }

  /** Records that cannot be read or translated, by the problem. */
  private static Map<String, byte[]> poison() {
    byte[] sentence =
        SENTENCES.encode(
            Sentence.newBuilder()
                .setId("1")
                .setFeed("f")
                .setLanguage("en")
                .setText("Hello.")
                .setEventTime(WHEN)
                .setHeaders(List.of())
                .build());
    byte[] unknownSchema = sentence.clone();
    unknownSchema[4] ^= 0x55;
    byte[] lyingLength = sentence.clone();
    lyingLength[10] = (byte) 0xfe; // the length of the id, now a varint that extends into its text
    lyingLength[11] = (byte) 0xff;
    byte[] trailing = java.util.Arrays.copyOf(sentence, sentence.length + 3);
    Map<String, byte[]> poison = new LinkedHashMap<>();
    poison.put("no value", null);
    poison.put("malformed UTF-8", new byte[] {'a', (byte) 0xc3, '(', 'b'});
    poison.put("UTF-8 cut in mid-character", new byte[] {'a', (byte) 0xe2, (byte) 0x82});
    poison.put(
        "a lone surrogate as bytes", new byte[] {'a', (byte) 0xed, (byte) 0xa0, (byte) 0x80});
    poison.put("UTF-16", "Hello \u00e4".getBytes(java.nio.charset.StandardCharsets.UTF_16));
    poison.put("unknown schema", unknownSchema);
    poison.put("truncated Avro", java.util.Arrays.copyOf(sentence, sentence.length - 4));
    poison.put("bytes after the Avro record", trailing);
    poison.put("a length that lies", lyingLength);
    poison.put("over the largest record", "x ".repeat(150_000).getBytes(UTF_8));
    return poison;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** Runs {@code latimer translate} in a separate process. */
  private List<String> commandLine(List<String> lines) throws Exception {
    Path in = Files.write(folder.resolve("in.txt"), lines);
    Jvm.Ended ended =
        Jvm.run(
            folder,
            Jvm.program(
                    System.getProperty("java.class.path"),
                    "io.latimer.cli.Latimer",
                    "translate",
                    "--model",
                    Flow.MODEL.toString())
                .redirectInput(in.toFile()));
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    return ended.out().lines().toList();
  }
}
