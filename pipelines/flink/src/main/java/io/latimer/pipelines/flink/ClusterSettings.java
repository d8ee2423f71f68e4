package io.latimer.pipelines.flink;

import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.sink.Transactions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestartStrategyOptions;

/**
 * Resolves settings that a job file and a cluster can both have. The order of precedence: an
 * explicit value of the job file, then the cluster's configuration (its own files, {@code -D}, an
 * operator, or {@code engine} of the job file), then the job file's default.
 */
public final class ClusterSettings {
  private ClusterSettings() {}

  /**
   * Applies the cluster's settings to a job.
   *
   * @param cluster settings of the cluster
   * @throws IllegalArgumentException if the cluster's settings do not fit the job
   */
  public static JobConfig applied(JobConfig config, ReadableConfig cluster) {
    Configuration all = new Configuration();
    if (cluster instanceof Configuration own) {
      all.addAll(own);
    } else {
      all.addAll(Configuration.fromMap(cluster.toMap()));
    }
    all.addAll(Configuration.fromMap(config.engineSettings().resolve()));
    JobConfig.Checkpoints checkpoints = config.checkpoints();
    Choice choice = new Choice(config, all);
    Duration interval =
        choice.of(
            JobConfig.EngineKey.CHECKPOINT_INTERVAL,
            CheckpointingOptions.CHECKPOINTING_INTERVAL,
            checkpoints.interval());
    Duration timeout =
        choice.of(
            JobConfig.EngineKey.CHECKPOINT_TIMEOUT,
            CheckpointingOptions.CHECKPOINTING_TIMEOUT,
            checkpoints.timeout());
    Transactions.check(
        config.allSinks(),
        choice.name(
            JobConfig.EngineKey.CHECKPOINT_INTERVAL,
            CheckpointingOptions.CHECKPOINTING_INTERVAL,
            "checkpoints.interval"),
        interval,
        choice.name(
            JobConfig.EngineKey.CHECKPOINT_TIMEOUT,
            CheckpointingOptions.CHECKPOINTING_TIMEOUT,
            "checkpoints.timeout"),
        timeout);
    return config.on(
        new JobConfig.Checkpoints(interval, timeout, checkpoints.directory()),
        choice.of(
            JobConfig.EngineKey.PARALLELISM, CoreOptions.DEFAULT_PARALLELISM, config.parallelism()),
        choice.of(
            JobConfig.EngineKey.MAX_PARALLELISM,
            PipelineOptions.MAX_PARALLELISM,
            config.maxParallelism()),
        config.written().contains(JobConfig.EngineKey.RESTARTS)
            || all.getOptional(RestartStrategyOptions.RESTART_STRATEGY).isEmpty());
  }

  private record Choice(JobConfig config, Configuration cluster) {
    <T> T of(JobConfig.EngineKey key, ConfigOption<T> option, T own) {
      return config.written().contains(key) ? own : cluster.getOptional(option).orElse(own);
    }

    /** The name of the key whose value takes precedence. */
    String name(JobConfig.EngineKey key, ConfigOption<?> option, String own) {
      return config.written().contains(key) || cluster.getOptional(option).isEmpty()
          ? own
          : option.key();
    }
  }

  /**
   * Flink's settings for a job.
   *
   * @param config from {@link #applied}
   * @param cluster settings of the cluster
   */
  static Configuration of(JobConfig config, ReadableConfig cluster) {
    Configuration settings = Configuration.fromMap(config.engineSettings().resolve());
    settings.set(PipelineOptions.NAME, config.name());
    settings.set(PipelineOptions.MAX_PARALLELISM, config.maxParallelism());
    settings.set(CoreOptions.DEFAULT_PARALLELISM, config.parallelism());
    // all state is Avro: a type that needs Kryo is an error
    settings.set(PipelineOptions.GENERIC_TYPES, false);
    // no operator of the job keeps or changes a record that it has emitted
    settings.set(PipelineOptions.OBJECT_REUSE, true);
    // BatchMarks are only passed on within a chain
    settings.set(PipelineOptions.OPERATOR_CHAINING, true);
    // all subtasks write the same watermark to the state, see ReachedTime
    settings.set(CheckpointingOptions.ENABLE_UNALIGNED, false);
    Map<String, String> shown =
        new HashMap<>(
            settings
                .getOptional(PipelineOptions.GLOBAL_JOB_PARAMETERS)
                .or(() -> cluster.getOptional(PipelineOptions.GLOBAL_JOB_PARAMETERS))
                .orElse(Map.of()));
    shown.putAll(config.toMaskedProperties());
    settings.set(PipelineOptions.GLOBAL_JOB_PARAMETERS, shown);
    JobConfig.Checkpoints checkpoints = config.checkpoints();
    settings.removeConfig(CheckpointingOptions.CHECKPOINTING_INTERVAL);
    if (!checkpoints.interval().isZero()) {
      settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpoints.interval());
      settings.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, checkpoints.timeout());
      if (settings
          .getOptional(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION)
          .or(() -> cluster.getOptional(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION))
          .isEmpty()) {
        settings.set(
            CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
            ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
      }
    }
    CheckpointFolder.of(config)
        .ifPresent(
            folder -> settings.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.uri()));
    if (config.written().contains(JobConfig.EngineKey.RESTARTS)) {
      restarts(settings, config.restarts());
    }
    return settings;
  }

  /**
   * Configures restarts. Flink's fixed-delay strategy counts failures over a job's whole life, and
   * would end a job that fails once a month. Its exponential-delay strategy resets the count after
   * a quiet time; here with a constant delay.
   */
  private static void restarts(Configuration settings, JobConfig.Restarts restarts) {
    if (restarts.attempts() == 0) {
      settings.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
      return;
    }
    // it does not accept a delay of 0
    Duration delay = restarts.delay().toMillis() < 1 ? Duration.ofMillis(1) : restarts.delay();
    settings.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
    settings.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS, restarts.attempts());
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF, delay);
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF, delay);
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_JITTER_FACTOR, 0.0);
    settings.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
        restarts.quiet());
  }
}
