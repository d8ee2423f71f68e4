package io.latimer.pipelines.flink.control;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.record.AppendPart;
import io.latimer.pipelines.record.Corrections;
import io.latimer.pipelines.record.Taught;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes and validates the corrections that a stage is to learn, and batches them into {@code
 * append} commands. Refuses an invalid one with a status that has the correction's id.
 *
 * <p>Applies back pressure when corrections arrive faster than they are learned: it reads no more
 * while a command is full and too many are under way. That also delays checkpoints, so the wait is
 * limited: if no command ends for some time, corrections are refused.
 */
class CorrectionIntake extends CommandMaker {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(CorrectionIntake.class);

  /** Maximum time that a correction waits for others, in milliseconds. */
  static final long MAX_WAIT = 100;

  /**
   * Minimum time between two commands, in milliseconds: each one costs all subtasks some time, and
   * pending ones are in the state.
   */
  static final long INTERVAL = 500;

  /** Maximum number of commands under way. */
  static final int MOST = 16;

  /** Maximum time to wait for one of them to end before corrections are refused. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String index;
  private final Taught taught;
  private final Duration patience;

  private transient RecordCodec<Correction> codec;
  private transient ListState<Correction> state;
  private transient AppendPart gathered;
  private transient InFlightCommands inFlight;
  private transient ScheduledFuture<?> timer;
  private transient long earliest; // time of the next command

  /**
   * Makes the operator.
   *
   * @param job the job's name
   * @param index name of the index beside which a stage is to learn
   * @param taught what the corrections are
   */
  CorrectionIntake(String job, String index, Taught taught) {
    this(job, index, taught, PATIENCE);
  }

  CorrectionIntake(String job, String index, Taught taught, Duration patience) {
    super(job);
    this.index = index;
    this.taught = taught;
    this.patience = patience;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>("gathered", new AvroTypeInfo<>(Correction.class)));
    gathered = new AppendPart();
    for (Correction one : state.get()) {
      gathered.add(one);
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    codec = RecordCodec.of(Correction.class);
    inFlight = new InFlightCommands(master(), MOST);
    if (!gathered.corrections().isEmpty()) {
      flushAt(getProcessingTimeService().getCurrentProcessingTime() + MAX_WAIT);
    }
  }

  /** Overridden in tests: Flink's test harnesses have no job master. */
  GlobalAggregateManager master() {
    return getRuntimeContext().getGlobalAggregateManager();
  }

  @Override
  public void processElement(StreamRecord<Tuple2<String, byte[]>> element) throws Exception {
    Correction correction;
    try {
      correction = codec.decode(element.getValue().f1);
    } catch (RecordFormatException e) {
      refuse("", element.getValue().f0 + ": not a correction: " + e.getMessage());
      return;
    }
    try {
      correction = taught.normalized(correction); // collected corrections are in the state
    } catch (RecordException e) {
      String id = correction.getId();
      String problem = Corrections.problem(id, e);
      refuse(id.length() <= Corrections.MAX_ID ? id : "", element.getValue().f0 + ": " + problem);
      return;
    }
    if (!gathered.hasRoomFor(correction) && !flushInTime()) {
      refuse(
          correction.getId(),
          element.getValue().f0
              + ": too many corrections wait to be learned; send it again when some have been");
      return;
    }
    gathered.add(correction);
    long now = getProcessingTimeService().getCurrentProcessingTime();
    if (gathered.isFull() && now >= earliest && inFlight.hasRoom()) {
      flush();
    } else if (timer == null) {
      flushAt(Math.max(now + MAX_WAIT, earliest));
    }
  }

  /** Emits a command as soon as there is room for one; returns false if that takes too long. */
  private boolean flushInTime() throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    long now = getProcessingTimeService().getCurrentProcessingTime();
    if (now < earliest) {
      TimeUnit.MILLISECONDS.sleep(Math.min(earliest - now, INTERVAL));
    }
    PollPauses pauses = new PollPauses(TimeUnit.MILLISECONDS::sleep);
    while (!inFlight.hasRoom()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      pauses.pause();
    }
    flush();
    return true;
  }

  private void flushAt(long time) {
    timer =
        getProcessingTimeService()
            .registerTimer(
                time,
                at -> {
                  timer = null;
                  if (inFlight.hasRoom()) {
                    flush();
                  } else {
                    flushAt(at + MAX_WAIT);
                  }
                });
  }

  private void flush() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    List<Correction> corrections = gathered.corrections();
    if (corrections.isEmpty()) {
      return;
    }
    ControlCommand append =
        ControlCommand.newBuilder()
            .setId("corrections-" + UUID.randomUUID())
            .setJob(job)
            .setTime(now())
            .setAppendTo(index)
            .setAppend(corrections)
            .build();
    gathered = new AppendPart();
    inFlight.add(append.getId());
    earliest = getProcessingTimeService().getCurrentProcessingTime() + INTERVAL;
    emit(ControlIntake.OWN, append);
  }

  private void refuse(String id, String reason) {
    LOG.info("stage {}: refused {}", index, reason);
    Instant now = now();
    output.collect(
        Records.STATUSES,
        new StreamRecord<>(
            new ControlStatus(id, job, index, -1, 0, "refused", reason, null, now, List.of()),
            now.toEpochMilli()));
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    state.update(gathered.corrections());
  }

  @Override
  public void endInput() {
    flush();
  }
}
