package io.latimer.operators.nmt.convert.ctranslate2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.model.ModelFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader of model.bin, sound ones and others. */
final class Ctranslate2FileTest {
  @TempDir private Path folder;

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("model.bin"), bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void readsEachVersion(int version) throws IOException {
    float[] values = {0, 1, -2.5f, 0.125f, 1024, -0.0f};
    ModelBin made =
        new ModelBin(version, "TransformerSpec", 4)
            .add("matrix", ModelBin.FLOAT32, values, 2, 3)
            .add("vector", ModelBin.FLOAT32, values, 6)
            .add("empty", ModelBin.FLOAT32, new float[0], 0, 3)
            .add("cube", ModelBin.FLOAT32, new float[8], 2, 2, 2)
            .add("small", ModelBin.INT8, new float[] {127, -128, 0, 5}, 2, 2)
            .add("small_scale", ModelBin.FLOAT32, new float[] {2, 4}, 2)
            .add("middle", ModelBin.INT16, new float[] {3, -7}, 1, 2)
            .scalar("middle_scale", ModelBin.FLOAT32, 2)
            .add("old", ModelBin.INT16, new float[] {500}, 1, 1)
            .scalar("flag", ModelBin.INT8, 1)
            .scalar("heads", ModelBin.INT16, 300)
            .scalar("scale", ModelBin.FLOAT32, 0.25)
            .text("token", "<s\u00e9>")
            .alias("other", "matrix");
    try (Ctranslate2File file = Ctranslate2File.open(write(made.bytes()))) {
      assertThat(file.version()).isEqualTo(version);
      assertThat(file.specification()).isEqualTo(version == 1 ? "" : "TransformerSpec");
      assertThat(file.revision()).isEqualTo(version == 1 ? 1 : 4);
      assertThat(file.names()).hasSize(14);
      assertThat(file.floats("matrix").floats()).isEqualTo(values);
      assertThat(file.floats("matrix").shape()).isEqualTo("2 x 3");
      assertThat(file.floats("other").floats()).isEqualTo(values);
      assertThat(file.isSame("other", "matrix")).isEqualTo(version >= 3);
      assertThat(file.floats("vector").shape()).isEqualTo("1 x 6");
      assertThat(file.floats("empty").shape()).isEqualTo("0 x 3");
      assertThat(file.shape("cube")).containsExactly(2, 2, 2);
      assertThat(file.floats("small").floats()).containsExactly(63.5f, -64, 0, 1.25f);
      assertThat(file.floats("middle").floats()).containsExactly(1.5f, -3.5f);
      assertThat(file.floats("old").floats()).containsExactly(0.5f);
      assertThat(file.number("flag")).hasValue(1);
      assertThat(file.number("heads")).hasValue(300);
      assertThat(file.number("scale")).hasValue(0.25);
      assertThat(file.number("none")).isEmpty();
      assertThat(file.text("token")).contains("<s\u00e9>");
      assertThat(file.text("none")).isEmpty();
      assertThatThrownBy(() -> file.floats("cube")).hasMessageEndingWith("found 2 x 2 x 2");
      assertThatThrownBy(() -> file.floats("token"))
          .hasMessageContaining("1 scales in token_scale");
      assertThatThrownBy(() -> file.number("matrix")).hasMessageEndingWith("a scalar, found 2 x 3");
      assertThatThrownBy(() -> file.text("matrix")).hasMessageContaining("expected a text");
      assertThatThrownBy(() -> file.floats("none")).hasMessageEndingWith("none is missing");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {ModelBin.FLOAT32, ModelBin.FLOAT16, ModelBin.BFLOAT16})
  void readsEachTypeOfFloats(int type) throws IOException {
    float[] values = {0, 1, -2.5f, 0.125f, 1024, -0.0f};
    ModelBin made = new ModelBin(6, "TransformerSpec", 7).add("w", type, values, 3, 2);
    made.scalar("whole", ModelBin.INT32, 1 << 20);
    try (Ctranslate2File file = Ctranslate2File.open(write(made.bytes()))) {
      assertThat(file.floats("w").floats()).isEqualTo(values);
      assertThat(file.number("whole")).hasValue(1 << 20);
      assertThatThrownBy(() -> file.floats("whole")).hasMessageEndingWith("found INT32");
    }
  }

  @Test
  void namesOfTheFirstRevisionAreBroughtUpToDate() throws IOException {
    ModelBin made = new ModelBin(1, "", 1);
    for (String name :
        new String[] {
          "transformer/encoder/w_embs:0",
          "transformer/encoder/layer_0/multi_head/conv1d/kernel:0",
          "transformer/encoder/layer_0/ffn/LayerNorm/beta:0",
          "transformer/decoder/layer_0/masked_multi_head/conv1d_1/kernel:0",
          "transformer/decoder/layer_0/multi_head/conv1d_2/bias:0",
          "transformer/decoder/dense/kernel:0"
        }) {
      made.add(name, ModelBin.FLOAT32, new float[1], 1);
    }
    try (Ctranslate2File file = Ctranslate2File.open(write(made.bytes()))) {
      assertThat(file.names())
          .containsExactly(
              "encoder/embeddings/weight",
              "encoder/layer_0/self_attention/linear_0/weight",
              "encoder/layer_0/ffn/layer_norm/beta",
              "decoder/layer_0/self_attention/linear_1/weight",
              "decoder/layer_0/attention/linear_2/bias",
              "decoder/projection/weight");
    }
  }

  @Test
  void refusesWhatDoesNotFit() throws IOException {
    refused(new byte[3], "header: expected 4 bytes, found 3, at byte 0");
    refused(file(7), "header: expected binary version 1 to 6, found 7, at byte 0");
    refused(file(0), "found 0, at byte 0");
    refused(file(1, 1 << 30), "expected at most 262144 variables, found 1073741824, at byte 4");
    refused(file(1, 1), "variable 1 of 1: expected 2 bytes, found 0, at byte 8");
    refused(variable(0), "expected a name of 1 to 1024 bytes, found 0, at byte 8");
    refused(variable(0xffff), "found 65535, at byte 8");
    refused(variable(2, 'a', 'b'), "expected a name in UTF-8 that ends with a byte 0, at byte 10");
    refused(variable(2, 0xff, 0), "expected a name in UTF-8");
    refused(
        variable(2, 'a', 0, 9), "variable a: expected at most 8 dimensions, found 9, at byte 12");
    refused(variable(2, 'a', 0, 1, -1, -1), "variable a: expected 4 bytes, found 2, at byte 13");
    refused(
        variable(2, 'a', 0, 1, -1, -1, -1, -1), "expected at most 2147483639 numbers, found more");
    refused(variable(2, 'a', 0, 0, 3), "expected numbers of 1, 2 or 4 bytes, found 3, at byte 13");
    refused(
        variable(2, 'a', 0, 0, 4, 2, 0, 0, 0),
        "variable a: expected 4 bytes for a scalar of FLOAT32, found 8, at byte 14");
    refused(variable(2, 'a', 0, 0, 4, 1, 0, 0, 0, 9), "expected 4 bytes, found 1, at byte 18");
    refused(variable(2, 'a', 0, 0, 1, 1, 0, 0, 0, 9, 9), "the end of the file, found 1 bytes more");
    ModelBin made = new ModelBin(6, "TransformerSpec", 7).scalar("a", ModelBin.INT8, 1);
    refused(made.alias("b", "c").bytes(), "alias 1 of 1: b stands for c, which is not there");
    made = new ModelBin(6, "TransformerSpec", 7).scalar("a", ModelBin.INT8, 1);
    refused(made.alias("a", "a").bytes(), "alias 1 of 1: the name a is there twice");
    byte[] type = new ModelBin(4, "", 7).scalar("a", ModelBin.INT8, 1).bytes();
    type[type.length - 10] = 6;
    refused(type, "variable a: expected a type from 0 to 5, found 6, at byte 20");
    assertThatThrownBy(() -> Ctranslate2File.open(folder.resolve("none")))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("none cannot be read");
  }

  private static byte[] file(int... words) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * words.length).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(words).forEach(bytes::putInt);
    return bytes.array();
  }

  /** A file of version 1 with one variable. */
  private static byte[] variable(int nameLength, int... bytes) {
    byte[] head = file(1, 1);
    byte[] all = Arrays.copyOf(head, head.length + 2 + bytes.length);
    all[8] = (byte) nameLength;
    all[9] = (byte) (nameLength >> 8);
    for (int i = 0; i < bytes.length; i++) {
      all[10 + i] = (byte) bytes[i];
    }
    return all;
  }

  private void refused(byte[] bytes, String message) throws IOException {
    Path file = write(bytes);
    assertThatThrownBy(() -> Ctranslate2File.open(file))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(message);
  }
}
