package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.DeviceClock;
import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.stage.GroupCall.MemberCall;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.traces.Span;
import org.apache.flink.traces.SpanBuilder;
import org.junit.jupiter.api.Test;

class BatchSpansTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final String NOT_SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-00";

  private static final Optional<DeviceClock.Times> NONE = Optional.empty();

  private final Group group = new Group();
  private long now = TimeUnit.HOURS.toNanos(1);
  private final BatchSpans spans = new BatchSpans(group, "first, second", true, () -> now);

  /** Keeps spans and its one counter. */
  private static final class Group extends UnregisteredMetricsGroup {
    private final List<Span> spans = new ArrayList<>();
    private final Counter dropped = new SimpleCounter();

    @Override
    public void addSpan(SpanBuilder span) {
      spans.add(span.build());
    }

    @Override
    public Counter counter(String name) {
      assertThat(name).isEqualTo("droppedSpans");
      return dropped;
    }
  }

  private static Envelope record(String traceParent) {
    Envelope record = Envelopes.of("text", 0);
    if (!traceParent.isEmpty()) {
      ByteBuffer value = ByteBuffer.wrap(traceParent.getBytes(StandardCharsets.ISO_8859_1));
      record.getSentence().setHeaders(List.of(new Header("traceparent", value)));
    }
    return record;
  }

  private void add(String... traceParents) {
    List<Envelope> records = new ArrayList<>();
    for (String one : traceParents) {
      records.add(record(one));
    }
    Batch batch = new Batch(records, Instant.now().minusMillis(500), List.of());
    long millisecond = TimeUnit.MILLISECONDS.toNanos(1);
    spans.add(
        batch,
        records,
        now - 300 * millisecond,
        List.of(
            new MemberCall("first", 0, now - 300 * millisecond, 100 * millisecond, 2, 0, NONE),
            new MemberCall("second", 0, now - 150 * millisecond, 50 * millisecond, 2, 1, NONE),
            new MemberCall("none", 0, 0, 0, 0, 0, NONE)));
  }

  @Test
  void aBatchHasASpanWithOneOfEachStageThatWorkedOnIt() {
    add("", "");

    assertThat(group.spans).hasSize(1);
    Span batch = group.spans.get(0);
    assertThat(batch.getName()).isEqualTo("Batch");
    assertThat(batch.getAttributes())
        .containsEntry("stages", "first, second")
        .containsEntry("records", 2L)
        .containsEntry("deadLetters", 0L)
        .doesNotContainKey("traceId");
    assertThat(batch.getEndTsMillis() - batch.getStartTsMillis()).isBetween(500L, 60_000L);
    assertThat(batch.getChildren()).hasSize(2);
    Span second = batch.getChildren().get(1);
    assertThat(second.getName()).isEqualTo("Stage");
    assertThat(second.getAttributes())
        .containsAllEntriesOf(Map.of("stage", "second", "records", 2L, "deadLetters", 1L));
    assertThat(batch.getEndTsMillis() - second.getStartTsMillis()).isEqualTo(150);
    assertThat(second.getEndTsMillis() - second.getStartTsMillis()).isEqualTo(50);
  }

  @Test
  void aSampledRecordHasASpanThatNamesItsTrace() {
    add("", NOT_SAMPLED, SAMPLED, "malformed");

    Span batch = group.spans.get(0);
    assertThat(batch.getAttributes())
        .containsEntry("traceId", TRACE)
        .containsEntry("parentSpanId", "00f067aa0ba902b7");
    List<Span> records =
        batch.getChildren().stream().filter(one -> one.getName().equals("Record")).toList();
    assertThat(records).hasSize(1);
    assertThat(records.get(0).getAttributes()).containsEntry("traceId", TRACE);
  }

  @Test
  void aBatchHasSpansOfAFewRecordsOnly() {
    String[] all = new String[100];
    java.util.Arrays.fill(all, SAMPLED);
    add(all);
    assertThat(group.spans.get(0).getChildren()).hasSize(2 + BatchSpans.RECORDS);
  }

  @Test
  void aSecondHasSpansOfAFewBatchesAndOfAsManyMoreThatAreSampled() {
    for (int i = 0; i < 3 * BatchSpans.PER_SECOND; i++) {
      add("");
    }
    assertThat(group.spans).hasSize(BatchSpans.PER_SECOND);
    for (int i = 0; i < 3 * BatchSpans.PER_SECOND; i++) {
      add(SAMPLED);
    }
    assertThat(group.spans).hasSize(2 * BatchSpans.PER_SECOND);
    assertThat(group.dropped.getCount()).isEqualTo(4 * BatchSpans.PER_SECOND);
    now += TimeUnit.SECONDS.toNanos(1);
    add("");
    assertThat(group.spans).hasSize(2 * BatchSpans.PER_SECOND + 1);
  }

  @Test
  void headersAreNotReadOnceTheSecondsSpansAreMade() {
    AtomicInteger read = new AtomicInteger();
    Envelope record = record(SAMPLED);
    List<Header> headers = record.getSentence().getHeaders();
    record
        .getSentence()
        .setHeaders(
            new AbstractList<>() {
              @Override
              public Header get(int index) {
                read.incrementAndGet();
                return headers.get(index);
              }

              @Override
              public int size() {
                return headers.size();
              }
            });
    List<Envelope> records = List.of(record);
    Batch batch = new Batch(records, Instant.now(), List.of());
    for (int i = 0; i < 2 * BatchSpans.PER_SECOND; i++) {
      spans.add(batch, records, now, List.of());
    }
    int before = read.get();
    assertThat(before).isPositive();
    spans.add(batch, records, now, List.of());
    assertThat(read).hasValue(before);
    assertThat(group.dropped.getCount()).isEqualTo(1);
    now += TimeUnit.SECONDS.toNanos(1);
    spans.add(batch, records, now, List.of());
    assertThat(read).hasValueGreaterThan(before);
  }

  @Test
  void withoutAReporterNothingIsMade() {
    BatchSpans none = new BatchSpans(group, "first", false, () -> now);
    List<Envelope> records = List.of(record(SAMPLED));
    none.add(new Batch(records, Instant.now(), List.of()), records, now, List.of());
    assertThat(group.spans).isEmpty();
    assertThat(group.dropped.getCount()).isZero();
  }

  @Test
  void theTaskManagersSettingsSayWhetherThereIsAReporter() {
    assertThat(BatchSpans.areReported(new Configuration())).isFalse();
    assertThat(BatchSpans.areReported(Configuration.fromMap(Map.of("traces.reporters", "otel"))))
        .isTrue();
    assertThat(
            BatchSpans.areReported(
                Configuration.fromMap(Map.of("traces.reporter.otel.factory.class", "x"))))
        .isTrue();
  }
}
