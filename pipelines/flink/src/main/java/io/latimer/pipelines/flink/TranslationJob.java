package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.batch.BatchGatherer;
import io.latimer.pipelines.flink.batch.BatchScatter;
import io.latimer.pipelines.flink.batch.RestoringOperatorFactory;
import io.latimer.pipelines.flink.batch.StageFunction;
import io.latimer.pipelines.flink.control.Control;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.sink.RecordTap;
import io.latimer.pipelines.flink.sink.Sinks;
import io.latimer.pipelines.flink.source.Sources;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.FlinkFiles;
import io.latimer.pipelines.flink.state.GroupsGuard;
import io.latimer.pipelines.flink.state.RestoredState;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.flink.state.StageSteps;
import io.latimer.pipelines.flink.table.MergeOperator;
import io.latimer.pipelines.flink.table.TableCounter;
import io.latimer.pipelines.flink.table.TableMerger;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.apache.flink.streaming.api.datastream.AsyncDataStream.OutputMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the job graph: a source, stages, sinks and dead letters.
 *
 * <p>All operators have fixed uids: {@code source}; {@code gather-S}, {@code stage-S} and {@code
 * scatter-S} for a group of stages that process batches, the first of which is S; {@code count-S}
 * and {@code merge-S} for one that makes tables, and {@code tables-S/N} for its sink N; {@code
 * sink-N} for the sink N, and {@code quality-N} before it if it takes a range of quality; {@code
 * dead-letters}, and {@code groups} before it. Where there are commands: {@code control}, {@code
 * control-commands}, and {@code control/status/N} for the sink N of statuses; {@code follow-S} and
 * {@code follow-models-S} for a stage S that follows published models, {@code learn-S} and {@code
 * learn-corrections-S} for one that learns corrections.
 */
public final class TranslationJob {
  private static final Logger LOG = LoggerFactory.getLogger(TranslationJob.class);

  private TranslationJob() {}

  /**
   * Builds the job. Hashes the index files of its stages, unless they are remote and the job file
   * gives their SHA-256.
   *
   * @param env the environment; its settings are changed as the job requires, and the caller
   *     executes it
   * @param config the job
   * @throws io.latimer.operators.OperatorException if an index file is not what the job file
   *     expects
   */
  public static void build(StreamExecutionEnvironment env, JobConfig config) {
    build(env, config, newStages(config), Optional.empty());
  }

  /**
   * Builds a job that runs in this process.
   *
   * @param tap receives the job's records
   * @see #build(StreamExecutionEnvironment, JobConfig)
   */
  public static void build(StreamExecutionEnvironment env, JobConfig config, RecordTap tap) {
    build(env, config, newStages(config), Optional.of(tap));
  }

  /**
   * Makes the job's stages, unopened, whose index files may be in any of Flink's file systems.
   *
   * @see JobConfig#newStages
   */
  public static List<Stage> newStages(JobConfig config) {
    return config.newStages(new FlinkFiles());
  }

  /**
   * Refers to a file that a command may put in the place of a stage's index, in any of Flink's file
   * systems.
   *
   * @see JobConfig#newIndex
   */
  public static IndexRef newIndex(JobConfig config, String index, String path, String sha256) {
    return config.newIndex(index, path, sha256, new FlinkFiles());
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
    warnOfForgottenState(env.getConfiguration(), config);
    env.execute(config.name());
  }

  /**
   * Warns of a start without the existing state. A Flink cluster resumes a new submission only if
   * told to; without that, a source that starts from committed offsets skips records in flight.
   */
  static void warnOfForgottenState(ReadableConfig settings, JobConfig config) {
    if (settings.getOptional(StateRecoveryOptions.SAVEPOINT_PATH).isPresent()
        || !isAlone(settings)
        || !(config.source() instanceof SourceConfig.Kafka kafka)
        || !kafka.start().equals("committed")) {
      return;
    }
    Optional<CheckpointFolder> folder = Optional.empty();
    boolean hasState = false;
    try {
      folder = CheckpointFolder.of(config);
      hasState = folder.isPresent() && folder.get().hasState();
    } catch (IOException | RuntimeException e) {
      // the cluster may be able to read what this process cannot
      LOG.warn("The checkpoints in {} cannot be listed here.", config.checkpoints().directory(), e);
    }
    if (hasState) {
      String warning =
          "job "
              + config.name()
              + " starts from committed offsets without a state, but has checkpoints in "
              + folder.get().uri()
              + ": what was in flight then is lost. Submit it with the newest of them: flink run -s"
              + " PATH";
      LOG.warn(warning);
      System.err.println("WARNING: " + warning);
    }
  }

  /**
   * Whether the cluster has no high availability, with which it finds the latest checkpoint itself.
   */
  private static boolean isAlone(ReadableConfig settings) {
    return HighAvailabilityMode.NONE
        .name()
        .equalsIgnoreCase(settings.get(HighAvailabilityOptions.HA_MODE));
  }

  static void build(StreamExecutionEnvironment env, JobConfig given, List<Stage> stages) {
    build(env, given, stages, Optional.empty());
  }

  private static void build(
      StreamExecutionEnvironment env,
      JobConfig given,
      List<Stage> stages,
      Optional<RecordTap> tap) {
    ReadableConfig cluster = env.getConfiguration();
    JobConfig config = ClusterSettings.applied(given, cluster);
    Configuration settings = ClusterSettings.of(config, cluster);
    env.configure(settings);
    if (config.checkpoints().interval().isZero()) {
      env.getCheckpointConfig().disableCheckpointing(); // even if the cluster has an interval
    }
    env.setParallelism(config.parallelism());
    env.setMaxParallelism(config.maxParallelism());
    StageSteps steps = StageSteps.of(stages, config.batch().group());
    Optional<SavedState> restored = restored(env.getConfiguration());
    Set<String> transactional = Sinks.transactional(config, steps);
    restored.ifPresent(state -> RestoredState.check(state, config, steps, transactional));
    Sinks sinks =
        new Sinks(
            restored.map(s -> RestoredState.suspects(s, config)).orElse(0L),
            RestoredState.hasEnd(config.source()),
            CheckpointFolder.of(config).orElse(null));
    SingleOutputStreamOperator<Envelope> records = Sources.add(env, config).uid("source");
    Optional<Control> control =
        config.control().isOn() ? Optional.of(Control.add(env, config, steps)) : Optional.empty();
    DataStream<Envelope> refused = null;
    for (int i = 0; i < steps.all().size(); i++) {
      List<Stage> step = steps.all().get(i);
      boolean last = i == steps.all().size() - 1;
      SinkValues values = last ? SinkValues.of(config.sinks()) : SinkValues.NONE;
      records =
          step.get(0) instanceof TableStage<?> counting
              ? addTables(records, counting, config, values, sinks)
              : addBatches(records, StageSteps.batchStages(step), config, values, control);
      DataStream<Envelope> letters = records.getSideOutput(Records.DEAD_LETTERS);
      refused = refused == null ? letters : refused.union(letters);
    }
    boolean translated = stages.stream().anyMatch(BatchStage.class::isInstance);
    for (SinkConfig sink : config.sinks()) {
      sinks.addRecords(records, sink, translated);
    }
    DataStream<Envelope> guarded =
        refused
            .transform(
                "groups",
                Records.ENVELOPE,
                new GroupsGuard(steps.groups(), restored.map(SavedState::id).orElse(0L)))
            .uid("groups");
    sinks.addDeadLetters(guarded, config.deadLetters());
    if (tap.isPresent()) {
      tap.get().add(records, refused);
    }
    control.ifPresent(
        one -> config.control().status().forEach(sink -> sinks.addStatuses(one.statuses(), sink)));
    restored.ifPresent(state -> RestoredState.leaveGrouped(env, state, steps));
  }

  /** The state to start the job from, if this process can read it. */
  private static Optional<SavedState> restored(ReadableConfig settings) {
    Optional<String> path = settings.getOptional(StateRecoveryOptions.SAVEPOINT_PATH);
    try {
      return path.isEmpty() ? Optional.empty() : Optional.of(SavedState.read(path.get()));
    } catch (IOException e) {
      LOG.warn("The state in {} is not checked.", path.get(), e);
      return Optional.empty(); // the cluster may be able to read what this process cannot
    }
  }

  private static SingleOutputStreamOperator<Envelope> addBatches(
      DataStream<Envelope> records,
      List<BatchStage> stages,
      JobConfig config,
      SinkValues values,
      Optional<Control> control) {
    String name = StageGroup.name(stages);
    String uid = stages.get(0).name();
    JobConfig.Batching batching = config.batch();
    int inFlight = batching.inFlight() * stages.size();
    boolean swapped = control.isPresent();
    DataStream<Batch> batches =
        (swapped
                ? control.get().gather(records, stages, config, inFlight)
                : records.transform(
                    "gather " + name, Records.BATCH, new BatchGatherer(name, batching.limits())))
            .uid("gather-" + uid);
    StageFunction function =
        new StageFunction(
            config.name(), stages, batching.timeout(), batching.attempts(), swapped, values);
    OutputMode mode = batching.ordered() ? OutputMode.ORDERED : OutputMode.UNORDERED;
    // no time-out here: the function itself limits each call, not a batch with its waiting time
    AsyncWaitOperatorFactory<Batch, Batch> operator =
        swapped
            ? new RestoringOperatorFactory(function, inFlight, mode)
            : new AsyncWaitOperatorFactory<>(function, 0, inFlight, mode);
    return batches
        .transform(name, Records.BATCH, operator)
        .uid("stage-" + uid)
        .transform(
            "scatter " + name,
            Records.ENVELOPE,
            new BatchScatter(refusing(stages), config.forwardsTombstones()))
        .uid("scatter-" + uid);
  }

  /** The stages that dead letters of a group may name. */
  private static List<String> refusing(List<BatchStage> stages) {
    return Stream.of(
            Stream.of(DeadLetterReason.READ),
            stages.stream().map(BatchStage::name),
            Stream.of(DeadLetterReason.SINK))
        .flatMap(names -> names)
        .toList();
  }

  private static <T extends SpecificRecordBase> SingleOutputStreamOperator<Envelope> addTables(
      DataStream<Envelope> records,
      TableStage<T> stage,
      JobConfig config,
      SinkValues values,
      Sinks sinks) {
    String name = stage.name();
    SingleOutputStreamOperator<Envelope> counted =
        records
            .transform(
                "count " + name,
                Records.ENVELOPE,
                new TableCounter(stage, values, config.forwardsTombstones()))
            .uid("count-" + name);
    DataStream<T> tables =
        counted
            .getSideOutput(Records.PARTS)
            .keyBy(TablePart::getGroup, Types.STRING)
            .transform(
                "merge " + name,
                new AvroTypeInfo<>(stage.tableType()),
                new MergeOperator<>(
                    new TableMerger<>(config.name(), stage), maxWait(config.checkpoints())))
            .uid("merge-" + name);
    for (SinkConfig sink : stage.sinks()) {
      sinks.addTables(tables, stage, sink);
    }
    return counted;
  }

  /**
   * The maximum time that the input of a table stage may wait between two barriers. After a
   * checkpoint interval the next barrier is on its way, so little else is read before it.
   */
  private static Duration maxWait(JobConfig.Checkpoints checkpoints) {
    if (checkpoints.interval().isZero()) {
      return Duration.ofNanos(Long.MAX_VALUE); // there are no barriers
    }
    Duration share = checkpoints.timeout().dividedBy(4);
    return checkpoints.interval().compareTo(share) < 0 ? checkpoints.interval() : share;
  }
}
