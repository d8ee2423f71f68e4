package io.latimer.cli.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.latimer.pipelines.flink.sink.RecordTap;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.stage.StageConfig;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live page of a job in this process. It listens as soon as it is created, so that an occupied
 * port is detected before anything else starts; then {@link #addTo} and {@link #tap} connect it to
 * the cluster and to the job, and {@link #begin} describes the job.
 */
public final class LivePage implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LivePage.class);

  private final WebSettings settings;
  private final StuckThreads stuck = new StuckThreads(System::nanoTime);
  private final EventHub hub = new EventHub(stuck);
  private final PageApi api = new PageApi();
  private final JobMetrics metrics = new JobMetrics();
  private final RecordSampler sampler = new RecordSampler(hub::record, System::nanoTime);
  private final RecordTap tap = RecordTap.open(sampler);
  private final PageServer server;
  private final ScheduledExecutorService clock;
  private FeedWriter writer;
  private int batchLimit;
  private List<String> stages = List.of();
  private long counted;
  private long refused;
  private long countedAt = System.nanoTime();
  private Optional<ScheduledFuture<?>> ticks = Optional.empty();
  private boolean ended;
  private boolean closed;

  private LivePage(WebSettings settings) {
    this.settings = settings;
    try {
      server = new PageServer(settings, hub, api, stuck);
    } catch (RuntimeException e) {
      tap.close();
      metrics.close();
      throw e;
    }
    clock =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "live-page-clock");
              thread.setDaemon(true);
              return thread;
            });
    var unused = clock.scheduleAtFixedRate(stuck::interrupt, 1, 1, TimeUnit.SECONDS);
  }

  /**
   * Starts to serve the page before the job is known.
   *
   * @throws io.latimer.cli.command.CommandException if it cannot listen
   */
  public static LivePage start(WebSettings settings) {
    return new LivePage(settings);
  }

  /** Its address, with the token if there is one. */
  public String url() {
    return settings.url(server.port());
  }

  /** Lets a cluster in this process report its metrics to the page. */
  public void addTo(Configuration cluster) {
    metrics.addTo(cluster);
  }

  /** The tap that passes the job's records to the page. */
  public RecordTap tap() {
    return tap;
  }

  /**
   * Called when the job runs.
   *
   * @param sent called for each sentence that the page has sent
   */
  public synchronized void begin(JobConfig config, Runnable sent) {
    batchLimit = config.batch().limits().records();
    stages = config.stages().stream().map(StageConfig::name).toList();
    writer = new FeedWriter(config, sampler, sent);
    api.begin(writer);
    hub.job(PageJson.of(json -> write(json, config)));
    ticks = Optional.of(clock.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS));
  }

  private void write(JsonGenerator json, JobConfig config) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", config.name());
    json.writeArrayFieldStart("stages");
    for (String stage : stages) {
      json.writeString(stage);
    }
    json.writeEndArray();
    json.writeBooleanField("write", settings.write());
    json.writeStringField("topic", writer.topic().orElse(""));
    json.writeArrayFieldStart("learning");
    for (String stage : writer.learning()) {
      json.writeString(stage);
    }
    json.writeEndArray();
    json.writeNumberField("perSecond", RecordSampler.PER_SECOND);
    json.writeEndObject();
  }

  private void tick() {
    try {
      String json = PageJson.of(this::writeStatistics);
      api.statistics(json);
      hub.statistics(json);
    } catch (Throwable e) {
      // such as from a gauge of an ending task; uncaught, it would stop the timer
      LOG.warn("The live page misses the numbers of a second.", e);
    }
  }

  private synchronized void writeStatistics(JsonGenerator json) throws IOException {
    long now = System.nanoTime();
    double seconds = Math.max(1e-3, (now - countedAt) / 1e9);
    long translated = sampler.translated();
    long letters = sampler.refused();
    LatencyHistogram latency = sampler.takeLatency();
    json.writeStartObject();
    json.writeNumberField("time", System.currentTimeMillis());
    json.writeNumberField("translated", translated);
    json.writeNumberField("refused", letters);
    json.writeNumberField("shown", sampler.shown());
    json.writeNumberField("perSecond", (translated + letters - counted - refused) / seconds);
    json.writeNumberField("p50", latency.quantile(0.5));
    json.writeNumberField("p99", latency.quantile(0.99));
    json.writeNumberField("pages", hub.clients());
    metrics.write(json, ended, batchLimit, stages);
    json.writeEndObject();
    counted = translated;
    refused = letters;
    countedAt = now;
  }

  /**
   * Called when the job has ended: pages say so, and keep showing its records. Ending twice is
   * safe.
   */
  public synchronized void end() {
    if (ended) {
      return;
    }
    ended = true;
    ticks.ifPresent(ticking -> ticking.cancel(false));
    if (ticks.isPresent()) {
      tick(); // the final statistics
    }
    tap.close();
    api.end();
    hub.end("{}");
    if (writer != null) {
      writer.close();
    }
  }

  /** Tells pages that the job has ended, then stops listening. Closing twice is safe. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    end();
    clock.shutdownNow();
    server.close();
    metrics.close();
  }
}
