package io.latimer.operators.nmt.convert.ctranslate2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.convert.huggingface.TinyFolders;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.nmt.published.PublishedModel;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.Vocabulary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model of Hugging Face's translates the same text, converted to CTranslate2 or not. */
final class Ctranslate2TransformersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double SCORE = 1e-4;

  @TempDir private Path folder;

  @Test
  void mbartOfFiftyLanguages() throws IOException {
    Path from = TinyFolders.mbart(Files.createDirectory(folder.resolve("mbart")), true);
    for (String name : List.of("config.json", "generation_config.json")) {
      Path config = from.resolve(name);
      String text = Files.readString(config);
      // as in mBART-50: the end token
      Files.writeString(
          config,
          text.replaceAll("\"decoder_start_token_id\": [^,\n]+", "\"decoder_start_token_id\": 2"));
    }
    compare(from, "sentencepiece.bpe.model", new Guidance("en", "de", ""));
    compare(from, "sentencepiece.bpe.model", new Guidance("fr_XX", "ja", ""));
  }

  @Test
  void t5WithAndWithoutLanguages() throws IOException {
    Path plain = TinyFolders.t5(Files.createDirectory(folder.resolve("t5")), false);
    compare(plain, "spiece.model", Guidance.NONE);
    Path madlad = TinyFolders.t5(Files.createDirectory(folder.resolve("madlad")), true);
    compare(madlad, "spiece.model", new Guidance("", "pt", ""));
  }

  private void compare(Path from, String tokenizer, Guidance guidance) throws IOException {
    Path original = Files.createTempFile(folder, "original", ".lmx");
    PublishedModel.open(from).importTo(original, "");
    Path folderOfIt = converted(original);
    Files.copy(from.resolve(tokenizer), folderOfIt.resolve(tokenizer));
    Path converted = Files.createTempFile(folder, "converted", ".lmx");
    PublishedModel.open(folderOfIt).importTo(converted, "");
    List<Translated> expected = translations(original, guidance);
    List<Translated> found = translations(converted, guidance);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(written(found.get(i))).isEqualTo(written(expected.get(i)));
      assertThat(found.get(i).score()).isCloseTo(expected.get(i).score(), within(SCORE));
      assertThat(found.get(i).targetLanguage()).isEqualTo(expected.get(i).targetLanguage());
    }
  }

  /** Ids without a token have one in CTranslate2's vocabularies. */
  private static String written(Translated translated) {
    return translated.text().replaceAll("madeupword\\d+|<unk>", "?");
  }

  private static List<Translated> translations(Path model, Guidance guidance) {
    TranslateOptions options = TranslateOptions.of(DecodeOptions.greedy());
    List<TextInput> texts = new ArrayList<>();
    for (String text : List.of("w17 w18 w19", "w200", "w31 w30 w29 w28 w27 w26")) {
      texts.add(new TextInput(text, guidance));
    }
    try (Translate translate = Translate.opener(options).open(model, Device.CPU)) {
      return translate.translate(texts).stream().map(Result::orElseThrow).toList();
    }
  }

  /** The model as CTranslate2's converter of these models writes it. */
  private Path converted(Path model) throws IOException {
    Path to = Files.createTempDirectory(folder, "ct2");
    try (IndexFile file = IndexFile.open(model);
        TranslationModel opened = TranslationModel.open(file)) {
      Network network = opened.network();
      Vocabulary vocabulary = opened.target();
      List<String> words = new ArrayList<>();
      for (int id = 0; id < vocabulary.size(); id++) {
        words.add(vocabulary.has(id) ? vocabulary.token(id) : "madeupword" + id);
      }
      TransformerVariant variant = network.settings(TransformerSettings.class).variant();
      Files.write(to.resolve("model.bin"), Ctranslate2Model.of(network, 6, true).bytes());
      Files.writeString(to.resolve("shared_vocabulary.json"), JSON.writeValueAsString(words));
      Files.writeString(
          to.resolve("config.json"),
          JSON.writeValueAsString(
              Map.of(
                  "add_source_bos",
                  false,
                  "add_source_eos",
                  false,
                  "bos_token",
                  "<s>",
                  "eos_token",
                  "</s>",
                  "unk_token",
                  "<unk>",
                  "decoder_start_token",
                  words.get(variant.start()),
                  "layer_norm_epsilon",
                  variant.epsilon())));
    }
    return to;
  }
}
