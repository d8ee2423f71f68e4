package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.model.Float16;
import io.latimer.operators.testing.SpmBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** A complete random MarianMTModel, small enough to be made in every test. */
public final class TinyMarian {
  static final int WIDTH = 4;
  static final int INNER = 6;
  static final int WORDS = 6;

  private TinyMarian() {}

  /** Writes its folder. */
  public static Path write(Path folder) throws IOException {
    Files.createDirectories(folder);
    text(
        folder,
        "config.json",
        """
        {"model_type": "marian", "vocab_size": 6, "d_model": 4, "encoder_layers": 2,
         "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
         "encoder_ffn_dim": 6, "decoder_ffn_dim": 6, "activation_function": "relu",
         "scale_embedding": true, "eos_token_id": 0, "pad_token_id": 5,
         "decoder_start_token_id": 5, "static_position_embeddings": true}
        """);
    text(
        folder,
        "vocab.json",
        """
        {"</s>": 0, "<unk>": 1, "a": 2, "b": 3, "\u2581": 4, "<pad>": 5}
        """);
    text(
        folder,
        "tokenizer_config.json",
        """
        {"source_lang": "en", "target_lang": "de"}
        """);
    byte[] spm = SpmBytes.small(List.of("a", "b", "\u2581"));
    Files.write(folder.resolve("source.spm"), spm);
    Files.write(folder.resolve("target.spm"), spm);
    Files.write(folder.resolve("model.safetensors"), weights());
    return folder;
  }

  private static void text(Path folder, String name, String text) throws IOException {
    Files.write(folder.resolve(name), text.getBytes(StandardCharsets.UTF_8));
  }

  /** Its weights. */
  public static byte[] weights() {
    Random random = new Random(7);
    Safetensors file = new Safetensors();
    matrix(file, random, "model.shared.weight", WORDS, WIDTH);
    for (String layer : List.of("encoder.layers.0", "encoder.layers.1", "decoder.layers.0")) {
      attention(file, random, "model." + layer + ".self_attn");
      if (layer.startsWith("decoder")) {
        attention(file, random, "model." + layer + ".encoder_attn");
      }
      matrix(file, random, "model." + layer + ".fc1.weight", INNER, WIDTH);
      vector(file, random, "model." + layer + ".fc1.bias", INNER);
      matrix(file, random, "model." + layer + ".fc2.weight", WIDTH, INNER);
      vector(file, random, "model." + layer + ".fc2.bias", WIDTH);
      norm(file, random, "model." + layer + ".final_layer_norm");
    }
    matrix(file, random, "final_logits_bias", 1, WORDS);
    return file.bytes();
  }

  private static void attention(Safetensors file, Random random, String name) {
    for (String part : List.of("q_proj", "k_proj", "v_proj", "out_proj")) {
      matrix(file, random, name + "." + part + ".weight", WIDTH, WIDTH);
      vector(file, random, name + "." + part + ".bias", WIDTH);
    }
    norm(file, random, name + "_layer_norm");
  }

  private static void norm(Safetensors file, Random random, String name) {
    vector(file, random, name + ".weight", WIDTH);
    vector(file, random, name + ".bias", WIDTH);
  }

  private static void matrix(Safetensors file, Random random, String name, int rows, int cols) {
    file.add(name, "F16", values(random, rows * cols), rows, cols);
  }

  private static void vector(Safetensors file, Random random, String name, int n) {
    file.add(name, "F16", values(random, n), n);
  }

  private static float[] values(Random random, int n) {
    float[] values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] =
          Float16.toFloat((short) (0x3000 | random.nextInt(0x800) | random.nextInt(2) << 15));
    }
    return values;
  }
}
