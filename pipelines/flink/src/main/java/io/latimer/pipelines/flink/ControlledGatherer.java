package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Batch;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageReference;
import io.latimer.schemas.SwapState;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
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
 * Gathers micro-batches for stages whose indexes are swapped by commands. Each batch says which
 * indexes it uses, so that it uses the same ones after a failure.
 *
 * <p>The second input has the commands, each with the round of {@link SwapVotes}. Its watermarks
 * are ignored, and so is whether it is idle. Statuses go to {@link Records#STATUSES}.
 *
 * <p>The state is what later batches use and what is not decided yet. All subtasks have nearly the
 * same one, see {@link IndexSwaps}, so it is broadcast state: after rescaling, each has that of one
 * of the old ones.
 */
class ControlledGatherer extends Gatherer
    implements TwoInputStreamOperator<Envelope, Tuple2<String, List<ControlCommand>>, Batch>,
        BoundedMultiInput,
        IndexSwaps.Task {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ControlledGatherer.class);

  /** The only key of the state. */
  private static final String KEY = "group";

  private final String job;
  private final ArrayList<BatchStage> stages;

  private transient BroadcastState<String, SwapState> state;
  private transient String restored;
  private transient volatile Map<String, IndexRef> inUse;
  private transient String decided;
  private transient boolean committed;
  private transient List<ControlCommand> pending;
  private transient List<StageReference> references;
  private transient SwappableStages opened;
  private transient IndexSwaps swaps;
  private transient MailboxExecutor mailbox;
  private transient boolean finished;
  private transient int subtask;
  private transient int subtasks;

  /**
   * Makes the operator.
   *
   * @param job the job's name
   * @param stages of the group
   */
  ControlledGatherer(String job, List<BatchStage> stages, MicroBatcher.Limits limits) {
    super(limits);
    this.job = job;
    this.stages = new ArrayList<>(stages);
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
    restored = "restored from " + context.getRestoredCheckpointId();
    SwapState before = state.get(KEY);
    decided = before == null ? "" : before.getDecided();
    committed = before != null && before.getCommitted();
    pending = new ArrayList<>(before == null ? List.of() : before.getPending());
    Map<String, IndexRef> then =
        before == null ? Map.of() : IndexState.byStage(before.getConfigured());
    Map<String, IndexRef> used = before == null ? Map.of() : IndexState.byStage(before.getInUse());
    Map<String, IndexRef> now = new LinkedHashMap<>();
    for (BatchStage stage : stages) {
      for (IndexRef configured : stage.indexRefs()) {
        String name = stage.name();
        now.put(name, next(stage, configured, then.get(name), used.get(name)));
      }
    }
    use(now);
  }

  /** What a stage uses after a restore: what it was swapped to, unless the job file was changed. */
  private static IndexRef next(
      BatchStage stage, IndexRef configured, IndexRef then, IndexRef used) {
    if (then == null || used == null || used.sha256().equals(configured.sha256())) {
      return configured;
    }
    boolean changed =
        !then.uri().equals(configured.uri())
            || (stage.pinned() && !then.sha256().equals(configured.sha256()));
    if (changed) {
      LOG.info(
          "stage {}: swapping {} for {}, as the changed job file says",
          stage.name(),
          used,
          configured);
      return configured;
    }
    if (!used.uri().equals(configured.uri())) {
      LOG.info(
          "stage {}: goes on with {}, to which it was swapped, instead of {} in the job file",
          stage.name(),
          used,
          configured);
    }
    return used;
  }

  @Override
  public void open() throws Exception {
    super.open();
    StreamingRuntimeContext context = getRuntimeContext();
    subtask = context.getTaskInfo().getIndexOfThisSubtask();
    subtasks = context.getTaskInfo().getNumberOfParallelSubtasks();
    mailbox =
        getContainingTask()
            .getMailboxExecutorFactory()
            .createExecutor(getOperatorConfig().getChainIndex());
    String group = StageGroup.name(stages);
    opened = SwappableStages.OPEN.get(SwappableStages.Key.of(context, group));
    if (opened == null) {
      throw new IllegalStateException("stage " + group + " is not chained to its gatherer");
    }
    opened.open(inUse);
    swaps =
        new IndexSwaps(
            this,
            opened,
            new SwapVotes(stages.get(0).name(), subtask, master(context)),
            subtask,
            subtasks,
            work -> StageThreads.daemon(context, work, "loader of " + group + " " + subtask));
    pending.forEach(swaps::add);
  }

  /** Flink's test harnesses have no job master. */
  GlobalAggregateManager master(StreamingRuntimeContext context) {
    return context.getGlobalAggregateManager();
  }

  @Override
  public void processElement1(StreamRecord<Envelope> element) throws Exception {
    gather(element.getValue());
  }

  @Override
  public void processElement2(StreamRecord<Tuple2<String, List<ControlCommand>>> element) {
    begin(element.getValue().f0);
    for (ControlCommand command : element.getValue().f1) {
      if (command.getSwap() != null && inUse.containsKey(command.getSwap().getStage())) {
        pending.add(command);
        swaps.add(command);
      }
    }
  }

  private void begin(String round) {
    swaps.begin(round, decided, committed);
  }

  @Override
  public void processWatermark1(Watermark mark) throws Exception {
    pass(mark);
  }

  @Override
  public void processWatermark2(Watermark mark) {
    // commands have no time
  }

  @Override
  protected void processWatermarkStatus(WatermarkStatus status, int input) throws Exception {
    if (input == 0) {
      pass(status);
    }
  }

  @Override
  public void endInput(int input) throws Exception {
    if (input == 1) {
      flush(MicroBatcher.Fill.END);
    } else {
      begin(restored); // of commands that had ended before the restore
    }
  }

  @Override
  public void finish() throws Exception {
    finished = true;
    swaps.finish();
    super.finish();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    Map<String, IndexRef> configured = new LinkedHashMap<>();
    stages.forEach(
        stage -> stage.indexRefs().forEach(index -> configured.put(stage.name(), index)));
    state.put(
        KEY,
        new SwapState(
            IndexState.toAvro(configured),
            references,
            decided,
            committed,
            new ArrayList<>(pending),
            null));
  }

  @Override
  List<StageReference> references() {
    return references;
  }

  private void use(Map<String, IndexRef> indexes) {
    inUse = indexes;
    references = List.copyOf(IndexState.toAvro(indexes));
  }

  @Override
  public void mail(ThrowingRunnable<Exception> mail, String description) {
    mailbox.execute(mail, description);
  }

  @Override
  public Map<String, IndexRef> inUse() {
    return inUse;
  }

  @Override
  public void loading(ControlCommand command) {
    tell(command, subtask, "loading", "");
  }

  @Override
  public SwappableStages.Prepared decided(
      ControlCommand command, SwappableStages.Prepared loaded, String reason) throws Exception {
    decided = command.getId();
    committed = loaded != null;
    SwappableStages.Prepared old = null;
    if (loaded != null) {
      flush(MicroBatcher.Fill.SWAP);
      old = opened.use(loaded);
      Map<String, IndexRef> next = new LinkedHashMap<>(inUse);
      next.put(command.getSwap().getStage(), IndexState.fromAvro(command.getSwap().getReference()));
      use(next);
    }
    tell(command, subtask, loaded == null ? "refused" : "in-use", reason);
    return old;
  }

  @Override
  public void ended(ControlCommand command, String reason) {
    pending.remove(command); // not before: after a restore, subtask 0 has to tell this again
    if (subtask == 0) {
      tell(command, -1, reason.isEmpty() ? "in-use" : "refused", reason);
    }
  }

  private void tell(ControlCommand command, int by, String what, String reason) {
    StageReference swap = command.getSwap();
    Instant now = Instant.ofEpochMilli(getProcessingTimeService().getCurrentProcessingTime());
    LOG.info(
        "stage {}, {}: {} {}{}",
        swap.getStage(),
        by < 0 ? "whole job" : "subtask " + by,
        IndexRef.location(URI.create(swap.getReference().getUri())),
        what,
        reason.isEmpty() ? "" : ": " + reason);
    if (!finished) {
      output.collect(
          Records.STATUSES,
          new StreamRecord<>(
              new ControlStatus(
                  command.getId(),
                  job,
                  swap.getStage(),
                  by,
                  subtasks,
                  what,
                  reason,
                  swap.getReference(),
                  now),
              now.toEpochMilli()));
    }
  }

  @Override
  public void close() throws Exception {
    if (swaps != null) {
      swaps.close();
    }
    super.close();
  }
}
