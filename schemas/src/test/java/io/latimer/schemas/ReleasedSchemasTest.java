package io.latimer.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Released schemas stay readable forever, and the current schema is one of them. {@link MadeUp} has
 * two versions, so that this is tested however few the others have.
 */
class ReleasedSchemasTest {
  private static final String MADE_UP = MadeUp.class.getSimpleName();
  private static final Path RELEASED = Path.of("released");
  private static final Path RESOURCES = Path.of("src", "test", "resources");
  private static final Path MADE_UP_RELEASED =
      RESOURCES.resolve(Path.of("io", "latimer", "schemas", "released"));
  private static final Path GOLDEN = RESOURCES.resolve("golden");

  /** Laid out like the module itself, so that one copy releases everything missing. */
  private static final Path TO_RELEASE = Path.of("target", "release");

  private static final GenericData MODEL = model();

  @TempDir Path folder;

  static Stream<String> names() {
    return Stream.concat(Samples.names().stream(), Stream.of(MADE_UP));
  }

  private static SpecificRecord sample(String name) {
    return name.equals(MADE_UP) ? MadeUp.sample() : Samples.of(name);
  }

  private static Path released(String name) {
    return (name.equals(MADE_UP) ? MADE_UP_RELEASED : RELEASED).resolve(name);
  }

  static Stream<Arguments> versions() {
    return names()
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
    requireReleased(sample(name), released(name), TO_RELEASE);
  }

  private static void requireReleased(SpecificRecord sample, Path folder, Path toRelease)
      throws IOException {
    Schema present = sample.getSchema();
    String name = present.getName();
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
    Path schema = toRelease.resolve(RELEASED).resolve(name).resolve(version + ".avsc");
    write(schema, present.toString(true) + "\n");
    if (!sameFingerprint) {
      SpecificData model = SpecificData.getForClass(sample.getClass());
      byte[] encoded = bytes(new BinaryMessageEncoder<>(model, present).encode(sample));
      Path golden = toRelease.resolve(GOLDEN).resolve(name);
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
            toRelease));
  }

  /** What was released as version 2 is what a change of version 1 makes. */
  @Test
  void aChangeIsWrittenAsTheNextVersionWithItsGoldenBytes() throws IOException {
    Path before = Files.createDirectories(folder.resolve("before"));
    Files.copy(released(MADE_UP).resolve("1.avsc"), before.resolve("1.avsc"));
    Path made = folder.resolve("made");

    assertThatThrownBy(() -> requireReleased(MadeUp.sample(), before, made))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("release it as version 2, once");

    assertThat(made.resolve(RELEASED).resolve(MADE_UP).resolve("2.avsc"))
        .hasSameTextualContentAs(released(MADE_UP).resolve("2.avsc"));
    for (String file : List.of("2.bin", "2.json")) {
      Path golden = GOLDEN.resolve(MADE_UP).resolve(file);
      assertThat(made.resolve(golden)).hasSameBinaryContentAs(golden);
    }
  }

  /** Here, of a field's description. */
  @Test
  void aChangeThatKeepsTheFingerprintReplacesTheNewestVersion() throws IOException {
    Path before = Files.createDirectories(folder.resolve("before"));
    Files.copy(released(MADE_UP).resolve("1.avsc"), before.resolve("1.avsc"));
    String newest = Files.readString(released(MADE_UP).resolve("2.avsc"));
    Files.writeString(before.resolve("2.avsc"), newest.replace("A note; null", "Null"));
    Path made = folder.resolve("made");

    assertThatThrownBy(() -> requireReleased(MadeUp.sample(), before, made))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("release it as version 2 again");

    assertThat(made.resolve(RELEASED).resolve(MADE_UP).resolve("2.avsc")).hasContent(newest);
    assertThat(made.resolve(GOLDEN)).doesNotExist();
  }

  @Test
  void everyReleasedRecordHasASampleAndTheOtherWayRound() {
    assertThat(ReleasedSchemas.NAMES).containsExactlyInAnyOrderElementsOf(Samples.names());
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

    byte[] again = decodeAndEncode(sample(name).getClass(), golden);

    Schema newest = sample(name).getSchema();
    assertThat(generic(again, newest, old)).isEqualTo(generic(golden, old, old));
  }

  @ParameterizedTest
  @MethodSource("names")
  void newestVersionWritesItsGoldenBytes(String name) throws IOException {
    int newest = ReleasedSchemas.of(name).newest();
    byte[] golden = Files.readAllBytes(GOLDEN.resolve(name).resolve(newest + ".bin"));
    SpecificRecord sample = sample(name);
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
    try (Stream<Path> files = Files.list(released(name))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              IntStream.rangeClosed(1, ReleasedSchemas.of(name).newest())
                  .mapToObj(version -> version + ".avsc")
                  .toList());
    }
  }

  /**
   * As if all fields that have a default were new: records without them are read, and those with
   * them are read by whoever does not know them.
   */
  @ParameterizedTest
  @MethodSource("names")
  void everyFieldThatHasADefaultMayBeNew(String name) throws IOException {
    SpecificRecord sample = sample(name);
    Schema newest = sample.getSchema();
    Schema old = withoutDefaults(newest, new HashMap<>());
    assertReadable(newest, old);
    assertReadable(old, newest);
    SpecificData model = SpecificData.getForClass(sample.getClass());
    byte[] encoded = bytes(new BinaryMessageEncoder<>(model, newest).encode(sample));
    GenericRecord known = generic(encoded, newest, old);

    byte[] written = bytes(new BinaryMessageEncoder<GenericRecord>(MODEL, old).encode(known));
    SpecificRecord read =
        new SpecificDatumReader<SpecificRecord>(old, newest, model).read(null, body(written));

    byte[] again = bytes(new BinaryMessageEncoder<>(model, newest).encode(read));
    assertThat(generic(again, newest, old)).isEqualTo(known);
  }

  private static Schema withoutDefaults(Schema schema, Map<String, Schema> made) {
    return switch (schema.getType()) {
      case ARRAY -> Schema.createArray(withoutDefaults(schema.getElementType(), made));
      case UNION ->
          Schema.createUnion(
              schema.getTypes().stream().map(type -> withoutDefaults(type, made)).toList());
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
                .filter(field -> !field.hasDefaultValue())
                .map(field -> new Schema.Field(field, withoutDefaults(field.schema(), made)))
                .toList());
        yield record;
      }
      default -> schema;
    };
  }

  /**
   * Guards the tests above: what schemas/README.md forbids cannot be read, one way or the other.
   */
  @Test
  void forbiddenChangesAreSeen() {
    String second = ReleasedSchemas.of(MADE_UP).version(2).toString();
    String type = "\"type\":{\"type\":\"string\",\"avro.java.string\":\"String\"}";
    for (String forbidden :
        List.of(
            second.replace(",\"default\":1.0", ""),
            second.replace("\"text\"," + type, "\"text\",\"type\":\"long\""),
            second.replace("\"name\":\"text\"", "\"name\":\"words\""))) {
      assertThat(forbidden).isNotEqualTo(second);
      Schema changed = new Schema.Parser().parse(forbidden);
      Schema first = ReleasedSchemas.of(MADE_UP).version(1);
      assertThatThrownBy(() -> assertReadable(changed, first))
          .as(forbidden)
          .isInstanceOf(AssertionError.class);
    }
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
    return new GenericDatumReader<GenericRecord>(written, wanted, MODEL).read(null, body(encoded));
  }

  private static GenericData model() {
    GenericData model = new GenericData();
    model.addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
    return model;
  }

  /** What follows the fingerprint. */
  private static Decoder body(byte[] encoded) {
    return DecoderFactory.get()
        .binaryDecoder(Arrays.copyOfRange(encoded, 10, encoded.length), null);
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
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
  }
}
