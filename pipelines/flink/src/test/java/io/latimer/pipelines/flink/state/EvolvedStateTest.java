package io.latimer.pipelines.flink.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.schemas.Batch;
import io.latimer.schemas.EarlierText;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;
import org.apache.flink.formats.avro.typeutils.AvroSerializerSnapshot;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.StringUtils;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** State of an older version is read, as if some fields of its records were new in this one. */
class EvolvedStateTest {
  /** Fields of several records of which a batch consists. */
  private static final Set<String> NEW =
      Set.of("translatedFrom", "memoryId", "memorySentences", "learnedFrom", "learnedTo");

  private static final Schema OLDER = older(Batch.getClassSchema(), new HashMap<>());

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newFieldsHaveTheirDefaults(boolean rocks) throws Exception {
    EarlierText from = new EarlierText("fr", "un", "model", "");
    Batch batch = batch(List.of(from), "memory", 3, 5);
    Batch without = batch(List.of(), "", 0, 0);
    TypeSerializer<Batch> present = Records.BATCH.createSerializer(new SerializerConfigImpl());

    Run older = run(new OlderSerializer(), null, batch, rocks);
    Run restored = run(present, older.saved, batch, rocks);
    assertThat(restored.list).containsExactly(without);
    assertThat(restored.value).isEqualTo(without);

    Run again = run(present, restored.saved, batch, rocks);
    assertThat(again.list).containsExactly(batch);
    assertThat(again.value).isEqualTo(batch);
  }

  private static Batch batch(List<EarlierText> from, String memory, int sentences, long learned) {
    Envelope envelope = Envelopes.translated("one", 1);
    envelope.getSentence().setTranslatedFrom(from);
    envelope.getTranslation().setMemoryId(memory);
    envelope.getTranslation().setMemorySentences(sentences);
    IndexReference index = new IndexReference("kind", "file:/m", "a".repeat(64), "");
    StageIndexVersion version = new StageIndexVersion("work", index, learned, learned);
    return new Batch(List.of(envelope), Instant.ofEpochMilli(2), List.of(version));
  }

  /**
   * A run of an operator.
   *
   * @param list what it has restored as operator state
   * @param value what it has restored as keyed state
   * @param saved its state at the end
   */
  private record Run(List<Batch> list, Batch value, OperatorSubtaskState saved) {}

  private Run run(
      TypeSerializer<Batch> serializer, OperatorSubtaskState from, Batch next, boolean rocks)
      throws Exception {
    Keeper keeper = new Keeper(serializer);
    KeyedOneInputStreamOperatorTestHarness<String, Batch, Batch> harness =
        new KeyedOneInputStreamOperatorTestHarness<>(keeper, batch -> "key", Types.STRING);
    if (rocks) {
      harness.setStateBackend(new EmbeddedRocksDBStateBackend());
      harness.setCheckpointStorage(new FileSystemCheckpointStorage(folder.toUri()));
    }
    if (from != null) {
      harness.initializeState(from);
    }
    harness.open();
    harness.processElement(new StreamRecord<>(next));
    OperatorSubtaskState saved = harness.snapshot(1, 1);
    harness.close();
    return new Run(keeper.restored, keeper.before, saved);
  }

  /** Keeps its last record as operator state and as keyed state. */
  private static final class Keeper extends AbstractStreamOperator<Batch>
      implements OneInputStreamOperator<Batch, Batch> {
    private static final long serialVersionUID = 1L;

    private final transient TypeSerializer<Batch> serializer;
    private transient ListState<Batch> list;
    private transient List<Batch> restored;
    private transient Batch before;

    Keeper(TypeSerializer<Batch> serializer) {
      this.serializer = serializer;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      list =
          context
              .getOperatorStateStore()
              .getListState(new ListStateDescriptor<>("list", serializer));
      restored = new ArrayList<>();
      list.get().forEach(restored::add);
    }

    @Override
    public void processElement(StreamRecord<Batch> element) throws Exception {
      ValueState<Batch> value =
          getRuntimeContext().getState(new ValueStateDescriptor<>("value", serializer));
      before = value.value();
      value.update(element.getValue());
      list.update(List.of(element.getValue()));
    }
  }

  /** Writes batches and describes them as the older version. */
  private static final class OlderSerializer extends AvroSerializer<Batch> {
    private static final long serialVersionUID = 1L;
    private static final int FINGERPRINT_END = 10;

    OlderSerializer() {
      super(Batch.class);
    }

    @Override
    public void serialize(Batch batch, DataOutputView out) throws IOException {
      byte[] bytes = RecordCodec.of(Batch.class).encode(batch);
      GenericRecord record =
          new GenericDatumReader<GenericRecord>(Batch.getClassSchema(), OLDER)
              .read(
                  null,
                  DecoderFactory.get()
                      .binaryDecoder(bytes, FINGERPRINT_END, bytes.length - FINGERPRINT_END, null));
      new AvroSerializer<>(GenericRecord.class, OLDER).serialize(record, out);
    }

    @Override
    public TypeSerializerSnapshot<Batch> snapshotConfiguration() {
      AvroSerializerSnapshot<Batch> snapshot = new AvroSerializerSnapshot<>();
      try {
        DataOutputSerializer out = new DataOutputSerializer(64);
        StringUtils.writeString(Batch.class.getName(), out);
        StringUtils.writeString(OLDER.toString(), out);
        snapshot.readSnapshot(
            snapshot.getCurrentVersion(),
            new DataInputDeserializer(out.getCopyOfBuffer()),
            Batch.class.getClassLoader());
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      return snapshot;
    }

    @Override
    public TypeSerializer<Batch> duplicate() {
      return new OlderSerializer();
    }
  }

  /** A schema whose records lack the new fields. */
  private static Schema older(Schema schema, Map<String, Schema> made) {
    return switch (schema.getType()) {
      case ARRAY -> Schema.createArray(older(schema.getElementType(), made));
      case UNION ->
          Schema.createUnion(schema.getTypes().stream().map(type -> older(type, made)).toList());
      case RECORD -> {
        Schema known = made.get(schema.getFullName());
        if (known != null) {
          yield known;
        }
        Schema record =
            Schema.createRecord(schema.getName(), schema.getDoc(), schema.getNamespace(), false);
        made.put(schema.getFullName(), record);
        record.setFields(
            schema.getFields().stream()
                .filter(field -> !NEW.contains(field.name()))
                .map(field -> new Schema.Field(field, older(field.schema(), made)))
                .toList());
        yield record;
      }
      default -> schema;
    };
  }
}
