package io.latimer.cli.translate;

import io.latimer.cli.command.Candidates;
import io.latimer.cli.command.Languages;
import io.latimer.cli.command.NameConverter;
import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.PhraseText;
import io.latimer.operators.smt.SearchOptions;
import io.latimer.operators.smt.TranslateByPhrasesOptions;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options for translating by phrases. */
final class ByPhrasesOptions {
  private static final String PHRASES = "--phrases";
  private static final String LM = "--lm";

  /** Options that only translating by phrases has. */
  private static final List<String> OWN =
      List.of(
          LM,
          "--source-language",
          "--target-language",
          "--tokenizer",
          "--casing",
          "--weights",
          "--stack",
          "--candidates",
          "--translations-per-phrase",
          "--distortion-limit",
          "--max-phrase-length",
          "--samples");

  /** Options that only neural models have. */
  private static final List<String> NEURAL =
      List.of(
          "--model",
          "--beam",
          "--length-normalization",
          "--max-length-factor",
          "--allow-unk",
          "--no-shortlist",
          "--precision");

  @Option(
      names = PHRASES,
      paramLabel = "FILE",
      description = "Translate by phrases of this phrase index (.lpx); needs --lm.")
  private Path phrases;

  @Option(
      names = LM,
      paramLabel = "FILE",
      description = "By phrases: language model of the target language (.llm).")
  private Path languageModel;

  @Option(
      names = "--source-language",
      paramLabel = "TAG",
      defaultValue = "und",
      description = "By phrases: language of the input, such as en.")
  private String sourceLanguage;

  @Option(
      names = "--target-language",
      paramLabel = "TAG",
      defaultValue = "und",
      description = "By phrases: language of the output, such as de.")
  private String targetLanguage;

  @Option(
      names = "--tokenizer",
      paramLabel = "NAME",
      defaultValue = "moses",
      converter = TokenizerConverter.class,
      completionCandidates = Tokenizers.class,
      description =
          "By phrases: how the indexed text was tokenized, moses, moses-aggressive or none (default:"
              + " ${DEFAULT-VALUE}).")
  private Tokenizer tokenizer;

  /** What a shell offers. */
  static final class Tokenizers extends Candidates {
    Tokenizers() {
      super(Tokenizer.class);
    }
  }

  static final class TokenizerConverter extends NameConverter<Tokenizer> {
    TokenizerConverter() {
      super(Tokenizer.class);
    }
  }

  @Option(
      names = "--casing",
      paramLabel = "CASE",
      defaultValue = "lower",
      completionCandidates = Casings.class,
      description =
          "By phrases: case of the indexed text, lower or keep (default: ${DEFAULT-VALUE}). Lower"
              + " case gets a capital at the start of a sentence again.")
  private Casing casing;

  /** What a shell offers. */
  static final class Casings extends Candidates {
    Casings() {
      super("lower", "keep");
    }
  }

  @Option(
      names = "--weights",
      paramLabel = "FILE",
      description = "By phrases: weights of the features, YAML.")
  private Path weights;

  @Option(
      names = "--stack",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "By phrases: partial translations kept of all that translate the same number of words"
              + " (default: ${DEFAULT-VALUE}).")
  private int stack;

  @Option(
      names = "--candidates",
      paramLabel = "N",
      defaultValue = "500",
      description =
          "By phrases: extensions scored for each such stack (default: ${DEFAULT-VALUE}).")
  private int candidates;

  @Option(
      names = "--translations-per-phrase",
      paramLabel = "N",
      defaultValue = "20",
      description = "By phrases: translations tried of each phrase (default: ${DEFAULT-VALUE}).")
  private int translations;

  @Option(
      names = "--distortion-limit",
      paramLabel = "N",
      defaultValue = "6",
      description =
          "By phrases: words that may be jumped over, 0 to 32; 0 keeps the order of the phrases"
              + " (default: ${DEFAULT-VALUE}).")
  private int distortion;

  @Option(
      names = "--max-phrase-length",
      paramLabel = "N",
      defaultValue = "5",
      description = "By phrases: words of the longest source phrase (default: ${DEFAULT-VALUE}).")
  private int maxPhraseLength;

  @Option(
      names = "--samples",
      paramLabel = "N",
      defaultValue = "300",
      description =
          "By phrases: occurrences of a phrase that are looked at, 0 for all (default:"
              + " ${DEFAULT-VALUE}).")
  private int samples;

  /** Whether to translate by phrases. */
  boolean areGiven() {
    return phrases != null;
  }

  /** The phrase index. */
  Path file() {
    return phrases;
  }

  /** Checks that the options given go together. */
  void check(CommandLine command) {
    if (areGiven()) {
      first(command, NEURAL)
          .ifPresent(
              neural -> {
                throw new ParameterException(
                    command,
                    neural
                        + " is for neural models, and "
                        + PHRASES
                        + " translates without one; leave out one of them.");
              });
      if (languageModel == null) {
        throw new ParameterException(
            command, PHRASES + " needs " + LM + ", a language model of the target language.");
      }
      return;
    }
    first(command, OWN)
        .ifPresent(
            own -> {
              throw new ParameterException(
                  command, own + " is for translating by phrases; it needs " + PHRASES + ".");
            });
  }

  private static Optional<String> first(CommandLine command, List<String> options) {
    return options.stream()
        .filter(option -> command.getParseResult().hasMatchedOption(option))
        .findFirst();
  }

  /** The options for the operator; values out of range are wrong usage. */
  TranslateByPhrasesOptions options(
      CommandLine command,
      int nBest,
      boolean scores,
      boolean alignment,
      Optional<Boolean> splitSentences) {
    Languages.require(command, "--source-language", sourceLanguage);
    Languages.require(command, "--target-language", targetLanguage);
    PhraseText text;
    SearchOptions search;
    PhraseOptions lookup;
    try {
      text = new PhraseText(sourceLanguage, targetLanguage, tokenizer, casing);
      search = new SearchOptions(stack, candidates, translations, distortion, nBest);
      lookup =
          new PhraseOptions(samples, maxPhraseLength, PhraseOptions.DEFAULT.maxTarget(), false);
    } catch (OperatorException | IllegalArgumentException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
    return new TranslateByPhrasesOptions(
        IndexRefs.of(languageModel),
        text,
        weights == null ? FeatureWeights.DEFAULT : FeatureWeights.read(weights),
        search,
        lookup,
        scores,
        alignment,
        splitSentences,
        Phrases.GPU_BYTES);
  }
}
