package io.latimer.operators.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.testing.TestClassPath;
import io.latimer.operators.testing.TestKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class IndexFileTest {
  @TempDir Path folder;

  private Path sample(String name) {
    Path path = folder.resolve(name);
    try (IndexFileWriter writer =
        IndexFileWriter.create(path, TestKind.of(3), "2026-11 première")) {
      writer.add("settings", "{}".getBytes(StandardCharsets.UTF_8));
      writer.add("empty", new byte[0]);
      writer.add("tensor/W", numbers(1000));
      writer.add("exact", new byte[512]);
      writer.commit();
    }
    return path;
  }

  private static ByteBuffer numbers(int count) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
    Random random = new Random(7);
    for (int i = 0; i < count; i++) {
      bytes.putFloat(random.nextFloat());
    }
    return bytes.flip();
  }

  private Path write(byte[] bytes) throws IOException {
    Path path = folder.resolve("damaged.lmx");
    Files.deleteIfExists(path); // ext4 syncs a file that is truncated and written again
    return Files.write(path, bytes);
  }

  private long filesLeft() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  /** A thread that is to end does not find the file damaged. */
  @Test
  void anInterruptIsNoDamage() {
    Path path = sample("a.lmx");
    try (IndexFile file = IndexFile.open(path)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> IndexFile.open(path))
          .isNotInstanceOf(IndexFormatException.class)
          .isInstanceOf(OperatorException.class)
          .hasMessageEndingWith("a.lmx: interrupted while reading it");
      assertThatThrownBy(file::checkedSha256)
          .isNotInstanceOf(IndexFormatException.class)
          .isInstanceOf(OperatorException.class)
          .hasMessageEndingWith("a.lmx: interrupted while reading it");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void readsWhatWasWritten() {
    try (IndexFile file = IndexFile.open(sample("a.lmx"))) {
      assertThat(file.kind()).isEqualTo("translation-model");
      assertThat(file.kindVersion()).isEqualTo(3);
      assertThat(file.version()).isEqualTo("2026-11 première");
      assertThat(file.contentId()).matches("[0-9a-f]{64}");
      assertThat(file.sections().stream().map(Section::name))
          .containsExactly("settings", "empty", "tensor/W", "exact");
      assertThat(file.sections()).allMatch(s -> s.offset() % 256 == 0);
      assertThat(file.section("tensor/W")).isEqualTo(numbers(1000));
      assertThat(file.section("tensor/W").order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
      assertThat(file.section("tensor/W").isReadOnly()).isTrue();
      assertThat(file.section("tensor/W", 400, 40)).isEqualTo(numbers(1000).slice(400, 40));
      assertThat(file.section("empty").remaining()).isZero();
      assertThat(file.section("exact").remaining()).isEqualTo(512);
      assertThat(file.has("nothing")).isFalse();
      assertThatThrownBy(() -> file.section("nothing"))
          .isInstanceOf(IndexFormatException.class)
          .hasMessageEndingWith("a.lmx has no section nothing");
      assertThatThrownBy(() -> file.section("tensor/W", 3990, 11))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> file.section("tensor/W", -1, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatCode(file::verify).doesNotThrowAnyException();
    }
  }

  /**
   * The system limits the mappings of a process, and a mapping lives until its buffer is collected.
   */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aFileIsMappedOnce() throws IOException {
    Path path = sample("mapped.lmx");
    try (IndexFile file = IndexFile.open(path)) {
      file.verify();
      file.checkedSha256();
      List<ByteBuffer> sections =
          file.sections().stream().map(section -> file.section(section.name())).toList();
      try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
        assertThat(mappings.filter(line -> line.endsWith("/mapped.lmx")).count()).isEqualTo(1);
      }
      assertThat(sections).hasSize(4);
    }
  }

  @Test
  void buffersOutliveTheFile() {
    IndexFile file = IndexFile.open(sample("a.lmx"));
    ByteBuffer section = file.section("tensor/W");
    file.close();
    file.close();
    assertThat(section).isEqualTo(numbers(1000));
  }

  @Test
  void sameContentGivesTheSameBytes() throws IOException {
    Path first = sample("a.lmx");
    Path second = sample("b.lmx");
    assertThat(Files.mismatch(first, second)).isEqualTo(-1);
    try (IndexFileWriter writer =
        IndexFileWriter.create(second, TestKind.of(3), "2026-11 première")) {
      writer.add("settings", "{ }".getBytes(StandardCharsets.UTF_8));
      writer.commit();
    }
    try (IndexFile a = IndexFile.open(first);
        IndexFile b = IndexFile.open(second)) {
      assertThat(a.contentId()).isNotEqualTo(b.contentId());
    }
  }

  @Test
  void aFileWithoutSectionsIsOne() {
    Path path = folder.resolve("none.lmx");
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(1), "")) {
      writer.commit();
    }
    try (IndexFile file = IndexFile.open(path)) {
      assertThat(file.sections()).isEmpty();
      assertThat(file.length()).isEqualTo(256);
      file.verify();
    }
  }

  @Test
  void leavesNothingWithoutCommit() throws IOException {
    Path path = folder.resolve("half.lmx");
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(1), "")) {
      writer.add("a", new byte[5000]);
      assertThat(filesLeft()).isEqualTo(1);
    }
    assertThat(filesLeft()).isZero();

    Consumer<Consumer<ByteBuffer>> broken =
        to -> {
          to.accept(ByteBuffer.allocate(100));
          throw new UncheckedIOException(new IOException("pulled out"));
        };
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(1), "")) {
      assertThatThrownBy(() -> writer.add("a", broken))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("pulled out");
      assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> writer.add("b", new byte[1]))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(filesLeft()).isZero();
  }

  @Test
  void keepsTheOldFileUntilTheNewOneIsWhole() throws IOException {
    Path path = sample("a.lmx");
    byte[] before = Files.readAllBytes(path);
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(1), "")) {
      writer.add("a", new byte[5000]);
      assertThat(Files.readAllBytes(path)).isEqualTo(before);
      writer.commit();
      assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
    }
    assertThat(Files.readAllBytes(path)).isNotEqualTo(before);
    assertThat(filesLeft()).isEqualTo(1);
  }

  @Test
  void refusesWhatCannotBeWritten() {
    assertThatThrownBy(() -> IndexFileWriter.create(folder.resolve("no/x.lmx"), TestKind.of(1), ""))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> IndexFileWriter.create(folder, TestKind.of(1), ""))
        .hasMessageContaining("is a folder");
    assertThatThrownBy(
            () -> IndexFileWriter.create(folder.resolve("x"), TestKind.of(1), "v".repeat(65)))
        .isInstanceOf(IllegalArgumentException.class);
    try (IndexFileWriter writer = IndexFileWriter.create(folder.resolve("x"), TestKind.of(1), "")) {
      writer.add("a", new byte[1]);
      for (String name : new String[] {"a", "", "a b", "ä", "n".repeat(97)}) {
        assertThatThrownBy(() -> writer.add(name, new byte[1]))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void saysWhenItIsSomethingElse() throws IOException {
    assertThatThrownBy(() -> IndexFile.open(folder.resolve("absent")))
        .isInstanceOf(NotAnIndexException.class)
        .hasMessageEndingWith("absent does not exist");
    assertThatThrownBy(() -> IndexFile.open(folder)).isInstanceOf(NotAnIndexException.class);
    for (byte[] bytes :
        new byte[][] {
          new byte[0], new byte[3], new byte[4096], "hello".getBytes(StandardCharsets.UTF_8)
        }) {
      Path path = write(bytes);
      assertThatThrownBy(() -> IndexFile.open(path))
          .isInstanceOf(NotAnIndexException.class)
          .hasMessageContaining("is not a Latimer index file");
    }
    Path zip = write(new byte[] {'P', 'K', 3, 4, 0, 0, 0, 0, 0});
    assertThatThrownBy(() -> IndexFile.open(zip)).hasMessageContaining("import them first");
  }

  @Test
  void saysWhenItIsOfAnotherTimeOrKind() throws IOException {
    byte[] bytes = Files.readAllBytes(sample("a.lmx"));
    Path newer = write(with(bytes, 8, 2));
    assertThatThrownBy(() -> IndexFile.open(newer))
        .isInstanceOf(IndexTooNewException.class)
        .hasMessageContaining("expected index format version 1, found 2");
    Path older = write(with(bytes, 8, 0));
    assertThatThrownBy(() -> IndexFile.open(older)).isInstanceOf(IndexTooOldException.class);
    try (IndexFile file = IndexFile.open(sample("a.lmx"))) {
      file.expect(TestKind.of(1, 3));
      assertThatThrownBy(() -> file.expect(TestKind.of(1, 2)))
          .isInstanceOf(IndexTooNewException.class)
          .hasMessageContaining("expected translation-model version 1 to 2, found 3");
      assertThatThrownBy(() -> file.expect(TestKind.of(4, 4)))
          .isInstanceOf(IndexTooOldException.class);
    }
    byte[] other = bytes.clone();
    other[16] = 'x';
    try (IndexFile file = IndexFile.open(write(resealed(other)))) {
      assertThatThrownBy(() -> file.expect(TestKind.of(1, 3)))
          .isExactlyInstanceOf(IndexFormatException.class)
          .hasMessageContaining("expected an index of kind translation-model, found xranslation");
    }
  }

  @Test
  void saysWhereverItIsCut() throws IOException {
    byte[] bytes = Files.readAllBytes(sample("a.lmx"));
    for (int length = 8; length < bytes.length; length++) {
      Path path = write(Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> IndexFile.open(path))
          .isInstanceOf(TruncatedIndexException.class)
          .hasMessageContaining("found " + length);
    }
    Path longer = write(Arrays.copyOf(bytes, bytes.length + 1));
    assertThatThrownBy(() -> IndexFile.open(longer))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining("offset " + bytes.length);
  }

  @Test
  void noFlippedBitInHeaderOrTableGoesUnseen() throws IOException {
    byte[] bytes = Files.readAllBytes(sample("a.lmx"));
    int table = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(56);
    for (int at = 0; at < bytes.length; at = at == 255 ? table : at + 1) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = bytes.clone();
        damaged[at] ^= (byte) (1 << bit);
        Path path = write(damaged);
        Class<?> expected =
            at < 8
                ? NotAnIndexException.class
                : at >= 12 ? CorruptIndexException.class : IndexFormatException.class;
        assertThatThrownBy(() -> IndexFile.open(path))
            .as("byte %d bit %d", at, bit)
            .isInstanceOf(expected);
      }
    }
  }

  @Test
  void verifySaysWhichSectionIsDamagedAndWhere() throws IOException {
    Path whole = sample("a.lmx");
    byte[] bytes = Files.readAllBytes(whole);
    try (IndexFile sound = IndexFile.open(whole)) {
      for (Section section : sound.sections()) {
        if (section.length() > 0) {
          byte[] damaged = bytes.clone();
          damaged[(int) (section.offset() + section.length() / 2)] ^= 4;
          try (IndexFile file = IndexFile.open(write(damaged))) {
            assertThatThrownBy(file::verify)
                .isInstanceOf(CorruptIndexException.class)
                .hasMessageContaining("section " + section.name() + ", " + section.length())
                .hasMessageContaining("offset " + section.offset());
          }
        }
      }
    }
    byte[] padding = bytes.clone();
    padding[258] = 1;
    try (IndexFile file = IndexFile.open(write(padding))) {
      assertThatThrownBy(file::verify)
          .isInstanceOf(CorruptIndexException.class)
          .hasMessageContaining("zero between sections at offset 258");
    }
    byte[] id = bytes.clone();
    id[80] ^= 1;
    try (IndexFile file = IndexFile.open(write(resealed(id)))) {
      assertThatThrownBy(file::verify)
          .isInstanceOf(CorruptIndexException.class)
          .hasMessageContaining("expected content id " + file.contentId());
    }
  }

  /** A forger can make the checksums right; every lie must still be seen. */
  @Test
  void refusesSealedLies() throws IOException {
    byte[] bytes = Files.readAllBytes(sample("a.lmx"));
    int table = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(56);
    refuses(with(bytes, 12, 3), "offset 56");
    refuses(with(bytes, 12, -1), "at most 65536 sections");
    refuses(with(bytes, 12, 1 << 30), "at most 65536 sections");
    refuses(with(bytes, 48, 0), "a kind version from 1");
    refuses(with(bytes, 48, -1), "a kind version from 1");
    refuses(with(bytes, 56, table - 256), "ends the file");
    refuses(with(bytes, 60, 1 << 31), "ends the file");
    refuses(with(bytes, 68, 1 << 31), "");
    refuses(with(bytes, 200, 1), "reserved");
    refuses(with(bytes, 16, 0x20202020), "a kind in ASCII");
    refuses(with(bytes, 44, 1), "zeros behind the text");
    refuses(with(bytes, 104, -1), "UTF-8");
    refuses(with(bytes, table + 96, 512), "section table, offset " + table);
    refuses(with(bytes, table + 104, 1 << 20), "ending before");
    refuses(with(bytes, table + 104, 300), "");
    refuses(with(bytes, table + 108, -1), "ending before");
    refuses(with(bytes, table + 120, 9), "reserved");
    refuses(with(bytes, table, 0), "section name, offset " + (table + 4));
    refuses(with(bytes, table, 0x20202020), "a name in ASCII");
    byte[] twice = bytes.clone();
    System.arraycopy(bytes, table, twice, table + 128, 96);
    refuses(twice, "settings twice");
    byte[] last = with(bytes, table + 3 * 128 + 104, 100);
    refuses(last, "expected the table at");
  }

  private void refuses(byte[] bytes, String says) throws IOException {
    Path path = write(resealed(bytes));
    assertThatThrownBy(() -> IndexFile.open(path))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining(says);
  }

  private static byte[] with(byte[] bytes, int at, int value) {
    byte[] changed = bytes.clone();
    ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
    return changed;
  }

  /** Sets both checksums to what they should be for these bytes, the table found from the end. */
  private static byte[] resealed(byte[] bytes) {
    ByteBuffer file = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
    int table = bytes.length - 4 * 128;
    CRC32C crc = new CRC32C();
    crc.update(file.slice(table, 4 * 128));
    file.putInt(52, (int) crc.getValue());
    crc.reset();
    crc.update(file.slice(0, 252));
    file.putInt(252, (int) crc.getValue());
    return file.array();
  }

  /** A sparse file: only what is written takes space. */
  @Test
  void readsSectionsBeyondTwoGigabytesInSlices() throws IOException {
    long length = 2_200_000_000L;
    Path path = folder.resolve("big.lmx");
    long table = (256 + length + 255) / 256 * 256;
    ByteBuffer entry = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN);
    entry.put(0, "big".getBytes(StandardCharsets.US_ASCII));
    entry.putLong(96, 256).putLong(104, length);
    CRC32C crc = new CRC32C();
    crc.update(entry.duplicate());
    ByteBuffer header = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
    header.put(0, IndexLayout.MAGIC).putInt(8, 1).putInt(12, 1);
    header.put(16, "translation-model".getBytes(StandardCharsets.US_ASCII));
    header.putInt(48, 1).putInt(52, (int) crc.getValue()).putLong(56, table);
    header.putLong(64, table + 128);
    crc.reset();
    crc.update(header.slice(0, 252));
    header.putInt(252, (int) crc.getValue());
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(header, 0);
      channel.write(ByteBuffer.wrap(new byte[] {42}), 256 + length - 1);
      channel.write(entry, table);
    }
    try (IndexFile file = IndexFile.open(path)) {
      assertThat(file.sections().get(0).length()).isEqualTo(length);
      assertThat(file.section("big", length - 2, 2)).isEqualTo(ByteBuffer.wrap(new byte[] {0, 42}));
      assertThatThrownBy(() -> file.section("big")).hasMessageContaining("read it in slices");
    }
  }

  /** Begins a file and ends the process. */
  static final class Unfinished {
    private Unfinished() {}

    /** Arguments: the file. */
    public static void main(String[] args) {
      IndexFileWriter writer = IndexFileWriter.create(Path.of(args[0]), TestKind.of(3), "");
      writer.add("settings", new byte[1 << 20]);
      System.exit(3);
    }
  }

  @Test
  void theEndOfTheProcessRemovesWhatIsUnfinished() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                TestClassPath.joined(),
                Unfinished.class.getName(),
                folder.resolve("index").toString())
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isEqualTo(3);
    assertThat(filesLeft()).isZero();
  }
}
