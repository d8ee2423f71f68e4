package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.cpu.DecodeGoldenTest;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders in Hugging Face's layout become model files. */
public final class HuggingFaceFolderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private static Path marian() {
    return SharedData.require("models/published/hf-marian-ende");
  }

  @Test
  void aMarianModelTranslatesAsMarianDoes() throws IOException {
    assertThat(HuggingFaceFolder.isOne(marian())).isTrue();
    Path out = folder.resolve("ende.lmx");
    ImportReport report = HuggingFaceFolder.open(marian()).importTo(out, "5.17");
    assertThat(report.warnings()).isEmpty();
    assertThat(((TransformerSettings) report.network()).variant().start()).isEqualTo(6000);
    compare(out, DecodeOptions.greedy(), "greedy", Device.CPU);
    compare(out, DecodeOptions.beam(5), "beam5", Device.CPU);
  }

  /** The model file of hf-marian-ende. */
  public static Path marian(Path folder) {
    Path out = folder.resolve("ende.lmx");
    HuggingFaceFolder.open(marian()).importTo(out, "");
    return out;
  }

  /** Compares all lines of Marian's golden file with what a device gives in 32 bits. */
  public static void compare(Path model, DecodeOptions options, String search, Device device)
      throws IOException {
    Path golden = SharedData.require("models/tatoeba-ende-transformer/golden");
    List<JsonNode> expected = DecodeGoldenTest.golden(golden.resolve("golden.jsonl"));
    List<String> source = Files.readAllLines(golden.resolve("source.txt"));
    List<String> texts = Files.readAllLines(golden.resolve(search + ".txt"));
    List<Result<Translated>> results;
    TranslateOptions whole =
        TranslateOptions.of(options)
            .withSplitSentences(Optional.of(false))
            .withPrecision(Optional.of(NmtPrecision.FLOAT32));
    try (Translate translate = Translate.opener(whole).open(model, device)) {
      results = translate.apply(source.subList(0, expected.size()));
    }
    int same = 0;
    for (int i = 0; i < results.size(); i++) {
      Translated found = results.get(i).orElseThrow();
      assertThat(found.text()).as("line %d", i).isEqualTo(texts.get(i));
      assertThat(found.score())
          .isCloseTo(expected.get(i).get(search).get("score").asDouble(), within(5e-4));
      same++;
    }
    assertThat(same).isEqualTo(expected.size());
  }

  @Test
  void aFolderWithoutSoundSettingsIsRefused() throws IOException {
    refused(config -> config.put("model_type", "bert"), "model_type is \"bert\", but only marian");
    refused(config -> config.put("model_type", "nllb-moe"), "a mixture of experts (nllb-moe)");
    refused(
        config -> config.put("model_type", "m2m_100"), "sentencepiece.bpe.model cannot be read");
    refused(config -> config.put("vocab_size", 6000), "vocab.json: expected ids up to 5999");
    refused(
        config -> config.put("d_model", 128), "model.shared.weight: expected at least 6001 x 128");
    refused(config -> config.put("d_model", "x"), "d_model: expected a whole number, found \"x\"");
    refused(config -> config.remove("d_model"), "d_model is missing, expected a whole number");
    refused(
        config -> config.put("encoder_layers", 5), "layers.4.self_attn.q_proj.weight is missing");
    refused(config -> config.put("encoder_layers", 3), "encoder.layers.3.fc1.bias belongs to an");
    refused(config -> config.put("encoder_attention_heads", 4), "but only equal numbers");
    refused(
        config -> config.put("encoder_attention_heads", 7).put("decoder_attention_heads", 7),
        "config.json: model setting heads must divide the width 256, found 7");
    refused(config -> config.put("activation_function", "tanh"), "the activation is \"tanh\"");
    refused(
        config -> config.put("decoder_start_token_id", 6001), "only ids below vocab_size, 6001");
    refused(config -> config.put("eos_token_id", 1), "a token with the id of the end");
    refused(config -> config.put("static_position_embeddings", false), "positions are trained");
  }

  private void refused(Consumer<ObjectNode> change, String message) throws IOException {
    Path copy = copy();
    Path config = copy.resolve("config.json");
    ObjectNode json = (ObjectNode) JSON.readTree(Files.readString(config));
    change.accept(json);
    Files.writeString(config, JSON.writeValueAsString(json));
    refused(copy, message);
  }

  private void refused(Path copy, String... messages) {
    Path out = folder.resolve("refused.lmx");
    assertThatThrownBy(() -> HuggingFaceFolder.open(copy).importTo(out, ""))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContainingAll(messages)
        .hasMessageStartingWith(copy.toString());
    assertThat(out).doesNotExist();
  }

  private Path copy() throws IOException {
    Path copy = Files.createTempDirectory(folder, "model");
    try (Stream<Path> files = Files.list(marian())) {
      for (Path file : files.toList()) {
        Path to = copy.resolve(file.getFileName());
        if (file.toString().endsWith(".safetensors")) {
          Files.createSymbolicLink(to, file);
        } else {
          Files.writeString(to, "");
          Files.write(to, Files.readAllBytes(file));
        }
      }
    }
    return copy;
  }

  @Test
  void aModelOfSeveralTargetLanguagesNamesThem() throws IOException {
    Path copy = copy();
    Path file = copy.resolve("vocab.json");
    ObjectNode vocabulary = (ObjectNode) JSON.readTree(Files.readString(file));
    int free = vocabulary.remove(vocabulary.fieldNames().next()).intValue();
    Files.writeString(file, JSON.writeValueAsString(vocabulary.put(">>fra<<", free)));
    assertThat(HuggingFaceFolder.open(copy).describe())
        .contains("languages: en to und; choice of fr");
  }

  @Test
  void aPickleIsRefusedWithTheLineThatConvertsIt() throws IOException {
    Path copy = copy();
    Files.delete(copy.resolve("model.safetensors"));
    refused(copy, "expected model.safetensors or model.safetensors.index.json");
    Files.write(copy.resolve("pytorch_model.bin"), new byte[] {(byte) 0x80, 2});
    refused(copy, "pytorch_model.bin is a pickle", "python -c", "save_pretrained('" + copy);
  }

  @Test
  void weightsInSeveralFilesAreReadByTheirIndex() throws IOException {
    Path copy = copy();
    Path whole = copy.resolve("model.safetensors");
    Path part = copy.resolve("model-00001-of-00001.safetensors");
    Files.move(whole, part);
    Path index = copy.resolve("model.safetensors.index.json");
    ObjectNode json = JSON.createObjectNode();
    ObjectNode map = json.putObject("weight_map");
    try (SafetensorsFile file = SafetensorsFile.open(part)) {
      file.names().forEach(name -> map.put(name, part.getFileName().toString()));
    }
    Files.writeString(index, JSON.writeValueAsString(json));
    Path out = folder.resolve("sharded.lmx");
    Path one = folder.resolve("whole.lmx");
    assertThat(HuggingFaceFolder.open(copy).importTo(out, "").contentId())
        .isEqualTo(HuggingFaceFolder.open(marian()).importTo(one, "").contentId());
    map.put("model.shared.weight", "../other.safetensors");
    Files.writeString(index, JSON.writeValueAsString(json));
    refused(copy, "weight_map: expected the names of", "found \"../other.safetensors\"");
    map.put("model.shared.weight", part.getFileName().toString())
        .put("another", part.getFileName().toString());
    Files.writeString(index, JSON.writeValueAsString(json));
    refused(copy, "has no tensor another, which model.safetensors.index.json puts there");
  }

  @Test
  void saysWhatItFinds() throws IOException {
    assertThat(HuggingFaceFolder.open(marian()).describe())
        .containsExactly(
            "format: Hugging Face, marian",
            "network: transformer, 4 + 4 layers, width 256, 8 heads, feed-forward 1024, swish",
            "weights: 8,915,057 numbers, F16",
            "search: beam of 5, rule SHRINK",
            "vocabulary: 6,001 ids, SentencePiece",
            "languages: en to de");
    Path copy = copy();
    Files.writeString(copy.resolve("README.md"), "---\ntags:\n- x\nlicense: apache-2.0\n---\n");
    assertThat(HuggingFaceFolder.open(copy).describe()).contains("licence: apache-2.0");
  }

  @Test
  void otherFoldersAreNotTaken() throws IOException {
    assertThat(HuggingFaceFolder.isOne(folder)).isFalse();
    assertThat(HuggingFaceFolder.isOne(folder.resolve("none"))).isFalse();
    Files.writeString(folder.resolve("config.json"), "{\"add_source_bos\": false}");
    assertThat(HuggingFaceFolder.isOne(folder)).isFalse();
  }
}
