package io.latimer.cli.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.latimer.pipelines.metrics.BatchMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;

/**
 * The metrics of a job in this process that the page shows; see docs/metrics.md. A Flink metric
 * reporter, which {@link JobMetricsFactory} looks up by id.
 */
final class JobMetrics implements MetricReporter, AutoCloseable {
  /** Name of the setting with the id. */
  static final String ID = "id";

  private static final int MOST_REMOVED = 1_000;
  private static final String NAME = "live-page";
  private static final String PREFIX = "metrics.reporter." + NAME + ".";
  private static final Map<String, JobMetrics> OPEN = new ConcurrentHashMap<>();
  private static final Set<String> SHOWN =
      Set.of(
          BatchMetrics.BATCH_SIZE.id(),
          BatchMetrics.FILLS.id(),
          BatchMetrics.STAGE_GPU.id(),
          BatchMetrics.GPU_MEMORY.id(),
          BatchMetrics.GPU_MEMORY_USED.id(),
          BatchMetrics.INDEX_INFO.id(),
          BatchMetrics.INDEX_AGE.id(),
          BatchMetrics.LEARNED_PAIRS.id());

  private final String id = UUID.randomUUID().toString();

  /**
   * By full name, because Flink may register one object under several. Guarded by {@link #removed}.
   */
  private final Map<String, Registered> metrics = new HashMap<>();

  /** Removed metrics with their last values, to show after a job has ended. */
  private final Map<String, Registered> removed =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Registered> eldest) {
          return size() > MOST_REMOVED; // each swap of an index removes one
        }
      };

  /** A metric with its labels. */
  private record Registered(Metric metric, String name, Map<String, String> labels) {
    String label(String name) {
      return labels.getOrDefault("<" + name + ">", "");
    }

    /** A copy with a fixed value, because a gauge may read objects that its task closes. */
    Registered withLastValue() {
      if (!(metric instanceof Gauge<?> gauge)) {
        return this;
      }
      Object value = gauge.getValue();
      Gauge<Object> constant = () -> value;
      return new Registered(constant, name, labels);
    }
  }

  /** The combined values of a stage's subtasks. */
  private static final class StageNow {
    private final Map<String, Long> numbers = new TreeMap<>();
    private String version = "";
    private String sha256 = "";
  }

  JobMetrics() {
    OPEN.put(id, this);
  }

  /** The reporter with an id; null if it was closed. */
  static JobMetrics find(String id) {
    return OPEN.get(id);
  }

  /** Adds this reporter to a cluster in this process, beside its own reporters. */
  void addTo(Configuration cluster) {
    cluster.setString(PREFIX + "factory.class", JobMetricsFactory.class.getName());
    cluster.setString(PREFIX + ID, id);
    cluster
        .getOptional(MetricOptions.REPORTERS_LIST)
        .filter(list -> !list.isBlank())
        .ifPresent(list -> cluster.set(MetricOptions.REPORTERS_LIST, list + "," + NAME));
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {
    OPEN.remove(id);
    synchronized (removed) {
      metrics.clear();
    }
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    if (SHOWN.contains(name)) {
      String key = group.getMetricIdentifier(name);
      synchronized (removed) {
        removed.remove(key); // its task has restarted
        metrics.put(key, new Registered(metric, name, Map.copyOf(group.getAllVariables())));
      }
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    String key = group.getMetricIdentifier(name);
    synchronized (removed) {
      Registered last = metrics.remove(key);
      if (last != null) {
        removed.put(key, last.withLastValue());
      }
    }
  }

  /** The current metrics; after the job's end, also those that Flink has already removed. */
  private Collection<Registered> known(boolean ended) {
    synchronized (removed) {
      List<Registered> known = new ArrayList<>();
      if (ended || metrics.isEmpty()) {
        known.addAll(removed.values());
      }
      known.addAll(metrics.values());
      return known;
    }
  }

  /**
   * Writes the fields {@code batch} and {@code stages} of an object.
   *
   * @param ended whether the job has ended
   * @param batchLimit maximum records of a batch
   * @param order names of the job's stages
   */
  void write(JsonGenerator json, boolean ended, int batchLimit, List<String> order)
      throws IOException {
    double records = 0;
    long batches = 0;
    long largest = 0;
    Map<String, Long> fills = new TreeMap<>();
    Map<String, StageNow> stages = new LinkedHashMap<>();
    order.forEach(name -> stages.put(name, new StageNow()));
    for (Registered about : known(ended)) {
      String stage = about.label(BatchMetrics.STAGE);
      if (about.metric() instanceof Histogram sizes) {
        HistogramStatistics statistics = sizes.getStatistics();
        if (statistics.size() > 0) {
          records += statistics.getMean() * statistics.size();
          batches += statistics.size();
          largest = Math.max(largest, statistics.getMax());
        }
      } else if (about.metric() instanceof Counter count) {
        fills.merge(about.label("fill"), count.getCount(), Long::sum);
      } else if (about.metric() instanceof Gauge<?> gauge && !stage.isEmpty()) {
        StageNow now = stages.computeIfAbsent(stage, name -> new StageNow());
        if (about.name().equals(BatchMetrics.INDEX_INFO.id())) {
          now.version = about.label("version");
          now.sha256 = about.label("sha256");
        } else if (gauge.getValue() instanceof Number number) {
          now.numbers.merge(about.name(), number.longValue(), Math::max);
        }
      }
    }
    json.writeObjectFieldStart("batch");
    json.writeNumberField("mean", batches == 0 ? 0 : records / batches);
    json.writeNumberField("largest", largest);
    json.writeNumberField("limit", batchLimit);
    json.writeObjectFieldStart("fills");
    for (Map.Entry<String, Long> fill : fills.entrySet()) {
      json.writeNumberField(fill.getKey(), fill.getValue());
    }
    json.writeEndObject();
    json.writeEndObject();
    json.writeArrayFieldStart("stages");
    for (Map.Entry<String, StageNow> stage : stages.entrySet()) {
      json.writeStartObject();
      json.writeStringField("name", stage.getKey());
      json.writeStringField("version", stage.getValue().version);
      json.writeStringField("sha256", stage.getValue().sha256);
      for (Map.Entry<String, Long> number : stage.getValue().numbers.entrySet()) {
        json.writeNumberField(number.getKey(), number.getValue());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
