package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
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

/** A job that reads what another has translated, and writes JSON and text that anyone can read. */
@Timeout(240)
class ChainedJobsTest {
  private static final int SENTENCES = 20;

  /** Recent: a broker removes records that are older than a week. */
  private static final long TIME = System.currentTimeMillis() - 60_000;

  @TempDir Path folder;
  private Flow flow;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 1, 1);
    flow.topic("json", 1);
    flow.topic("text", 1);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /** Reads the topic that the first job writes. */
  private JobConfig second() {
    String yaml =
        """
        name: second
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [out], start: earliest}
        stages: [identity]
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: json, format: json, name: json}
          - kafka: {bootstrap-servers: "%1$s", topic: text, format: text, name: text}
        checkpoints: {interval: 300ms}
        """
            .formatted(flow.broker().bootstrapServers());
    return JobConfigReader.read(yaml, "second.yaml", folder);
  }

  @Test
  void aSecondJobReadsTheTranslationsOfTheFirstAndWritesJson() throws Exception {
    List<String> sentences = Flow.feed().subList(0, SENTENCES);
    for (int i = 0; i < SENTENCES; i++) {
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>("in", 0, TIME + i, bytes("key-" + i), bytes(sentences.get(i)));
      record.headers().add(new RecordHeader("trace", bytes("trace-" + i)));
      flow.send(record);
    }
    flow.start(flow.job(Flow.translate(Flow.MODEL, ", beam: 1, target-language: de"), 1));
    flow.start(second());

    List<ConsumerRecord<byte[], byte[]>> written = flow.await("json", SENTENCES);
    assertThat(written).hasSize(SENTENCES);
    Map<String, Translation> first = new HashMap<>();
    for (Translation translation : Received.translations(flow.readAll("out"))) {
      first.put(translation.getSource().getId(), translation);
    }
    ObjectMapper mapper = new ObjectMapper();
    for (ConsumerRecord<byte[], byte[]> record : written) {
      JsonNode json = mapper.readTree(record.value());
      JsonNode source = json.get("source");
      int number = Integer.parseInt(source.get("id").textValue().replace("in-0-", ""));
      Translation before = first.get(source.get("id").textValue());
      assertThat(json.get("text").textValue()).isEqualTo(before.getText());
      assertThat(source.get("text").textValue()).isEqualTo(before.getText());
      assertThat(source.get("language").textValue()).isEqualTo("de");
      assertThat(source.get("feed").textValue()).isEqualTo("in");
      assertThat(Instant.parse(source.get("eventTime").textValue()))
          .isEqualTo(Instant.ofEpochMilli(TIME + number));
      assertThat(source.get("headers")).hasSize(1);
      assertThat(source.get("headers").get(0).get("value").textValue())
          .isEqualTo("trace-" + number);
      assertThat(source.get("translatedFrom")).hasSize(1);
      JsonNode earlier = source.get("translatedFrom").get(0);
      assertThat(earlier.get("text").textValue()).isEqualTo(sentences.get(number));
      assertThat(earlier.get("modelId").textValue()).isEqualTo(before.getModelId());
      assertThat(json.get("score").isNull()).isTrue();
      assertThat(record.key()).isEqualTo(bytes("key-" + number));
      assertThat(record.timestamp()).isEqualTo(TIME + number);
      assertThat(record.headers())
          .containsExactly(new RecordHeader("trace", bytes("trace-" + number)));
    }
    assertThat(flow.await("text", SENTENCES))
        .extracting(record -> new String(record.value(), StandardCharsets.UTF_8))
        .containsExactlyInAnyOrderElementsOf(
            first.values().stream().map(Translation::getText).toList());
    assertThat(flow.readAll("dead")).isEmpty();
    flow.cancelAll();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
