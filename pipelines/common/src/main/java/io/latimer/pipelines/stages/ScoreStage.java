package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.LanguageScore;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Scores sentences, their translations or their alternatives with a language model. */
public final class ScoreStage extends IndexStage<Score> {
  private static final long serialVersionUID = 1L;

  static final ConfigKey<String> MODEL =
      ConfiguredIndex.key("model", "model.llm", "Model file made by `latimer lm import`");
  static final ConfigKey<TextChoice> OF =
      TextChoice.keyWithAlternatives(
          "Text to score: the `source`, the `translation` made by an earlier stage, or all its"
              + " `alternatives`, whose scores are part of them. Words are separated by whitespace;"
              + " the text should be tokenized and cased like the model's training text.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "score",
          "Scores texts with a language model: log-probability, perplexity and unknown words.",
          MODEL,
          ConfiguredIndex.SHA256,
          OF,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final TextChoice of;

  private ScoreStage(StageConfig config, ConfiguredIndex model) {
    super(config, model, Map.of());
    this.of = config.settings().get(OF);
  }

  /** Creates the stage: determines the index file's hash but does not load it. */
  static ScoreStage of(StageConfig config, IndexFiles files) {
    return new ScoreStage(config, ConfiguredIndex.of(config, MODEL, LanguageModel.KIND, files));
  }

  @Override
  IndexOpener<Score> opener() {
    return Score.opener(ScoreOptions.SENTENCES.totalsOnly());
  }

  @Override
  public Set<RecordPart> reads() {
    return EnumSet.of(of.part());
  }

  @Override
  public Set<RecordPart> writes() {
    return EnumSet.of(RecordPart.LANGUAGE_SCORES);
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    Score score = operator();
    if (of == TextChoice.ALTERNATIVES) {
      AlternativeTexts texts = AlternativeTexts.of(batch);
      return texts.changes(
          score.applyWords(texts.words()),
          scored -> record(scored, score.model()),
          ScoreStage::add);
    }
    BatchTexts texts = of.texts(batch, name());
    return texts.changes(
        score.applyWords(texts.words()), scored -> change(record(scored, score.model())));
  }

  private static void add(Alternative entry, LanguageScore score) {
    entry.setLanguageScores(StageBatch.append(entry.getLanguageScores(), score));
  }

  private static RecordChange change(LanguageScore score) {
    return draft -> draft.setLanguageScores(StageBatch.append(draft.getLanguageScores(), score));
  }

  private LanguageScore record(Scored scored, LanguageModel used) {
    return new LanguageScore(
        name(),
        of.label(),
        (double) scored.total(),
        scored.perplexity(),
        scored.perplexityOfKnown(),
        scored.tokens(),
        scored.unknown(),
        used.id(),
        used.version());
  }
}
