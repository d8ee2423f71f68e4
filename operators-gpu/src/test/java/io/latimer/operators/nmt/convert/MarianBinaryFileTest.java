package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader of Marian's binary weights, sound ones and others. */
final class MarianBinaryFileTest {
  private static final float[] VALUES = {0, 1, -2.5f, 0.125f, 1024, -0.0f};

  @TempDir private Path folder;

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("model.bin"), bytes);
  }

  @Test
  void readsFloatsAndTexts() throws IOException {
    MarianBin made =
        new MarianBin()
            .floats("matrix", VALUES, 2, 3)
            .halves("vector", VALUES, 6)
            .floats("scalar", new float[] {7})
            .floats("cube", new float[8], 2, 2, 2)
            .floats("empty", new float[0], 0, 3)
            .item("ids", 0x108, new byte[16], 2)
            .item("double", 0x408, new byte[8], 1)
            .text("special:model.yml", "a: \u00e9\n");
    try (MarianBinaryFile file = MarianBinaryFile.open(write(made.bytes()))) {
      assertThat(file.names()).hasSize(8);
      assertThat(file.floats("matrix").shape()).isEqualTo("2 x 3");
      assertThat(file.floats("matrix").floats()).isEqualTo(VALUES);
      assertThat(file.floats("vector").shape()).isEqualTo("1 x 6");
      assertThat(file.floats("vector").floats()).isEqualTo(VALUES);
      assertThat(file.floats("scalar").shape()).isEqualTo("1 x 1");
      assertThat(file.floats("empty").shape()).isEqualTo("0 x 3");
      assertThat(file.shape("cube")).containsExactly(2, 2, 2);
      assertThat(file.text("special:model.yml")).contains("a: \u00e9\n");
      assertThat(file.text("none")).isEmpty();
      assertThatThrownBy(() -> file.floats("cube")).hasMessageEndingWith("found 2 x 2 x 2");
      assertThatThrownBy(() -> file.floats("ids")).hasMessageEndingWith("found int64");
      assertThatThrownBy(() -> file.floats("double")).hasMessageEndingWith("found float64");
      assertThatThrownBy(() -> file.text("matrix")).hasMessageEndingWith("found float32");
      assertThatThrownBy(() -> file.floats("none")).hasMessageEndingWith("has no tensor none");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {MarianBin.BERGAMOT_INTGEMM8, MarianBin.MARIAN_INTGEMM8})
  void bytesAreByColumnAndOverTheMultiplier(long type) throws IOException {
    byte[] stored = {1, 2, 3, -4, 127, -127, 0, 0, 0, 0x40}; // six numbers, then 2
    MarianBin made =
        new MarianBin()
            .item("encoder_l1_self_Wq", type, stored, 3, 2)
            .item("decoder_Wemb", type, stored, 3, 2);
    try (MarianBinaryFile file = MarianBinaryFile.open(write(made.bytes()))) {
      assertThat(file.floats("encoder_l1_self_Wq").shape()).isEqualTo("3 x 2");
      assertThat(file.floats("encoder_l1_self_Wq").floats())
          .containsExactly(0.5f, -2, 1, 63.5f, 1.5f, -63.5f);
      assertThat(file.floats("decoder_Wemb").floats())
          .containsExactly(0.5f, 1, 1.5f, -2, 63.5f, -63.5f);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {MarianBin.BERGAMOT_INTGEMM16, MarianBin.MARIAN_INTGEMM16})
  void shortsAreByColumnAndOverTheMultiplier(long type) throws IOException {
    ByteBuffer stored = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    stored.putShort((short) 1024).putShort((short) -512).putShort((short) 1).putShort((short) 0);
    stored.putFloat(1024);
    MarianBin made = new MarianBin().item("ff_logit_W", type, stored.array(), 2, 2);
    try (MarianBinaryFile file = MarianBinaryFile.open(write(made.bytes()))) {
      assertThat(file.floats("ff_logit_W").floats()).containsExactly(1, 1 / 1024f, -0.5f, 0);
    }
  }

  /** Real weights give the network of their .npz file, which another reader reads. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tatoeba-ende-transformer",
        "tatoeba-ende-gru",
        "marian-tiny/transformer-prenorm",
        "marian-tiny/transformer-ssru",
        "marian-tiny/s2s-lstm-ln"
      })
  void realWeightsGiveTheSameNetwork(String name) throws IOException {
    Numpy weights = new Numpy(SharedData.require("models/" + name + "/model.npz"));
    assertSame(network(MarianBin.of(weights, MarianBin.FLOAT32)), network(weights));
    for (long type : new long[] {MarianBin.BERGAMOT_INTGEMM8, MarianBin.MARIAN_INTGEMM16}) {
      MarianBin made = MarianBin.of(weights, type);
      ChangedWeights expanded = new ChangedWeights(weights);
      assertThat(made.expanded()).hasSizeGreaterThan(10);
      made.expanded()
          .forEach(
              (tensor, values) -> {
                Tensor was = weights.floats(tensor);
                expanded.put(tensor, Tensor.of(tensor, was.rows(), was.cols(), values));
              });
      assertSame(network(made), network(expanded));
    }
  }

  private static Network network(WeightSource weights) {
    return NetworkReader.read(weights, Optional.empty());
  }

  private Network network(MarianBin made) throws IOException {
    try (MarianBinaryFile file = MarianBinaryFile.open(write(made.bytes()))) {
      return network(file);
    }
  }

  private static void assertSame(Network found, Network expected) {
    assertThat(found.settings()).isEqualTo(expected.settings());
    assertThat(found.tensors().keySet()).containsExactlyElementsOf(expected.tensors().keySet());
    expected
        .tensors()
        .forEach(
            (name, tensor) ->
                assertThat(found.tensors().get(name).floats()).isEqualTo(tensor.floats()));
  }

  /** Bergamot's models have them beside the weights. */
  @Test
  void multipliersOfActivationsAreNoWeights() throws IOException {
    Numpy weights = new Numpy(SharedData.require("models/marian-tiny/transformer-ssru/model.npz"));
    MarianBin made = MarianBin.of(weights, MarianBin.FLOAT32);
    byte[] unused = new byte[256];
    made.floats("encoder_l1_self_Wq_QuantMultA", new float[] {19.5f}, 1, 1)
        .floats("none_QuantMultA", new float[] {12}, 1, 1)
        .item("Wemb_QuantMultA", MarianBin.BERGAMOT_INTGEMM8, unused, 1, 1);
    assertSame(network(made), network(weights));
  }

  @ParameterizedTest
  @CsvSource({
    "0x5101, intgemm8avx2",
    "0x6101, intgemm8avx512",
    "0x7101, intgemm8avx512vnni",
    "0xc101, intgemm8ssse3",
    "0x18001, intgemm8ssse3",
    "0x11001, intgemm8avx2",
    "0x12001, intgemm8avx512",
    "0x13001, intgemm8avx512vnni",
    "0x14002, intgemm16sse2",
    "0x12002, intgemm16avx512",
    "0x802, packed16",
    "0x1801, packed8avx2",
    "0x2801, packed8avx512"
  })
  void weightsPreparedForOneCpuAreRefusedByName(String code, String type) throws IOException {
    MarianBin made =
        new MarianBin().item("encoder_l1_ffn_W1", Long.decode(code), new byte[512], 8, 8);
    refused(
        made.bytes(),
        "tensor encoder_l1_ffn_W1: its type "
            + type
            + " is prepared for one kind of CPU; expected float32, intgemm8 or intgemm16: convert"
            + " the .npz file again with marian-conv --gemm-type");
  }

  @Test
  void refusesWhatDoesNotFit() throws IOException {
    refused(new byte[3], "header: expected 8 bytes, found 3, at byte 0");
    refused(longs(2), "expected version 1 of Marian's binary weights, found 2, at byte 0");
    refused(longs(0x8b1f), "the file is gzip; unpack it first, at byte 0");
    refused(longs(1, 0), "expected 1 to 0 items, found 0, at byte 8");
    refused(longs(1, -1, 0, 0, 0, 0), "1 items, found 18446744073709551615, at byte 8");
    refused(item(0, 0x404, 1, 4), "item 1 of 1: expected a name of 1 to 1024 bytes, found 0");
    refused(item(2, 0x405, 1, 4), "expected a type, found code 0x405, at byte 24");
    refused(item(2, 0x404, 9, 4), "expected a shape of 0 to 8 dimensions, found 9, at byte 32");
    refused(item(2, 0x404, 1, 99), "of data, found 99, at byte 40");
    refused(item(2, 0x404, 1, 4), "name 1 of 1: expected 2 bytes, found 0, at byte 48");
    refused(item(2, 0x404, 1, 4, 'a', 'b'), "expected a name in UTF-8 that ends with a byte 0");
    refused(item(2, 0x404, 1, 4, 'a', 0, 1, 0), "tensor a: expected 4 bytes, found 2, at byte 50");
    refused(
        item(2, 0x404, 1, 4, 'a', 0, 2, 0, 0, 0),
        "tensor a: expected 8 bytes, padded by at most 255, for 2 of float32, found 4, at byte 50");
    refused(
        item(2, 0x404, 1, 4, 'a', 0, 0, 0, 0, 0x80),
        "tensor a: expected a dimension from 0, found -2147483648, at byte 50");
    int[] padded = {'a', 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9};
    refused(item(2, 0x404, 1, 4, padded), "tensor a: expected 4 bytes, found 0, at byte 63");
    int[] more = {'a', 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5};
    refused(item(2, 0x404, 1, 4, more), "data: expected the end of the file, found 1 bytes more");
    padded[7] = 2;
    refused(item(2, 0x404, 1, 4, padded), "padding: expected padding of 0 to 256 bytes, found 513");
    MarianBin padding = new MarianBin().item("a", 0x404, new byte[4 + 255], 1);
    try (MarianBinaryFile file = MarianBinaryFile.open(write(padding.bytes()))) {
      assertThat(file.floats("a").shape()).isEqualTo("1 x 1");
    }
    padding = new MarianBin().item("a", 0x404, new byte[4 + 256], 1);
    refused(
        padding.bytes(),
        "tensor a: expected 4 bytes, padded by at most 255, for 1 of float32, found 260");
    MarianBin twice = new MarianBin().floats("a", VALUES, 6).floats("a", VALUES, 6);
    refused(twice.bytes(), "name 2 of 2: the name a is there twice");
    MarianBin large = new MarianBin().floats("a", VALUES, 1 << 30, 1 << 30, 1 << 30);
    refused(large.bytes(), "tensor a: expected at most 2147483639 numbers, found more");
    for (float multiplier :
        new float[] {0, -1, Float.NaN, Float.POSITIVE_INFINITY, Float.MIN_VALUE}) {
      ByteBuffer data = ByteBuffer.allocate(5).order(ByteOrder.LITTLE_ENDIAN);
      data.putFloat(1, multiplier);
      MarianBin made = new MarianBin().item("a_W", 0x4101, data.array(), 1, 1);
      Path path = write(made.bytes());
      try (MarianBinaryFile file = MarianBinaryFile.open(path)) {
        assertThatThrownBy(() -> file.floats("a_W"))
            .hasMessage(
                path
                    + ": tensor a_W, at byte 257: expected a positive multiplier, found "
                    + multiplier);
      }
    }
    assertThatThrownBy(() -> MarianBinaryFile.open(folder.resolve("none.bin")))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("none.bin cannot be read: no such file");
  }

  private static byte[] longs(long... numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(numbers).forEach(bytes::putLong);
    return bytes.array();
  }

  /** A file of one item. */
  private static byte[] item(long name, long type, long rank, long data, int... bytes) {
    byte[] head = longs(1, 1, name, type, rank, data);
    byte[] all = Arrays.copyOf(head, head.length + bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      all[head.length + i] = (byte) bytes[i];
    }
    return all;
  }

  private void refused(byte[] bytes, String message) throws IOException {
    Path file = write(bytes);
    assertThatThrownBy(() -> MarianBinaryFile.open(file))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(message);
  }
}
