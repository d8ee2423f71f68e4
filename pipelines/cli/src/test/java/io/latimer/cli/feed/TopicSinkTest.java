package io.latimer.cli.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.kafka.EmbeddedKafka;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class TopicSinkTest {
  @TempDir Path folder;

  @Test
  void sentencesAreSentOnceOverSeveralRuns() throws Exception {
    Path file = Files.writeString(folder.resolve("a.log"), "one\ntwo\n");
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("sentences", 1);
      String[] command = {
        "feed",
        "lines",
        "path=" + file,
        "follow=false",
        "--to=sentences",
        "--bootstrap-servers=" + kafka.bootstrapServers(),
        "--property=client.id=test",
        "--name=wire",
        "--position=" + folder.resolve("position")
      };
      Run first = Run.of(command);
      assertThat(first.err()).isEmpty();
      assertThat(first.out()).isEmpty();
      Files.writeString(file, "three\n", StandardOpenOption.APPEND);
      assertThat(Run.of(command).exitCode()).isZero();

      List<ConsumerRecord<byte[], byte[]>> records = read(kafka, 3);
      RecordCodec<Sentence> codec = RecordCodec.of(Sentence.class);
      List<String> texts = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> record : records) {
        Sentence sentence = codec.decode(record.value());
        texts.add(sentence.getFeed() + " " + sentence.getText());
        assertThat(record.key()).isEqualTo(sentence.getId().getBytes(StandardCharsets.UTF_8));
        assertThat(record.timestamp()).isEqualTo(sentence.getEventTime().toEpochMilli());
      }
      assertThat(texts).containsExactly("wire one", "wire two", "wire three");
    }
  }

  @Test
  void aBrokerThatIsNotThereIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("a.log"), "one\n");
    Path position = folder.resolve("position");
    Run run =
        Run.of(
            "feed",
            "lines",
            "path=" + file,
            "follow=false",
            "--to=sentences",
            "--bootstrap-servers=127.0.0.1:1",
            "--property=max.block.ms=200",
            "--position=" + position);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .contains("sentences cannot be sent to topic sentences at 127.0.0.1:1")
        .contains("check that Kafka runs there");
    assertThat(position).doesNotExist();
  }

  private static List<ConsumerRecord<byte[], byte[]>> read(EmbeddedKafka kafka, int count) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition("sentences", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      assertThat(end).isEqualTo(count);
      while (records.size() < count) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
    }
    return records;
  }
}
