package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.record.EncodedEnvelope;
import io.latimer.pipelines.flink.record.RecordBytes;
import io.latimer.pipelines.flink.record.RecordSize;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.sink.RecordWriter;
import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.Batch;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.streaming.api.datastream.AsyncDataStream.OutputMode;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SinkValuesTest {
  private static SinkValues atMost(int maxBytes, Format... formats) {
    return new SinkValues(
        Arrays.stream(formats).map(format -> new SinkValues.Limit(format, maxBytes)).toList());
  }

  @Test
  void everySinkWritesWhatItWouldEncodeItself() throws Exception {
    Envelope envelope = Envelopes.translated("Hallo\nWelt", 20);
    Envelope encoded = atMost(100_000, Format.values()).encode(envelope);
    for (Format format : Format.values()) {
      RecordWriter writer = new RecordWriter("topic", format);
      writer.open(null, null);
      byte[] value = writer.serialize(envelope, null, null).value();
      assertThat(EncodedEnvelope.value(encoded, format)).isEqualTo(value);
      assertThat(writer.serialize(encoded, null, null).value())
          .isSameAs(EncodedEnvelope.value(encoded, format));
    }
    for (int field = 0; field < Envelope.getClassSchema().getFields().size(); field++) {
      assertThat(encoded.get(field)).isSameAs(envelope.get(field));
    }
  }

  @Test
  void twoSinksOfOneFormatShareTheValue() {
    Envelope encoded = atMost(100_000, Format.AVRO, Format.AVRO).encode(envelope());
    assertThat(EncodedEnvelope.value(encoded, Format.AVRO)).isNotNull();
    assertThat(EncodedEnvelope.value(encoded, Format.JSON)).isNull();
  }

  @Test
  void aCopyIsEncodedAgain() {
    Envelope encoded = atMost(100_000, Format.AVRO).encode(envelope());
    Envelope copy = Records.ENVELOPE.createSerializer(new SerializerConfigImpl()).copy(encoded);
    assertThat(copy).isExactlyInstanceOf(Envelope.class).isEqualTo(envelope());
    assertThat(new RecordBytes(Format.AVRO).of(copy))
        .isEqualTo(EncodedEnvelope.value(encoded, Format.AVRO));
  }

  @ParameterizedTest
  @EnumSource(Format.class)
  void aRecordMayHaveAsManyBytesAsItsSinkTakes(Format format) {
    Envelope envelope = envelope();
    int bytes = new RecordBytes(format).of(envelope).length + (int) RecordSize.beside(envelope);
    assertThat(atMost(bytes, format).encode(envelope).getFailure()).isNull();
    DeadLetter letter = atMost(bytes - 1, format).encode(envelope).getFailure();
    assertThat(letter.getStage()).isEqualTo("sink");
    assertThat(letter.getOriginal()).isEqualTo(envelope.getOriginal());
    assertThat(letter.getErrorMessage())
        .contains("the translation has " + bytes + " bytes")
        .contains("a sink's maximum is " + (bytes - 1));
  }

  @Test
  void aTombstoneIsRefusedIfItsKeyAndHeadersAreTooLong() throws Exception {
    List<Header> headers = List.of(new Header("h", ByteBuffer.wrap(new byte[100])));
    Envelope tombstone = Envelopes.tombstone("key", headers);
    int bytes = (int) RecordSize.beside(tombstone);
    assertThat(atMost(bytes, Format.TEXT).encode(tombstone)).isSameAs(tombstone);
    Envelope refused = atMost(bytes - 1, Format.TEXT).encode(tombstone);
    assertThat(refused.getFailure().getStage()).isEqualTo("sink");
    assertThat(refused.getFailure().getHeaders()).isEqualTo(headers);
    assertThat(refused.getFailure().getErrorMessage())
        .contains("the record without a value has " + bytes + " bytes");
    // it is no tombstone any more, so it goes to the dead letters
    OneInputStreamOperatorTestHarness<Batch, Envelope> scatter =
        new OneInputStreamOperatorTestHarness<>(new BatchScatter(List.of(), true));
    scatter.open();
    scatter.processElement(new Batch(List.of(refused), Instant.EPOCH, List.of()), 0);
    assertThat(scatter.extractOutputValues()).isEmpty();
    assertThat(scatter.getSideOutput(Records.DEAD_LETTERS)).hasSize(1);
    scatter.close();
  }

  @Test
  void theSmallestSinkDecides() {
    Envelope envelope = Envelopes.translated("x".repeat(5_000), 20);
    SinkValues.Limit all = new SinkValues.Limit(Format.JSON, 100_000);
    SinkValues.Limit text = new SinkValues.Limit(Format.TEXT, 5_100);
    assertThat(new SinkValues(List.of(all, text)).encode(envelope).getFailure()).isNull();
    SinkValues.Limit few = new SinkValues.Limit(Format.AVRO, 5_100);
    assertThat(new SinkValues(List.of(all, text, few)).encode(envelope).getFailure()).isNotNull();
  }

  @Test
  void aSentenceThatNoStageTranslatesIsNamedSo() {
    Envelope envelope = envelope();
    envelope.setTranslation(null);
    assertThat(atMost(20, Format.AVRO).encode(envelope).getFailure().getErrorMessage())
        .contains("the sentence has");
  }

  @Test
  void aTextThatUtf8CannotEncodeIsADeadLetter() {
    Envelope envelope = Envelopes.translated("half a pair: \ud83d", 20);
    assertThat(atMost(100_000, Format.AVRO).encode(envelope).getFailure().getErrorMessage())
        .contains("surrogate");
  }

  /** In the stages' threads; what follows them only writes. */
  @Test
  void theStagesEncodeTheirRecords() throws Exception {
    Envelope fits = envelope();
    Envelope tooLong = Envelopes.translated("x".repeat(2_000), 20);
    StageFunction function =
        new StageFunction(
            "job",
            List.of(new TestStage("work", batch -> {})),
            Duration.ofMinutes(1),
            3,
            false,
            atMost(1_000, Format.AVRO));
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        new OneInputStreamOperatorTestHarness<>(
            new AsyncWaitOperatorFactory<>(function, 0, 1, OutputMode.ORDERED),
            Records.BATCH.createSerializer(new SerializerConfigImpl()));
    harness.setup(Records.BATCH.createSerializer(new SerializerConfigImpl()));
    harness.open();
    harness.processElement(
        new StreamRecord<>(
            new Batch(List.of(fits, tooLong), Instant.ofEpochMilli(1), List.of()), 10));
    harness.endInput();
    List<Envelope> done = harness.extractOutputValues().get(0).getEnvelopes();
    harness.close();
    assertThat(EncodedEnvelope.value(done.get(0), Format.AVRO)).isNotNull();
    assertThat(done.get(1).getFailure().getErrorMessage()).contains("a sink's maximum is 1000");
  }

  private static Envelope envelope() {
    return Envelopes.translated("Hallo", 20);
  }
}
