package io.latimer.pipelines.flink.control;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.kafka.BoundedKafkaSource;
import io.latimer.pipelines.flink.kafka.KafkaProperties;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.state.RestoredState;
import io.latimer.pipelines.flink.state.StageSteps;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.record.Taught;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.source.Tombstones;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Batch;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Connects the stream of a job's commands to the gatherers of all groups, and collects the statuses
 * of commands.
 */
public final class Control {
  private final List<String> groups;
  private final DataStream<Tuple2<String, List<ControlCommand>>> commands;
  private DataStream<ControlStatus> statuses;

  private Control(
      List<String> groups,
      DataStream<Tuple2<String, List<ControlCommand>>> commands,
      DataStream<ControlStatus> statuses) {
    this.groups = List.copyOf(groups);
    this.commands = commands;
    this.statuses = statuses;
  }

  /** Adds the source of commands. A bounded job reads only those that are there when it starts. */
  public static Control add(StreamExecutionEnvironment env, JobConfig config, StageSteps steps) {
    Map<String, IndexRef> indexes = new LinkedHashMap<>();
    List<String> groups = new ArrayList<>();
    for (List<Stage> step : steps.all()) {
      List<BatchStage> group = StageSteps.batchStages(step);
      group.stream().limit(1).forEach(stage -> groups.add(stage.name()));
      for (BatchStage stage : group) {
        indexes.putAll(stage.indexes());
      }
    }
    Map<String, String> kinds = new LinkedHashMap<>();
    indexes.forEach((name, index) -> kinds.put(name, index.kind()));
    ControlConfig control = config.control();
    DataStream<Tuple2<String, byte[]>> sent =
        read(env, config, control.topic(), control.start(), "control source").uid("control");
    for (ControlConfig.Follow follow : control.follow()) {
      sent = sent.union(follow(env, config, follow, indexes.get(follow.stage())));
    }
    List<DataStream<ControlStatus>> refused = new ArrayList<>();
    for (ControlConfig.Learn learn : control.learn()) {
      if (!learn.corrections().isEmpty()) {
        SingleOutputStreamOperator<Tuple2<String, byte[]>> appends =
            learn(env, config, learn, Taught.beside(kinds.get(learn.stage())));
        sent = sent.union(appends);
        refused.add(appends.getSideOutput(Records.STATUSES));
      }
    }
    List<String> learning = control.learn().stream().map(ControlConfig.Learn::stage).toList();
    SingleOutputStreamOperator<Tuple2<String, List<ControlCommand>>> read =
        sent.transform(
                "control",
                Records.COMMANDS,
                new ControlIntake(config.name(), kinds, !groups.isEmpty(), learning))
            .uid("control-commands")
            .setParallelism(1)
            .setMaxParallelism(1);
    DataStream<ControlStatus> statuses = read.getSideOutput(Records.STATUSES);
    for (DataStream<ControlStatus> one : refused) {
      statuses = statuses.union(one);
    }
    return new Control(groups, read, statuses);
  }

  /** Adds the source of the corrections that a stage learns. */
  private static SingleOutputStreamOperator<Tuple2<String, byte[]>> learn(
      StreamExecutionEnvironment env, JobConfig config, ControlConfig.Learn learn, Taught taught) {
    String name = "corrections of " + learn.stage();
    return read(env, config, learn.corrections(), config.control().start(), name + " source")
        .uid("learn-" + learn.stage())
        .transform(
            name, ControlReader.TYPE, new CorrectionIntake(config.name(), learn.stage(), taught))
        .uid("learn-corrections-" + learn.stage())
        .setParallelism(1)
        .setMaxParallelism(1);
  }

  /** Adds the swaps of a stage that follows a topic of models. */
  private static DataStream<Tuple2<String, byte[]>> follow(
      StreamExecutionEnvironment env,
      JobConfig config,
      ControlConfig.Follow follow,
      IndexRef configured) {
    String name = "models of " + follow.stage();
    return read(env, config, follow.topic(), "earliest", name + " source")
        .uid("follow-" + follow.stage())
        .transform(
            name,
            ControlReader.TYPE,
            new ModelFollower(config.name(), follow, configured, config.eventTime().maxAhead()))
        .uid("follow-models-" + follow.stage())
        .setParallelism(1)
        .setMaxParallelism(1);
  }

  private static SingleOutputStreamOperator<Tuple2<String, byte[]>> read(
      StreamExecutionEnvironment env, JobConfig config, String topic, String start, String name) {
    return env.fromSource(
            source(config.control(), topic, start, RestoredState.hasEnd(config.source())),
            WatermarkStrategy.noWatermarks(),
            name,
            ControlReader.TYPE)
        .setParallelism(1);
  }

  private static Source<Tuple2<String, byte[]>, ?, ?> source(
      ControlConfig config, String topic, String start, boolean bounded) {
    SourceConfig.Kafka client =
        new SourceConfig.Kafka(
            config.bootstrapServers(),
            List.of(topic),
            "",
            "",
            start,
            bounded,
            Tombstones.DEAD_LETTER,
            config.properties());
    KafkaSourceBuilder<Tuple2<String, byte[]>> builder =
        KafkaSource.<Tuple2<String, byte[]>>builder()
            .setProperties(KafkaProperties.consumer(client))
            .setBootstrapServers(config.bootstrapServers())
            .setTopics(topic)
            .setStartingOffsets(
                start.equals("earliest")
                    ? OffsetsInitializer.earliest()
                    : OffsetsInitializer.latest())
            .setDeserializer(new ControlReader());
    return bounded
        ? new BoundedKafkaSource<>(builder.setBounded(OffsetsInitializer.latest()).build())
        : builder.build();
  }

  /**
   * Adds the gatherer of a group.
   *
   * @param inFlight maximum number of batches in flight of a subtask
   */
  public SingleOutputStreamOperator<Batch> gather(
      DataStream<Envelope> records, List<BatchStage> stages, JobConfig config, int inFlight) {
    ControlConfig control = config.control();
    SingleOutputStreamOperator<Batch> batches =
        records
            .connect(commands.broadcast())
            .transform(
                "gather " + StageGroup.name(stages),
                Records.BATCH,
                new ControlledGatherer(
                    config.name(),
                    stages,
                    groups,
                    config.batch().limits(),
                    inFlight,
                    control.loadTimeout(),
                    learn(config),
                    new CommandTopic(control)));
    statuses = statuses.union(batches.getSideOutput(Records.STATUSES));
    return batches;
  }

  /**
   * How stages learn. A bounded job does not compact, because it does not read commands sent while
   * it runs.
   */
  static List<ControlConfig.Learn> learn(JobConfig config) {
    List<ControlConfig.Learn> learn = config.control().learn();
    return RestoredState.hasEnd(config.source())
        ? learn.stream().map(ControlConfig.Learn::uncompacted).toList()
        : learn;
  }

  /** The statuses of commands, from all gatherers added so far. */
  public DataStream<ControlStatus> statuses() {
    return statuses;
  }
}
