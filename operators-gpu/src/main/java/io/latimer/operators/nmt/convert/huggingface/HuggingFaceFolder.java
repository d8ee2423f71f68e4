package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.ImportableModel;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.ModelDescription;
import io.latimer.operators.nmt.convert.ModelFileWriter;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.TensorSource;
import io.latimer.operators.nmt.model.TransformerSettings;
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
 * model.safetensors} and the tokenizer's files.
 *
 * <p>Files are untrusted; {@code pytorch_model.bin} is never read.
 */
public final class HuggingFaceFolder implements ImportableModel {
  private static final String CONFIG = "config.json";
  private static final String CARD = "README.md";
  private static final List<String> READ = List.of(".json", ".safetensors", ".spm", ".model");
  private static final String UNKNOWN = "<unk>";
  private static final long MAX_CARD = 1 << 20;
  private static final Pattern LICENCE =
      Pattern.compile(
          "\\A---\\R(?s:.{0,20000}?)^license: *[\"']?([A-Za-z0-9.+-]{1,60})", Pattern.MULTILINE);

  private final Path folder;
  private final JsonSettings config;
  private final Family family;

  private HuggingFaceFolder(Path folder) {
    this.folder = folder;
    this.config = JsonSettings.read(folder.resolve(CONFIG));
    this.family = Family.of(config);
  }

  /** Whether an import may read a file of a folder, by its name. */
  private static boolean isRead(Path file) {
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

  @Override
  public List<String> describe() {
    try (HuggingFaceWeights weights = HuggingFaceWeights.open(folder)) {
      HuggingFaceTokenizer tokenizer = tokenizer();
      IdOrder order = order(tokenizer.vocabulary());
      TransformerSettings s = (TransformerSettings) network(weights, order).settings();
      List<String> lines = new ArrayList<>();
      lines.add("format: Hugging Face, " + config.string("model_type").orElse(""));
      lines.addAll(ModelDescription.of(s, weights.types()));
      lines.add(
          String.format(Locale.ROOT, "vocabulary: %,d ids, SentencePiece", s.targetVocabulary()));
      lines.add(ModelDescription.languages(tokenizer.text()));
      licence().ifPresent(name -> lines.add("licence: " + name));
      return lines;
    }
  }

  @Override
  public List<Path> files() {
    return ModelDescription.files(folder, HuggingFaceFolder::isRead);
  }

  @Override
  public ImportReport importTo(Path out, String version) {
    HuggingFaceTokenizer tokenizer = tokenizer();
    IdOrder order = order(tokenizer.vocabulary());
    try (HuggingFaceWeights weights = HuggingFaceWeights.open(folder)) {
      TensorSource network = network(weights, order);
      Vocabulary ordered = ordered(tokenizer.vocabulary(), order);
      return new ModelFileWriter(
              network, ordered, ordered, tokenizer.text(), tokenizer.source(), tokenizer.target())
          .write(out, version, List.of());
    }
  }

  private HuggingFaceTokenizer tokenizer() {
    return TokenizerReader.read(folder, config, family);
  }

  private TensorSource network(HuggingFaceWeights weights, IdOrder order) {
    SearchDefaults defaults = SearchDefaults.of(folder, config);
    SearchSettings search = defaults.search(family);
    return family == Family.T5
        ? T5Converter.convert(weights, config, order, search)
        : BartConverter.convert(weights, config, family, order, search, forbidden(defaults));
  }

  private IdOrder order(Vocabulary vocabulary) {
    int size = vocabulary.size();
    int end = config.integer("eos_token_id", 0);
    int unknown = vocabulary.id(UNKNOWN);
    boolean known = vocabulary.has(unknown) && vocabulary.token(unknown).equals(UNKNOWN);
    if (!known || end >= size || end == unknown) {
      throw new ModelFormatException(
          folder
              + ": expected in the vocabulary "
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

  /** The words that the search forbids; Marian has no padding, the others do. */
  private List<Integer> forbidden(SearchDefaults defaults) {
    List<Integer> ids = new ArrayList<>();
    if (family == Family.MARIAN) {
      config.integer("pad_token_id").ifPresent(ids::add);
    }
    ids.addAll(defaults.forbidden());
    return ids;
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
}
