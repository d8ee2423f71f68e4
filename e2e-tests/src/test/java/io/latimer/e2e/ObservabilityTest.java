package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a job through a broker passes on of traces, and shows of itself. */
@Timeout(240)
class ObservabilityTest {
  private static final Path GRAMMAR =
      Flow.ROOT.resolve("pipelines/flink/src/test/resources/savepoints/indexes/grammar.lgx");

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

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Header trace(byte[] value) {
    return new RecordHeader("traceparent", value);
  }

  /** Headers as texts, in their order. */
  private static List<String> texts(Iterable<Header> headers) {
    List<String> texts = new ArrayList<>();
    for (Header header : headers) {
      String value =
          header.value() == null ? null : new String(header.value(), StandardCharsets.ISO_8859_1);
      texts.add(header.key() + "=" + value);
    }
    return texts;
  }

  @Test
  void tracesPassThroughToSinksAndDeadLettersAsTheyAre() throws Exception {
    List<List<Header>> traces =
        List.of(
            List.of(
                trace(bytes("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")),
                new RecordHeader("tracestate", bytes("vendor=1"))),
            List.of(trace(bytes("no trace"))),
            List.of(trace(new byte[] {0, (byte) 0xff, (byte) 0xc3})),
            List.of(trace(null)),
            List.of(trace(bytes("a")), new RecordHeader("x", bytes("b")), trace(bytes("c"))),
            List.of());
    // for the sink, for a stage to refuse, and unreadable
    List<byte[]> values =
        List.of(bytes("open the door"), bytes("x ".repeat(9)), new byte[] {'a', (byte) 0xc3, '('});
    flow.start(flow.job("grammar-check: {grammar: \"" + GRAMMAR + "\", max-words: 8}", 1));
    for (byte[] value : values) {
      for (List<Header> headers : traces) {
        flow.send(new ProducerRecord<>("in", 0, null, null, value, headers));
      }
    }

    List<ConsumerRecord<byte[], byte[]>> out = flow.await("out", traces.size());
    List<ConsumerRecord<byte[], byte[]>> dead = flow.await("dead", 2 * traces.size());

    assertThat(out).hasSize(traces.size());
    assertThat(dead).hasSize(2 * traces.size());
    for (int i = 0; i < traces.size(); i++) {
      List<String> sent = texts(traces.get(i));
      assertThat(texts(out.get(i).headers())).isEqualTo(sent);
      for (ConsumerRecord<byte[], byte[]> letter :
          List.of(dead.get(i), dead.get(traces.size() + i))) {
        assertThat(texts(letter.headers())).isEqualTo(sent);
        assertThat(RecordCodec.of(DeadLetter.class).decode(letter.value()).getHeaders())
            .hasSize(sent.size());
      }
    }
  }

  private Path estimate(String name, int from) throws Exception {
    Path file = folder.resolve(name);
    LanguageModels.estimate(Flow.feed().subList(from, from + 100), file);
    return file;
  }

  @Test
  void metricsOfTheIndexFollowASwapAndThoseOfTheSinkHaveTheRecords() throws Exception {
    flow.topic("control", 1);
    flow.topic("status", 1);
    Path first = estimate("first.llm", 0);
    Path second = estimate("second.llm", 150);
    JobConfig config =
        flow.job(
            "score: {model: \"" + first + "\"}",
            1,
            """
            control:
              bootstrap-servers: "%1$s"
              topic: control
              start: earliest
              status:
                - kafka: {bootstrap-servers: "%1$s", topic: status}
            """
                .formatted(flow.broker().bootstrapServers()));
    JobID job = flow.start(config);
    List<String> sentences = Flow.feed().subList(0, 50);
    flow.send(1, sentences);
    flow.await("out", sentences.size());

    assertThat(number(job, ".stage.score.indexBytes")).isEqualTo(Files.size(first));
    assertThat(info(job, first)).isTrue();
    assertThat(info(job, second)).isFalse();
    assertThat(histogram(job, ".sink-kafka: Writer.0.eventTimeLatency").getCount())
        .isEqualTo(sentences.size());
    Histogram latency = histogram(job, ".sink-kafka: Writer.0.ingestionTimeLatency");
    assertThat(latency.getCount()).isEqualTo(sentences.size());
    assertThat(latency.getStatistics().getMax()).isBetween(1L, 240_000L);
    while (number(job, ".scatter score.0.watermarkLag") < 0) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertThat(number(job, ".scatter score.0.watermarkLag")).isLessThan(240_000);

    while (number(job, ".stage.score.indexAge") < 2) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    long asked = System.nanoTime();
    swap(config, IndexRefs.of(second));
    while (!info(job, second)) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertThat(number(job, ".stage.score.indexBytes")).isEqualTo(Files.size(second));
    long age = number(job, ".stage.score.indexAge");
    assertThat(age).isLessThanOrEqualTo(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - asked));
  }

  private void swap(JobConfig config, IndexRef index) throws Exception {
    IndexReference reference =
        new IndexReference(index.kind(), index.uri().toString(), index.sha256(), index.version());
    ControlCommand command =
        ControlCommand.newBuilder()
            .setId("swap")
            .setJob(config.name())
            .setTime(Instant.now())
            .setSwap(new StageIndexVersion("score", reference, 0L, 0L))
            .build();
    byte[] value = RecordCodec.of(ControlCommand.class).encode(command);
    flow.send(new ProducerRecord<>("control", 0, bytes("swap"), value));
  }

  private boolean info(JobID job, Path model) throws Exception {
    String sha256 = IndexRefs.of(model).sha256();
    return !flow.metrics(job, ".sha256." + sha256 + ".indexInfo").isEmpty();
  }

  private Histogram histogram(JobID job, String end) {
    return (Histogram) metric(job, end);
  }

  private long number(JobID job, String end) {
    return ((Number) ((Gauge<?>) metric(job, end)).getValue()).longValue();
  }

  private Metric metric(JobID job, String end) {
    Map<String, Metric> found = flow.metrics(job, end);
    assertThat(found).as(end).hasSize(1);
    return found.values().iterator().next();
  }
}
