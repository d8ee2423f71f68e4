package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.memory.LearnedMemory;
import io.latimer.operators.nmt.Safeguards;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateCascade;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.nmt.TranslationMemory;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.smt.IndexedTranslationMemory;
import io.latimer.operators.smt.PhraseText;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import io.latimer.operators.text.terms.Terminology;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.language.LanguageCheck;
import io.latimer.pipelines.record.TermCorrections;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Translates sentences with a translation model. */
public final class TranslateStage extends LearningIndexStage<TranslateCascade> {
  private static final long serialVersionUID = 1L;

  /** Whether a record may contain several sentences. */
  enum Split {
    MODEL,
    YES,
    NO;

    /** The explicit choice; empty for the model's setting. */
    Optional<Boolean> asOption() {
      return this == MODEL ? Optional.empty() : Optional.of(this == YES);
    }
  }

  /** Arithmetic precision; {@code AUTO} is the device's default. */
  enum Precision {
    AUTO,
    FLOAT32,
    FLOAT16,
    BFLOAT16,
    INT8
  }

  public static final ConfigKey<String> MODEL =
      ConfiguredIndex.optionalKey(
          "model",
          "Model file made by `latimer model import`, or a published model: a folder of Hugging"
              + " Face's transformers or of CTranslate2, or a package of Argos Translate"
              + " (`.argosmodel`); required without `phrases`");
  static final ConfigKey<String> TARGET_LANGUAGE =
      ConfigKey.of(
          "target-language",
          ConfigTypes.modelLanguage(),
          "",
          "Language of the translations of records that do not name theirs; if empty, the model's"
              + " default. A record whose language the model lacks becomes a dead letter.");
  static final ConfigKey<String> SOURCE_LANGUAGE =
      ConfigKey.of(
          "source-language",
          ConfigTypes.modelLanguage(),
          "",
          "Language of the texts of records that do not name theirs, for a `model` that must be told"
              + " it; with `phrases`, texts are split by its rules. Other models know their own.");
  static final ConfigKey<String> TARGET_LANGUAGE_HEADER =
      ConfigKey.of(
          "target-language-header",
          ConfigTypes.text(),
          "",
          "With a `model`: name of the header in which a record names the language of its"
              + " translation, in UTF-8; if empty, records do not name it.");
  static final ConfigKey<String> TARGET_PREFIX_HEADER =
      ConfigKey.of(
          "target-prefix-header",
          ConfigTypes.text(),
          "",
          "With a `model`: name of the header with a text, in UTF-8, that the record's translation"
              + " begins with; if empty, records have none.");
  static final ConfigKey<String> GLOSSARY_HEADER =
      ConfigKey.of(
          "glossary-header",
          ConfigTypes.text(),
          "",
          "With a `model`: name of the header with terms that the record's translation must have, in"
              + " UTF-8: a line `source=target` for each, or a JSON object. They count before those"
              + " of the `glossary`; if empty, records have none.");
  static final ConfigKey<Integer> BEAM =
      ConfigKey.of(
          "beam",
          ConfigTypes.integer(0, 64),
          TranslateOptions.DEFAULTS.search().beamSize(),
          "Hypotheses per sentence; 1 is greedy search. 0 is the number that the model's authors"
              + " search with, or 5 if they do not say.");
  static final ConfigKey<Integer> N_BEST =
      ConfigKey.of(
          "nbest",
          ConfigTypes.integer(1, 64),
          TranslateOptions.DEFAULTS.search().nBest(),
          "Length of the list of alternatives, of a `model` at most `beam`, if that is set; 1 for"
              + " none.");
  static final ConfigKey<Boolean> SCORES =
      ConfigKey.of(
          "scores",
          ConfigTypes.flag(),
          TranslateOptions.DEFAULTS.search().scores(),
          "Whether translations have scores; greedy search is faster without. The alternatives of"
              + " `nbest` always have scores.");
  static final ConfigKey<Boolean> ALIGNMENT =
      ConfigKey.of(
          "alignment",
          ConfigTypes.flag(),
          TranslateOptions.DEFAULTS.search().alignment(),
          "Whether translations, and the alternatives of `nbest`, have a word alignment.");
  static final ConfigKey<Double> LENGTH_NORMALIZATION =
      ConfigKey.of(
          "length-normalization",
          ConfigTypes.number(0, 10),
          (double) TranslateOptions.DEFAULTS.search().lengthNormalization(),
          "Alpha: a hypothesis of n tokens is ranked by its score divided by n^alpha.");
  static final ConfigKey<Double> MAX_LENGTH_FACTOR =
      ConfigKey.of(
          "max-length-factor",
          ConfigTypes.numberAbove(0, 100),
          (double) TranslateOptions.DEFAULTS.search().maxLengthFactor(),
          "Maximum length of a translation as a multiple of its source's tokens.");
  static final ConfigKey<Boolean> ALLOW_UNKNOWN =
      ConfigKey.of(
          "allow-unknown",
          ConfigTypes.flag(),
          TranslateOptions.DEFAULTS.search().allowUnknown(),
          "Whether the model may output its unknown token, which is replaced by the source text.");
  static final ConfigKey<Boolean> SHORTLIST =
      ConfigKey.of(
          "shortlist",
          ConfigTypes.flag(),
          TranslateOptions.DEFAULTS.search().shortlist(),
          "Whether to restrict translations to the model's shortlist, if it has one: faster with a"
              + " large vocabulary.");
  static final ConfigKey<Split> SPLIT_SENTENCES =
      ConfigKey.of(
          "split-sentences",
          ConfigTypes.word(Split.class),
          Split.MODEL,
          "Whether a record may contain several sentences: `yes`, `no`, or as set in the `model`; with"
              + " `phrases`, they may.");

  static final ConfigKey<Precision> PRECISION =
      ConfigKey.of(
          "precision",
          ConfigTypes.word(Precision.class),
          Precision.AUTO,
          "Arithmetic precision. `auto` is float16 on a GPU and float32 on the CPU. float16 and"
              + " bfloat16 are for GPUs: about one line in a hundred differs. int8 is for CPUs with"
              + " VNNI or AMX: about four lines in a hundred differ.");

  static final ConfigKey<String> MEMORY =
      ConfiguredIndex.optionalKey(
          "memory",
          "With a `model`: phrase index as a memory of translations, in the memory of the host. A"
              + " sentence whose words are a whole sentence of its text gets the translation there,"
              + " the most frequent one, and of these the last");
  static final ConfigKey<String> MEMORY_SHA256 = ConfiguredIndex.sha256(MEMORY);

  static final ConfigKey<String> GLOSSARY =
      ConfiguredIndex.optionalKey(
          "glossary",
          "With a `model`: glossary made by `latimer glossary build`, whose terms translations must"
              + " have");
  static final ConfigKey<String> GLOSSARY_SHA256 = ConfiguredIndex.sha256(GLOSSARY);
  static final ConfigKey<List<String>> KEEP =
      ConfigKey.of(
          "keep",
          ConfigTypes.texts(),
          List.of(),
          "With a `model`: regular expressions (RE2) of what stays as it is in translations, such as"
              + " `INV-[0-9]+`, besides what always does.");
  static final ConfigKey<Boolean> CHECK_NUMBERS =
      ConfigKey.of(
          "check-numbers",
          ConfigTypes.flag(),
          true,
          "With a `model`: whether translations must have the numbers of their sources. One that"
              + " lacks some is decoded again without them, and they are put in their places.");
  static final ConfigKey<Integer> MEMORY_SIMILARITY =
      ConfigKey.of(
          "memory-similarity",
          ConfigTypes.integer(50, LearnedMemory.EXACT),
          85,
          "Where a stage learns: taught sentences that are this similar to a sentence that was not"
              + " taught, in percent of words, are in the record beside its translation; 100 for"
              + " none.");

  /** The keys that only apply to translation models. */
  private static final List<ConfigKey<?>> OF_MODELS =
      List.of(
          BEAM,
          LENGTH_NORMALIZATION,
          MAX_LENGTH_FACTOR,
          ALLOW_UNKNOWN,
          SHORTLIST,
          PRECISION,
          TARGET_LANGUAGE_HEADER,
          TARGET_PREFIX_HEADER,
          MEMORY,
          MEMORY_SHA256,
          GLOSSARY,
          GLOSSARY_SHA256,
          GLOSSARY_HEADER,
          KEEP,
          CHECK_NUMBERS,
          NextModels.THEN,
          NextModels.SHA256,
          NextModels.MIN_QUALITY);

  static final ConfigSection SECTION =
      new ConfigSection(
          "translate",
          "Translates with a translation model, or by phrases: with `phrases` of a parallel text and"
              + " a `language-model`, without any neural model. Learns corrections while the job"
              + " runs, see `learn`: a corrected text, and each of its sentences, comes back as it"
              + " was taught. Where a correction has no alignment, its texts are raw, like those of"
              + " records; with one, they are words, which teach `phrases` only phrases.",
          keys());

  private static List<ConfigKey<?>> keys() {
    List<ConfigKey<?>> keys = new ArrayList<>(List.of(MODEL, PhraseTranslateStage.PHRASES));
    keys.addAll(
        List.of(
            ConfiguredIndex.SHA256,
            SOURCE_LANGUAGE,
            TARGET_LANGUAGE,
            N_BEST,
            SCORES,
            ALIGNMENT,
            SPLIT_SENTENCES,
            MEMORY_SIMILARITY));
    keys.addAll(LanguageCheckKeys.ALL);
    keys.addAll(OF_MODELS);
    keys.addAll(PhraseTranslateStage.TEXT_KEYS);
    keys.addAll(PhraseTranslateStage.KEYS);
    keys.addAll(List.of(StageConfig.DEVICE, StageConfig.NAME));
    return keys;
  }

  private final Search search;
  private final String languageHeader;
  private final String prefixHeader;
  private final String glossaryHeader;
  private final LanguageCheck languageCheck;
  private final double minQuality;
  private final int similarity;
  private final Tokenizer tokenizer; // of the memory
  private final Casing casing;

  /** The terms learned beside the glossary; null for none, as in {@link LearningIndexStage}. */
  private transient LearnedPairs terms;

  /** A serializable form of {@link TranslateOptions}. */
  private record Search(
      DecodeOptions decoding,
      Split split,
      Precision precision,
      String sourceLanguage,
      String targetLanguage,
      List<String> keep,
      boolean checksNumbers)
      implements Serializable {
    TranslateOptions options() {
      return new TranslateOptions(
          decoding,
          split.asOption(),
          precision == Precision.AUTO
              ? Optional.empty()
              : Optional.of(NmtPrecision.valueOf(precision.name())),
          new Guidance(sourceLanguage, targetLanguage, ""),
          Safeguards.of(KeepPatterns.of(keep), checksNumbers));
    }
  }

  /**
   * Creates the stage.
   *
   * @param others the memory, the glossary and the next models, those that there are
   */
  private TranslateStage(
      StageConfig config, ConfiguredIndex model, Map<String, ConfiguredIndex> others) {
    super(config, model, others);
    Settings settings = config.settings();
    this.languageCheck = LanguageCheckKeys.check(settings);
    this.minQuality = settings.get(NextModels.MIN_QUALITY);
    this.similarity = settings.get(MEMORY_SIMILARITY);
    this.tokenizer = settings.get(PhraseTranslateStage.TOKENIZER);
    this.casing = settings.get(PhraseTranslateStage.CASING);
    this.search = search(settings);
    this.languageHeader = settings.get(TARGET_LANGUAGE_HEADER);
    this.prefixHeader = settings.get(TARGET_PREFIX_HEADER);
    this.glossaryHeader = settings.get(GLOSSARY_HEADER);
  }

  /** Creates the stage: determines its index files' hashes but does not load them. */
  static BatchStage of(StageConfig config, IndexFiles files) {
    if (isByPhrases(config)) {
      return PhraseTranslateStage.of(config, files);
    }
    ConfiguredIndex model = ConfiguredIndex.of(config, MODEL, TranslationModel.KIND, files);
    Map<String, ConfiguredIndex> others = new LinkedHashMap<>();
    if (!config.settings().get(MEMORY).isEmpty()) {
      others.put(
          MEMORY.name(),
          ConfiguredIndex.of(config, MEMORY, MEMORY_SHA256, PhraseIndex.KIND, files));
    }
    if (!config.settings().get(GLOSSARY).isEmpty()) {
      others.put(
          GLOSSARY.name(),
          ConfiguredIndex.of(config, GLOSSARY, GLOSSARY_SHA256, GlossaryIndex.KIND, files));
    }
    others.putAll(NextModels.of(config, files));
    return new TranslateStage(config, model, others);
  }

  /** The kinds of its indexes, by key of the job file; the key of the main one is empty. */
  static Map<String, IndexKind> indexKinds(StageConfig config) {
    if (isByPhrases(config)) {
      return PhraseTranslateStage.indexKinds();
    }
    Map<String, IndexKind> kinds = new LinkedHashMap<>(Map.of("", TranslationModel.KIND));
    if (!config.settings().get(MEMORY).isEmpty()) {
      kinds.put(MEMORY.name(), PhraseIndex.KIND);
    }
    if (!config.settings().get(GLOSSARY).isEmpty()) {
      kinds.put(GLOSSARY.name(), GlossaryIndex.KIND);
    }
    NextModels.names(config.settings()).forEach(name -> kinds.put(name, TranslationModel.KIND));
    return kinds;
  }

  /** Whether it translates by phrases. */
  static boolean isByPhrases(StageConfig config) {
    return !config.settings().get(PhraseTranslateStage.PHRASES).isEmpty();
  }

  /**
   * Checks settings.
   *
   * @throws OperatorException if they are inconsistent
   */
  static void check(Settings settings) {
    LanguageCheckKeys.check(settings);
    boolean neural = !settings.get(MODEL).isEmpty();
    boolean byPhrases = !settings.get(PhraseTranslateStage.PHRASES).isEmpty();
    if (neural == byPhrases) {
      throw new OperatorException(
          neural
              ? "model and phrases: a stage translates with one of them; remove the other"
              : "model: required, or phrases and language-model to translate by phrases");
    }
    if (byPhrases) {
      refuse(OF_MODELS, settings, "is a setting of neural models; remove it, or set model");
      PhraseTranslateStage.check(settings);
      return;
    }
    refuse(
        PhraseTranslateStage.KEYS, settings, "is a setting of phrases; remove it, or set phrases");
    ConfiguredIndex.check(settings, MODEL);
    if (settings.get(MEMORY).isEmpty()) {
      refuse(
          PhraseTranslateStage.TEXT_KEYS,
          settings,
          "is a setting of phrases and of a memory; remove it, or set one of them");
    } else {
      ConfiguredIndex.check(settings, MEMORY, MEMORY_SHA256);
    }
    if (!settings.get(GLOSSARY).isEmpty()) {
      ConfiguredIndex.check(settings, GLOSSARY, GLOSSARY_SHA256);
    }
    NextModels.check(settings);
    if (settings.get(NextModels.THEN).isEmpty()) {
      refuse(
          List.of(NextModels.MIN_QUALITY),
          settings,
          "is a setting of then; remove it, or set then");
    }
    checkPatterns(settings);
    TranslateOptions options = search(settings).options();
    if (settings.get(StageConfig.DEVICE).equals(Device.CPU.toString())) {
      options.precisionOn(Device.CPU); // other devices are checked on their own machines
    }
  }

  private static void checkPatterns(Settings settings) {
    try {
      KeepPatterns.of(settings.get(KEEP));
    } catch (OperatorException e) {
      throw new OperatorException(KEEP.name() + ": " + e.getMessage(), e);
    }
  }

  /** Refuses keys with values other than their defaults, which a file may spell out. */
  private static void refuse(List<ConfigKey<?>> keys, Settings settings, String why) {
    for (ConfigKey<?> key : keys) {
      if (!settings.get(key).equals(key.example())) {
        throw new OperatorException(key.name() + ": " + why);
      }
    }
  }

  private static Search search(Settings settings) {
    return new Search(
        DecodeOptions.beam(settings.get(BEAM))
            .withNBest(settings.get(N_BEST))
            .withLengthNormalization(settings.get(LENGTH_NORMALIZATION).floatValue())
            .withMaxLengthFactor(settings.get(MAX_LENGTH_FACTOR).floatValue())
            .withAllowUnknown(settings.get(ALLOW_UNKNOWN))
            .withScores(settings.get(SCORES))
            .withAlignment(settings.get(ALIGNMENT))
            .withShortlist(settings.get(SHORTLIST)),
        settings.get(SPLIT_SENTENCES),
        settings.get(PRECISION),
        settings.get(SOURCE_LANGUAGE),
        settings.get(TARGET_LANGUAGE),
        List.copyOf(settings.get(KEEP)),
        settings.get(CHECK_NUMBERS));
  }

  /** The terms learned beside the glossary. */
  private LearnedPairs terms() {
    return terms == null ? LearnedPairs.none() : terms;
  }

  @Override
  public BatchStage on(String index, IndexVersion version) {
    if (!index.equals(indexName(GLOSSARY))) {
      return super.on(index, version);
    }
    TranslateStage copy = (TranslateStage) super.on(index, IndexVersion.of(version.index()));
    copy.terms = version.learned();
    return copy;
  }

  @Override
  IndexOpener<TranslateCascade> opener() {
    List<IndexRef> next =
        others().filter(one -> one.kind().equals(TranslationModel.KIND.id())).toList();
    return TranslateCascade.opener(
        search.options(), this::memory, this::glossary, next, minQuality);
  }

  private Terminology glossary(ResidentIndexes residents, Translate.Model model) {
    IndexRef file = other(GLOSSARY);
    return file == null
        ? Terminology.NONE
        : Glossary.open(residents, file, TermCorrections.terms(terms()), terms().digest());
  }

  /** What the stage has learned, in front of its memory file. */
  private TranslationMemory memory(ResidentIndexes residents, Translate.Model model) {
    LearnedPairs learned = learned();
    String source = model.sourceLanguage();
    String target = model.targetLanguage();
    IndexRef file = other(MEMORY);
    return file != null
        ? IndexedTranslationMemory.open(
            residents, file, new PhraseText(source, target, tokenizer, casing), learned, similarity)
        : LearnedMemory.open(
            residents,
            index().orElseThrow(),
            null,
            new LearnedMemory.Learned(
                learned.texts(), learned.digest(), source, target, similarity),
            TranslationMemory.NONE);
  }

  /** A model takes no sentence pairs, so they stay beside it. */
  @Override
  public IndexRef compact(String folder, String writer, BuildProgress progress) {
    throw new OperatorException(
        "stage " + name() + " has a model, to which learned pairs cannot be added");
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
    TranslateCascade translate = operator();
    Translate first = translate.first();
    TranslationMemory memory = first.memory();
    Terminology glossary = first.terminology();
    long learned = learned().size();
    TranslatedParts parts = search.options().parts();
    return new TranslationRecords(name(), parts, batch)
        .changes(
            texts -> languageCheck.translate(texts, translate, parts),
            new GuidanceHeaders(languageHeader, prefixHeader, glossaryHeader),
            first.model(),
            draft -> {
              draft.setLearnedPairs(learned);
              draft.setMemoryId(memory.id());
              draft.setMemoryVersion(memory.version());
              draft.setGlossaryId(glossary.id());
              draft.setGlossaryVersion(glossary.version());
            });
  }
}
