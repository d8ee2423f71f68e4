package io.latimer.operators.nmt.convert;

import io.latimer.operators.text.TextSettings;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * The inputs of an import. What is left out or null defaults to the configuration, if there is one.
 */
public final class ImportRequest {
  final Path out;
  Optional<Path> config = Optional.empty();
  Optional<Path> weights = Optional.empty();
  Optional<Path> sourceVocabulary = Optional.empty();
  Optional<Path> targetVocabulary = Optional.empty();
  Optional<Path> codes = Optional.empty();
  Optional<Path> targetCodes = Optional.empty();
  Optional<Path> spm = Optional.empty();
  Optional<Path> targetSpm = Optional.empty();
  Optional<Path> truecaseModel = Optional.empty();
  Optional<Path> shortlist = Optional.empty();
  ShortlistSettings shortlistSettings = ShortlistSettings.DEFAULTS;
  Optional<TextSettings> text = Optional.empty();
  String sourceLanguage = "und";
  String targetLanguage = "und";
  String version = "";

  private ImportRequest(Path out) {
    this.out = Objects.requireNonNull(out, "out");
  }

  /** A request to write a model file, {@code .lmx}. */
  public static ImportRequest to(Path out) {
    return new ImportRequest(out);
  }

  /** Amun's configuration, Marian's {@code model.npz.decoder.yml}, or Bergamot's. */
  public ImportRequest config(Path file) {
    config = Optional.ofNullable(file);
    return this;
  }

  /** The {@code .npz} file, or Marian's binary {@code .bin}. */
  public ImportRequest weights(Path file) {
    weights = Optional.ofNullable(file);
    return this;
  }

  /** Files for {@link io.latimer.operators.text.Vocabulary#load}; may be the same one. */
  public ImportRequest vocabularies(Path source, Path target) {
    sourceVocabulary = Optional.ofNullable(source);
    targetVocabulary = Optional.ofNullable(target);
    return this;
  }

  /** BPE codes of subword-nmt, for both sides unless {@link #targetCodes} are given. */
  public ImportRequest codes(Path file) {
    codes = Optional.ofNullable(file);
    return this;
  }

  /** BPE codes of the target side. */
  public ImportRequest targetCodes(Path file) {
    targetCodes = Optional.ofNullable(file);
    return this;
  }

  /**
   * SentencePiece model, for both sides unless {@link #targetSpm} is given. Without it, a
   * vocabulary that is a SentencePiece model also serves as its side's segmentation.
   */
  public ImportRequest spm(Path file) {
    spm = Optional.ofNullable(file);
    return this;
  }

  /** SentencePiece model of the target side. */
  public ImportRequest targetSpm(Path file) {
    targetSpm = Optional.ofNullable(file);
    return this;
  }

  /** Moses truecase model; required if and only if the text settings use truecasing. */
  public ImportRequest truecaseModel(Path file) {
    truecaseModel = Optional.ofNullable(file);
    return this;
  }

  /**
   * Restricts translations to the words that a table lists for the sentence's source words.
   *
   * @param file lexical table with target word, source word and probability per line, or Marian's
   *     binary shortlist ({@code lex.s2t.bin}); plain or gzip
   * @param settings how much of the table to keep; the defaults for a binary shortlist, which has
   *     its own
   */
  public ImportRequest shortlist(Path file, ShortlistSettings settings) {
    shortlist = Optional.ofNullable(file);
    shortlistSettings = Objects.requireNonNull(settings, "settings");
    return this;
  }

  /**
   * How the model's text was prepared; if left out, raw text if there is a SentencePiece model,
   * otherwise text prepared beforehand (one tokenized sentence per record).
   */
  public ImportRequest text(TextSettings settings) {
    text = Optional.ofNullable(settings);
    return this;
  }

  /** BCP 47 tags of input and output, for the text settings if {@link #text} is left out. */
  public ImportRequest languages(String source, String target) {
    sourceLanguage = Objects.requireNonNull(source, "source");
    targetLanguage = Objects.requireNonNull(target, "target");
    return this;
  }

  /** The producer's version of the model, at most 64 bytes of UTF-8; may be empty. */
  public ImportRequest version(String label) {
    version = Objects.requireNonNull(label, "label");
    return this;
  }
}
