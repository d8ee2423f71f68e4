package io.latimer.pipelines.flink.control;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.PublishedModel;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.StageIndexVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends swaps to published models, encoded like the commands of the control topic. The newest model
 * is the one whose window ends last, and among equals the last revision; older ones are ignored
 * whenever they arrive. Models that can never be used are ignored, and so are those whose window
 * ends far in the future, which would block all others until then. It waits a moment for newer
 * models, so that not every one of a burst is loaded. It runs with parallelism 1.
 */
final class ModelFollower extends CommandMaker {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ModelFollower.class);

  /** Time to wait for a newer model. */
  static final long WAIT_MILLIS = 200;

  /** Number of SHA-256 digits in the id of a command. */
  private static final int ID_DIGITS = 16;

  private final ControlConfig.Follow follow;

  private final String kind;
  private final String configured;
  private final Duration maxAhead;

  private transient ListState<PublishedModel> state;
  private transient RecordCodec<PublishedModel> models;

  /** The newest model so far; null if there was none. */
  private transient PublishedModel newest;

  /** The model of the last swap sent; null if the stage still has the one of the job file. */
  private transient PublishedModel sent;

  /** The position at which the newest model was read; null if its swap was sent. */
  private transient String waiting;

  /**
   * Creates the operator.
   *
   * @param job the job's name
   * @param configured the model in the job file
   * @param maxAhead maximum lead of a window's end over the clock
   */
  ModelFollower(String job, ControlConfig.Follow follow, IndexRef configured, Duration maxAhead) {
    super(job);
    this.follow = follow;
    this.kind = configured.kind();
    this.configured = configured.sha256();
    this.maxAhead = maxAhead;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>("newest", new AvroTypeInfo<>(PublishedModel.class)));
    for (PublishedModel one : state.get()) {
      sent = newest; // if there are two
      newest = one;
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    models = RecordCodec.of(PublishedModel.class);
    if (newest != null && problem(newest) != null) { // max-ahead or the clock may have changed
      LOG.warn("the model of {} in the state is ignored: {}", newest.getEnd(), problem(newest));
      newest = null;
    }
    if (newest != null) {
      await("the job's state"); // the swap may not have been sent; sending it twice is harmless
    }
  }

  @Override
  public void processElement(StreamRecord<Tuple2<String, byte[]>> element) {
    String where = element.getValue().f0;
    PublishedModel model;
    try {
      model = models.decode(element.getValue().f1);
    } catch (RecordFormatException e) {
      LOG.warn("{}: not a published model, and ignored: {}", where, e.getMessage());
      return;
    }
    Optional<String> reason = reasonToIgnore(model);
    if (reason.isPresent()) {
      LOG.info("{}: the model of {} is ignored: {}", where, model.getEnd(), reason.get());
      return;
    }
    newest = model;
    await(where);
  }

  private Optional<String> reasonToIgnore(PublishedModel model) {
    if (model.getUri().isEmpty()) {
      return Optional.of("there is none: " + model.getProblem());
    }
    if (!model.getFeed().equals(follow.feed())) {
      return Optional.of(
          "it is of "
              + (model.getFeed().isEmpty() ? "all feeds" : "feed " + model.getFeed())
              + ", and stage "
              + follow.stage()
              + " follows those of "
              + (follow.feed().isEmpty() ? "all feeds" : "feed " + follow.feed()));
    }
    if (model.getRunning() != follow.running()) {
      return Optional.of(
          model.getRunning()
              ? "it is a running model, and control.follow.running is false"
              : "it is of a window, and control.follow.running is true");
    }
    if (newest != null && !isNewer(model)) {
      return Optional.of("it is not newer");
    }
    return Optional.ofNullable(problem(model));
  }

  /** Why a model can never be used, or would keep all later ones from being used; null if not. */
  private String problem(PublishedModel model) {
    Instant latest = now().plus(maxAhead);
    if (model.getEnd().isAfter(latest)) {
      return "its window ends more than "
          + maxAhead
          + " after now, "
          + now()
          + "; if that is right, raise event-time.max-ahead";
    }
    return ControlIntake.problem(swap(model), kind);
  }

  private StageIndexVersion swap(PublishedModel model) {
    IndexReference reference =
        new IndexReference(model.getKind(), model.getUri(), model.getSha256(), model.getVersion());
    return new StageIndexVersion(follow.stage(), reference, 0L, 0L);
  }

  private boolean isNewer(PublishedModel model) {
    int order = model.getEnd().compareTo(newest.getEnd());
    return order > 0 || (order == 0 && model.getRevision() > newest.getRevision());
  }

  private void await(String where) {
    boolean timed = waiting != null;
    waiting = where;
    if (!timed) {
      ScheduledFuture<?> unused =
          getProcessingTimeService()
              .registerTimer(
                  getProcessingTimeService().getCurrentProcessingTime() + WAIT_MILLIS,
                  time -> send());
    }
  }

  private void send() {
    if (waiting == null) {
      return;
    }
    String where = waiting;
    waiting = null;
    if (sent == null && newest.getSha256().equals(configured)) {
      LOG.info("{}: the model of {} is that of the job file", where, newest.getEnd());
      return;
    }
    sent = newest;
    ControlCommand command =
        ControlCommand.newBuilder()
            // the same after a restart
            .setId(
                String.join(
                    " ",
                    "follow",
                    follow.stage(),
                    newest.getEnd().toString(),
                    Integer.toString(newest.getRevision()),
                    newest.getSha256().substring(0, ID_DIGITS)))
            .setJob(job)
            .setTime(now())
            .setSwap(swap(newest))
            .build();
    LOG.info("{}: stage {} is to use the model of {}", where, follow.stage(), newest.getEnd());
    emit(ControlIntake.FOLLOWED, command);
  }

  @Override
  public void endInput() {
    send();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<PublishedModel> models = new ArrayList<>();
    if (sent != null) {
      models.add(sent);
    }
    if (newest != null) {
      models.add(newest);
    }
    state.update(models);
  }
}
