package io.latimer.pipelines.flink.control;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.job.LimitSettings;
import io.latimer.pipelines.record.Corrections;
import io.latimer.pipelines.record.Taught;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.StageIndexVersion;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes and validates commands. Drops those of other jobs and duplicates; passes the others on,
 * or refuses them with a status. It runs with parallelism 1, so it also announces the round of
 * {@link CommandVotes}.
 */
class ControlIntake extends AbstractStreamOperator<Tuple2<String, List<ControlCommand>>>
    implements OneInputStreamOperator<
        Tuple2<String, byte[]>, Tuple2<String, List<ControlCommand>>> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ControlIntake.class);

  /** The place of appends that the job makes of corrections, which are never delivered twice. */
  static final String OWN = "";

  /** The place of swaps to published models, which nobody would send again. */
  static final String FOLLOWED = "published models";

  /** Number of the latest command ids that are remembered. */
  static final int REMEMBERED = 1_000;

  /**
   * Maximum number of commands under way; beyond it, those of senders are refused. See {@link
   * CommandVotes}.
   */
  static final int MOST = CommandVotes.REMEMBERED / 2;

  private static final int MAX_ID = 200;

  private final String job;
  private final LinkedHashMap<String, String> kinds;
  private final boolean batches;
  private final ArrayList<String> learning;

  private transient ListState<String> state;
  private transient Set<String> ids;
  private transient RecordCodec<ControlCommand> codec;
  private transient String round;
  private transient InFlightCommands inFlight;

  /**
   * Makes the operator.
   *
   * @param job the job's name
   * @param kinds the kinds of the indexes that can be swapped, by {@link IndexName}
   * @param batches whether the job has stages that process batches
   * @param learning the names of the indexes beside which stages learn
   */
  ControlIntake(String job, Map<String, String> kinds, boolean batches, List<String> learning) {
    this.learning = new ArrayList<>(learning);
    this.batches = batches;
    this.job = job;
    this.kinds = new LinkedHashMap<>(kinds);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("commands", Types.STRING));
    ids = new LinkedHashSet<>();
    state.get().forEach(ids::add);
  }

  @Override
  public void open() throws Exception {
    super.open();
    codec = RecordCodec.of(ControlCommand.class);
    round = UUID.randomUUID().toString();
    inFlight = new InFlightCommands(master(), MOST);
    // gatherers resume restored commands once they know the round; open cannot emit it
    ScheduledFuture<?> unused =
        getProcessingTimeService()
            .registerTimer(
                getProcessingTimeService().getCurrentProcessingTime(), time -> pass(List.of()));
  }

  /** Flink's test harnesses have no job master. */
  GlobalAggregateManager master() {
    return getRuntimeContext().getGlobalAggregateManager();
  }

  private void pass(List<ControlCommand> commands) {
    output.collect(new StreamRecord<>(Tuple2.of(round, new ArrayList<>(commands))));
  }

  @Override
  public void processElement(StreamRecord<Tuple2<String, byte[]>> element) {
    ControlCommand command;
    try {
      command = codec.decode(element.getValue().f1);
    } catch (RecordFormatException e) {
      ControlCommand unknown =
          ControlCommand.newBuilder().setId("").setJob(job).setTime(Instant.EPOCH).build();
      tell(unknown, "refused", element.getValue().f0 + ": not a command: " + e.getMessage());
      return;
    }
    if (!command.getJob().equals(job)) {
      return;
    }
    if (ids.contains(command.getId())) {
      LOG.info("command {} was delivered again, and is ignored", command.getId());
      return;
    }
    boolean own = element.getValue().f0.equals(OWN);
    boolean followed = element.getValue().f0.equals(FOLLOWED);
    String problem = problem(command);
    if (problem == null && !own && !followed && !inFlight.hasRoom()) {
      problem =
          MOST + " commands are under way; send it again, with a new id, when some have ended";
    }
    if (command.getId().length() <= MAX_ID && !own) {
      remember(command.getId());
    }
    if (problem != null) {
      tell(command, "refused", problem);
      return;
    }
    inFlight.add(command.getId());
    tell(command, "received", "");
    pass(List.of(command));
  }

  /** Why no job with these stages can execute a command; null if it may be possible. */
  private String problem(ControlCommand command) {
    if (command.getId().isBlank() || command.getId().length() > MAX_ID) {
      return "the command needs an id of 1 to " + MAX_ID + " characters";
    }
    boolean append = !command.getAppendTo().isEmpty() || !command.getAppend().isEmpty();
    List<String> asked = new ArrayList<>();
    if (command.getSwap() != null) {
      asked.add("swap");
    }
    if (command.getSet() != null) {
      asked.add("set");
    }
    if (append) {
      asked.add("append");
    }
    if (asked.size() > 1) {
      return "the command has " + String.join(" and ", asked) + "; send a command for each";
    }
    if (command.getCovers() != 0 && command.getSwap() == null) {
      return "the command has covers, which belongs to a swap, but no swap";
    }
    if (command.getCovers() < 0) {
      return "covers is the number of learned pairs or terms that the index of a swap has in it, 0 or more,"
          + " found "
          + command.getCovers();
    }
    if (command.getSwap() != null) {
      return problem(command.getSwap());
    }
    if (append) {
      return appendProblem(command);
    }
    if (command.getSet() != null) {
      return problem(command.getSet());
    }
    return "the command asks for nothing that this version can do";
  }

  private String appendProblem(ControlCommand command) {
    if (!learning.contains(command.getAppendTo())) {
      return lacks(command.getAppendTo())
          + " that learns; control.learn has "
          + (learning.isEmpty() ? "none" : String.join(", ", learning));
    }
    Taught taught = Taught.beside(kinds.getOrDefault(command.getAppendTo(), ""));
    int count = command.getAppend().size();
    if (count == 0 || count > Corrections.MOST) {
      return "a command appends 1 to "
          + Corrections.MOST
          + " "
          + taught.plural()
          + ", found "
          + count;
    }
    for (Correction one : command.getAppend()) {
      String problem = taught.problem(one);
      if (problem != null) {
        return problem;
      }
    }
    long cells = command.getAppend().stream().mapToLong(Corrections::cells).sum();
    if (cells > Corrections.MAX_CELLS) {
      return "it would take too long to align the pairs: a command appends pairs without alignment"
          + " with at most "
          + Corrections.MAX_CELLS
          + " cells, source words times target words, found "
          + cells
          + "; send fewer at a time";
    }
    return null;
  }

  private String problem(BatchLimits limits) {
    try {
      LimitSettings.check(limits);
    } catch (IllegalArgumentException e) {
      LOG.debug("a command has invalid limits", e);
      return e.getMessage();
    }
    return batches ? null : "the job has no stage that processes batches";
  }

  private String problem(StageIndexVersion swap) {
    if (swap.getLearnedFrom() != 0 || swap.getLearnedTo() != 0) {
      return "the swap has learnedFrom or learnedTo, which are for records; covers says which learned"
          + " pairs or terms the new index has in it";
    }
    String kind = kinds.get(swap.getStage());
    if (kind == null) {
      return lacks(swap.getStage()) + " that can be swapped; it has " + known();
    }
    return problem(swap, kind);
  }

  /**
   * Why the index of a swap cannot be used, judging by its reference; null if it may be usable.
   *
   * @param kind of the index that the stage expects
   */
  static String problem(StageIndexVersion swap, String kind) {
    try {
      IndexRef index = IndexState.fromAvro(swap.getReference());
      if (!index.kind().equals(kind)) {
        return index.location()
            + ": stage "
            + swap.getStage()
            + " expects an index of kind "
            + kind
            + ", found "
            + index.kind();
      }
      if (hasUser(index.uri())) {
        return index.location()
            + " has a user name or a password, which would be written into checkpoints; remove them";
      }
      return index.uri().isAbsolute() ? null : index.location() + " is not an absolute URI";
    } catch (IllegalArgumentException e) {
      LOG.debug("a swap of stage {} has an invalid reference", swap.getStage());
      // without the URI, which may contain a password
      return "the reference of the index has no valid URI, or no SHA-256 of 64 lower-case"
          + " hexadecimal digits";
    }
  }

  private static boolean hasUser(URI uri) {
    return uri.getRawAuthority() != null && uri.getRawAuthority().contains("@");
  }

  /**
   * Says that there is no such index.
   *
   * @param index its name
   */
  private static String lacks(String index) {
    return "the job has no " + (IndexName.parse(index).isMain() ? "stage " : "index ") + index;
  }

  private String known() {
    return kinds.isEmpty() ? "none" : String.join(", ", kinds.keySet());
  }

  private void remember(String id) {
    ids.add(id);
    if (ids.size() > REMEMBERED) {
      ids.remove(ids.iterator().next());
    }
  }

  private void tell(ControlCommand command, String what, String reason) {
    StageIndexVersion swap = command.getSwap();
    boolean accepted = reason.isEmpty();
    Instant now = Instant.ofEpochMilli(getProcessingTimeService().getCurrentProcessingTime());
    LOG.info("command {}: {}{}", command.getId(), what, reason.isEmpty() ? "" : ": " + reason);
    output.collect(
        Records.STATUSES,
        new StreamRecord<>(
            new ControlStatus(
                command.getId(),
                job,
                swap == null ? command.getAppendTo() : swap.getStage(),
                -1,
                0,
                what,
                reason,
                accepted && swap != null ? swap.getReference() : null, // it may contain a password
                now,
                List.of()),
            now.toEpochMilli()));
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    state.update(new ArrayList<>(ids));
  }
}
