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
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.specific.SpecificDatumWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Container files from Avro's own writer, intact and damaged. */
class ContainerFileTest {
  private static final byte[] SYNC = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int PER_BLOCK = 10;

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
    List<ContainerFile.Block<Sentence>> blocks = new ArrayList<>();
    try (ContainerFile<Sentence> file =
        ContainerFile.read(new SeekableByteArrayInput(bytes), List.of(Sentence.class))) {
      for (var block = file.next(); block != null; block = file.next()) {
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
}
