package io.latimer.pipelines.flink.control;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.flink.batch.ChainedStages;
import io.latimer.pipelines.flink.batch.Gatherer;
import io.latimer.pipelines.flink.batch.StageThreads;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.flink.state.LearnedState;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.job.LimitSettings;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Batch;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.CorrectionStatus;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.SwapState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forms micro-batches and applies commands between them. Stamps each batch with the index versions
 * that it uses, so that it uses the same ones after a failure.
 *
 * <p>The second input has the commands, each with the round of {@link CommandVotes}. Its watermarks
 * and its idle status are ignored. Statuses go to {@link Records#STATUSES}.
 *
 * <p>The state is what later batches use, the pending commands, and the latest outcomes. It is
 * broadcast state: after rescaling, each subtask has the state of one of the old ones. Some may be
 * ahead of others, which catch up after a restore; see {@link GroupCommands}.
 */
class ControlledGatherer extends Gatherer
    implements TwoInputStreamOperator<Envelope, Tuple2<String, List<ControlCommand>>, Batch>,
        BoundedMultiInput,
        GroupCommands.Task {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ControlledGatherer.class);

  /** The key of what later batches use. */
  private static final String KEY = "group";

  /** The key of the job file's limits when the state began. */
  private static final String CONFIGURED = "configured";

  private static final String IN_USE = "in-use";
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final String job;
  private final ArrayList<BatchStage> stages;
  private final ArrayList<String> groups;
  private final int inFlight;
  private final Duration loadTimeout;
  private final ArrayList<ControlConfig.Learn> learn;

  /** The topic to which swaps to new index files are sent. */
  private final CommandTopic topic;

  private transient BroadcastState<String, SwapState> state;
  private transient String restored;
  private transient IndexesInUse inUse;
  private transient LearnedState learned;
  private transient Compactions compactions;
  private transient BatchLimits set;
  private transient Outcomes outcomes;
  private transient List<ControlCommand> pending;

  /** Ids of restored appends that are still pending; restored batches may use their pairs. */
  private transient Set<String> awaited;

  private transient ChainedStages opened;
  private transient List<CommandKind> kinds;
  private transient GroupCommands commands;
  private transient boolean drained;
  private transient boolean finished;
  private transient int subtask;
  private transient int subtasks;

  /**
   * Makes the operator.
   *
   * @param job the job's name
   * @param stages of the group
   * @param groups all of the job, each by the name of its first stage, in order
   * @param inFlight number of batches in flight of a subtask above which, after a restore, it
   *     gathers no more
   * @param loadTimeout maximum time to prepare a command
   * @param learn how the job's stages learn
   * @param topic to which swaps to new index files are sent
   */
  ControlledGatherer(
      String job,
      List<BatchStage> stages,
      List<String> groups,
      MicroBatcher.Limits limits,
      int inFlight,
      Duration loadTimeout,
      List<ControlConfig.Learn> learn,
      CommandTopic topic) {
    super(StageGroup.name(stages), limits);
    this.learn = new ArrayList<>(learn);
    this.topic = topic;
    this.job = job;
    this.stages = new ArrayList<>(stages);
    this.groups = new ArrayList<>(groups);
    this.inFlight = inFlight;
    this.loadTimeout = loadTimeout;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getBroadcastState(
                new MapStateDescriptor<>(
                    "swaps", Types.STRING, new AvroTypeInfo<>(SwapState.class)));
    // all exchanges are pipelined, so all tasks restart together and have the same attempt number
    restored =
        "restored from "
            + context.getRestoredCheckpointId()
            + " in attempt "
            + getRuntimeContext().getTaskInfo().getAttemptNumber();
    SwapState before = state.get(KEY);
    outcomes = Outcomes.restore(before);
    pending = new ArrayList<>(before == null ? List.of() : before.getPending());
    learned = LearnedState.restore(context.getOperatorStateStore(), configuredIndexes());
    inUse = IndexesInUse.restore(stages, before, learned);
    set =
        before == null || before.getLimits() == null
            ? null
            : LimitSettings.unlessChanged(
                before.getLimits(), state.get(CONFIGURED).getLimits(), limits());
    if (set != null) {
      LOG.info(
          "{}: goes on with {}, as a command has set it",
          StageGroup.name(stages),
          String.join(", ", LimitSettings.settings(set)));
    }
  }

  /** The indexes of the job file, by name. */
  private Map<String, IndexRef> configuredIndexes() {
    Map<String, IndexRef> configured = new LinkedHashMap<>();
    stages.forEach(stage -> configured.putAll(stage.indexes()));
    return configured;
  }

  @Override
  public void open() throws Exception {
    super.open();
    StreamingRuntimeContext context = getRuntimeContext();
    subtask = context.getTaskInfo().getIndexOfThisSubtask();
    subtasks = context.getTaskInfo().getNumberOfParallelSubtasks();
    String group = StageGroup.name(stages);
    opened = stages();
    if (opened == null) {
      throw new IllegalStateException("stage " + group + " is not chained to its gatherer");
    }
    for (String index : inUse.versions().keySet()) {
      opened.learned(index, learned.of(index)); // restored batches wait
    }
    opened.open(inUse.versions());
    compactions =
        new Compactions(
            job,
            opened,
            this::send,
            index -> inUse.versions().get(index),
            getProcessingTimeService()::getCurrentProcessingTime,
            work -> StageThreads.daemon(context, work, "compaction of " + group + " " + subtask));
    kinds =
        List.of(
            new SwapCommands(learn, opened, inUse, learned),
            new AppendCommands(learn, opened, inUse, learned, patience(), pending),
            new SetCommands(limits(), set, this::setLimits));
    commands =
        new GroupCommands(
            this,
            new GroupCommands.Place(groups, stages.get(0).name(), subtask, subtasks),
            master(context),
            loadTimeout,
            work -> StageThreads.daemon(context, work, "loader of " + group + " " + subtask));
    // the job file may have changed or removed the stage
    pending.removeIf(command -> !isForThis(command));
    pending.forEach(commands::add);
    awaited = new HashSet<>();
    pending.stream()
        .filter(command -> !command.getAppend().isEmpty())
        .forEach(command -> awaited.add(command.getId()));
    if (awaited.isEmpty()) {
      opened.allLearned();
    }
    boolean compacted =
        learn.stream()
            .anyMatch(one -> one.isCompacted() && inUse.versions().containsKey(one.stage()));
    if (subtask == 0 && compacted) {
      compact(); // a failure may have interrupted a compaction
      ScheduledFuture<?> unused =
          getProcessingTimeService()
              .scheduleWithFixedDelay(
                  time -> compact(), Compactions.CHECK_MILLIS, Compactions.CHECK_MILLIS);
    }
  }

  /** How long a command may wait for what only its status says; no more than half of its time. */
  private Duration patience() {
    Duration half = loadTimeout.dividedBy(2);
    return subtask > 0 ? Duration.ZERO : half.compareTo(PATIENCE) < 0 ? half : PATIENCE;
  }

  /** Compacts learned pairs if there are many; only one subtask does so. */
  private void compact() {
    if (subtask == 0) {
      learn.stream()
          .filter(one -> inUse.versions().containsKey(one.stage()))
          .forEach(compactions::consider);
    }
  }

  /** Overridden in tests: Flink's test harnesses have no job master. */
  GlobalAggregateManager master(StreamingRuntimeContext context) {
    return context.getGlobalAggregateManager();
  }

  /** Sends a command to the job itself. */
  void send(ControlCommand command) throws Exception {
    topic.send(command);
  }

  @Override
  public void processElement1(StreamRecord<Envelope> element) throws Exception {
    awaitRestored();
    gather(element.getValue());
  }

  @Override
  public void processElement2(StreamRecord<Tuple2<String, List<ControlCommand>>> element) {
    begin(element.getValue().f0);
    for (ControlCommand command : element.getValue().f1) {
      if (isForThis(command)) {
        pending.add(command);
        commands.add(command);
      }
    }
  }

  private boolean isForThis(ControlCommand command) {
    return kinds.stream().anyMatch(kind -> kind.isFor(command));
  }

  @Override
  public CommandKind kind(ControlCommand command) {
    return kinds.stream().filter(kind -> kind.isFor(command)).findFirst().orElseThrow();
  }

  /**
   * Lets restored batches go first. A batch that waits for room in the async operator blocks all
   * commands, so none may wait there behind batches that wait for the pairs of commands. Before the
   * round has begun, waiting is of no use; it begins with the first element of the second input,
   * which is there when the task starts to read.
   */
  private void awaitRestored() throws InterruptedException {
    while (opened.hasBatchesWithoutPairs()
        ? commands.haveBegun()
        : opened.batchesInFlight() > inFlight) {
      mailbox().yield();
    }
  }

  private void begin(String round) {
    commands.begin(round, outcomes.all());
  }

  @Override
  public void processWatermark1(Watermark mark) throws Exception {
    awaitRestored();
    pass(mark);
  }

  @Override
  public void processWatermark2(Watermark mark) {
    // commands have no event time
  }

  @Override
  protected void processWatermarkStatus(WatermarkStatus status, int input) throws Exception {
    if (input == 0) {
      awaitRestored();
      pass(status);
    }
  }

  @Override
  public void endInput(int input) throws Exception {
    if (input == 1) {
      flush(MicroBatcher.Fill.END);
    } else {
      begin(restored); // no round is announced if the commands had ended before the restore
    }
  }

  @Override
  public void finish() throws Exception {
    commands.finish(() -> drained = true);
    while (!drained) {
      mailbox().yield(); // runs the mails of commands, for which other subtasks may wait
    }
    finished = true;
    super.finish();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    SwapState.Builder now =
        SwapState.newBuilder()
            .setConfigured(IndexState.toAvro(configuredIndexes()))
            .setPending(new ArrayList<>(pending))
            .setOutcomes(outcomes.all());
    kinds.forEach(kind -> kind.write(now));
    learned.saved(context.getCheckpointId());
    state.put(KEY, now.build());
    state.put(
        CONFIGURED,
        SwapState.newBuilder()
            .setConfigured(List.of())
            .setInUse(List.of())
            .setLimits(LimitSettings.toRecord(limits()))
            .build());
  }

  @Override
  public void notifyCheckpointComplete(long checkpoint) throws Exception {
    super.notifyCheckpointComplete(checkpoint);
    learned.completed(checkpoint);
  }

  @Override
  protected List<StageIndexVersion> references() {
    return inUse.references();
  }

  @Override
  public void mail(ThrowingRunnable<Exception> mail, String description) {
    mailbox().execute(mail, description);
  }

  @Override
  public boolean hasOlderBatches() {
    return inUse.versions().keySet().stream()
        .anyMatch(index -> opened.firstPairInFlight(index) < learned.usable(index).from());
  }

  @Override
  public void preparing(ControlCommand command) {
    tell(command, subtask, "loading", "", List.of());
  }

  @Override
  public Runnable decided(ControlCommand command, CommandKind.Change change, String reason)
      throws Exception {
    outcomes.add(command, change != null, reason, kind(command).ofAllGroups());
    Runnable then = () -> {};
    if (change != null) {
      change.announce();
      flush(change.fill());
      then = change.apply();
      if (!CheckpointingOptions.isCheckpointingEnabled(
          getContainingTask().getEnvironment().getJobConfiguration())) {
        learned.saved(0); // without checkpoints, no batch is ever restored
        learned.completed(0);
      }
    }
    tell(command, subtask, change == null ? "refused" : IN_USE, reason, List.of());
    return then;
  }

  @Override
  public void ended(ControlCommand command, boolean tells, String reason) {
    pending.remove(command); // only now: after an earlier restore, the end must be reported again
    compactions.ended(kind(command).stage(command), command.getId());
    compact(); // there may be more pairs now, no room for more, or another index
    if (awaited.remove(command.getId()) && awaited.isEmpty()) {
      opened.allLearned();
    }
    List<String> unused = kind(command).unused(command);
    String why = reason.isEmpty() && !unused.isEmpty() ? kind(command).shortfall(command) : reason;
    List<CorrectionStatus> corrections = kind(command).corrections(command, why);
    if (tells) {
      unused.forEach(id -> put(id, command, -1, "refused", why, List.of()));
      tell(command, -1, why.isEmpty() ? IN_USE : "refused", why, corrections);
    }
  }

  @Override
  public void endedInAll(String command) {
    outcomes.ended(command);
  }

  /**
   * Emits the status of a command.
   *
   * @param by number of the subtask; -1 for the whole job
   * @param corrections what became of those of the command, if it has ended
   */
  private void tell(
      ControlCommand command,
      int by,
      String what,
      String reason,
      List<CorrectionStatus> corrections) {
    CommandKind kind = kind(command);
    String stage = kind.stage(command);
    LOG.info(
        "stage {}, {}: {} {}{}",
        stage.isEmpty() ? StageGroup.name(stages) : stage,
        by < 0 ? "whole job" : "subtask " + by,
        kind.what(command),
        what,
        reason.isEmpty() ? "" : ": " + reason);
    put(command.getId(), command, by, what, reason, corrections);
  }

  /**
   * Emits a status.
   *
   * @param id of the command, or of a part of it
   */
  private void put(
      String id,
      ControlCommand command,
      int by,
      String what,
      String reason,
      List<CorrectionStatus> corrections) {
    CommandKind kind = kind(command);
    String stage = kind.stage(command);
    Instant now = Instant.ofEpochMilli(getProcessingTimeService().getCurrentProcessingTime());
    if (!finished) {
      output.collect(
          Records.STATUSES,
          new StreamRecord<>(
              new ControlStatus(
                  id,
                  job,
                  stage.isEmpty() && by >= 0 ? stages.get(0).name() : stage,
                  by,
                  subtasks,
                  what,
                  what.equals(IN_USE) ? kind.note(command) : reason,
                  kind.reference(command),
                  now,
                  corrections),
              now.toEpochMilli()));
    }
  }

  @Override
  public void close() throws Exception {
    if (commands != null) {
      commands.close();
    }
    if (compactions != null) {
      compactions.close();
    }
    super.close();
  }
}
