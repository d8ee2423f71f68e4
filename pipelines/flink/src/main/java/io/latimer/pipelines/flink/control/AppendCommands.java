package io.latimer.pipelines.flink.control;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.flink.batch.ChainedStages;
import io.latimer.pipelines.flink.state.LearnedState;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.record.Corrections;
import io.latimer.pipelines.record.Taught;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.CorrectionStatus;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.SwapState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends sentence pairs or terms that stages learn, by opening a version of the index with the
 * pairs beside the one in use. Every subtask aligns the pairs itself; all get the same links.
 */
final class AppendCommands extends IndexCommands {
  private static final Logger LOG = LoggerFactory.getLogger(AppendCommands.class);

  private final CorrectionStatuses statuses = new CorrectionStatuses();
  private final Duration patience;
  private final Set<String> restored;

  /**
   * Creates the kind.
   *
   * @param learn how stages learn, in all groups
   * @param patience maximum time to find out how a stage translated what it is to learn; zero in
   *     subtasks that report no statuses
   * @param restored commands from a checkpoint: a text of theirs that hung must not hang again
   */
  AppendCommands(
      List<ControlConfig.Learn> learn,
      ChainedStages stages,
      IndexesInUse inUse,
      LearnedState learned,
      Duration patience,
      List<ControlCommand> restored) {
    super(learn, stages, inUse, learned);
    this.patience = patience;
    this.restored = Set.copyOf(restored.stream().map(ControlCommand::getId).toList());
  }

  @Override
  public boolean isFor(ControlCommand command) {
    return inUse.versions().containsKey(command.getAppendTo());
  }

  @Override
  public Change prepare(ControlCommand command) {
    String stage = command.getAppendTo();
    ControlConfig.Learn limits =
        limits(stage).orElseThrow(() -> new OperatorException(doesNotLearn(stage)));
    IndexVersion now = inUse.versions().get(stage);
    // the same in all subtasks, even if they keep different pairs for batches in flight
    LearnedPairs before = learned.usable(stage);
    statuses.begin(command, before);
    List<LearnedPair> fresh = fitting(limits, now, added(command, before));
    if (!patience.isZero() && !restored.contains(command.getId())) {
      translate(command);
    }
    statuses.prepared(command, fresh);
    IndexVersion next = new IndexVersion(now.index(), now.learned().with(fresh));
    return new Append(limits, next, fresh, stages.prepare(stage, next));
  }

  /** Notes how the stage translates now what it is to learn. */
  private void translate(ControlCommand command) {
    try {
      statuses.translated(
          command, texts -> stages.translate(command.getAppendTo(), texts, patience));
    } catch (RuntimeException e) { // it is learned all the same
      LOG.info("command {}: no translations before it: {}", command.getId(), e.toString());
    }
  }

  private static String doesNotLearn(String stage) {
    return "stage " + stage + " does not learn; add it to control.learn";
  }

  /**
   * The corrections of a command that are not in the state yet, without duplicates. The state
   * forgets a pair at the second compaction after it was learned.
   */
  private static List<Correction> added(ControlCommand command, LearnedPairs before) {
    Set<String> ids = new HashSet<>();
    before.pairs().forEach(pair -> ids.add(pair.id()));
    return command.getAppend().stream().filter(one -> ids.add(one.getId())).toList();
  }

  /**
   * Aligns as many corrections as there is room for; the same ones in all subtasks.
   *
   * @throws OperatorException if there is no room for any of them
   */
  private List<LearnedPair> fitting(
      ControlConfig.Learn limits, IndexVersion now, List<Correction> corrections) {
    int room = limits.maxPairs() - now.learned().size();
    long bytesLeft = limits.maxBytes() - bytes(now.learned());
    List<LearnedPair> fitting = new ArrayList<>();
    for (Correction correction : corrections) {
      if (fitting.size() >= room) {
        break;
      }
      LearnedPair pair = aligned(limits.stage(), now, correction);
      if (bytes(pair) <= bytesLeft) {
        bytesLeft -= bytes(pair);
        fitting.add(pair);
      }
    }
    if (fitting.isEmpty() && !corrections.isEmpty()) {
      throw new OperatorException(full(limits, now.learned()));
    }
    return fitting;
  }

  private LearnedPair aligned(String stage, IndexVersion now, Correction correction) {
    try {
      LearnedPair pair = Corrections.pair(correction);
      return correction.getAlignment() == null ? stages.align(stage, now, pair) : pair;
    } catch (RecordException e) {
      throw new OperatorException(Corrections.problem(correction.getId(), e), e);
    }
  }

  private String full(ControlConfig.Learn limits, LearnedPairs used) {
    return "stage "
        + limits.stage()
        + " has no room for more: it has "
        + used.size()
        + " learned "
        + taught(limits.stage()).plural()
        + " with "
        + bytes(used)
        + " bytes beside its index; max-pairs is "
        + limits.maxPairs()
        + ", and max-size "
        + limits.maxBytes()
        + remedy(limits);
  }

  /** Checks that what was learned fits beside another index. */
  static void requireRoom(ControlConfig.Learn limits, LearnedPairs pairs, Taught taught) {
    if (pairs.size() > limits.maxPairs() || bytes(pairs) > limits.maxBytes()) {
      throw new OperatorException(
          "stage "
              + limits.stage()
              + " would have "
              + pairs.size()
              + " learned "
              + taught.plural()
              + " with "
              + bytes(pairs)
              + " bytes beside its index; max-pairs is "
              + limits.maxPairs()
              + ", and max-size "
              + limits.maxBytes()
              + "; swap to an index that has more of them in it (--covers)");
    }
  }

  private String remedy(ControlConfig.Learn limits) {
    if (taught(limits.stage()) == Taught.TERMS) {
      return "; add them to a new file of the glossary and swap to it (--covers)";
    }
    return limits.isCompacted()
        ? "; wait until they are written to a new index file, or see the log why that fails"
        : "; set compact.directory, so that they are written to a new index file (unless the job's"
            + " source ends), or add them to the index with `latimer phrases append` and swap it";
  }

  private static long bytes(LearnedPairs pairs) {
    return pairs.pairs().stream().mapToLong(AppendCommands::bytes).sum();
  }

  private static long bytes(LearnedPair pair) {
    return bytes(pair.id())
        + bytes(pair.source())
        + bytes(pair.target())
        + bytes(pair.alignment())
        + bytes(pair.rawSource())
        + bytes(pair.rawTarget());
  }

  private static long bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** An index with more pairs, opened beside the one in use. */
  private final class Append implements Change {
    private final ControlConfig.Learn limits;
    private final IndexVersion next;
    private final List<LearnedPair> fresh;
    private final ChainedStages.Prepared prepared;

    Append(
        ControlConfig.Learn limits,
        IndexVersion next,
        List<LearnedPair> fresh,
        ChainedStages.Prepared prepared) {
      this.limits = limits;
      this.next = next;
      this.fresh = fresh;
      this.prepared = prepared;
    }

    @Override
    public MicroBatcher.Fill fill() {
      return MicroBatcher.Fill.SWAP;
    }

    @Override
    public void announce() {
      stages.learned(limits.stage(), learned.of(limits.stage()).with(fresh));
    }

    @Override
    public Runnable apply() {
      ChainedStages.Prepared old = stages.use(prepared);
      if (!fresh.isEmpty()) {
        learned.append(limits.stage(), fresh);
        inUse.use(limits.stage(), next);
      }
      return old::close;
    }

    @Override
    public void close() {
      prepared.close();
    }
  }

  @Override
  public void write(SwapState.Builder state) {
    // SwapCommands writes the versions in use, and LearnedState the pairs
  }

  @Override
  public String stage(ControlCommand command) {
    return command.getAppendTo();
  }

  @Override
  public IndexReference reference(ControlCommand command) {
    return null;
  }

  @Override
  public List<String> unused(ControlCommand command) {
    return added(command, learned.usable(command.getAppendTo())).stream()
        .map(Correction::getId)
        .toList();
  }

  @Override
  public List<CorrectionStatus> corrections(ControlCommand command, String why) {
    return statuses.end(command, unused(command), why);
  }

  @Override
  public String shortfall(ControlCommand command) {
    String stage = command.getAppendTo();
    long all = command.getAppend().stream().map(Correction::getId).distinct().count();
    LearnedPairs used = inUse.versions().get(stage).learned();
    return "learned "
        + (all - unused(command).size())
        + " of "
        + all
        + " corrections; "
        + limits(stage).map(limits -> full(limits, used)).orElseGet(() -> doesNotLearn(stage));
  }

  @Override
  public String note(ControlCommand command) {
    return note(inUse.versions().get(command.getAppendTo()));
  }

  /** A short description of what was learned and is in use. */
  static String note(IndexVersion used) {
    return "learned "
        + Taught.beside(used.index().kind()).plural()
        + " from "
        + used.learned().from()
        + " to "
        + used.learned().to();
  }

  @Override
  public String what(ControlCommand command) {
    return "corrections " + Corrections.ids(command.getAppend());
  }
}
