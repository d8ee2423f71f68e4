package io.latimer.pipelines.flink.batch;

import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.record.TraceParent;
import io.latimer.pipelines.stage.GroupCall.MemberCall;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.StageIndexVersion;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.traces.Span;
import org.apache.flink.traces.SpanBuilder;

/**
 * Reports spans of micro-batches to Flink's trace reporters: one for each batch, from its first
 * record to its end, with child spans for each stage and for each of its first records whose trace
 * is sampled. Flink's spans cannot continue the trace of a record, so they name it in an attribute.
 *
 * <p>A subtask reports at most {@link #PER_SECOND} batches a second, and as many more that have a
 * sampled record. Flink adds job, task, operator and subtask to the spans. Thread-safe.
 */
final class BatchSpans {
  /** Maximum number of batches a second. */
  static final int PER_SECOND = 10;

  /** Maximum number of records of a batch. */
  static final int RECORDS = 8;

  private final MetricGroup group;
  private final String name;
  private final boolean reported;
  private final Counter dropped;
  private final LongSupplier nanoTime;
  private final Rate rest;
  private final Rate sampled;

  /** A rate limit: at most {@link #PER_SECOND} batches in any second of the clock. */
  private static final class Rate {
    private long second = Long.MIN_VALUE;
    private int taken;

    boolean isFree(long now) {
      return now != second || taken < PER_SECOND;
    }

    boolean take(long now) {
      if (!isFree(now)) {
        return false;
      }
      taken = now == second ? taken + 1 : 1;
      second = now;
      return true;
    }
  }

  /**
   * Registers a counter of the batches without a span.
   *
   * @param group of the operator
   * @param name of the group of stages
   * @param reported whether spans are made
   */
  BatchSpans(MetricGroup group, String name, boolean reported) {
    this(group, name, reported, System::nanoTime);
  }

  BatchSpans(MetricGroup group, String name, boolean reported, LongSupplier nanoTime) {
    this.group = group;
    this.name = name;
    this.reported = reported;
    this.nanoTime = nanoTime;
    this.dropped = group.counter(BatchMetrics.DROPPED_SPANS.id());
    this.rest = new Rate();
    this.sampled = new Rate();
  }

  /** Whether a task manager has a trace reporter. */
  static boolean areReported(Configuration taskManager) {
    return taskManager.keySet().stream().anyMatch(key -> key.startsWith("traces.reporter"));
  }

  /**
   * Reports a batch that is done.
   *
   * @param batch as it arrived
   * @param done the processed records
   * @param start {@link System#nanoTime} when its first stage began
   * @param calls what the stages did
   */
  void add(Batch batch, List<Envelope> done, long start, List<MemberCall> calls) {
    if (!reported) {
      return;
    }
    long now = nanoTime.getAsLong();
    long second = TimeUnit.NANOSECONDS.toSeconds(now);
    boolean taken = take(rest, second);
    if (!taken && !isFree(sampled, second)) {
      drop(); // without parsing headers: most batches of a busy subtask end here
      return;
    }
    List<Envelope> traced =
        batch.getEnvelopes().stream().filter(BatchSpans::isSampled).limit(RECORDS).toList();
    if (!taken && (traced.isEmpty() || !take(sampled, second))) {
      drop();
      return;
    }
    long opened = batch.getOpenedAt().toEpochMilli();
    long end = Math.max(opened, System.currentTimeMillis());
    SpanBuilder span =
        span("Batch", opened, end)
            .setAttribute("stages", name)
            .setAttribute("records", done.size())
            .setAttribute(
                "deadLetters",
                done.stream()
                    .filter(one -> one.getFailure() != null && !Envelopes.isTombstone(one))
                    .count())
            .setAttribute("queueMillis", Math.max(0, end - opened - millis(now - start)));
    for (StageIndexVersion used : batch.getReferences()) {
      span.setAttribute("index." + used.getStage(), used.getReference().getSha256());
    }
    traced.stream().findFirst().flatMap(BatchSpans::trace).ifPresent(of -> tell(span, of));
    for (MemberCall call : calls) {
      if (call.records() > 0) {
        span.addChild(stage(call, end, now));
      }
    }
    traced.forEach(record -> span.addChild(record(record, opened, end)));
    group.addSpan(span);
  }

  private synchronized boolean isFree(Rate rate, long second) {
    return rate.isFree(second);
  }

  private synchronized boolean take(Rate rate, long second) {
    return rate.take(second);
  }

  private synchronized void drop() {
    dropped.inc();
  }

  private static SpanBuilder stage(MemberCall call, long end, long now) {
    long began = end - millis(now - call.began());
    return span("Stage", began, began + millis(call.nanos()))
        .setAttribute("stage", call.stage())
        .setAttribute("records", call.records())
        .setAttribute("deadLetters", call.refused())
        .setAttribute("queueMillis", millis(call.queueNanos()));
  }

  private static SpanBuilder record(Envelope record, long opened, long end) {
    SpanBuilder span = span("Record", opened, end);
    span.setAttribute("id", record.getSentence().getId());
    span.setAttribute("feed", record.getSentence().getFeed());
    trace(record).ifPresent(of -> tell(span, of));
    return span;
  }

  private static SpanBuilder span(String name, long start, long end) {
    return Span.builder(BatchSpans.class, name).setStartTsMillis(start).setEndTsMillis(end);
  }

  private static void tell(SpanBuilder span, TraceParent of) {
    span.setAttribute("traceId", of.traceId()).setAttribute("parentSpanId", of.parentId());
  }

  private static boolean isSampled(Envelope record) {
    return trace(record).filter(TraceParent::sampled).isPresent();
  }

  /** The trace of a record; empty if the record could not be read or has none. */
  private static Optional<TraceParent> trace(Envelope record) {
    Sentence sentence = record.getSentence();
    return sentence == null ? Optional.empty() : TraceParent.of(sentence.getHeaders());
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
