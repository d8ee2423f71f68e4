package io.latimer.pipelines.flink;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.source.SourceConfig;
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

/** The commands of a job, on their way to the gatherers of all groups, and what became of them. */
final class Control {
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

  /** Adds the source of commands. A job whose records end reads those that are there already. */
  static Control add(StreamExecutionEnvironment env, JobConfig config, StageSteps steps) {
    Map<String, String> kinds = new LinkedHashMap<>();
    List<String> groups = new ArrayList<>();
    for (List<Stage> step : steps.all()) {
      List<BatchStage> group = StageSteps.batchStages(step);
      group.stream().limit(1).forEach(stage -> groups.add(stage.name()));
      for (BatchStage stage : group) {
        stage.indexRefs().forEach(index -> kinds.put(stage.name(), index.kind()));
      }
    }
    SingleOutputStreamOperator<Tuple2<String, List<ControlCommand>>> read =
        env.fromSource(
                source(config.control(), RestoredState.hasEnd(config.source())),
                WatermarkStrategy.noWatermarks(),
                "control source",
                ControlReader.TYPE)
            .uid("control")
            .setParallelism(1)
            .transform(
                "control",
                Records.COMMANDS,
                new ControlIntake(config.name(), kinds, !groups.isEmpty()))
            .uid("control-commands")
            .setParallelism(1)
            .setMaxParallelism(1);
    return new Control(groups, read, read.getSideOutput(Records.STATUSES));
  }

  private static Source<Tuple2<String, byte[]>, ?, ?> source(
      JobConfig.Control config, boolean bounded) {
    SourceConfig.Kafka client =
        new SourceConfig.Kafka(
            config.bootstrapServers(),
            List.of(config.topic()),
            "",
            "",
            config.start(),
            bounded,
            config.properties());
    KafkaSourceBuilder<Tuple2<String, byte[]>> builder =
        KafkaSource.<Tuple2<String, byte[]>>builder()
            .setProperties(KafkaProperties.consumer(client))
            .setBootstrapServers(config.bootstrapServers())
            .setTopics(config.topic())
            .setStartingOffsets(
                config.start().equals("earliest")
                    ? OffsetsInitializer.earliest()
                    : OffsetsInitializer.latest())
            .setDeserializer(new ControlReader());
    return bounded
        ? new BoundedKafkaSource<>(builder.setBounded(OffsetsInitializer.latest()).build())
        : builder.build();
  }

  /** Adds the gatherer of a group. */
  SingleOutputStreamOperator<Batch> gather(
      DataStream<Envelope> records, List<BatchStage> stages, JobConfig config) {
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
                    config.control().loadTimeout()));
    statuses = statuses.union(batches.getSideOutput(Records.STATUSES));
    return batches;
  }

  /** What became of the commands, of all gatherers added so far. */
  DataStream<ControlStatus> statuses() {
    return statuses;
  }
}
