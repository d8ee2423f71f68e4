package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.PhraseText;
import io.latimer.operators.smt.SearchOptions;
import io.latimer.operators.smt.TranslateByPhrases;
import io.latimer.operators.smt.TranslateByPhrasesOptions;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.language.LanguageCheck;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Translates sentences by phrases: a stage {@code translate} with {@code phrases}. */
final class PhraseTranslateStage extends PhraseIndexStage<TranslateByPhrases> {
  private static final long serialVersionUID = 1L;

  static final ConfigKey<String> PHRASES =
      ConfiguredIndex.optionalKey(
          "phrases",
          "To translate by phrases instead of with a `model`: phrase index made by `latimer phrases"
              + " index`");
  static final ConfigKey<String> LANGUAGE_MODEL =
      ConfiguredIndex.optionalKey(
          "language-model",
          "With `phrases`: language model of the target language with words as in the phrase index,"
              + " made by `latimer lm import`");
  static final ConfigKey<String> LANGUAGE_MODEL_SHA256 = ConfiguredIndex.sha256(LANGUAGE_MODEL);
  static final ConfigKey<String> LANGUAGE_MODEL_DEVICE =
      StageConfig.otherDevice(
          LANGUAGE_MODEL.name() + "-device",
          "With `phrases`: device of the `language-model`, `cpu` for example while the phrases are"
              + " looked up on a GPU");
  static final ConfigKey<Tokenizer> TOKENIZER =
      ConfigKey.of(
          "tokenizer",
          ConfigTypes.word(Tokenizer.class),
          PhraseText.DEFAULT.tokenizer(),
          "With `phrases` or a `memory`: how the indexed text was tokenized.");
  static final ConfigKey<Casing> CASING =
      ConfigKey.of(
          "casing",
          ConfigTypes.word(Casing.class, List.of(Casing.LOWER, Casing.KEEP)),
          PhraseText.DEFAULT.casing(),
          "With `phrases` or a `memory`: case of the indexed text. With `lower`, sentences of"
              + " translations get a capital, and words that are copied keep their case.");
  static final ConfigKey<String> WEIGHTS =
      ConfigKey.of(
          "weights",
          ConfigTypes.localPath(true),
          "",
          "With `phrases`: file of feature weights and of the judge of quality that was trained with"
              + " them, YAML; the defaults if empty. It is read where the job is started.");
  static final ConfigKey<Integer> STACK =
      ConfigKey.of(
          "stack",
          ConfigTypes.integer(1, SearchOptions.MAX_STACK),
          SearchOptions.DEFAULT.stack(),
          "With `phrases`: partial translations kept of all that translate the same number of"
              + " words.");
  static final ConfigKey<Integer> TRANSLATIONS =
      ConfigKey.of(
          "translations-per-phrase",
          ConfigTypes.integer(1, SearchOptions.MAX_STACK),
          SearchOptions.DEFAULT.translations(),
          "With `phrases`: translations tried of each phrase.");
  static final ConfigKey<Integer> DISTORTION =
      ConfigKey.of(
          "distortion-limit",
          ConfigTypes.integer(0, SearchOptions.MAX_DISTORTION),
          SearchOptions.DEFAULT.distortion(),
          "With `phrases`: words that may be jumped over; 0 keeps the order of the phrases.");
  static final ConfigKey<Integer> MAX_PHRASE_LENGTH =
      ConfigKey.of(
          "max-phrase-length",
          ConfigTypes.integer(1, SearchOptions.MAX_PHRASE),
          PhraseOptions.DEFAULT.maxSource(),
          "With `phrases`: words of the longest source phrase.");

  /**
   * The keys for how a phrase index's text was prepared, also if the index is a translation memory.
   */
  static final List<ConfigKey<?>> TEXT_KEYS = List.of(TOKENIZER, CASING);

  /** The keys that only phrase-based translation has, besides these and {@link #PHRASES}. */
  static final List<ConfigKey<?>> KEYS =
      List.of(
          LANGUAGE_MODEL,
          LANGUAGE_MODEL_SHA256,
          LANGUAGE_MODEL_DEVICE,
          WEIGHTS,
          STACK,
          TRANSLATIONS,
          DISTORTION,
          MAX_PHRASE_LENGTH,
          PhrasesStage.SAMPLES,
          PhrasesStage.GPU_MEMORY);

  private final String languageModelDevice;
  private final PhraseText text;
  private final FeatureWeights weights;
  private final SearchOptions search;
  private final PhraseOptions lookup;
  private final boolean scores;
  private final boolean alignment;
  private final TranslateStage.Split split;
  private final int gpuMemory; // MiB
  private final int similarity;
  private final LanguageCheck languageCheck;

  private PhraseTranslateStage(
      StageConfig config, ConfiguredIndex phrases, ConfiguredIndex languageModel) {
    super(config, phrases, Map.of(LANGUAGE_MODEL.name(), languageModel));
    Settings settings = config.settings();
    this.languageModelDevice = settings.get(LANGUAGE_MODEL_DEVICE);
    this.text =
        new PhraseText(
            language(
                settings.get(TranslateStage.SOURCE_LANGUAGE), PhraseText.DEFAULT.sourceLanguage()),
            language(
                settings.get(TranslateStage.TARGET_LANGUAGE), PhraseText.DEFAULT.targetLanguage()),
            settings.get(TOKENIZER),
            settings.get(CASING));
    this.weights = weights(settings);
    this.search =
        SearchOptions.of(
            settings.get(STACK),
            settings.get(TRANSLATIONS),
            settings.get(DISTORTION),
            settings.get(TranslateStage.N_BEST));
    this.lookup =
        new PhraseOptions(
            settings.get(PhrasesStage.SAMPLES),
            settings.get(MAX_PHRASE_LENGTH),
            PhraseOptions.DEFAULT.maxTarget(),
            false);
    this.scores = settings.get(TranslateStage.SCORES);
    this.alignment = settings.get(TranslateStage.ALIGNMENT);
    this.split = settings.get(TranslateStage.SPLIT_SENTENCES);
    this.gpuMemory = settings.get(PhrasesStage.GPU_MEMORY);
    this.similarity = settings.get(TranslateStage.MEMORY_SIMILARITY);
    this.languageCheck = LanguageCheckKeys.check(settings);
  }

  /** Creates the stage: determines the index files' hashes but does not load them. */
  static PhraseTranslateStage of(StageConfig config, IndexFiles files) {
    return new PhraseTranslateStage(
        config,
        ConfiguredIndex.of(config, PHRASES, PhraseIndex.KIND, files),
        ConfiguredIndex.of(
            config, LANGUAGE_MODEL, LANGUAGE_MODEL_SHA256, LanguageModel.KIND, files));
  }

  /** The kinds of its indexes, by key of the job file; the key of the main one is empty. */
  static Map<String, IndexKind> indexKinds() {
    return Map.of("", PhraseIndex.KIND, LANGUAGE_MODEL.name(), LanguageModel.KIND);
  }

  /**
   * Checks settings.
   *
   * @throws OperatorException if they are inconsistent
   */
  static void check(Settings settings) {
    ConfiguredIndex.check(settings, PHRASES);
    if (settings.get(LANGUAGE_MODEL).isEmpty()) {
      throw new OperatorException(
          LANGUAGE_MODEL.name()
              + ": required to translate by phrases; name a language model of the target language");
    }
    ConfiguredIndex.check(settings, LANGUAGE_MODEL, LANGUAGE_MODEL_SHA256);
  }

  private static String language(String tag, String unknown) {
    return tag.isEmpty() ? unknown : tag;
  }

  private static FeatureWeights weights(Settings settings) {
    String file = settings.get(WEIGHTS);
    if (file.isEmpty()) {
      return FeatureWeights.DEFAULT;
    }
    try {
      return FeatureWeights.read(ConfigTypes.localFile(file));
    } catch (IllegalArgumentException e) {
      throw new OperatorException(WEIGHTS.name() + ": " + e.getMessage(), e);
    }
  }

  @Override
  IndexOpener<TranslateByPhrases> opener() {
    return TranslateByPhrases.opener(
        new TranslateByPhrasesOptions(
            other(LANGUAGE_MODEL),
            languageModelDevice,
            text,
            weights,
            search,
            lookup,
            scores,
            alignment,
            split.asOption(),
            (long) gpuMemory << 20),
        learned(),
        similarity);
  }

  @Override
  PhraseIndex phraseIndex() {
    return operator().index();
  }

  /** The weights, because the settings contain only their path. */
  @Override
  public String readSettings() {
    return weights.toString();
  }

  @Override
  public LearnedPair prepare(LearnedPair pair) {
    return operator().prepare(pair);
  }

  @Override
  public Set<RecordPart> reads() {
    return EnumSet.of(RecordPart.SOURCE);
  }

  @Override
  public Set<RecordPart> writes() {
    return EnumSet.of(RecordPart.TRANSLATION, RecordPart.ALTERNATIVES);
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    TranslateByPhrases translate = operator();
    TranslatedParts parts = new TranslatedParts(search.nBest(), scores, alignment);
    long learned = translate.index().learned().size();
    String modelId = translate.languageModel().id();
    String modelVersion = translate.languageModel().version();
    return new TranslationRecords(name(), parts, batch)
        .changes(
            texts -> languageCheck.translate(texts, translate, parts),
            GuidanceHeaders.NONE,
            translate.model(),
            draft -> {
              draft.setLearnedPairs(learned);
              draft.setLanguageModelId(modelId);
              draft.setLanguageModelVersion(modelVersion);
            });
  }
}
