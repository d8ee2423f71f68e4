package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.Envelope;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.flink.api.common.JobID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs with a slow or silent source or sink. */
@Timeout(240)
class BackpressureTest {
  private static final Instant START = Instant.parse("2026-11-20T08:00:00Z");

  private static final int LINES = 100_000;

  @TempDir Path folder;
  private Flow flow;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 2, 1);
  }

  @AfterEach
  void stop() {
    flow.close();
  }

  @Test
  void aSinkThatStandsStillStopsTheSource() throws Exception {
    String padding = "x".repeat(300);
    List<String> lines =
        IntStream.range(0, LINES).mapToObj(i -> "line " + i + " " + padding).toList();
    flow.send(2, lines);
    try (EmbeddedKafka slow = EmbeddedKafka.start()) {
      slow.createTopic("out", 1);
      signal("STOP", slow);
      JobID job = flow.start(toSlowSink(slow));

      long ahead = settled(() -> flow.largest(job, "Source.*|source.*", "numRecordsOut"));

      // at most what the sink's buffer of 1 MiB and the batches in flight hold
      assertThat(ahead).isBetween(1L, LINES / 4L);
      long live = liveEnvelopes();
      long heap = heap();
      assertThat(live).isBetween(1L, LINES / 4L);

      // doubling the source's data does not change how much the job holds
      flow.send(2, lines);
      Thread.sleep(Duration.ofSeconds(3).toMillis());
      assertThat(flow.largest(job, "Source.*|source.*", "numRecordsOut")).isEqualTo(ahead);
      assertThat(liveEnvelopes()).isLessThanOrEqualTo(live + LINES / 100L);
      assertThat(heap() - heap).isLessThan((long) LINES * padding.length() / 2);

      signal("CONT", slow);
      assertThat(await(() -> flow.largest(job, "Source.*|source.*", "numRecordsOut") >= LINES * 2L))
          .isTrue();
    }
  }

  /** One subtask reads both partitions, so that the silent one holds back the other. */
  @Test
  void anIdlePartitionDoesNotHoldBackWatermarks() throws Exception {
    JobID job =
        flow.start(flow.job("identity: {}", 1, "event-time: {out-of-orderness: 0s, idleness: 1s}"));
    sendTwenty(0);
    flow.await("out", 20);

    assertThat(await(() -> watermark(job) >= reached(20))).isTrue();
  }

  @Test
  void withoutIdlenessASilentPartitionHoldsWatermarksBack() throws Exception {
    JobID job =
        flow.start(flow.job("identity: {}", 1, "event-time: {out-of-orderness: 0s, idleness: 0s}"));
    sendTwenty(0);
    flow.await("out", 20);

    // many times the interval of watermarks
    for (int i = 0; i < 30; i++) {
      assertThat(watermark(job)).isLessThan(START.toEpochMilli());
      Thread.sleep(100);
    }

    // the silent partition held them back
    sendTwenty(1);
    assertThat(await(() -> watermark(job) >= reached(20))).isTrue();
  }

  private void sendTwenty(int partition) throws Exception {
    for (int i = 0; i < 20; i++) {
      flow.send(
          new ProducerRecord<>(
              "in",
              partition,
              START.plusSeconds(i).toEpochMilli(),
              null,
              ("line " + i).getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** A lower bound of the watermark after so many records. */
  private static long reached(int records) {
    return START.plusSeconds(records - 2).toEpochMilli();
  }

  private long watermark(JobID job) {
    return flow.largest(job, "scatter identity", "currentOutputWatermark");
  }

  private JobConfig toSlowSink(EmbeddedKafka slow) {
    String yaml =
        """
        name: slow
        source:
          kafka: {bootstrap-servers: "%s", topics: [in], start: earliest}
        stages: [identity: {}]
        sinks:
          - kafka:
              bootstrap-servers: "%s"
              topic: out
              delivery: at-least-once
              properties: {buffer.memory: 1048576, max.block.ms: 120000}
        dead-letters: fail
        checkpoints: {interval: 0s}
        """
            .formatted(flow.broker().bootstrapServers(), slow.bootstrapServers());
    return JobConfigReader.read(yaml, "slow.yaml", folder);
  }

  /** Suspends or resumes a broker: connections stay open, but nothing is answered. */
  private static void signal(String name, EmbeddedKafka broker)
      throws IOException, InterruptedException {
    int exit =
        new ProcessBuilder("kill", "-" + name, Long.toString(broker.pid())).start().waitFor();
    assertThat(exit).isZero();
  }

  /** Number of reachable records that the jobs of this process hold. */
  private static long liveEnvelopes() throws Exception {
    String histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    // rank, instances, bytes, class and its module
    Matcher line =
        Pattern.compile(
                "(?m)^ *\\d+: +(\\d+) +\\d+ +"
                    + Pattern.quote(Envelope.class.getName())
                    + "\\b(?![$.])")
            .matcher(histogram);
    return line.find() ? Long.parseLong(line.group(1)) : 0;
  }

  /** Bytes of the heap in use after a garbage collection. */
  private static long heap() throws Exception {
    liveEnvelopes(); // the histogram counts after a full collection
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static boolean await(BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 600 && !condition.getAsBoolean(); i++) {
      Thread.sleep(100);
    }
    return condition.getAsBoolean();
  }

  /** Waits until a number is positive and has not changed for three seconds. */
  private static long settled(java.util.function.LongSupplier number) throws InterruptedException {
    long last = number.getAsLong();
    int same = 0;
    for (int i = 0; i < 600 && same < 30; i++) {
      Thread.sleep(100);
      long now = number.getAsLong();
      same = now == last && now > 0 ? same + 1 : 0;
      last = now;
    }
    return last;
  }
}
