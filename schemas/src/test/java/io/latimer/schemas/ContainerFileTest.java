package io.latimer.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.file.SeekableInput;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.specific.SpecificDatumWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Container files from Avro's own writer, intact and damaged. */
class ContainerFileTest {
  private static final byte[] SYNC = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int PER_BLOCK = 10;
  private static final int MAX_RECORD_BYTES = 1 << 20;

  /** Bytes of a sentence of empty fields, all of them 0. */
  private static final int EMPTY_SENTENCE = 7;

  private static Sentence sentence(int number) {
    return new Sentence(
        "id-" + number,
        "feed",
        "en",
        "sentence " + number,
        Instant.ofEpochMilli(number),
        List.of(),
        List.of());
  }

  /** A file of blocks of ten sentences. */
  private static byte[] file(int sentences, CodecFactory codec) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.setCodec(codec);
      writer.create(Sentence.getClassSchema(), out, SYNC);
      for (int i = 0; i < sentences; i++) {
        writer.append(sentence(i));
        if (i % PER_BLOCK == PER_BLOCK - 1) {
          writer.sync();
        }
      }
    }
    return out.toByteArray();
  }

  private static List<ContainerFile.Block<Sentence>> read(byte[] bytes) throws IOException {
    return read(new SeekableByteArrayInput(bytes));
  }

  private static List<ContainerFile.Block<Sentence>> read(SeekableInput file) throws IOException {
    List<ContainerFile.Block<Sentence>> blocks = new ArrayList<>();
    try (ContainerFile<Sentence> container =
        ContainerFile.read(file, List.of(Sentence.class), MAX_RECORD_BYTES)) {
      for (var block = container.next(); block != null; block = container.next()) {
        blocks.add(block);
      }
    }
    return blocks;
  }

  private static List<String> ids(List<ContainerFile.Block<Sentence>> blocks) {
    return blocks.stream().flatMap(b -> b.records().stream()).map(Sentence::getId).toList();
  }

  private static int markers(byte[] bytes, int number) {
    int found = -1;
    for (int i = 0; i + SYNC.length <= bytes.length; i++) {
      if (Arrays.equals(bytes, i, i + SYNC.length, SYNC, 0, SYNC.length) && ++found == number) {
        return i;
      }
    }
    throw new AssertionError("no marker " + number);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate"})
  void whatAvroWritesIsRead(String codec) throws IOException {
    byte[] bytes = file(35, CodecFactory.fromString(codec));
    assertThat(ContainerFile.isContainer(bytes)).isTrue();
    List<ContainerFile.Block<Sentence>> blocks = read(bytes);
    assertThat(blocks).hasSize(4).allMatch(block -> block.damage() == null);
    assertThat(blocks.get(3).records()).hasSize(5).last().isEqualTo(sentence(34));
    assertThat(ids(blocks)).hasSize(35);
    assertThat(read(file(0, CodecFactory.nullCodec()))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate"})
  void aDamagedBlockCostsItselfAndIsNamedByItsByte(String codec) throws IOException {
    byte[] bytes = file(30, CodecFactory.fromString(codec));
    int second = markers(bytes, 1) + SYNC.length;
    int third = markers(bytes, 2);
    Arrays.fill(bytes, second, third, (byte) 0x55);
    List<ContainerFile.Block<Sentence>> blocks = read(bytes);
    assertThat(blocks).hasSize(3);
    assertThat(blocks.get(1).offset()).isEqualTo(second);
    assertThat(blocks.get(1).records()).isEmpty();
    assertThat(blocks.get(1).rest()).isEqualTo(ByteBuffer.wrap(bytes, second, third - second));
    assertThat(blocks.get(1).damage()).hasMessageContaining("the block at byte " + second);
    assertThat(ids(blocks)).startsWith("id-0", "id-1").endsWith("id-28", "id-29").hasSize(20);
  }

  @Test
  void theRecordsBeforeADamagedOneAreRead() throws IOException {
    byte[] bytes = file(20, CodecFactory.nullCodec());
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("sentence 4") - 1;
    bytes[at] = 127; // a text of -64 bytes
    List<ContainerFile.Block<Sentence>> blocks = read(bytes);
    assertThat(blocks.get(0).records()).hasSize(4);
    assertThat(StandardCharsets.UTF_8.decode(blocks.get(0).rest().duplicate()).toString())
        .contains("id-4", "id-9")
        .doesNotContain("id-3");
    assertThat(blocks.get(0).damage()).hasMessageContaining("a string of length -64");
    assertThat(blocks.get(1).records()).hasSize(10);
  }

  @Test
  void aFileThatIsCutOffGivesWhatItHas() throws IOException {
    byte[] bytes = file(20, CodecFactory.nullCodec());
    List<ContainerFile.Block<Sentence>> blocks = read(Arrays.copyOf(bytes, bytes.length - 40));
    assertThat(blocks).hasSize(2);
    assertThat(blocks.get(0).damage()).isNull();
    assertThat(blocks.get(1).damage()).hasMessageContaining("ends too early");
  }

  @Test
  void noBytesMakeItFailOtherwiseOrTakeMemory() throws IOException {
    Random random = new Random(5);
    for (String codec : List.of("null", "deflate")) {
      byte[] good = file(50, CodecFactory.fromString(codec));
      for (int round = 0; round < 3_000; round++) {
        byte[] bytes = good.clone();
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        try {
          assertThat(ids(read(bytes))).hasSizeLessThanOrEqualTo(50);
        } catch (RecordFormatException e) {
          assertThat(e).hasMessageContaining("at byte");
        }
      }
    }
  }

  @Test
  void aBombIsRefused() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.setCodec(CodecFactory.deflateCodec(9));
      writer.create(Sentence.getClassSchema(), out, SYNC);
      Sentence large = sentence(0);
      large.setText("a".repeat(ContainerFile.MAX_BLOCK_BYTES + 1));
      writer.append(large);
    }
    assertThat(read(out.toByteArray()).get(0).damage())
        .hasMessageContaining("decompresses to more than");
  }

  @ParameterizedTest
  @CsvSource({
    "bzip2, codec bzip2 is not supported",
    "null, cannot be read as io.latimer.schemas.Sentence"
  })
  void whatIsNotReadIsSaid(String codec, String message) throws IOException {
    Schema other =
        new Schema.Parser()
            .parse(
                "{\"type\":\"record\",\"name\":\"Other\",\"fields\":[{\"name\":\"id\",\"type\":\"int\"}]}");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(other))) {
      writer.setCodec(CodecFactory.fromString(codec));
      writer.create(other, out);
      GenericData.Record record = new GenericData.Record(other);
      record.put("id", 1);
      writer.append(record);
    }
    assertThatThrownBy(() -> read(out.toByteArray()))
        .isInstanceOf(RecordFormatException.class)
        .hasMessageContaining(message);
  }

  /** A file with one block of one's own. */
  private static byte[] file(Schema schema, String codec, byte[] header, byte[] data)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
      writer.setCodec(CodecFactory.fromString(codec));
      writer.create(schema, out, SYNC);
    }
    out.write(header);
    out.write(data);
    out.write(SYNC);
    return out.toByteArray();
  }

  private static byte[] numbers(long... numbers) throws IOException {
    StrictEncoder encoder = new StrictEncoder(16);
    for (long number : numbers) {
      encoder.writeLong(number);
    }
    return encoder.toBytes();
  }

  private static byte[] deflated(byte[] plain) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DeflaterOutputStream deflater =
        new DeflaterOutputStream(out, new Deflater(Deflater.BEST_COMPRESSION, true))) {
      deflater.write(plain);
    }
    return out.toByteArray();
  }

  /** The schema of sentences with another field, which is skipped. */
  private static Schema with(String field) {
    String json = Sentence.getClassSchema().toString();
    int end = json.lastIndexOf(']');
    return new Schema.Parser().parse(json.substring(0, end) + "," + field + json.substring(end));
  }

  @Test
  void manySmallRecordsOfABlockComeInParts() throws IOException {
    int records = 3_000_000;
    byte[] data = deflated(new byte[records * EMPTY_SENTENCE]);
    byte[] bytes = file(Sentence.getClassSchema(), "deflate", numbers(records, data.length), data);
    assertThat(bytes.length).isLessThan(50_000);
    long read = 0;
    try (ContainerFile<Sentence> file =
        ContainerFile.read(
            new SeekableByteArrayInput(bytes), List.of(Sentence.class), MAX_RECORD_BYTES)) {
      for (var block = file.next(); block != null; block = file.next()) {
        assertThat(block.damage()).isNull();
        assertThat(block.records()).hasSizeLessThanOrEqualTo(ContainerFile.PART_RECORDS);
        read += block.records().size();
      }
    }
    assertThat(read).isEqualTo(records);
  }

  @Test
  void damageBehindTheFirstPartIsNamedAndTheNextBlockIsRead() throws IOException {
    int records = 2 * ContainerFile.PART_RECORDS + 5;
    byte[] data = new byte[records * EMPTY_SENTENCE];
    data[data.length - EMPTY_SENTENCE] = 1; // a text of -1 bytes
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(file(Sentence.getClassSchema(), "null", numbers(records, data.length), data));
    bytes.write(numbers(1, EMPTY_SENTENCE));
    bytes.write(new byte[EMPTY_SENTENCE]);
    bytes.write(SYNC);
    List<ContainerFile.Block<Sentence>> blocks = read(bytes.toByteArray());
    assertThat(blocks)
        .extracting(block -> block.records().size())
        .containsExactly(1024, 1024, 4, 1);
    assertThat(blocks.get(2).damage()).hasMessageContaining("a string of length -1");
    assertThat(blocks.get(2).rest().remaining()).isEqualTo(EMPTY_SENTENCE);
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void itemsWithoutBytesTakeNoMoreTimeThanBytes() throws IOException {
    Schema schema = with("{\"name\":\"no\",\"type\":{\"type\":\"array\",\"items\":\"null\"}}");
    int length = 40_000; // each item read for itself: seconds, and hours for 1 MB
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    data.write(new byte[EMPTY_SENTENCE]);
    while (data.size() < length) {
      data.write(numbers(length - data.size() - 10)); // as many as there are bytes
    }
    data.write(0);
    List<ContainerFile.Block<Sentence>> blocks =
        read(file(schema, "null", numbers(1, data.size()), data.toByteArray()));
    assertThat(blocks.get(0).damage()).hasMessageContaining("fewer bytes than items");
    // a few are harmless
    byte[] few = Arrays.copyOf(new byte[0], EMPTY_SENTENCE + 2);
    few[EMPTY_SENTENCE] = 20;
    byte[] ten = Arrays.copyOf(few, few.length + 10);
    assertThat(read(file(schema, "null", numbers(1, ten.length - 10), few)).get(0).damage())
        .hasMessageContaining("a block of 10 items");
  }

  /** Counts the bytes that are read. */
  private static final class Counting extends SeekableByteArrayInput {
    private long read;

    Counting(byte[] bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read(byte[] target, int start, int length) {
      int count = super.read(target, start, length);
      read += Math.max(0, count);
      return count;
    }
  }

  @Test
  void blocksThatLieAboutTheirSizeAreNotReadAgainAndAgain() throws IOException {
    int lies = 40_000;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(file(0, CodecFactory.nullCodec()));
    for (int i = 0; i < lies; i++) {
      bytes.write(numbers(1, 300_007)); // all blocks have 20 bytes: it ends at no marker
      bytes.write(SYNC);
    }
    bytes.write(numbers(1, EMPTY_SENTENCE));
    bytes.write(new byte[EMPTY_SENTENCE]);
    bytes.write(SYNC);
    Counting file = new Counting(bytes.toByteArray());
    List<ContainerFile.Block<Sentence>> blocks = read(file);
    assertThat(blocks.size()).isEqualTo(lies + 1);
    assertThat(blocks.subList(0, lies)).allMatch(damaged -> damaged.damage() != null);
    assertThat(blocks.get(lies).records()).hasSize(1);
    assertThat(file.read).isLessThan(4L * ContainerFile.MAX_BLOCK_BYTES);
  }

  @Test
  void fieldsThatSentencesDoNotHaveAreSkipped() throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("\"string\"", "skipped");
    fields.put("\"bytes\"", ByteBuffer.wrap(new byte[] {1, 2, 3}));
    fields.put("\"long\"", Long.MIN_VALUE);
    fields.put("[\"null\",\"string\"]", "skipped");
    fields.put("{\"type\":\"array\",\"items\":\"string\"}", List.of("a", "b"));
    fields.put("{\"type\":\"map\",\"values\":\"bytes\"}", Map.of("a", ByteBuffer.allocate(2)));
    for (Map.Entry<String, Object> field : fields.entrySet()) {
      Schema schema = with("{\"name\":\"no\",\"type\":" + field.getKey() + "}");
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
        writer.create(schema, out, SYNC);
        for (int i = 0; i < 3; i++) {
          GenericData.Record record = new GenericData.Record(schema);
          for (Schema.Field own : Sentence.getClassSchema().getFields()) {
            Object value = sentence(i).get(own.pos());
            record.put(own.name(), value instanceof Instant time ? time.toEpochMilli() : value);
          }
          record.put("no", field.getValue());
          writer.append(record);
        }
      }
      assertThat(read(out.toByteArray()).get(0).damage()).as(field.getKey()).isNull();
      assertThat(ids(read(out.toByteArray()))).containsExactly("id-0", "id-1", "id-2");
    }
  }

  @Test
  void aHeaderThatLiesIsRefused() throws IOException {
    for (long length : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1 << 20}) {
      for (byte[] entries : List.of(numbers(1, length), numbers(1, 0, length))) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(new byte[] {'O', 'b', 'j', 1});
        bytes.write(entries);
        assertThatThrownBy(() -> read(bytes.toByteArray()))
            .isInstanceOf(RecordFormatException.class);
      }
    }
    ByteArrayOutputStream counts = new ByteArrayOutputStream();
    counts.write(new byte[] {'O', 'b', 'j', 1});
    counts.write(numbers(Long.MIN_VALUE, 0));
    counts.write(new byte[100]);
    assertThatThrownBy(() -> read(counts.toByteArray())).isInstanceOf(RecordFormatException.class);
  }

  @Test
  void aFixedThatNoArrayHoldsIsRefusedOrADamagedBlock() throws IOException {
    for (long size : new long[] {Integer.MAX_VALUE, Integer.MAX_VALUE - 8, -1, 1L << 40}) {
      String field =
          ",{\"name\":\"f\",\"type\":{\"type\":\"fixed\",\"name\":\"F\",\"size\":" + size + "}}";
      String json = Sentence.getClassSchema().toString();
      int end = json.lastIndexOf(']');
      byte[] schema =
          (json.substring(0, end) + field + json.substring(end)).getBytes(StandardCharsets.UTF_8);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.write(new byte[] {'O', 'b', 'j', 1});
      bytes.write(numbers(1, 11));
      bytes.write("avro.schema".getBytes(StandardCharsets.US_ASCII));
      bytes.write(numbers(schema.length));
      bytes.write(schema);
      bytes.write(numbers(0));
      bytes.write(SYNC);
      bytes.write(numbers(1, EMPTY_SENTENCE));
      bytes.write(new byte[EMPTY_SENTENCE]);
      bytes.write(SYNC);
      try {
        assertThat(read(bytes.toByteArray()).get(0).damage()).isNotNull();
      } catch (RecordFormatException e) {
        assertThat(e).hasMessageContaining("not an Avro schema");
      }
    }
  }

  @Test
  void bytesThatBecomeATextMustBeUtf8() throws IOException {
    Schema schema =
        new Schema.Parser()
            .parse(
                Sentence.getClassSchema()
                    .toString()
                    .replaceFirst(
                        "\"name\":\"text\",\"type\":[^}]*}",
                        "\"name\":\"text\",\"type\":\"bytes\""));
    byte[] good = {0, 0, 0, 4, (byte) 0xC3, (byte) 0xBC, 0, 0, 0};
    byte[] bad = good.clone();
    bad[5] = (byte) 0xFF;
    List<ContainerFile.Block<Sentence>> blocks =
        read(file(schema, "null", numbers(1, good.length), good));
    assertThat(blocks.get(0).records().get(0).getText()).isEqualTo("\u00fc");
    blocks = read(file(schema, "null", numbers(1, bad.length), bad));
    assertThat(blocks.get(0).records()).isEmpty();
    assertThat(blocks.get(0).damage()).hasMessageContaining("malformed UTF-8");
  }

  @Test
  void aRecordThatIsTooLongIsSkippedBeforeItTakesMemory() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Sentence longText = sentence(1);
    longText.setText("a".repeat(MAX_RECORD_BYTES));
    Sentence longList = sentence(3);
    longList.setHeaders(Collections.nCopies(MAX_RECORD_BYTES + 1, new Header("", null)));
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.setSyncInterval(1 << 25);
      writer.create(Sentence.getClassSchema(), out, SYNC);
      for (Sentence one : List.of(sentence(0), longText, sentence(2), longList, sentence(4))) {
        writer.append(one);
      }
    }
    List<ContainerFile.Block<Sentence>> blocks = read(out.toByteArray());
    assertThat(blocks.stream().map(ContainerFile.Block::damage).filter(Objects::nonNull))
        .satisfiesExactly(
            one -> assertThat(one).hasMessageContaining("record 2 of the block at byte"),
            two -> assertThat(two).hasMessageContaining("record 4 of the block at byte"));
    assertThat(ids(blocks)).containsExactly("id-0", "id-2", "id-4");
    // the letter has the record's bytes
    assertThat(blocks.get(0).rest().remaining())
        .isBetween(MAX_RECORD_BYTES, MAX_RECORD_BYTES + 100);
  }
}
