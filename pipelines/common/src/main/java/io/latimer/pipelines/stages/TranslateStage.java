package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.AlignmentPoint;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.StageTiming;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Translates sentences with a translation model. */
public final class TranslateStage extends IndexStage<Translate> {
  private static final long serialVersionUID = 1L;

  /** Whether a record may contain several sentences. */
  enum Split {
    MODEL,
    YES,
    NO
  }

  /** Arithmetic precision; {@code AUTO} is the device's default. */
  enum Precision {
    AUTO,
    FLOAT32,
    FLOAT16,
    BFLOAT16
  }

  public static final ConfigKey<String> MODEL =
      StageIndex.key("model", "model.lmx", "Model file made by `latimer model import`");
  static final ConfigKey<String> TARGET_LANGUAGE =
      ConfigKey.of(
          "target-language",
          ConfigTypes.text(
              "a BCP 47 tag such as de, or empty",
              text -> text.isEmpty() || text.matches("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")),
          "",
          "Language of the translations as a BCP 47 tag; if empty, the model's target language.");
  static final ConfigKey<Integer> BEAM =
      ConfigKey.of(
          "beam",
          ConfigTypes.integer(1, 64),
          TranslateOptions.DEFAULTS.search().beamSize(),
          "Hypotheses per sentence; 1 is greedy search.");
  static final ConfigKey<Integer> N_BEST =
      ConfigKey.of(
          "nbest",
          ConfigTypes.integer(1, 64),
          TranslateOptions.DEFAULTS.search().nBest(),
          "Length of the list of alternatives, at most `beam`; 1 for none.");
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
          "Whether a record may contain several sentences: `yes`, `no`, or as set in the `model`.");

  static final ConfigKey<Precision> PRECISION =
      ConfigKey.of(
          "precision",
          ConfigTypes.word(Precision.class),
          Precision.AUTO,
          "Arithmetic precision. `auto` is float16 on a GPU and float32 on the CPU, which supports"
              + " float32 only. With 16 bits about one line in a hundred differs.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "translate",
          "Translates with a translation model.",
          MODEL,
          StageIndex.SHA256,
          TARGET_LANGUAGE,
          BEAM,
          N_BEST,
          SCORES,
          ALIGNMENT,
          LENGTH_NORMALIZATION,
          MAX_LENGTH_FACTOR,
          ALLOW_UNKNOWN,
          SHORTLIST,
          SPLIT_SENTENCES,
          PRECISION,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final String targetLanguage;
  private final Search search;

  /** A serializable form of {@link TranslateOptions}. */
  private record Search(DecodeOptions decoding, Split split, Precision precision)
      implements Serializable {
    TranslateOptions options() {
      return new TranslateOptions(
          decoding,
          split == Split.MODEL ? Optional.empty() : Optional.of(split == Split.YES),
          precision == Precision.AUTO
              ? Optional.empty()
              : Optional.of(NmtPrecision.valueOf(precision.name())));
    }
  }

  private TranslateStage(StageConfig config, StageIndex model) {
    super(config, model);
    Settings settings = config.settings();
    this.targetLanguage = settings.get(TARGET_LANGUAGE);
    this.search = search(settings);
  }

  /** Makes the stage: knows the content of the index file but does not load it. */
  static TranslateStage of(StageConfig config, IndexFiles files) {
    return new TranslateStage(config, StageIndex.of(config, MODEL, TranslationModel.KIND, files));
  }

  /**
   * Checks settings.
   *
   * @throws OperatorException if they are inconsistent
   */
  static void check(Settings settings) {
    StageIndex.check(settings, MODEL);
    TranslateOptions options = search(settings).options();
    if (settings.get(StageConfig.DEVICE).equals(Device.CPU.toString())) {
      options.precisionOn(Device.CPU); // other devices are checked where they are
    }
  }

  private static Search search(Settings settings) {
    return new Search(
        new DecodeOptions(
            settings.get(BEAM),
            settings.get(N_BEST),
            settings.get(LENGTH_NORMALIZATION).floatValue(),
            settings.get(MAX_LENGTH_FACTOR).floatValue(),
            settings.get(ALLOW_UNKNOWN),
            settings.get(SCORES),
            settings.get(ALIGNMENT),
            settings.get(SHORTLIST)),
        settings.get(SPLIT_SENTENCES),
        settings.get(PRECISION));
  }

  @Override
  IndexOpener<Translate> opener() {
    return Translate.opener(search.options());
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
    Translate translate = operator();
    List<String> texts =
        IntStream.range(0, batch.size()).mapToObj(i -> batch.source(i).getText()).toList();
    List<Result<Translated>> results = translate.apply(texts);
    List<Result<RecordChange>> changes = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      if (results.get(i) instanceof Result.Value<Translated> value) {
        BatchTexts.handOn(batch, i, value.value().text());
        AlternativeTexts.handOn(
            batch, i, value.value().nBest().stream().map(Translated.Alternative::text).toList());
        changes.add(
            Result.of(change(batch.source(i), value.value(), translate.model(), batch.size())));
      } else {
        changes.add(Result.failure(((Result.Failure<Translated>) results.get(i)).error()));
      }
    }
    return changes;
  }

  private RecordChange change(
      Sentence source, Translated translated, Translate.Model used, int size) {
    Double score = score(translated.score());
    Double normalizedScore = score(translated.normalizedScore());
    List<Alternative> nBest = translated.nBest().stream().map(this::alternative).toList();
    List<AlignmentPoint> alignment = alignment(translated.alignment());
    List<StageTiming> steps = timings(translated.timings(), size);
    return draft -> {
      draft.setSource(source);
      draft.setTargetLanguage(targetLanguage.isEmpty() ? used.targetLanguage() : targetLanguage);
      draft.setText(translated.text());
      draft.setScore(score);
      draft.setNormalizedScore(normalizedScore);
      draft.setNBest(nBest);
      draft.setAlignment(alignment);
      draft.setModelId(used.id());
      draft.setModelVersion(used.version());
      draft.setSourceTokens(translated.sourceTokens());
      draft.setTargetTokens(translated.targetTokens());
      List<StageTiming> timings = new ArrayList<>(draft.getTimings());
      timings.addAll(steps);
      draft.setTimings(timings);
    };
  }

  private List<StageTiming> timings(Translated.Timings steps, int size) {
    return List.of(
        new StageTiming(name() + "/prepare", steps.prepare(), 0L, size),
        new StageTiming(name() + "/decode", steps.decode(), 0L, size),
        new StageTiming(name() + "/restore", steps.restore(), 0L, size));
  }

  private Alternative alternative(Translated.Alternative found) {
    return Alternative.newBuilder()
        .setText(found.text())
        .setScore(found.score())
        .setNormalizedScore(found.normalizedScore())
        .setAlignment(alignment(found.alignment()))
        .build();
  }

  /** Null unless requested. */
  private List<AlignmentPoint> alignment(List<Translated.AlignmentPoint> points) {
    if (!search.decoding().alignment()) {
      return null;
    }
    return points.stream()
        .map(
            point ->
                new AlignmentPoint(
                    point.source(),
                    point.target(),
                    point.weight(),
                    point.sourceSpan().start(),
                    point.sourceSpan().end(),
                    point.targetSpan().start(),
                    point.targetSpan().end(),
                    point.sourceWord(),
                    point.targetWord()))
        .toList();
  }

  private Double score(double score) {
    return search.decoding().scores() && !Double.isNaN(score) ? score : null;
  }
}
