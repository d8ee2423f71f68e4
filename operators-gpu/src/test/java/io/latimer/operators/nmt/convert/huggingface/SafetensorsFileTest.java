package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader of safetensors files, sound ones and others. */
final class SafetensorsFileTest {
  @TempDir private Path folder;

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("w.safetensors"), bytes);
  }

  @Test
  void readsEachTypeAndShape() throws IOException {
    float[] values = {0, 1, -2.5f, 0.125f, 1024, -0.0f};
    Safetensors made =
        new Safetensors()
            .add("f32", "F32", values, 2, 3)
            .add("f16", "F16", values, 6)
            .add("bf16", "BF16", values, 3, 2)
            .add("scalar", "F32", new float[] {7})
            .add("ids", "I64", new byte[16], 2)
            .add("cube", "F32", new float[8], 2, 2, 2);
    try (SafetensorsFile file = SafetensorsFile.open(write(made.bytes()))) {
      assertThat(file.names()).containsExactly("f32", "f16", "bf16", "scalar", "ids", "cube");
      for (String name : new String[] {"f32", "f16", "bf16"}) {
        Tensor tensor = file.floats(name);
        assertThat(tensor.floats()).as(name).isEqualTo(values);
      }
      assertThat(file.floats("f32").shape()).isEqualTo("2 x 3");
      assertThat(file.floats("f16").shape()).isEqualTo("1 x 6");
      assertThat(file.floats("scalar").shape()).isEqualTo("1 x 1");
      assertThat(file.shape("cube")).containsExactly(2, 2, 2);
      assertThatThrownBy(() -> file.floats("ids"))
          .hasMessageEndingWith("tensor ids: expected type F32, F16 or BF16, found I64");
      assertThatThrownBy(() -> file.floats("cube"))
          .hasMessageEndingWith("at most two dimensions and 2^31 numbers, found 2 x 2 x 2");
      assertThatThrownBy(() -> file.floats("none")).hasMessageEndingWith("has no tensor none");
    }
  }

  @Test
  void refusesHeadersThatLie() throws IOException {
    refused(new byte[3], "expected a header, found 3 bytes");
    refused(header(-1, "{}"), "expected a header of 2 to 2 bytes, found 18446744073709551615");
    refused(header(1L << 40, "{}"), "expected a header of 2 to 2 bytes, found 1099511627776");
    refused("[]", "tensor header: expected an object");
    refused("{} x", "its header is not JSON");
    refused("{\"a\": 1}", "tensor a: expected an object");
    refused("{\"a\": {}}", "tensor a: expected dtype, shape and data_offsets");
    String entry = "{\"a\": {\"dtype\": \"F32\", \"shape\": %s, \"data_offsets\": %s}}";
    refused(entry.formatted("[2]", "[0, 9]"), "data_offsets in order from 0 to 8, found 0 and 9");
    refused(entry.formatted("[2]", "[8, 0]"), "found 8 and 0");
    refused(entry.formatted("[2]", "[0]"), "tensor a: expected two data_offsets");
    refused(entry.formatted("[3]", "[0, 8]"), "expected 3 numbers of 4 bytes, found 8 bytes");
    refused(entry.formatted("[2]", "[0, 7]"), "expected 2 numbers of 4 bytes, found 7 bytes");
    refused(entry.formatted("[-1]", "[0, 8]"), "at most 8 whole numbers from 0 as shape");
    refused(entry.formatted("[1.5]", "[0, 8]"), "at most 8 whole numbers from 0 as shape");
    refused(entry.formatted("[4294967296, 4294967296]", "[0, 8]"), "4294967296 x 4294967296");
    refused(entry.formatted("[9223372036854775808]", "[0, 8]"), "whole numbers from 0 as shape");
    refused(entry.formatted("[1,1,1,1,1,1,1,1,2]", "[0, 8]"), "at most 8 whole numbers");
    refused("{\"a\": {}, \"a\": {}}", "tensor a: expected dtype");
  }

  private void refused(String header, String message) throws IOException {
    byte[] bytes = header.getBytes(StandardCharsets.UTF_8);
    refused(Safetensors.bytes(bytes, new byte[8]), message);
  }

  private static byte[] header(long length, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + bytes.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(length)
        .put(bytes)
        .array();
  }

  private void refused(byte[] bytes, String message) throws IOException {
    Path file = write(bytes);
    assertThatThrownBy(() -> SafetensorsFile.open(file))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(message);
  }

  @Test
  void damagedFilesAreRefusedWithTheirName() throws IOException {
    Path model = TinyMarian.write(folder.resolve("tiny"));
    Path weights = model.resolve("model.safetensors");
    Path out = folder.resolve("out.lmx");
    HuggingFaceFolder.open(model).importTo(out, "");
    byte[] sound = Files.readAllBytes(weights);
    int header = (int) ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN).getLong();
    Random random = new Random(37);
    int refused = 0;
    for (int i = 0; i < 200; i++) {
      byte[] damaged = sound.clone();
      int changes = 1 + random.nextInt(3);
      for (int k = 0; k < changes; k++) {
        damaged[random.nextInt(8 + header)] = (byte) random.nextInt(256);
      }
      Files.write(weights, damaged);
      try {
        HuggingFaceFolder.open(model).importTo(out, "");
      } catch (OperatorException e) {
        assertThat(e).hasMessageContaining(model.toString());
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(150); // the others changed a name that nothing reads
  }
}
