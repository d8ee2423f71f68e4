package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NpzFileTest {
  @TempDir Path folder;

  private Path write(byte[] bytes) throws IOException {
    Path path = folder.resolve("m.npz");
    Files.deleteIfExists(path); // ext4 syncs a file that is truncated and written again
    return Files.write(path, bytes);
  }

  private Tensor read(Npz npz, String name) throws IOException {
    try (NpzFile file = NpzFile.open(write(npz.bytes()))) {
      return file.floats(name);
    }
  }

  private void refusesFile(byte[] bytes, String... says) throws IOException {
    Path path = write(bytes);
    assertThatThrownBy(() -> NpzFile.open(path).close())
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContainingAll(says)
        .hasMessageStartingWith(path.toString());
  }

  private void refusesTensor(Npz npz, String... says) throws IOException {
    try (NpzFile file = NpzFile.open(write(npz.bytes()))) {
      assertThatThrownBy(() -> file.floats("W"))
          .isInstanceOf(ModelFormatException.class)
          .hasMessageContainingAll(says)
          .hasMessageStartingWith(file.path() + " tensor W: ");
    }
  }

  private static float[] numbers(Tensor tensor) {
    return tensor.floats();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "(6,); 1; 6",
        "(1, 6); 1; 6",
        "(6, 1); 6; 1",
        "(2, 3); 2; 3",
        "(2L, 3L,); 2; 3",
        "(3,2); 3; 2"
      })
  void takesVectorsAndMatrices(String shape, int rows, int cols) throws IOException {
    Tensor tensor = read(new Npz().floats("W", shape, 1, 2, 3, -4, 5, 6e-3f), "W");
    assertThat(tensor.rows()).isEqualTo(rows);
    assertThat(tensor.cols()).isEqualTo(cols);
    assertThat(numbers(tensor)).containsExactly(1, 2, 3, -4, 5, 6e-3f);
    assertThat(tensor.get(rows - 1, cols - 1)).isEqualTo(6e-3f);
  }

  @Test
  void takesScalarsAndEmptyShapes() throws IOException {
    Npz npz = new Npz().floats("s", "()", 7).floats("decoder_c_tt", "(1, 0)").floats("n", "(0,)");
    try (NpzFile file = NpzFile.open(write(npz.bytes()))) {
      assertThat(file.floats("s").shape()).isEqualTo("1 x 1");
      assertThat(file.floats("s").get(0, 0)).isEqualTo(7);
      assertThat(file.floats("decoder_c_tt").shape()).isEqualTo("1 x 0");
      assertThat(file.floats("n").shape()).isEqualTo("1 x 0");
      assertThat(file.names()).containsExactly("s", "decoder_c_tt", "n");
      assertThat(file.has("n")).isTrue();
      assertThat(file.has("x")).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void takesEveryHeaderVersion(int version) throws IOException {
    byte[] npy =
        Npz.npy(
            version,
            "{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<f4\"}",
            Npz.floatBytes(1, 2));
    assertThat(numbers(read(new Npz().add("W", npy), "W"))).containsExactly(1, 2);
  }

  @Test
  void widensHalvesAndRoundsDoubles() throws IOException {
    ByteBuffer halves = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    for (int bits : new int[] {0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff, 0x0400}) {
      halves.putShort((short) bits);
    }
    ByteBuffer doubles = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    doubles.putDouble(0.1).putDouble(-1e-60).putDouble(3e38);
    Npz npz =
        new Npz()
            .add("h", Npz.npy("<f2", "(6,)", halves.array()))
            .add("d", Npz.npy("<f8", "(3,)", doubles.array()));
    assertThat(numbers(read(npz, "h")))
        .containsExactly(1, -2, 0x1p-24f, -0x3ffp-24f, 65504, 0x1p-14f);
    assertThat(numbers(read(npz, "d"))).containsExactly(0.1f, -0f, 3e38f);
  }

  @ParameterizedTest
  @CsvSource({
    "false,false,false,false",
    "true,false,false,false",
    "false,true,false,true",
    "true,true,true,true",
    "true,false,true,false",
    "false,false,true,false",
    "true,false,false,true"
  })
  void takesEveryWayOfZipping(boolean deflated, boolean zip64, boolean descriptor, boolean end64)
      throws IOException {
    float[] numbers = new float[70_000];
    Random random = new Random(1);
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = random.nextFloat();
    }
    Npz npz = new Npz();
    for (String name : new String[] {"W", "U"}) {
      Npz.Entry entry = npz.entry(name, Npz.npy("<f4", "(700, 100)", Npz.floatBytes(numbers)));
      entry.deflated = deflated;
      entry.zip64 = zip64;
      entry.dataDescriptor = descriptor;
    }
    npz.zip64End = end64;
    assertThat(numbers(read(npz, "W"))).isEqualTo(numbers);
    assertThat(numbers(read(npz, "U"))).isEqualTo(numbers);
  }

  @Test
  void readsSettingsAsTextWithoutPadding() throws IOException {
    byte[] text = Arrays.copyOf("type: amun\nnäme: x\n".getBytes(StandardCharsets.UTF_8), 256);
    Npz npz =
        new Npz().add("special:model.yml", Npz.npy("|i1", "(256,)", text)).floats("W", "()", 1);
    npz.add("bad", Npz.npy("|u1", "(1,)", new byte[] {(byte) 0xff}));
    npz.add("long", Npz.npy("|i1", "(2000000,)", new byte[2_000_000]));
    try (NpzFile file = NpzFile.open(write(npz.bytes()))) {
      assertThat(file.text("special:model.yml")).contains("type: amun\nnäme: x\n");
      assertThat(file.text("none")).isEmpty();
      assertThatThrownBy(() -> file.text("W")).hasMessageContaining("expected type |i1");
      assertThatThrownBy(() -> file.text("bad")).hasMessageContaining("expected UTF-8");
      assertThatThrownBy(() -> file.text("long")).hasMessageContaining("at most 1048576 bytes");
    }
  }

  @Test
  void namesTheMissingTensor() throws IOException {
    assertThatThrownBy(() -> read(new Npz().floats("W", "()", 1), "encoder_U"))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith("m.npz has no tensor encoder_U");
    assertThatThrownBy(() -> NpzFile.open(folder.resolve("absent.npz")))
        .hasMessageContaining("absent.npz does not exist");
    assertThatThrownBy(() -> NpzFile.open(folder)).hasMessageContaining("is a folder");
  }

  @Test
  void refusesWhatIsNoZip() throws IOException {
    refusesFile(new byte[0], "too few for a zip file");
    refusesFile(new byte[5000], "is not a .npz file");
    refusesFile(Npz.npy("<f4", "(1,)", Npz.floatBytes(1)), "is a .npy array");
  }

  @Test
  void refusesEveryTruncation() throws IOException {
    Npz npz = new Npz().floats("W", "(2, 2)", 1, 2, 3, 4);
    npz.entry("U", Npz.npy("<f4", "(2, 2)", Npz.floatBytes(1, 2, 3, 4))).deflated = true;
    byte[] whole = npz.bytes();
    for (int length = 0; length < whole.length; length++) {
      refusesFile(Arrays.copyOf(whole, length), "is");
    }
  }

  @Test
  void neverThrowsAnythingElseForDamage() throws IOException {
    Npz npz = new Npz().floats("W", "(2, 2)", 1, 2, 3, 4);
    npz.entry("U", Npz.npy("<f4", "(2, 2)", Npz.floatBytes(1, 2, 3, 4))).deflated = true;
    npz.entry("V", Npz.npy("<f4", "(2, 2)", Npz.floatBytes(1, 2, 3, 4))).zip64 = true;
    npz.zip64End = true;
    byte[] whole = npz.bytes();
    int refused = 0;
    for (int i = 0; i < whole.length; i++) {
      for (int flip : new int[] {0x01, 0x80, 0xff}) {
        byte[] damaged = whole.clone();
        damaged[i] ^= (byte) flip;
        try (NpzFile file = NpzFile.open(write(damaged))) {
          for (String name : file.names()) {
            file.floats(name);
          }
        } catch (ModelFormatException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isGreaterThan(whole.length); // the rest are time stamps and the like
  }

  @Test
  void refusesBombs() throws IOException {
    int size = 200 << 20;
    byte[] header = Npz.npy("<f4", "(" + size / 4 + ",)", new byte[0]);
    Npz bomb = new Npz();
    Npz.Entry entry = bomb.entry("W", new byte[0]);
    entry.deflated = true;
    entry.data = Npz.deflate(Arrays.copyOf(header, header.length + size));
    entry.size = (long) header.length + size;
    refusesFile(bomb.bytes(), "entry W.npy", "would inflate to more than");

    Npz lie = new Npz();
    Npz.Entry small = lie.entry("W", Npz.npy("<f4", "(1,)", Npz.floatBytes(1)));
    small.deflated = true;
    small.size = 50L << 20;
    refusesFile(lie.bytes(), "entry W.npy", "cannot hold the declared 52428800");
  }

  @Test
  void refusesEntriesThatShareData() throws IOException {
    Npz npz = new Npz().floats("W", "(1,)", 1);
    npz.entry("U", Npz.npy("<f4", "(1,)", Npz.floatBytes(1))).offset = 0L;
    refusesFile(npz.bytes(), "overlaps");
  }

  @Test
  void refusesLyingDirectories() throws IOException {
    Consumer<Npz.Entry> none = e -> {};
    refuseEntry(e -> e.size = 7L, "cannot hold the declared 7");
    refuseEntry(e -> e.compressed = 1L << 30, "expected 1073741824 bytes of data");
    refuseEntry(e -> e.offset = 1L << 30, "expected its data before byte");
    refuseEntry(e -> e.offset = 5L, "expected a local header at byte 5");
    refuseEntry(e -> e.method = 12, "found compression method 12");
    refuseEntry(e -> e.flags = 1, "encrypted entry");
    refuseEntry(
        e -> {
          e.zip64 = true;
          e.size = -5L;
        },
        "beyond 2^63");
    assertThat(one(none).bytes()).isNotEmpty();

    Npz many = one(none);
    many.zip64End = true;
    many.declaredEntries = 1L << 40;
    refusesFile(many.bytes(), "too many entries", "16384", "1099511627776");
    many.declaredEntries = 3L;
    refusesFile(many.bytes(), "damaged end record");
    many.declaredEntries = 0L;
    refusesFile(many.bytes(), "after the last entry");
    many.declaredEntries = 1L;
    many.declaredDirectory = 1L << 50;
    refusesFile(many.bytes(), "damaged end record");
  }

  private static Npz one(Consumer<Npz.Entry> change) {
    Npz npz = new Npz();
    change.accept(npz.entry("W", Npz.npy("<f4", "(1,)", Npz.floatBytes(1))));
    return npz;
  }

  private void refuseEntry(Consumer<Npz.Entry> change, String says) throws IOException {
    refusesFile(one(change).bytes(), says);
  }

  @Test
  void refusesOddAndDoubledNames() throws IOException {
    byte[] npy = Npz.npy("<f4", "(1,)", Npz.floatBytes(1));
    refusesFile(new Npz().add("W", npy).add("W", npy).bytes(), "two entries named W.npy");
    refusesFile(new Npz().add("W\n", npy).bytes(), "printable ASCII", "0x0a");
    refusesFile(new Npz().add("..\\W", npy).bytes(), "printable ASCII", "0x5c");
    refusesFile(new Npz().add("Wé", npy).bytes(), "printable ASCII", "0xc3");
    refusesFile(new Npz().add("W\0", npy).bytes(), "printable ASCII", "0x00");
    refusesFile(new Npz().add("W".repeat(300), npy).bytes(), "found 304");
    refusesFile(new Npz().add("", npy).bytes(), "ends in .npy");
    refuseEntry(e -> e.name = "W.txt".getBytes(StandardCharsets.US_ASCII), "ends in .npy");
    refuseEntry(e -> e.name = new byte[0], "found 0");
  }

  @Test
  void refusesTypesThatAreNoWeights() throws IOException {
    byte[] eight = new byte[8];
    refusesTensor(new Npz().add("W", Npz.npy("|O", "(1,)", eight)), "|O (Python objects");
    refusesTensor(new Npz().add("W", Npz.npy(">f8", "(1,)", eight)), "found >f8 (big-endian)");
    refusesTensor(
        new Npz().add("W", Npz.npy("<i8", "(1,)", eight)), "expected type <f2", "found <i8");
    refusesTensor(new Npz().add("W", Npz.npy("<f\u0007", "(1,)", eight)), "found <f?");
    refusesTensor(
        new Npz()
            .add(
                "W",
                Npz.npy(
                    1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", eight)),
        "structured type");
    refusesTensor(
        new Npz()
            .add(
                "W", Npz.npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", eight)),
        "expected row-major order, found fortran_order True");
  }

  @Test
  void refusesLyingHeaders() throws IOException {
    byte[] two = Npz.floatBytes(1, 2);
    for (String shape :
        new String[] {"(3,)", "(1,)", "(0,)", "(1, 3)", "(1000000,)", "(2, 2)", "()"}) {
      refusesTensor(
          new Npz().add("W", Npz.npy("<f4", shape, two)), "bytes for shape", "found 8 bytes");
    }
    refusesTensor(new Npz().add("W", Npz.npy("<f4", "(1, 1, 2)", two)), "two dimensions");
    refusesTensor(
        new Npz().add("W", Npz.npy("<f4", "(65536, 65536)", two)), "expected at most 536870909");
    refusesTensor(
        new Npz().add("W", Npz.npy("<f4", "(999999999999999999, 99)", two)), "expected at most");
    for (String header :
        new String[] {
          "",
          "{}",
          "{'descr': '<f4', 'fortran_order': False}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
          "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1,".repeat(40) + ")}"
        }) {
      refusesTensor(new Npz().add("W", Npz.npy(1, header, two)), "damaged .npy header: expected");
    }
    refusesTensor(new Npz().add("W", new byte[3]), "expected a .npy header");
    refusesTensor(new Npz().add("W", new byte[30]), "expected a .npy array");
    byte[] version = Npz.npy("<f4", "(2,)", two);
    version[6] = 4;
    refusesTensor(new Npz().add("W", version), "expected .npy version", "found 4.0");
    byte[] longHeader = Npz.npy("<f4", "(2,)", two);
    longHeader[9] = 0x40;
    refusesTensor(new Npz().add("W", longHeader), "expected a header of at most", "found 16");
  }

  @Test
  void refusesDamagedContent() throws IOException {
    byte[] npy = Npz.npy("<f4", "(2000,)", new byte[8000]);
    refusesTensor(one(e -> e.crc = 5), "expected CRC-32 00000005");
    refusesTensor(
        deflated(npy, e -> e.data = new byte[] {6, 6, 6, 6, 6, 6, 6, 6}), "damaged deflated data");
    refusesTensor(
        deflated(npy, e -> e.data = Npz.deflate(Arrays.copyOf(npy, 4000))),
        "expected 8128 bytes after inflating");
    refusesTensor(
        deflated(npy, e -> e.data = Npz.deflate(Arrays.copyOf(npy, 9000))),
        "expected 8128 bytes after inflating, found more");
  }

  private static Npz deflated(byte[] npy, Consumer<Npz.Entry> change) {
    Npz npz = new Npz();
    Npz.Entry entry = npz.entry("W", npy);
    entry.deflated = true;
    change.accept(entry);
    return npz;
  }

  @Test
  void namesWeightsThatAreNotFinite() throws IOException {
    refusesTensor(
        new Npz().floats("W", "(2, 3)", 1, 2, 3, 4, Float.NaN, 6),
        "expected finite 32-bit numbers, found NaN at row 1, column 1");
    refusesTensor(
        new Npz().floats("W", "(2,)", 1, Float.NEGATIVE_INFINITY), "-Infinity at row 0, column 1");
    ByteBuffer big = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putDouble(0, 1e300);
    refusesTensor(
        new Npz().add("W", Npz.npy("<f8", "(1,)", big.array())),
        "found 1.0E300 at row 0, column 0");
    refusesTensor(
        new Npz().add("W", Npz.npy("<f2", "(1,)", new byte[] {0, 0x7c})), "found Infinity");
  }

  @Test
  void readsTheModelsOfOthers() {
    for (String model : new String[] {"marian-tiny/amun-plain", "tatoeba-ende-gru"}) {
      try (NpzFile file = NpzFile.open(SharedData.require("models/" + model + "/model.npz"))) {
        for (String name : file.names()) {
          if (!name.startsWith("special:")) {
            assertThat(file.floats(name).name()).isEqualTo(name);
          }
        }
        assertThat(file.text("special:model.yml").orElseThrow()).contains("type: amun\n");
        Tensor bias = file.floats("decoder_b");
        assertThat(bias.rows()).isEqualTo(1);
        assertThat(bias.cols()).isEqualTo(file.floats("decoder_U").cols());
      }
    }
  }
}
