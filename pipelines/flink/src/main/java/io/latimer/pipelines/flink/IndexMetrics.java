package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.stage.BatchStage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;

/**
 * The metrics of the indexes that later batches use, of all stages of a group. They follow swaps.
 * Thread-safe.
 */
final class IndexMetrics {
  private static final String NO_VERSION = "none";

  /** Times of indexes that were loaded and never used are forgotten then. */
  private static final int MAX_LOADED = 16;

  private final MetricGroup operator;
  private final Map<String, InUse> stages = new HashMap<>();
  private final Map<String, Long> loadMillis = new HashMap<>(); // by SHA-256

  /** Registers metrics as stages come into use. */
  IndexMetrics(MetricGroup operator) {
    this.operator = operator;
  }

  /** The index of one stage. */
  private final class InUse {
    private final String stage;
    private volatile IndexRef index;
    private volatile long since;
    private volatile long loaded;
    private MetricGroup info;

    InUse(String stage) {
      this.stage = stage;
    }

    void register() {
      MetricGroup group = Labels.add(operator, BatchMetrics.INDEX_BYTES, stage);
      Gauge<Long> bytes = () -> ResidentIndexes.process().bytes(index);
      group.gauge(BatchMetrics.INDEX_BYTES.id(), bytes);
      Gauge<Long> age = () -> TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since);
      group.gauge(BatchMetrics.INDEX_AGE.id(), age);
      Gauge<Long> load = () -> loaded;
      group.gauge(BatchMetrics.INDEX_LOAD_TIME.id(), load);
    }

    void set(IndexRef next, Long millis) {
      boolean first = index == null;
      if (millis != null) {
        loaded = millis;
      }
      if (next.equals(index)) {
        return;
      }
      since = System.nanoTime();
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
    if (loadMillis.size() >= MAX_LOADED) {
      loadMillis.clear();
    }
    for (IndexRef index : stage.indexRefs()) {
      loadMillis.put(index.sha256(), TimeUnit.NANOSECONDS.toMillis(nanos));
    }
  }

  /** Later batches use a stage, which is open. */
  synchronized void inUse(BatchStage stage) {
    for (IndexRef index : stage.indexRefs()) {
      stages
          .computeIfAbsent(stage.name(), InUse::new)
          .set(index, loadMillis.remove(index.sha256()));
    }
  }
}
