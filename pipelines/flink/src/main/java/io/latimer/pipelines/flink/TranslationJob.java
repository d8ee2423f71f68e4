package io.latimer.pipelines.flink;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The job: a source, stages, sinks and dead letters.
 *
 * <p>All operators have fixed uids: {@code source}; {@code gather-S}, {@code stage-S} and {@code
 * scatter-S} for a stage S that processes batches, {@code count-S} and {@code merge-S} for one that
 * makes tables, and {@code tables-S/N} for its sink N; {@code sink-N} for the sink N, and {@code
 * dead-letters}.
 */
public final class TranslationJob {
  private TranslationJob() {}

  /**
   * Builds the job. Hashes the index files of its stages.
   *
   * @param env the environment, whose settings are changed as the job requires; the caller executes
   *     it
   * @param config the job
   * @throws io.latimer.operators.OperatorException if an index file is not what the job file
   *     expects
   */
  public static void build(StreamExecutionEnvironment env, JobConfig config) {
    build(env, config, config.newStages());
  }

  /**
   * Runs a job: {@code flink run <jar> job.yaml}.
   *
   * @param args the path of the job file
   */
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      throw new IllegalArgumentException(
          "expected one argument, the path of a job file, found " + args.length);
    }
    JobConfig config = JobConfigReader.read(Path.of(args[0]));
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    build(env, config);
    env.execute(config.name());
  }

  static void build(StreamExecutionEnvironment env, JobConfig config, List<Stage> stages) {
    configure(env, config);
    SingleOutputStreamOperator<Envelope> records = Sources.add(env, config).uid("source");
    DataStream<Envelope> refused = null;
    for (int i = 0; i < stages.size(); i++) {
      SinkLimit limit = i < stages.size() - 1 ? SinkLimit.NONE : SinkLimit.of(config.sinks());
      records =
          stages.get(i) instanceof TableStage<?> counting
              ? addTables(records, counting, config.name(), limit)
              : addBatches(records, (BatchStage) stages.get(i), config, limit);
      DataStream<Envelope> letters = records.getSideOutput(Records.DEAD_LETTERS);
      refused = refused == null ? letters : refused.union(letters);
    }
    boolean translated = stages.stream().anyMatch(BatchStage.class::isInstance);
    for (SinkConfig sink : config.sinks()) {
      Sinks.addRecords(records, sink, translated);
    }
    Sinks.addDeadLetters(refused, config.deadLetters());
  }

  private static SingleOutputStreamOperator<Envelope> addBatches(
      DataStream<Envelope> records, BatchStage stage, JobConfig config, SinkLimit limit) {
    String name = stage.name();
    JobConfig.Batching batching = config.batch();
    DataStream<Batch> batches =
        records
            .transform("gather " + name, Records.BATCH, new BatchGatherer(batching.limits()))
            .uid("gather-" + name);
    StageFunction function =
        new StageFunction(config.name(), stage, batching.timeout(), batching.attempts());
    // 0: the function itself limits the time, of a call instead of a batch with its waiting time
    SingleOutputStreamOperator<Batch> worked =
        batching.ordered()
            ? AsyncDataStream.orderedWait(
                batches, function, 0, TimeUnit.MILLISECONDS, batching.inFlight())
            : AsyncDataStream.unorderedWait(
                batches, function, 0, TimeUnit.MILLISECONDS, batching.inFlight());
    return worked
        .returns(Records.BATCH)
        .name(name)
        .uid("stage-" + name)
        .transform("scatter " + name, Records.ENVELOPE, new BatchScatter(limit))
        .uid("scatter-" + name);
  }

  private static <T extends SpecificRecordBase> SingleOutputStreamOperator<Envelope> addTables(
      DataStream<Envelope> records, TableStage<T> stage, String job, SinkLimit limit) {
    String name = stage.name();
    SingleOutputStreamOperator<Envelope> counted =
        records
            .transform("count " + name, Records.ENVELOPE, new TableCounter(stage, limit))
            .uid("count-" + name);
    DataStream<T> tables =
        counted
            .getSideOutput(Records.PARTS)
            .keyBy(TablePart::getGroup, Types.STRING)
            .process(new TableMerger<>(job, stage), new AvroTypeInfo<>(stage.tableType()))
            .name("merge " + name)
            .uid("merge-" + name);
    for (SinkConfig sink : stage.sinks()) {
      Sinks.addTables(tables, stage, sink);
    }
    return counted;
  }

  private static void configure(StreamExecutionEnvironment env, JobConfig config) {
    Configuration settings = Configuration.fromMap(config.engineSettings().resolve());
    settings.set(PipelineOptions.NAME, config.name());
    settings.set(PipelineOptions.MAX_PARALLELISM, config.maxParallelism());
    // state is Avro only: any type that needs Kryo is an error
    settings.set(PipelineOptions.GENERIC_TYPES, false);
    // no operator of the job keeps or changes a record that it has emitted
    settings.set(PipelineOptions.OBJECT_REUSE, true);
    // BatchMarks go from operator to operator
    settings.set(PipelineOptions.OPERATOR_CHAINING, true);
    JobConfig.Checkpoints checkpoints = config.checkpoints();
    if (!checkpoints.interval().isZero()) {
      settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpoints.interval());
      settings.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, checkpoints.timeout());
      settings.set(
          CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
          ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
      if (!checkpoints.directory().isEmpty()) {
        settings.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.directory());
      }
    }
    restarts(settings, config.restarts());
    env.configure(settings);
    env.setParallelism(config.parallelism());
    env.setMaxParallelism(config.maxParallelism());
  }

  /**
   * Flink's fixed delay counts failures over a job's whole life, and would end one that fails once
   * a month. Its exponential delay resets the count after a quiet time; here the delay is constant.
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
