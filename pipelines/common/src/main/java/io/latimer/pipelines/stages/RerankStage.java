package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Reranks the n-best translations of records by features from earlier stages. */
public final class RerankStage extends ConfiguredStage implements BatchStage {
  private static final long serialVersionUID = 1L;

  private static final double MOST = 1_000;

  static final ConfigKey<Double> MODEL_WEIGHT =
      ConfigKey.of(
          "model-weight",
          ConfigTypes.number(0, MOST),
          1.0,
          "Weight of the translation model: its normalized score, a natural logarithm; by phrases,"
              + " the weighted sum of the features.");
  static final ConfigKey<Double> LANGUAGE_WEIGHT =
      ConfigKey.of(
          "language-weight",
          ConfigTypes.number(0, MOST),
          0.5,
          "Weight of the log10 probability by earlier `score` stages `of: alternatives`. It is"
              + " divided by the number of words, the end of the sentence counted as one, so that"
              + " short alternatives have no advantage; of several stages, the mean counts.");
  static final ConfigKey<Double> GRAMMAR_WEIGHT =
      ConfigKey.of(
          "grammar-weight",
          ConfigTypes.number(0, MOST),
          0.0,
          "Weight of the verdict of earlier `grammar-check` stages `of: alternatives`: 1 for an"
              + " alternative that the grammar derives, else 0; of several stages, the mean.");
  static final ConfigKey<Double> PHRASE_WEIGHT =
      ConfigKey.of(
          "phrase-weight",
          ConfigTypes.number(0, MOST),
          0.0,
          "Weight of the share of an alternative's words, 0 to 1, that lie in translations listed"
              + " by earlier `phrases` stages `of: source`.");
  static final ConfigKey<Double> LENGTH_WEIGHT =
      ConfigKey.of(
          "length-weight",
          ConfigTypes.number(-MOST, MOST),
          0.0,
          "Weight of the number of words: above 0 prefers long alternatives, below 0 short ones.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "rerank",
          "Sorts the alternatives of `translate` by a weighted sum of what earlier stages found in"
              + " them; the first becomes the translation. Needs `nbest` above 1 there.",
          MODEL_WEIGHT,
          LANGUAGE_WEIGHT,
          GRAMMAR_WEIGHT,
          PHRASE_WEIGHT,
          LENGTH_WEIGHT,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final RerankWeights weights;

  RerankStage(StageConfig config) {
    super(config);
    Settings settings = config.settings();
    this.weights =
        new RerankWeights(
            settings.get(MODEL_WEIGHT),
            settings.get(LANGUAGE_WEIGHT),
            settings.get(GRAMMAR_WEIGHT),
            settings.get(PHRASE_WEIGHT),
            settings.get(LENGTH_WEIGHT));
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {}

  @Override
  public Set<RecordPart> reads() {
    return EnumSet.of(
        RecordPart.TRANSLATION,
        RecordPart.ALTERNATIVES,
        RecordPart.LANGUAGE_SCORES,
        RecordPart.GRAMMAR_CHECKS,
        RecordPart.PHRASE_TABLES);
  }

  @Override
  public Set<RecordPart> writes() {
    return EnumSet.of(RecordPart.TRANSLATION, RecordPart.ALTERNATIVES);
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    Reranker reranker = new Reranker(weights);
    List<Result<RecordChange>> changes = new ArrayList<>(batch.size());
    for (int record = 0; record < batch.size(); record++) {
      Translation translation = batch.translation(record);
      if (translation == null || translation.getNBest().isEmpty()) {
        changes.add(Result.of(draft -> {})); // such as an untranslated record
        continue;
      }
      List<Alternative> sorted =
          reranker.sort(translation.getNBest(), translation.getPhraseTables());
      BatchTexts.handOn(batch, record, sorted.get(0).getText());
      AlternativeTexts.handOn(batch, record, sorted.stream().map(Alternative::getText).toList());
      changes.add(Result.of(change(sorted, translation.getScore() != null)));
    }
    return changes;
  }

  /**
   * Makes the first entry of a list the translation.
   *
   * @param scored whether the translation has scores; alternatives always have them
   */
  private static RecordChange change(List<Alternative> sorted, boolean scored) {
    Alternative best = sorted.get(0);
    return draft -> {
      draft.setNBest(sorted);
      draft.setText(best.getText());
      draft.setScore(scored ? best.getScore() : null);
      draft.setNormalizedScore(scored ? best.getNormalizedScore() : null);
      draft.setAlignment(best.getAlignment());
    };
  }

  @Override
  public void close() {}
}
