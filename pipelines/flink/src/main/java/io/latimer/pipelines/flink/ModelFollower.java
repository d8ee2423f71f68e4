package io.latimer.pipelines.flink;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.PublishedModel;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.StageReference;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes swaps of published models, encoded as those of the topic of commands. The newest model is
 * the one whose window ends last, and of these the last revision; older ones are ignored, whenever
 * they come. Models that come together are not loaded one after the other: it waits a moment for a
 * newer one. It runs once in a job.
 */
final class ModelFollower extends AbstractStreamOperator<Tuple2<String, byte[]>>
    implements OneInputStreamOperator<Tuple2<String, byte[]>, Tuple2<String, byte[]>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ModelFollower.class);

  /** How long it waits for a newer model. */
  static final long WAIT_MILLIS = 200;

  /** Digits of a SHA-256 in the id of a command. */
  private static final int ID_DIGITS = 16;

  private final String job;
  private final JobConfig.Follow follow;

  private final String configured;

  private transient ListState<PublishedModel> state;
  private transient RecordCodec<PublishedModel> models;
  private transient RecordCodec<ControlCommand> commands;

  /** The newest one so far; null if there was none. */
  private transient PublishedModel newest;

  /** SHA-256 of the model that was sent last, or else of that in the job file. */
  private transient String used;

  /** Where the newest one was read; null unless its swap is still to be sent. */
  private transient String waiting;

  /**
   * Makes the operator.
   *
   * @param job the job's name
   * @param configured SHA-256 of the model in the job file
   */
  ModelFollower(String job, JobConfig.Follow follow, String configured) {
    this.job = job;
    this.follow = follow;
    this.configured = configured;
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
      newest = one;
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    models = RecordCodec.of(PublishedModel.class);
    commands = RecordCodec.of(ControlCommand.class);
    used = configured;
    if (newest != null) {
      await("the job's state"); // it may not have been sent; a second time it changes nothing
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
    return newest != null && !isNewer(model) ? Optional.of("it is not newer") : Optional.empty();
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
    if (newest.getSha256().equals(used)) {
      LOG.info("{}: the model of {} is in use already", where, newest.getEnd());
      return;
    }
    used = newest.getSha256();
    IndexReference reference =
        new IndexReference(newest.getKind(), newest.getUri(), used, newest.getVersion());
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
                    used.substring(0, Math.min(ID_DIGITS, used.length()))))
            .setJob(job)
            .setTime(Instant.ofEpochMilli(getProcessingTimeService().getCurrentProcessingTime()))
            .setSwap(new StageReference(follow.stage(), reference, 0L, 0L))
            .build();
    output.collect(new StreamRecord<>(Tuple2.of(where, commands.encode(command))));
  }

  @Override
  public void endInput() {
    send();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    state.update(newest == null ? List.of() : List.of(newest));
  }
}
