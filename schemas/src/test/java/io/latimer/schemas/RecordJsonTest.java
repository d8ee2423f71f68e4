package io.latimer.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.junit.jupiter.api.Test;

class RecordJsonTest {

  @Test
  void aRecordIsOneFlatObjectInTheOrderOfItsSchema() {
    assertThat(RecordJson.of(Samples.deadLetter()))
        .isEqualTo(
            "{\"original\":\"base64:wygA\",\"key\":\"k\",\"headers\":[{\"key\":\"trace\",\"value\":"
                + "\"base64:AP8=\"},{\"key\":\"trace\",\"value\":\"\"},{\"key\":\"empty\",\"value\":"
                + "null}],\"origin\":{\"source\":\"sentences\",\"partition\":3,\"offset\":"
                + "1234567890123,\"timestamp\":\"2026-11-21T08:15:31.456Z\"},\"stage\":\"read\","
                + "\"errorClass\":\"io.latimer.schemas.RecordFormatException\",\"errorMessage\":"
                + "\"malformed UTF-8 at byte 0 (0xC3); texts must be UTF-8\",\"time\":"
                + "\"2026-11-21T08:15:31.456Z\"}");
  }

  @Test
  void optionalFieldsHaveNoTypeAround() {
    Translation translation = Samples.translation();
    assertThat(RecordJson.of(translation))
        .contains("\"score\":-3.25,\"normalizedScore\":-0.40625,")
        .contains("\"text\":\"Zoës Katze \uD83D\uDC08 saß auf שלום.\"");
    translation.setScore(null);
    translation.setAlignment(null);
    assertThat(RecordJson.of(translation))
        .contains("\"score\":null,\"normalizedScore\":-0.40625,")
        .contains("\"alignment\":null,");
  }

  @Test
  void everyReleasedRecordHasItsFieldsAndOneLine() {
    for (String name : ReleasedSchemas.NAMES) {
      var sample = Samples.of(name);
      String json = RecordJson.of(sample);
      assertThat(json).isEqualTo(RecordJson.of(Samples.of(name))).hasLineCount(1);
      sample
          .getSchema()
          .getFields()
          .forEach(f -> assertThat(json).contains("\"" + f.name() + "\""));
    }
  }

  @Test
  void noTextMakesTwoLinesOrLeavesItsString() {
    assertThat(header("a\"b\\c\n\r\t\u0000\u0085\u2028\u2029\u007f"))
        .endsWith("\"a\\\"b\\\\c\\n\\r\\t\\u0000\\u0085\\u2028\\u2029\\u007f\"}");
  }

  @Test
  void bytesThatLookLikeBase64AreEncoded() {
    assertThat(header("base64:")).endsWith("\"value\":\"base64:YmFzZTY0Og==\"}");
    assertThat(header("Base64:")).endsWith("\"value\":\"Base64:\"}");
  }

  @Test
  void bytesAreNotMoved() {
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {'x', 'y', 'z'}, 1, 1).slice();
    Header header = new Header("k", bytes);
    assertThat(RecordJson.of(header)).isEqualTo(RecordJson.of(header)).contains(":\"y\"");
  }

  @Test
  void timesHaveMilliseconds() {
    SourcePosition origin =
        SourcePosition.newBuilder().setSource("s").setTimestamp(Instant.EPOCH).build();
    assertThat(RecordJson.of(origin)).contains("\"timestamp\":\"1970-01-01T00:00:00.000Z\"");
  }

  @Test
  void numbersThatAreNotFiniteAreNull() {
    Alternative alternative =
        Alternative.newBuilder()
            .setText("a")
            .setScore(Double.NEGATIVE_INFINITY)
            .setNormalizedScore(Double.NaN)
            .build();
    assertThat(RecordJson.of(alternative))
        .startsWith("{\"text\":\"a\",\"score\":null,\"normalizedScore\":null,");
  }

  @Test
  void anEnumIsItsName() {
    Schema schema =
        new Schema.Parser()
            .parse(
                "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"e\",\"type\":"
                    + "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"UP\"]}}]}");
    GenericData.Record record = new GenericData.Record(schema);
    record.put("e", new GenericData.EnumSymbol(schema.getField("e").schema(), "UP"));
    assertThat(RecordJson.of(record)).isEqualTo("{\"e\":\"UP\"}");
  }

  private static String header(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return RecordJson.of(new Header("k", ByteBuffer.wrap(bytes)));
  }
}
