package io.latimer.pipelines.flink.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.source.Tombstones;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Kafka's clients get the documented defaults, which the job file overrides. */
class KafkaPropertiesTest {

  @Test
  void aSinkSendsLargeBatchesThroughBuffersOfTheSystem() {
    assertThat(producer(Map.of()))
        .containsOnly(
            entry("batch.size", "131072"),
            entry("send.buffer.bytes", "-1"),
            entry("transaction.timeout.ms", "900000"));
  }

  @Test
  void aSourceReadsWhatIsCommittedThroughBuffersOfTheSystem() {
    assertThat(consumer(Map.of()))
        .containsOnly(
            entry("isolation.level", "read_committed"), entry("receive.buffer.bytes", "-1"));
  }

  @Test
  void aSinksPropertiesComeBeforeAllDefaults() {
    Map<String, String> own = new HashMap<>();
    KafkaProperties.PRODUCER_DEFAULTS.keySet().forEach(name -> own.put(name, "60000"));
    own.put("linger.ms", "7");
    assertThat(producer(own)).containsExactlyInAnyOrderEntriesOf(new HashMap<Object, Object>(own));
  }

  @Test
  void aSourcesPropertiesComeBeforeAllDefaults() {
    Map<String, String> own = Map.of("isolation.level", "read_uncommitted", "fetch.min.bytes", "9");
    assertThat(consumer(own))
        .containsOnly(
            entry("isolation.level", "read_uncommitted"),
            entry("fetch.min.bytes", "9"),
            entry("receive.buffer.bytes", "-1"));
  }

  @Test
  void theDocumentationSaysTheSame() throws IOException {
    String words =
        Files.readString(Path.of(System.getProperty("latimer.root"), "docs/job-config.md"))
            .replaceAll("[\\s`]+", " ");
    Map<String, String> all = new HashMap<>(KafkaProperties.PRODUCER_DEFAULTS);
    all.putAll(KafkaProperties.CONSUMER_DEFAULTS);
    all.forEach(
        (name, value) ->
            assertThat(words.matches(".*\\b" + name + " = " + value + "[,. ].*"))
                .as("docs/job-config.md says that %s is %s", name, value)
                .isTrue());
  }

  private static Properties producer(Map<String, String> own) {
    return KafkaProperties.producer(
        new SinkConfig.Kafka(
            "out",
            "broker:9092",
            "out",
            Format.AVRO,
            true,
            "prefix",
            false,
            ClientProperties.of(own)));
  }

  private static Properties consumer(Map<String, String> own) {
    return KafkaProperties.consumer(
        new SourceConfig.Kafka(
            "broker:9092",
            List.of("in"),
            "",
            "group",
            "earliest",
            true,
            Tombstones.DEAD_LETTER,
            ClientProperties.of(own)));
  }
}
