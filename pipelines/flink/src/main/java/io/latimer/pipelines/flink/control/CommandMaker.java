package io.latimer.pipelines.flink.control;

import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.RecordCodec;
import java.time.Instant;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Turns the records of a topic into commands, encoded like those of the control topic. An input
 * element is the position of a record, such as its topic and offset, and its value. It runs with
 * parallelism 1.
 */
abstract class CommandMaker extends AbstractStreamOperator<Tuple2<String, byte[]>>
    implements OneInputStreamOperator<Tuple2<String, byte[]>, Tuple2<String, byte[]>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;

  final String job;

  private transient RecordCodec<ControlCommand> codec;

  /**
   * Creates the operator.
   *
   * @param job the job's name
   */
  CommandMaker(String job) {
    this.job = job;
  }

  @Override
  public void open() throws Exception {
    super.open();
    codec = RecordCodec.of(ControlCommand.class);
  }

  final Instant now() {
    return Instant.ofEpochMilli(getProcessingTimeService().getCurrentProcessingTime());
  }

  /**
   * Emits a command.
   *
   * @param place the constant of {@link ControlIntake} for commands from this source
   */
  final void emit(String place, ControlCommand command) {
    output.collect(new StreamRecord<>(Tuple2.of(place, codec.encode(command))));
  }
}
