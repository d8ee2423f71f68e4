package io.latimer.pipelines.flink;

import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.util.OutputTag;

/** Types of a job's stream elements: Avro records, in state and between tasks. */
final class Records {
  static final TypeInformation<Envelope> ENVELOPE = new AvroTypeInfo<>(Envelope.class);
  static final TypeInformation<Batch> BATCH = new BatchType();

  /** Counts of panes from table stages. */
  static final TypeInformation<TablePart> PART = new AvroTypeInfo<>(TablePart.class);

  static final OutputTag<TablePart> PARTS = new OutputTag<>("parts", PART);

  /** Records that cannot be processed. */
  static final OutputTag<Envelope> DEAD_LETTERS = new OutputTag<>("dead-letters", ENVELOPE);

  private Records() {}
}
