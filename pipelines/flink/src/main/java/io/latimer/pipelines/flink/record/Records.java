package io.latimer.pipelines.flink.record;

import io.latimer.schemas.Batch;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.util.OutputTag;

/** Types of a job's stream elements: Avro records, both in state and between tasks. */
public final class Records {
  public static final TypeInformation<Envelope> ENVELOPE = new AvroTypeInfo<>(Envelope.class);
  public static final TypeInformation<Batch> BATCH = new BatchType();

  /** Counts of a pane, for table stages. */
  public static final TypeInformation<TablePart> PART = new AvroTypeInfo<>(TablePart.class);

  public static final OutputTag<TablePart> PARTS = new OutputTag<>("parts", PART);

  /** Records that cannot be processed. */
  public static final OutputTag<Envelope> DEAD_LETTERS = new OutputTag<>("dead-letters", ENVELOPE);

  /** Statuses of commands. */
  static final TypeInformation<ControlStatus> STATUS = new AvroTypeInfo<>(ControlStatus.class);

  public static final OutputTag<ControlStatus> STATUSES = new OutputTag<>("statuses", STATUS);

  /** Accepted commands, none or one, with the round in which they are executed. */
  public static final TypeInformation<Tuple2<String, List<ControlCommand>>> COMMANDS =
      Types.TUPLE(Types.STRING, Types.LIST(new AvroTypeInfo<>(ControlCommand.class)));

  private Records() {}
}
