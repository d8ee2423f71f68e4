package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.StageTiming;
import java.util.ArrayList;
import java.util.List;

/** Scores sentences, or their translations, with a language model. */
public final class ScoreStage extends IndexStage<Score> {
  private static final long serialVersionUID = 1L;

  static final ConfigKey<String> MODEL =
      ConfigKey.required(
          "model",
          ConfigTypes.path(false),
          "model.llm",
          "Model file made by `latimer lm import`; a relative path is relative to the job file's"
              + " folder. All machines of the job must have it at this path.");
  static final ConfigKey<TextChoice> OF =
      TextChoice.key(
          "Text to score: the `source`, or the `translation` made by an earlier stage. Words are"
              + " separated by whitespace; the text should be tokenized and cased like the"
              + " model's training text.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "score",
          "Scores texts with a language model: log-probability, perplexity and unknown words.",
          MODEL,
          StageIndex.SHA256,
          OF,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final TextChoice of;

  private ScoreStage(StageConfig config, StageIndex model) {
    super(config, model);
    this.of = config.settings().get(OF);
  }

  /** Makes the stage: hashes the model file but does not load it. */
  static ScoreStage of(StageConfig config) {
    return new ScoreStage(config, StageIndex.of(config, MODEL, LanguageModel.KIND));
  }

  @Override
  IndexOpener<Score> opener() {
    return Score.opener(ScoreOptions.SENTENCES);
  }

  @Override
  public List<Envelope> apply(List<Envelope> batch, long queueNanos) {
    Score score = operator();
    BatchTexts texts = of.texts(batch, name());
    long start = System.nanoTime();
    List<Result<Scored>> results = score.apply(texts.texts());
    List<StageTiming> timing =
        List.of(
            new StageTiming(name(), System.nanoTime() - start, queueNanos, texts.texts().size()));
    return texts.merge(name(), results, (envelope, scored) -> with(envelope, scored, timing));
  }

  private Envelope with(Envelope envelope, Scored scored, List<StageTiming> timing) {
    LanguageModel used = operator().model();
    List<LanguageScore> scores = new ArrayList<>();
    if (envelope.getTranslation() != null) {
      scores.addAll(envelope.getTranslation().getLanguageScores());
    }
    scores.add(
        new LanguageScore(
            name(),
            of.label(),
            (double) scored.total(),
            scored.perplexity(),
            scored.perplexityOfKnown(),
            scored.tokens(),
            scored.unknown(),
            used.id(),
            used.version()));
    return Envelopes.with(
        envelope,
        Envelopes.translation(envelope, SECTION.name())
            .setLanguageScores(scores)
            .setTimings(Envelopes.timings(envelope, timing))
            .build());
  }
}
