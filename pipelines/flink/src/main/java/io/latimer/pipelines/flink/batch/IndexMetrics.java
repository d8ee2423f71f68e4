package io.latimer.pipelines.flink.batch;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.flink.task.Labels;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.IndexVersion;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;

/**
 * Metrics of the indexes of a group's stages that later batches use, each by its {@link IndexName}.
 * They reflect swaps and learned pairs. Thread-safe.
 */
final class IndexMetrics {
  private static final String NO_VERSION = "none";

  /** The load time of a stage whose opening was not measured. */
  private static final long UNKNOWN = -1;

  private final MetricGroup operator;
  private final LongSupplier nanoTime;
  private final Map<String, InUse> indexes = new HashMap<>(); // by name

  /** By open stage: one that batches still use may become current again without being opened. */
  private final Map<BatchStage, Long> loadMillis = new WeakHashMap<>();

  /** Creates the metrics; each is registered when its stage comes into use. */
  IndexMetrics(MetricGroup operator) {
    this(operator, System::nanoTime);
  }

  IndexMetrics(MetricGroup operator, LongSupplier nanoTime) {
    this.operator = operator;
    this.nanoTime = nanoTime;
  }

  /** One index of a stage. */
  private final class InUse {
    private final String name;
    private volatile IndexRef index;
    private volatile long since;
    private volatile long loaded;
    private volatile int learned;
    private MetricGroup info;

    InUse(String name) {
      this.name = name;
    }

    void register() {
      MetricGroup group = Labels.add(operator, BatchMetrics.INDEX_BYTES, name);
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
        return; // only the learned pairs differ: the age and load time of the index stay
      }
      loaded = millis;
      since = nanoTime.getAsLong();
      index = next;
      if (first) {
        register();
      }
      if (info instanceof AbstractMetricGroup<?> old) {
        old.close(); // Flink has no other way to unregister a metric
      }
      info =
          Labels.add(
              operator,
              BatchMetrics.INDEX_INFO,
              name,
              next.version().isEmpty() ? NO_VERSION : next.version(),
              next.sha256());
      Gauge<Integer> one = () -> 1;
      info.gauge(BatchMetrics.INDEX_INFO.id(), one);
    }
  }

  /** Records that a stage was opened on an index, whether or not batches use it. */
  synchronized void opened(BatchStage stage, long nanos) {
    loadMillis.put(stage, TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  /**
   * Records that later batches use an open stage.
   *
   * @param versions of its indexes, by name; those that are not listed have no learned pairs
   */
  synchronized void inUse(BatchStage stage, Map<String, IndexVersion> versions) {
    stage
        .indexes()
        .forEach(
            (name, index) -> {
              IndexVersion version = versions.getOrDefault(name, IndexVersion.of(index));
              indexes
                  .computeIfAbsent(name, InUse::new)
                  .set(index, loadMillis.getOrDefault(stage, UNKNOWN), version.learned().size());
            });
  }
}
