package io.latimer.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Released schemas stay readable forever, and the current schema is one of them. */
class ReleasedSchemasTest {
  private static final Path RELEASED = Path.of("released");
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden");

  /** Laid out like the module itself, so that one copy releases everything missing. */
  private static final Path TO_RELEASE = Path.of("target", "release");

  static Set<String> names() {
    return Samples.names();
  }

  static Stream<Arguments> versions() {
    return names().stream()
        .flatMap(
            name ->
                IntStream.rangeClosed(1, ReleasedSchemas.of(name).newest())
                    .mapToObj(version -> Arguments.of(name, version)));
  }

  /**
   * Writes what must be released to target/release, and says how to release it. A change that keeps
   * the fingerprint (documentation, defaults, logical types) belongs to the newest version: readers
   * could not tell the two apart.
   */
  @ParameterizedTest
  @MethodSource("names")
  void presentSchemaIsTheNewestReleased(String name) throws IOException {
    SpecificRecord sample = Samples.of(name);
    Schema present = sample.getSchema();
    Path folder = RELEASED.resolve(name);
    int newest = 0;
    while (Files.exists(folder.resolve((newest + 1) + ".avsc"))) {
      newest++;
    }
    Schema released = newest == 0 ? null : parse(folder.resolve(newest + ".avsc"));
    if (released != null && present.toString().equals(released.toString())) {
      return;
    }
    boolean sameFingerprint = released != null && fingerprint(present) == fingerprint(released);
    int version = sameFingerprint ? newest : newest + 1;
    write(RELEASED.resolve(name).resolve(version + ".avsc"), present.toString(true) + "\n");
    if (!sameFingerprint) {
      SpecificData model = SpecificData.getForClass(sample.getClass());
      byte[] encoded = bytes(new BinaryMessageEncoder<>(model, present).encode(sample));
      Path golden = GOLDEN.resolve(name);
      write(golden.resolve(version + ".bin"), encoded);
      write(golden.resolve(version + ".json"), generic(encoded, present, present) + "\n");
    }
    throw new AssertionError(
        String.format(
            "the current schema of %s (src/main/avro/records.avdl) is not the newest released one"
                + " (%s). To release it as version %d%s, once it is final: cp -r schemas/%s/."
                + " schemas/ and commit; schemas/README.md has the rules.",
            name,
            newest == 0 ? "there is none" : folder.resolve(newest + ".avsc"),
            version,
            sameFingerprint ? " again (its fingerprint is the same)" : "",
            TO_RELEASE));
  }

  @Test
  void everyReleasedRecordHasASampleAndTheOtherWayRound() {
    assertThat(ReleasedSchemas.NAMES).containsExactlyInAnyOrderElementsOf(names());
  }

  @ParameterizedTest
  @MethodSource("versions")
  void everyVersionIsReadableByTheNewestAndTheOtherWayRound(String name, int version) {
    ReleasedSchemas released = ReleasedSchemas.of(name);
    Schema old = released.version(version);
    Schema newest = released.version(released.newest());
    assertReadable(newest, old);
    assertReadable(old, newest);
  }

  /**
   * The same with real bytes: old bytes are read as a new record, which is converted back to the
   * old one.
   */
  @ParameterizedTest
  @MethodSource("versions")
  void goldenBytesStillMeanTheSame(String name, int version) throws IOException {
    Schema old = ReleasedSchemas.of(name).version(version);
    byte[] golden = Files.readAllBytes(GOLDEN.resolve(name).resolve(version + ".bin"));
    String text = Files.readString(GOLDEN.resolve(name).resolve(version + ".json"));
    assertThat(generic(golden, old, old) + "\n").isEqualTo(text);

    byte[] again = decodeAndEncode(Samples.of(name).getClass(), golden);

    Schema newest = Samples.of(name).getSchema();
    assertThat(generic(again, newest, old)).isEqualTo(generic(golden, old, old));
  }

  @ParameterizedTest
  @MethodSource("names")
  void newestVersionWritesItsGoldenBytes(String name) throws IOException {
    int newest = ReleasedSchemas.of(name).newest();
    byte[] golden = Files.readAllBytes(GOLDEN.resolve(name).resolve(newest + ".bin"));
    SpecificRecord sample = Samples.of(name);
    assertThat(decode(sample.getClass(), golden)).isEqualTo(sample);
    assertThat(decodeAndEncode(sample.getClass(), golden)).isEqualTo(golden);
  }

  @ParameterizedTest
  @MethodSource("names")
  void fingerprintsAreDistinctAndFound(String name) {
    ReleasedSchemas released = ReleasedSchemas.of(name);
    Set<Long> seen = new HashSet<>();
    for (int version = 1; version <= released.newest(); version++) {
      long fingerprint = fingerprint(released.version(version));
      assertThat(seen.add(fingerprint)).as("%s %d has its own fingerprint", name, version).isTrue();
      assertThat(released.versionOf(fingerprint)).isEqualTo(version);
    }
    assertThat(released.versionOf(~fingerprint(released.version(1)))).isZero();
  }

  @ParameterizedTest
  @MethodSource("names")
  void versionsHaveNoGaps(String name) throws IOException {
    try (Stream<Path> files = Files.list(RELEASED.resolve(name))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              IntStream.rangeClosed(1, ReleasedSchemas.of(name).newest())
                  .mapToObj(version -> version + ".avsc")
                  .toList());
    }
  }

  /** Guards the test above: a field without a default, or with another type, is not readable. */
  @Test
  void incompatibleChangesAreSeen() {
    Schema one = record("{\"name\":\"a\",\"type\":\"string\"}");
    Schema added =
        record("{\"name\":\"a\",\"type\":\"string\"},{\"name\":\"b\",\"type\":\"string\"}");
    Schema retyped = record("{\"name\":\"a\",\"type\":\"long\"}");
    assertThatThrownBy(() -> assertReadable(added, one)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> assertReadable(retyped, one)).isInstanceOf(AssertionError.class);
  }

  @Test
  void everyFieldIsDocumented() {
    Set<String> undocumented = new HashSet<>();
    for (Schema schema : LatimerRecords.PROTOCOL.getTypes()) {
      if (schema.getDoc() == null) {
        undocumented.add(schema.getName());
      }
      for (Schema.Field field : schema.getFields()) {
        if (field.doc() == null) {
          undocumented.add(schema.getName() + "." + field.name());
        }
      }
    }
    assertThat(undocumented).isEmpty();
  }

  @Test
  void unknownNameIsRefused() {
    assertThatThrownBy(() -> ReleasedSchemas.of("Sentense"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'Sentense'")
        .hasMessageContaining("Sentence, Translation");
  }

  private static Schema record(String fields) {
    return new Schema.Parser()
        .parse("{\"type\":\"record\",\"name\":\"R\",\"fields\":[" + fields + "]}");
  }

  private static void assertReadable(Schema reader, Schema writer) {
    var result = SchemaCompatibility.checkReaderWriterCompatibility(reader, writer);
    assertThat(result.getType())
        .as("%s", result.getDescription())
        .isEqualTo(SchemaCompatibilityType.COMPATIBLE);
  }

  private static long fingerprint(Schema schema) {
    return SchemaNormalization.parsingFingerprint64(schema);
  }

  private static <T extends SpecificRecord> T decode(Class<T> type, byte[] encoded)
      throws IOException {
    return RecordCodec.of(type).decode(encoded);
  }

  private static <T extends SpecificRecord> byte[] decodeAndEncode(Class<T> type, byte[] encoded)
      throws IOException {
    RecordCodec<T> codec = RecordCodec.of(type);
    return codec.encode(codec.decode(encoded));
  }

  private static GenericRecord generic(byte[] encoded, Schema written, Schema wanted)
      throws IOException {
    GenericData model = new GenericData();
    model.addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
    return new GenericDatumReader<GenericRecord>(written, wanted, model)
        .read(
            null,
            DecoderFactory.get()
                .binaryDecoder(Arrays.copyOfRange(encoded, 10, encoded.length), null));
  }

  private static Schema parse(Path file) throws IOException {
    return new Schema.Parser().parse(Files.readString(file));
  }

  private static byte[] bytes(java.nio.ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static void write(Path file, String text) throws IOException {
    write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void write(Path file, byte[] bytes) throws IOException {
    Path target = TO_RELEASE.resolve(file);
    Files.createDirectories(target.getParent());
    Files.write(target, bytes);
  }
}
