package io.latimer.operators.nmt.convert.huggingface;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.testing.SpmBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The random models of the golden files with tokenizers: the word {@code w17} has the id 17, and
 * ids from 300 on are languages.
 */
public final class TinyFolders {
  public static final int FIRST_LANGUAGE = 300;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONTROL = 3;
  private static final int UNKNOWN = 2;
  private static final int NORMAL = 1;

  private TinyFolders() {}

  /** NLLB: fairseq's ids, and its names of languages. */
  public static Path nllb(Path folder, boolean legacy) throws IOException {
    copy("hf-nllb-tiny", folder);
    Files.write(folder.resolve("sentencepiece.bpe.model"), fairseq());
    json(
        folder.resolve("tokenizer_config.json"),
        Map.of(
            "tokenizer_class",
            "NllbTokenizer",
            "src_lang",
            "eng_Latn",
            "legacy_behaviour",
            legacy));
    List<String> languages =
        List.of("deu_Latn", "fra_Latn", "zho_Hans", "zho_Hant", "arb_Arab", "eng_Latn", "srp_Cyrl");
    json(folder.resolve("special_tokens_map.json"), Map.of("additional_special_tokens", languages));
    return folder;
  }

  /** M2M100: ids in a file of their own. */
  public static Path m2m100(Path folder) throws IOException {
    copy("hf-nllb-tiny", folder);
    Files.write(folder.resolve("sentencepiece.bpe.model"), fairseq());
    ObjectNode vocabulary = JSON.createObjectNode();
    List<String> tokens = new ArrayList<>(List.of("<s>", "<pad>", "</s>", "<unk>"));
    words(4).forEach(tokens::add);
    for (int id = 0; id < tokens.size(); id++) {
      vocabulary.put(tokens.get(id), id);
    }
    json(folder.resolve("vocab.json"), vocabulary);
    json(folder.resolve("added_tokens.json"), Map.of("__de__", 300, "__fr__", 301, "__en__", 305));
    return folder;
  }

  /** mBART: names with regions, the source's behind the sentence. */
  public static Path mbart(Path folder, boolean fifty) throws IOException {
    copy("hf-mbart-tiny", folder);
    Files.write(folder.resolve("sentencepiece.bpe.model"), fairseq());
    ObjectNode config = JSON.createObjectNode();
    config.put("tokenizer_class", fifty ? "MBart50Tokenizer" : "MBartTokenizer");
    ObjectNode added = config.putObject("added_tokens_decoder");
    List.of("cs_CZ", "de_DE", "es_XX", "fr_XX", "it_IT", "ja_XX", "en_XX")
        .forEach(name -> added.putObject("" + (300 + added.size())).put("content", name));
    added.putObject("0").put("content", "<s>");
    json(folder.resolve("tokenizer_config.json"), config);
    return folder;
  }

  /** T5; with languages, as MADLAD-400. */
  public static Path t5(Path folder, boolean languages) throws IOException {
    copy("hf-t5-tiny", folder);
    byte[] spm = piece(new byte[0], "<pad>", CONTROL);
    spm = piece(piece(spm, "</s>", CONTROL), "<unk>", UNKNOWN);
    List<String> words = new ArrayList<>(words(3));
    if (languages) {
      words.set(7, "<2de>");
      words.set(8, "<2pt_BR>");
    }
    for (String word : words) {
      spm = piece(spm, word, NORMAL);
    }
    Files.write(folder.resolve("spiece.model"), SpmBytes.with(spm, 3, new byte[0]));
    return folder;
  }

  /** T5 with bytes for what has no piece: their ids are 3 to 258. */
  static Path bytes(Path folder) throws IOException {
    copy("hf-t5-tiny", folder);
    Files.write(folder.resolve("spiece.model"), SpmBytes.withBytes(words(259)));
    return folder;
  }

  private static byte[] fairseq() {
    byte[] spm = piece(new byte[0], "<unk>", UNKNOWN);
    spm = piece(piece(spm, "<s>", CONTROL), "</s>", CONTROL);
    for (String word : words(4)) {
      spm = piece(spm, word, NORMAL);
    }
    return SpmBytes.with(spm, 3, new byte[0]);
  }

  private static List<String> words(int first) {
    return IntStream.range(first, FIRST_LANGUAGE).mapToObj(id -> "\u2581w" + id).toList();
  }

  private static byte[] piece(byte[] model, String text, int type) {
    return SpmBytes.withPiece(model, text.getBytes(StandardCharsets.UTF_8), type);
  }

  private static void copy(String name, Path to) throws IOException {
    Path from = SharedData.require("models/published/" + name);
    for (String file : List.of("config.json", "generation_config.json", "model.safetensors")) {
      Files.write(to.resolve(file), Files.readAllBytes(from.resolve(file)));
    }
  }

  /** Writes settings. */
  static void json(Path file, Object settings) throws IOException {
    Files.writeString(file, JSON.writeValueAsString(settings));
  }
}
