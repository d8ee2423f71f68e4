package io.latimer.pipelines.flink;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.record.Corrections;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes and checks the corrections that a stage is to learn, and gathers them into {@code append}
 * commands. A bad one is refused with a status, which has the correction's id.
 *
 * <p>It has no state: before a checkpoint barrier and at the end of the input it emits what it
 * holds.
 */
final class CorrectionIntake extends AbstractStreamOperator<Tuple2<String, byte[]>>
    implements OneInputStreamOperator<Tuple2<String, byte[]>, Tuple2<String, byte[]>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(CorrectionIntake.class);

  /** How long a correction waits for others, in milliseconds. */
  static final long MAX_WAIT = 100;

  /**
   * Time between two commands, in milliseconds: each takes all subtasks some time, and those that
   * wait are in the state.
   */
  static final long INTERVAL = 500;

  private final String job;
  private final String stage;

  private transient RecordCodec<Correction> codec;
  private transient RecordCodec<ControlCommand> commands;
  private transient List<Correction> gathered;
  private transient int size;
  private transient ScheduledFuture<?> timer;
  private transient long earliest; // time of the next command

  /**
   * Makes the operator.
   *
   * @param job the job's name
   * @param stage name of the stage that is to learn
   */
  CorrectionIntake(String job, String stage) {
    this.job = job;
    this.stage = stage;
  }

  @Override
  public void open() throws Exception {
    super.open();
    codec = RecordCodec.of(Correction.class);
    commands = RecordCodec.of(ControlCommand.class);
    gathered = new ArrayList<>();
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
      correction = Corrections.normalized(correction); // what is gathered is in the state
    } catch (RecordException e) {
      String id = correction.getId();
      String problem = Corrections.problem(id, e);
      refuse(id.length() <= Corrections.MAX_ID ? id : "", element.getValue().f0 + ": " + problem);
      return;
    }
    gathered.add(correction);
    size += Corrections.size(correction);
    long now = getProcessingTimeService().getCurrentProcessingTime();
    if (gathered.size() == Corrections.MOST || size >= Corrections.MAX_SIZE) {
      if (now < earliest) { // many corrections wait in their topic; a barrier may wait, too
        TimeUnit.MILLISECONDS.sleep(Math.min(earliest - now, INTERVAL));
      }
      flush();
    } else if (timer == null) {
      timer =
          getProcessingTimeService()
              .registerTimer(Math.max(now + MAX_WAIT, earliest), time -> flush());
    }
  }

  private void flush() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (gathered.isEmpty()) {
      return;
    }
    ControlCommand append =
        ControlCommand.newBuilder()
            .setId("corrections-" + UUID.randomUUID())
            .setJob(job)
            .setTime(now())
            .setAppendTo(stage)
            .setAppend(gathered)
            .build();
    gathered = new ArrayList<>();
    size = 0;
    earliest = getProcessingTimeService().getCurrentProcessingTime() + INTERVAL;
    output.collect(new StreamRecord<>(Tuple2.of(ControlIntake.OWN, commands.encode(append))));
  }

  private Instant now() {
    return Instant.ofEpochMilli(getProcessingTimeService().getCurrentProcessingTime());
  }

  private void refuse(String id, String reason) {
    LOG.info("stage {}: refused {}", stage, reason);
    Instant now = now();
    output.collect(
        Records.STATUSES,
        new StreamRecord<>(
            new ControlStatus(id, job, stage, -1, 0, "refused", reason, null, now),
            now.toEpochMilli()));
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
    flush();
    super.prepareSnapshotPreBarrier(checkpoint);
  }

  @Override
  public void endInput() {
    flush();
  }
}
