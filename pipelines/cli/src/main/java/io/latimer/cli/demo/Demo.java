package io.latimer.cli.demo;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.Logs;
import io.latimer.cli.job.LocalCluster;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.cli.terminal.Terminal;
import io.latimer.cli.web.LivePage;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.slf4j.LoggerFactory;

/**
 * A run of the demo. Broker, cluster and model start in parallel; then a thread feeds the topic,
 * and the caller's thread prints what the job commits until all sentences have come out.
 */
final class Demo {
  private static final Duration STALL_LIMIT = Duration.ofSeconds(60);
  private static final long STATUS_NANOS = 200_000_000;
  private static final String STOPPING = "latimer: stopping ...";
  private static final long CHECK_NANOS = 1_000_000_000;

  private final DemoSettings settings;
  private final DemoJob job;
  private final Terminal terminal;
  private final StopSignal stop;
  private final Duration stopTimeout;
  private final LivePage page;
  private final OptionalInt ui;
  private final DemoCounts counts = new DemoCounts();

  /** Thrown if Ctrl-C was pressed before anything was streamed. */
  private static final class StoppedException extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Creates a run.
   *
   * @param stopTimeout maximum time for which a stop waits for sentences that were sent
   * @param page shows the records; null for none
   * @param ui port of Flink's own page, 0 for any free one; empty for none
   */
  Demo(
      DemoSettings settings,
      DemoJob job,
      Terminal terminal,
      StopSignal stop,
      Duration stopTimeout,
      LivePage page,
      OptionalInt ui) {
    this.ui = ui;
    this.stopTimeout = stopTimeout;
    this.page = page;
    this.settings = settings;
    this.job = job;
    this.terminal = terminal;
    this.stop = stop;
  }

  /**
   * Runs to the end of the feed.
   *
   * @param bootstrapServers the Kafka to use, or null for the demo's own
   * @return the command's exit code
   */
  int run(DemoFeed feed, String bootstrapServers) throws Exception {
    long begun = System.nanoTime();
    LoggerFactory.getLogger(Demo.class); // in this thread: parallel threads would lose log lines
    terminal.status("starting Kafka, Flink and the model ...");
    Starting<DemoBrokers> kafka =
        new Starting<>(
            "demo-kafka",
            () ->
                bootstrapServers == null
                    ? DemoBrokers.own(settings)
                    : DemoBrokers.at(bootstrapServers, settings));
    Starting<LocalCluster> flink =
        new Starting<>("demo-flink", () -> LocalCluster.start(cluster(), 1, ui));
    Starting<AutoCloseable> model = new Starting<>("demo-model", job::loadModel);
    AutoCloseable loaded = null; // kept until the end, because the job may restart
    try {
      loaded = await(model); // before the job, so that its problems have plain messages
      DemoBrokers brokers = await(kafka);
      JobClient running = await(flink).submit(job.environment(brokers.bootstrapServers(), page));
      awaitRunning(running);
      terminal.message(
          String.format(
              Locale.ROOT,
              "Kafka at %s, Flink and the model ready after %.1f s.",
              brokers.bootstrapServers(),
              (System.nanoTime() - begun) / 1e9));
      if (page != null) {
        page.begin(job.config(brokers.bootstrapServers()), counts.in::incrementAndGet);
        terminal.message("The records are shown at " + page.url());
      }
      if (ui.isPresent()) {
        terminal.message("Flink's web page is at " + await(flink).ui());
      }
      int exitCode = stream(feed, brokers.bootstrapServers(), running);
      if (settings.keep() && !stop.isRaised()) {
        await(flink).close();
        keep(brokers.bootstrapServers());
      }
      return exitCode;
    } catch (StoppedException e) {
      terminal.message(STOPPING); // anything that is starting is waited for
      return stop.exitCode();
    } finally {
      terminal.status("");
      close(flink, kafka);
      if (loaded != null) {
        loaded.close();
      }
    }
  }

  private Configuration cluster() {
    Configuration settings = new Configuration();
    if (page != null) {
      page.addTo(settings);
    }
    return settings;
  }

  private int stream(DemoFeed feed, String servers, JobClient running) throws Exception {
    DemoFeeder feeder = new DemoFeeder(settings, feed, counts, terminal);
    // it may block forever reading standard input
    Thread feeding = daemon("demo-feeder", () -> feeder.run(servers));
    int maxBatch = job.config(servers).batch().limits().records();
    long begun = System.nanoTime();
    try (DemoReader reader = new DemoReader(servers, settings, counts, terminal)) {
      feeding.start();
      long out = 0;
      long moved = begun;
      long shown = begun;
      long checked = begun;
      long stopped = 0;
      // a stopped feeder may still wait for a line of the standard input
      while ((feeding.isAlive() && stopped == 0) || counts.lag() > 0) {
        reader.poll();
        feeder.check();
        long now = System.nanoTime();
        if (stop.isRaised() && stopped == 0) {
          stopped = now;
          feeder.stop();
          terminal.message(STOPPING);
        }
        if (stopped != 0 && now - stopped > stopTimeout.toNanos()) {
          break;
        }
        if (counts.out() != out || counts.lag() == 0) {
          out = counts.out();
          moved = now;
        }
        if (now - moved > STALL_LIMIT.toNanos()) {
          throw new CommandException(
              counts.lag()
                  + " sentences did not come back within "
                  + STALL_LIMIT.toSeconds()
                  + " s; the log says more: "
                  + Logs.file());
        }
        if (now - checked > CHECK_NANOS) {
          checked = now;
          checkRuns(running);
        }
        if (now - shown > STATUS_NANOS) {
          shown = now;
          terminal.status(counts.status(maxBatch));
        }
      }
      feeder.check();
    } finally {
      feeder.stop();
    }
    terminal.status("");
    if (counts.in.get() == 0 && !stop.isRaised()) {
      terminal.message("latimer: the feed is empty: no line of it has text.");
    }
    terminal.message(counts.summary(Duration.ofNanos(System.nanoTime() - begun)));
    if (counts.lag() > 0) {
      terminal.message(
          "latimer: "
              + counts.lag()
              + " sentences had not come back after "
              + stopTimeout.toSeconds()
              + " s (--stop-timeout).");
    }
    if (stop.isRaised()) {
      return stop.exitCode();
    }
    return counts.refused.get() == 0 ? 0 : ExitCodes.FAILED;
  }

  /** Keeps the broker running for others until Ctrl-C. */
  private void keep(String servers) throws InterruptedException {
    terminal.message(
        """
        Kafka stays at %s for other jobs; Ctrl-C stops it and deletes its topics:
          %s  sentences
          %s  translations
          %s  dead letters
        'latimer demo --print-config --bootstrap-servers %s' prints a job file to start from.\
        """
            .formatted(
                servers,
                settings.sourceTopic(),
                settings.translationTopic(),
                settings.deadLetterTopic(),
                servers));
    while (!stop.isRaised()) {
      Thread.sleep(100);
    }
  }

  private void awaitRunning(JobClient running) throws Exception {
    while (checkRuns(running) != JobStatus.RUNNING) {
      if (stop.isRaised()) {
        throw new StoppedException();
      }
      Thread.sleep(20);
    }
  }

  /** Throws the reason if the job has ended. */
  private static JobStatus checkRuns(JobClient running) throws Exception {
    JobStatus status = running.getJobStatus().get();
    if (status.isGloballyTerminalState()) {
      try {
        running.getJobExecutionResult().get();
      } catch (ExecutionException e) {
        throw new CommandException("the job failed: " + LocalCluster.rootMessage(e), e);
      }
      throw new CommandException("the job ended: " + status);
    }
    return status;
  }

  private <T> T await(Starting<T> starting) throws Exception {
    while (!starting.ends(Duration.ofMillis(100))) {
      if (stop.isRaised()) {
        throw new StoppedException();
      }
    }
    return starting.get();
  }

  /** Stops the job with its cluster, then the brokers, if they have started. */
  private static void close(Starting<LocalCluster> flink, Starting<DemoBrokers> kafka)
      throws InterruptedException {
    kafka.giveUp();
    try {
      flink.outcome().ifPresent(LocalCluster::close);
    } finally {
      kafka.outcome().ifPresent(DemoBrokers::close);
    }
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
