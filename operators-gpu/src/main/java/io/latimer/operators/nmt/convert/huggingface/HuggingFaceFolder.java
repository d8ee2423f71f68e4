package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.ModelFileWriter;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.TensorShape;
import io.latimer.operators.nmt.model.TensorSource;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.text.SentencePieceSegmenter;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.Vocabulary;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model as Hugging Face's transformers library saves it: {@code config.json}, {@code
 * model.safetensors} and the tokenizer's files. Only {@code MarianMTModel} has a tokenizer that can
 * be read: {@code source.spm} and {@code target.spm}, whose pieces {@code vocab.json} numbers.
 *
 * <p>Files are untrusted; {@code pytorch_model.bin} is never read.
 */
public final class HuggingFaceFolder {
  private static final String CONFIG = "config.json";
  private static final String CARD = "README.md";
  private static final List<String> READ = List.of(".json", ".safetensors", ".spm");
  private static final String UNKNOWN = "<unk>";
  private static final long MAX_CARD = 1 << 20;
  private static final Pattern LICENCE =
      Pattern.compile(
          "\\A---\\R(?s:.{0,20000}?)^license: *[\"']?([A-Za-z0-9.+-]{1,60})", Pattern.MULTILINE);

  private final Path folder;
  private final JsonSettings config;
  private final Optional<JsonSettings> tokenizer;
  private final Family family;

  private HuggingFaceFolder(Path folder) {
    this.folder = folder;
    this.config = JsonSettings.read(folder.resolve(CONFIG));
    this.tokenizer = JsonSettings.readIfThere(folder.resolve("tokenizer_config.json"));
    this.family = Family.of(config);
  }

  /** Whether an import may read a file of a folder, by its name. */
  public static boolean isRead(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.equals(CARD) || READ.stream().anyMatch(name::endsWith);
  }

  /** Whether a folder looks like such a model. */
  public static boolean isOne(Path folder) {
    return Files.isDirectory(folder)
        && JsonSettings.readIfThere(folder.resolve(CONFIG))
            .flatMap(config -> config.string("model_type"))
            .isPresent();
  }

  /**
   * Opens a folder and reads its settings.
   *
   * @throws ModelFormatException if they are not sound, or of a kind that cannot be read
   */
  public static HuggingFaceFolder open(Path folder) {
    return new HuggingFaceFolder(folder);
  }

  /**
   * Says what was found, one "name: value" a line.
   *
   * @throws ModelFormatException for what an import would refuse, but damaged weights
   */
  public List<String> describe() {
    try (HuggingFaceWeights weights = HuggingFaceWeights.open(folder)) {
      Vocabulary vocabulary = vocabulary();
      TransformerSettings s = (TransformerSettings) network(weights, order(vocabulary)).settings();
      List<String> lines = new ArrayList<>();
      lines.add("format: Hugging Face, " + config.string("model_type").orElse(""));
      lines.add(
          String.format(
              Locale.ROOT,
              "network: transformer, %d + %d layers, width %d, %d heads, feed-forward %d, %s",
              s.encoderLayers(),
              s.decoderLayers(),
              s.width(),
              s.heads(),
              s.encoderFeedForward(),
              s.activation().name().toLowerCase(Locale.ROOT)));
      lines.add(
          String.format(
              Locale.ROOT,
              "weights: %,d numbers, %s",
              TensorShape.count(s.shapes().values()),
              String.join(" and ", weights.types())));
      lines.add(
          String.format(Locale.ROOT, "vocabulary: %,d ids, SentencePiece", s.targetVocabulary()));
      lines.add("languages: " + language("source_lang") + " to " + language("target_lang"));
      licence().ifPresent(name -> lines.add("licence: " + name));
      return lines;
    }
  }

  /**
   * Writes a model file.
   *
   * @param out appears only when it is complete
   * @param version of the model; may be empty
   * @throws ModelFormatException if a file is missing, damaged, or of a kind that cannot be read
   */
  public ImportReport importTo(Path out, String version) {
    Vocabulary vocabulary = vocabulary();
    IdOrder order = order(vocabulary);
    byte[] source = segmentation("source.spm");
    byte[] target = segmentation("target.spm");
    try (HuggingFaceWeights weights = HuggingFaceWeights.open(folder)) {
      TensorSource network = network(weights, order);
      Vocabulary ordered = ordered(vocabulary, order);
      TextSettings text = TextSettings.raw(language("source_lang"), language("target_lang"));
      return new ModelFileWriter(network, ordered, ordered, text, source, target)
          .write(out, version, List.of());
    }
  }

  private TensorSource network(HuggingFaceWeights weights, IdOrder order) {
    return BartConverter.convert(weights, config, family, order, forbidden());
  }

  private Vocabulary vocabulary() {
    if (family != Family.MARIAN) {
      throw config.refuse(
          "the tokenizer of models of the kind "
              + config.string("model_type").orElse("")
              + " is not supported yet; only models of the kind marian");
    }
    if (tokenizer.isPresent() && tokenizer.get().flag("separate_vocabs")) {
      throw tokenizer
          .get()
          .refuse("source and target have vocabularies of their own, but only shared ones");
    }
    Path file = folder.resolve("vocab.json");
    Vocabulary vocabulary = Vocabulary.load(file);
    int size = config.integer("vocab_size", 2);
    if (vocabulary.size() != size) {
      throw new ModelFormatException(
          file
              + ": expected ids up to "
              + (size - 1)
              + ", as vocab_size in "
              + CONFIG
              + " says, found "
              + (vocabulary.size() - 1));
    }
    for (int id = 0; id < size; id++) {
      if (vocabulary.has(id) && vocabulary.token(id).matches(">>[^<>]+<<")) {
        throw new ModelFormatException(
            file
                + ": the model has several target languages, such as "
                + vocabulary.token(id)
                + ", but only models of one can be read");
      }
    }
    return vocabulary;
  }

  private IdOrder order(Vocabulary vocabulary) {
    int size = vocabulary.size();
    int end = config.integer("eos_token_id", 0);
    int unknown = vocabulary.id(UNKNOWN);
    boolean known = vocabulary.has(unknown) && vocabulary.token(unknown).equals(UNKNOWN);
    if (!known || end >= size || end == unknown) {
      throw new ModelFormatException(
          folder.resolve("vocab.json")
              + ": expected "
              + UNKNOWN
              + " and a token with the id of the end, eos_token_id in "
              + CONFIG
              + ", "
              + end);
    }
    return IdOrder.of(size, end, unknown);
  }

  private static Vocabulary ordered(Vocabulary vocabulary, IdOrder order) {
    List<String> tokens = new ArrayList<>();
    for (int id : order.original()) {
      tokens.add(vocabulary.has(id) ? vocabulary.token(id) : null);
    }
    return Vocabulary.of(tokens);
  }

  /** The padding, and the words that the settings of the search forbid. */
  private List<Integer> forbidden() {
    List<Integer> ids = new ArrayList<>();
    config.integer("pad_token_id").ifPresent(ids::add);
    ids.addAll(config.singles("bad_words_ids"));
    JsonSettings.readIfThere(folder.resolve("generation_config.json"))
        .ifPresent(generation -> ids.addAll(generation.singles("bad_words_ids")));
    return ids;
  }

  private String language(String key) {
    return tokenizer
        .flatMap(settings -> settings.string(key))
        .filter(tag -> tag.matches("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*"))
        .orElse("und");
  }

  /** The licence in the model card's front matter. */
  private Optional<String> licence() {
    Path card = folder.resolve(CARD);
    try {
      if (!Files.exists(card) || Files.size(card) > MAX_CARD) {
        return Optional.empty();
      }
      String text = new String(Files.readAllBytes(card), StandardCharsets.UTF_8);
      Matcher found = LICENCE.matcher(text);
      return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    } catch (IOException e) {
      throw new ModelFormatException(card + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  private byte[] segmentation(String name) {
    Path file = folder.resolve(name);
    try {
      if (Files.size(file) > SentencePieceSegmenter.MAX_BYTES) {
        throw new ModelFormatException(
            file
                + ": expected at most "
                + SentencePieceSegmenter.MAX_BYTES
                + " bytes, found "
                + Files.size(file));
      }
      byte[] bytes = Files.readAllBytes(file);
      SentencePieceSegmenter.of(bytes, file.toString()).close();
      return bytes;
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }
}
