package io.latimer.operators.nmt.convert;

import io.latimer.operators.text.TextSettings;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * The inputs of an import. Omitted inputs default to the configuration, if there is one.
 *
 * @param out the model file to write, {@code .lmx}
 * @param config Amun's configuration, or Marian's {@code model.npz.decoder.yml}
 * @param weights the {@code .npz} file
 * @param sourceVocabulary see {@link io.latimer.operators.text.Vocabulary#load}
 * @param targetVocabulary the same; may be the same file
 * @param codes BPE codes of subword-nmt, for both sides unless {@code targetCodes} is given
 * @param targetCodes BPE codes of the target side
 * @param spm SentencePiece model, for both sides unless {@code targetSpm} is given. Without it, a
 *     vocabulary that is a SentencePiece model also serves as its side's segmentation
 * @param targetSpm SentencePiece model of the target side
 * @param truecaseModel Moses truecase model; required if and only if the text settings use
 *     truecasing
 * @param shortlist lexical table with target word, source word and probability per line, plain or
 *     gzip: a translation may only contain words that it lists for the sentence's source words
 * @param shortlistSettings how much of the table to keep
 * @param text how the model's text was prepared; if empty, raw text if there is a SentencePiece
 *     model, otherwise text prepared beforehand (one tokenized sentence per record)
 * @param sourceLanguage BCP 47 tag; for the text settings if {@code text} is empty
 * @param targetLanguage the same for the output
 * @param version the producer's version of the model, at most 64 bytes of UTF-8; may be empty
 */
public record ImportRequest(
    Path out,
    Optional<Path> config,
    Optional<Path> weights,
    Optional<Path> sourceVocabulary,
    Optional<Path> targetVocabulary,
    Optional<Path> codes,
    Optional<Path> targetCodes,
    Optional<Path> spm,
    Optional<Path> targetSpm,
    Optional<Path> truecaseModel,
    Optional<Path> shortlist,
    ShortlistSettings shortlistSettings,
    Optional<TextSettings> text,
    String sourceLanguage,
    String targetLanguage,
    String version) {

  /** Starts a request with only the file to write. */
  public static Builder to(Path out) {
    return new Builder(out);
  }

  /** Collects the inputs of a request; null leaves an input out. */
  public static final class Builder {
    private final Path out;
    private Path config;
    private Path weights;
    private Path sourceVocabulary;
    private Path targetVocabulary;
    private Path codes;
    private Path targetCodes;
    private Path spm;
    private Path targetSpm;
    private Path truecaseModel;
    private Path shortlist;
    private ShortlistSettings shortlistSettings = ShortlistSettings.DEFAULTS;
    private TextSettings text;
    private String sourceLanguage = "und";
    private String targetLanguage = "und";
    private String version = "";

    private Builder(Path out) {
      this.out = Objects.requireNonNull(out, "out");
    }

    public Builder config(Path file) {
      config = file;
      return this;
    }

    public Builder weights(Path file) {
      weights = file;
      return this;
    }

    public Builder vocabularies(Path source, Path target) {
      sourceVocabulary = source;
      targetVocabulary = target;
      return this;
    }

    public Builder codes(Path file) {
      codes = file;
      return this;
    }

    public Builder targetCodes(Path file) {
      targetCodes = file;
      return this;
    }

    public Builder spm(Path file) {
      spm = file;
      return this;
    }

    public Builder targetSpm(Path file) {
      targetSpm = file;
      return this;
    }

    public Builder truecaseModel(Path file) {
      truecaseModel = file;
      return this;
    }

    public Builder shortlist(Path file, ShortlistSettings settings) {
      shortlist = file;
      shortlistSettings = Objects.requireNonNull(settings, "settings");
      return this;
    }

    public Builder text(TextSettings settings) {
      text = settings;
      return this;
    }

    public Builder languages(String source, String target) {
      sourceLanguage = Objects.requireNonNull(source, "source");
      targetLanguage = Objects.requireNonNull(target, "target");
      return this;
    }

    public Builder version(String label) {
      version = Objects.requireNonNull(label, "label");
      return this;
    }

    public ImportRequest build() {
      return new ImportRequest(
          out,
          Optional.ofNullable(config),
          Optional.ofNullable(weights),
          Optional.ofNullable(sourceVocabulary),
          Optional.ofNullable(targetVocabulary),
          Optional.ofNullable(codes),
          Optional.ofNullable(targetCodes),
          Optional.ofNullable(spm),
          Optional.ofNullable(targetSpm),
          Optional.ofNullable(truecaseModel),
          Optional.ofNullable(shortlist),
          shortlistSettings,
          Optional.ofNullable(text),
          sourceLanguage,
          targetLanguage,
          version);
    }
  }
}
