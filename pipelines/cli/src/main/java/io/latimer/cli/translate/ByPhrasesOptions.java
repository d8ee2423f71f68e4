package io.latimer.cli.translate;

import io.latimer.cli.command.Candidates;
import io.latimer.cli.command.LmDeviceOption;
import io.latimer.cli.command.PhraseSearchOptions;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.memory.LearnedMemory;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslationMemory;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.IndexedTranslationMemory;
import io.latimer.operators.smt.PhraseText;
import io.latimer.operators.smt.TranslateByPhrasesOptions;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of phrase-based translation. */
final class ByPhrasesOptions {
  private static final String PHRASES = "--phrases";
  private static final String LM = "--lm";
  private static final String MEMORY = "--memory";

  /** Options that only phrase-based translation has. */
  private static final List<String> OWN =
      List.of(
          LM,
          LmDeviceOption.NAME,
          "--weights",
          "--stack",
          "--translations-per-phrase",
          "--distortion-limit",
          "--max-phrase-length",
          "--sample");

  /** Options for how the text of a phrase index was prepared. */
  private static final List<String> TEXT = List.of("--tokenizer", "--casing");

  /** Options that only neural models have. */
  private static final List<String> NEURAL =
      List.of(
          "--model",
          "--beam",
          "--length-normalization",
          "--max-length-factor",
          "--allow-unk",
          "--no-shortlist",
          "--precision",
          "--target-prefix",
          MEMORY);

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

  @Mixin private LmDeviceOption languageModelDevice;

  @Mixin private GuidanceOptions guidance;

  @Option(
      names = "--tokenizer",
      paramLabel = "NAME",
      defaultValue = "moses",
      description =
          "By phrases or with --memory: how the indexed text was tokenized, moses, moses-aggressive or"
              + " none (default: ${DEFAULT-VALUE}).")
  private Tokenizer tokenizer;

  @Option(
      names = "--casing",
      paramLabel = "CASE",
      defaultValue = "lower",
      completionCandidates = Casings.class,
      description =
          "By phrases or with --memory: case of the indexed text, lower or keep (default:"
              + " ${DEFAULT-VALUE}). Lower case gets a capital at the start of a sentence again.")
  private Casing casing;

  /** The values for shell completion. */
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

  @Mixin private PhraseSearchOptions search;

  @Option(
      names = MEMORY,
      paramLabel = "FILE",
      description =
          "With a model: phrase index (.lpx) as a memory of translations. Lines' sentences that are"
              + " whole sentences there get the translation there.")
  private Path memory;

  /** The opener of the translation memory for a translator with a model. */
  Translate.Companion<TranslationMemory> memories(CommandLine command) {
    if (memory == null) {
      return (residents, model) -> TranslationMemory.NONE;
    }
    PhraseText text = text(command, GuidanceOptions.UNKNOWN, GuidanceOptions.UNKNOWN);
    return (residents, model) ->
        IndexedTranslationMemory.open(
            residents,
            IndexRefs.of(memory),
            text.in(model.sourceLanguage(), model.targetLanguage()),
            LearnedPairs.none(),
            LearnedMemory.EXACT);
  }

  private PhraseText text(CommandLine command, String source, String target) {
    try {
      return new PhraseText(source, target, tokenizer, casing);
    } catch (OperatorException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  /** Whether phrase-based translation is requested. */
  boolean areGiven() {
    return phrases != null;
  }

  /** What is said of all lines. */
  Guidance guidance() {
    return guidance.guidance();
  }

  /** The phrase index. */
  Path file() {
    return phrases;
  }

  /** Checks that the given options are compatible. */
  void check(CommandLine command) {
    if (areGiven()) {
      first(command, NEURAL)
          .or(() -> first(command, SafeguardOptions.NAMES))
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
    first(command, TEXT)
        .filter(text -> memory == null)
        .ifPresent(
            text -> {
              throw new ParameterException(
                  command, text + " needs " + PHRASES + " or " + MEMORY + ".");
            });
  }

  private static Optional<String> first(CommandLine command, List<String> options) {
    return options.stream()
        .filter(option -> command.getParseResult().hasMatchedOption(option))
        .findFirst();
  }

  /**
   * The options for the operator; values out of range are usage errors.
   *
   * @param device where the operator is opened
   */
  TranslateByPhrasesOptions options(
      CommandLine command,
      Device device,
      int nBest,
      boolean scores,
      boolean alignment,
      Optional<Boolean> splitSentences) {
    return new TranslateByPhrasesOptions(
        IndexRefs.of(languageModel),
        languageModelDevice.device(command, device).toString(),
        text(command, guidance.sourceTag(command), guidance.targetTag(command)),
        weights == null ? FeatureWeights.DEFAULT : FeatureWeights.read(weights),
        search.search(command, nBest),
        search.phrases(command),
        scores,
        alignment,
        splitSentences,
        Phrases.GPU_BYTES);
  }
}
