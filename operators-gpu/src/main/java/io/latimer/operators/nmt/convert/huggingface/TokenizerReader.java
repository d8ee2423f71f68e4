package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.JsonSettings.JsonMember;
import io.latimer.operators.nmt.convert.LanguageTokens;
import io.latimer.operators.nmt.convert.SegmentationFiles;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.text.ModelLanguages;
import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.SentencePieceSegmenter;
import io.latimer.operators.text.Vocabulary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads the tokenizer of a folder: SentencePiece models, the ids of their pieces, and the tokens of
 * languages.
 *
 * <p>Source: huggingface/transformers, tokenization_marian.py, tokenization_nllb.py,
 * tokenization_m2m_100.py, tokenization_mbart.py, tokenization_mbart50.py and tokenization_t5.py.
 */
final class TokenizerReader {
  private static final String UNKNOWN_LANGUAGE = "und";
  private static final String CONFIG = "tokenizer_config.json";
  private static final String VOCABULARY = "vocab.json";
  private static final String SHARED = "sentencepiece.bpe.model";

  /** OPUS also has names of groups of languages. */
  private static final Pattern TAG = Pattern.compile("(?!mul)[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*");

  /** The first ids of fairseq, instead of the first pieces. */
  private static final List<String> FAIRSEQ = List.of("<s>", "<pad>", "</s>", "<unk>");

  private static final List<String> FAIRSEQ_PIECES = List.of("<unk>", "<s>", "</s>");

  private final Path folder;
  private final JsonSettings model;
  private final Optional<JsonSettings> config;
  private final int words;

  private TokenizerReader(Path folder, JsonSettings model) {
    this.folder = folder;
    this.model = model;
    this.config = JsonSettings.readIfThere(folder.resolve(CONFIG));
    this.words = model.integer("vocab_size", 2);
  }

  /**
   * Reads a tokenizer.
   *
   * @param model settings of the folder's model
   * @throws ModelFormatException if a file is missing or damaged, or of a kind that cannot be read
   */
  static HuggingFaceTokenizer read(Path folder, JsonSettings model, Family family) {
    TokenizerReader reader = new TokenizerReader(folder, model);
    return switch (family) {
      case MARIAN -> reader.marian();
      case M2M100, MBART -> reader.fairseq(family);
      case T5 -> reader.t5();
    };
  }

  private Optional<String> setting(String key) {
    return config.flatMap(settings -> settings.string(key));
  }

  private HuggingFaceTokenizer marian() {
    if (config.isPresent() && config.get().flag("separate_vocabs")) {
      throw config
          .get()
          .refuse("source and target have vocabularies of their own, but only shared ones");
    }
    Path file = folder.resolve(VOCABULARY);
    Vocabulary vocabulary = Vocabulary.load(file);
    if (vocabulary.size() != words) {
      throw wrongSize(file, vocabulary.size());
    }
    List<String> languages = LanguageTokens.marian(listed(file).values());
    boolean several = !languages.isEmpty();
    return new HuggingFaceTokenizer(
        vocabulary,
        sentencePiece("source.spm"),
        sentencePiece("target.spm"),
        several ? LanguageTokens.before(languages, true) : SentenceFormat.PLAIN,
        tag("source_lang"),
        several ? UNKNOWN_LANGUAGE : tag("target_lang"));
  }

  private String tag(String key) {
    return setting(key)
        .filter(language -> TAG.matcher(language).matches())
        .map(language -> language.replace('_', '-'))
        .orElse(UNKNOWN_LANGUAGE);
  }

  private ModelFormatException wrongSize(Path file, int found) {
    return new ModelFormatException(
        file
            + ": expected ids up to "
            + (words - 1)
            + ", as vocab_size in config.json says, found "
            + (found - 1));
  }

  private HuggingFaceTokenizer t5() {
    String name = "spiece.model";
    byte[] bytes = sentencePiece(name);
    List<String> pieces = SentencePieceSegmenter.pieces(bytes, folder.resolve(name).toString());
    List<String> languages = LanguageTokens.t5(pieces);
    return new HuggingFaceTokenizer(
        vocabulary(folder.resolve(name), numbered(pieces)),
        bytes,
        bytes,
        languages.isEmpty() ? SentenceFormat.PLAIN : LanguageTokens.before(languages, true),
        UNKNOWN_LANGUAGE,
        UNKNOWN_LANGUAGE);
  }

  private static SortedMap<Integer, String> numbered(List<String> tokens) {
    SortedMap<Integer, String> byId = new TreeMap<>();
    tokens.forEach(token -> byId.put(byId.size(), token));
    return byId;
  }

  /** A vocabulary of all the model's words; those without a token have none. */
  private Vocabulary vocabulary(Path file, SortedMap<Integer, String> byId) {
    if (byId.lastKey() >= words) {
      throw wrongSize(file, byId.lastKey() + 1);
    }
    List<String> tokens = new ArrayList<>();
    for (int id = 0; id < words; id++) {
      tokens.add(byId.get(id));
    }
    return ModelFormatException.within(file.toString(), () -> Vocabulary.of(tokens));
  }

  /** The tokenizers of NLLB, M2M100 and mBART. */
  private HuggingFaceTokenizer fairseq(Family family) {
    byte[] bytes = sentencePiece(SHARED);
    Path own = folder.resolve(VOCABULARY);
    boolean listed = Files.exists(own); // M2M100 numbers its pieces in a file
    Path file = listed ? own : folder.resolve(SHARED);
    SortedMap<Integer, String> byId = listed ? listed(own) : fairseq(bytes);
    SortedMap<Integer, String> added = added(byId.lastKey() + 1);
    byId.putAll(added);
    List<String> languages = LanguageTokens.named(added.values());
    if (languages.isEmpty()) {
      throw new ModelFormatException(
          folder
              + ": the tokens of its languages are missing, expected added_tokens_decoder in "
              + CONFIG
              + ", added_tokens.json, or additional_special_tokens in special_tokens_map.json");
    }
    Optional<String> start = language(byId, languages, "decoder_start_token_id");
    Optional<String> forced = language(byId, languages, "forced_bos_token_id");
    boolean ends = family == Family.MBART && !setting("tokenizer_class").orElse("").contains("50");
    ends |= config.isPresent() && config.get().flag("legacy_behaviour");
    SentenceFormat format = LanguageTokens.around(languages, ends, start.isEmpty());
    ModelLanguages known = new ModelLanguages(languages);
    return new HuggingFaceTokenizer(
        vocabulary(file, byId),
        bytes,
        bytes,
        format,
        setting("src_lang").filter(languages::contains).map(known::tag).orElse(UNKNOWN_LANGUAGE),
        start
            .or(() -> forced)
            .or(() -> setting("tgt_lang").filter(languages::contains))
            .map(known::tag)
            .orElse(UNKNOWN_LANGUAGE));
  }

  private static SortedMap<Integer, String> listed(Path file) {
    Vocabulary vocabulary = Vocabulary.load(file);
    SortedMap<Integer, String> byId = new TreeMap<>();
    for (int id = 0; id < vocabulary.size(); id++) {
      if (vocabulary.has(id)) {
        byId.put(id, vocabulary.token(id));
      }
    }
    return byId;
  }

  private SortedMap<Integer, String> fairseq(byte[] bytes) {
    Path file = folder.resolve(SHARED);
    List<String> pieces = SentencePieceSegmenter.pieces(bytes, file.toString());
    int skipped = FAIRSEQ_PIECES.size();
    if (pieces.size() < skipped || !pieces.subList(0, skipped).equals(FAIRSEQ_PIECES)) {
      throw new ModelFormatException(
          file
              + ": expected the first pieces "
              + FAIRSEQ_PIECES
              + ", found "
              + pieces.subList(0, Math.min(skipped, pieces.size())));
    }
    List<String> tokens = new ArrayList<>(FAIRSEQ);
    tokens.addAll(pieces.subList(skipped, pieces.size()));
    return numbered(tokens);
  }

  /**
   * The tokens that are not pieces, by id.
   *
   * @param first id of the first where a file lists them without ids
   */
  private SortedMap<Integer, String> added(int first) {
    SortedMap<Integer, String> added = new TreeMap<>();
    config.ifPresent(
        settings ->
            settings
                .contents("added_tokens_decoder")
                .forEach(token -> added.put(id(settings, token), token.value())));
    Path ids = folder.resolve("added_tokens.json");
    if (added.isEmpty() && Files.exists(ids)) {
      added.putAll(listed(ids));
    }
    if (added.isEmpty()) {
      JsonSettings.readIfThere(folder.resolve("special_tokens_map.json"))
          .ifPresent(
              settings ->
                  settings
                      .texts("additional_special_tokens")
                      .forEach(token -> added.put(first + added.size(), token)));
    }
    return added;
  }

  private int id(JsonSettings settings, JsonMember token) {
    if (!token.name().matches("[0-9]{1,8}") || Integer.parseInt(token.name()) >= words) {
      throw settings.refuse(
          "added_tokens_decoder has the id " + token.name() + ", but only ids below vocab_size");
    }
    return Integer.parseInt(token.name());
  }

  /** The language that a setting of the model names by id. */
  private Optional<String> language(Map<Integer, String> byId, List<String> languages, String key) {
    return model
        .integer(key)
        .or(
            () ->
                JsonSettings.readIfThere(folder.resolve("generation_config.json"))
                    .flatMap(generation -> generation.integer(key)))
        .map(byId::get)
        .filter(languages::contains);
  }

  private byte[] sentencePiece(String name) {
    return SegmentationFiles.sentencePiece(folder.resolve(name));
  }
}
