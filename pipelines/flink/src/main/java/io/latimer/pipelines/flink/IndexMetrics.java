package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.stage.BatchStage;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;

/**
 * The metrics of the indexes that later batches use, of all stages of a group: of the one of each
 * stage that commands may swap. They follow swaps, and pairs that a stage learns beside an index.
 * Thread-safe.
 */
final class IndexMetrics {
  private static final String NO_VERSION = "none";

  /** The load time of a stage that was not seen opening. */
  private static final long UNKNOWN = -1;

  private final MetricGroup operator;
  private final LongSupplier nanoTime;
  private final Map<String, InUse> stages = new HashMap<>();

  /** By open stages: one that batches still use may come into use again without opening. */
  private final Map<BatchStage, Long> loadMillis = new WeakHashMap<>();

  /** Registers metrics as stages come into use. */
  IndexMetrics(MetricGroup operator) {
    this(operator, System::nanoTime);
  }

  IndexMetrics(MetricGroup operator, LongSupplier nanoTime) {
    this.operator = operator;
    this.nanoTime = nanoTime;
  }

  /** The index of one stage. */
  private final class InUse {
    private final String stage;
    private volatile IndexRef index;
    private volatile long since;
    private volatile long loaded;
    private volatile int learned;
    private MetricGroup info;

    InUse(String stage) {
      this.stage = stage;
    }

    void register() {
      MetricGroup group = Labels.add(operator, BatchMetrics.INDEX_BYTES, stage);
      Gauge<Long> bytes = () -> ResidentIndexes.process().bytes(index);
      group.gauge(BatchMetrics.INDEX_BYTES.id(), bytes);
      Gauge<Long> age = () -> TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - since);
      group.gauge(BatchMetrics.INDEX_AGE.id(), age);
      Gauge<Long> load = () -> loaded;
      group.gauge(BatchMetrics.INDEX_LOAD_TIME.id(), load);
      Gauge<Integer> pairs = () -> learned;
      group.gauge(BatchMetrics.LEARNED_PAIRS.id(), pairs);
    }

    void set(IndexRef next, long millis, int pairs) {
      boolean first = index == null;
      learned = pairs;
      if (next.equals(index)) {
        return; // with other learned pairs: its age and its own load time stay
      }
      loaded = millis;
      since = nanoTime.getAsLong();
      index = next;
      if (first) {
        register();
      }
      if (info instanceof AbstractMetricGroup<?> old) {
        old.close(); // Flink has no other way to withdraw a metric
      }
      info =
          Labels.add(
              operator,
              BatchMetrics.INDEX_INFO,
              stage,
              next.version().isEmpty() ? NO_VERSION : next.version(),
              next.sha256());
      Gauge<Integer> one = () -> 1;
      info.gauge(BatchMetrics.INDEX_INFO.id(), one);
    }
  }

  /** A stage was opened on an index, which batches need not use. */
  synchronized void opened(BatchStage stage, long nanos) {
    loadMillis.put(stage, TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  /**
   * Later batches use a stage, which is open.
   *
   * @param learned number of pairs that it has learned beside its index
   */
  synchronized void inUse(BatchStage stage, int learned) {
    stage
        .index()
        .ifPresent(
            index ->
                stages
                    .computeIfAbsent(stage.name(), InUse::new)
                    .set(index, loadMillis.getOrDefault(stage, UNKNOWN), learned));
  }
}
