package io.latimer.pipelines.stages;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.nmt.SimilarSentence;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.nmt.TranslationFlag;
import io.latimer.operators.text.TextInput;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.schemas.AlignmentPoint;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SimilarTranslation;
import io.latimer.schemas.StageTiming;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * Converts the translations of a batch to changes of records.
 *
 * @param stage name of the stage
 * @param parts the optional parts of translations
 * @param batch whose sources were translated
 */
record TranslationRecords(String stage, TranslatedParts parts, StageBatch batch) {
  /** The words of an alternative, before a rerank stage counts them. */
  private static final int NOT_COUNTED = -1;

  /**
   * The change of each record.
   *
   * @param translate gives one result per text
   * @param headers in which records say more about their translations
   * @param used the model of records that no other translated
   * @param more further changes of translated records
   */
  List<Result<RecordChange>> changes(
      Function<List<TextInput>, List<Result<Translated>>> translate,
      GuidanceHeaders headers,
      Translate.Model used,
      RecordChange more) {
    List<Result<Translated>> results = translated(translate, headers);
    List<Result<RecordChange>> changes = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      if (results.get(i) instanceof Result.Value<Translated> value) {
        BatchTexts.handOn(batch, i, value.value().text());
        AlternativeTexts.handOn(
            batch, i, value.value().nBest().stream().map(Translated.Alternative::text).toList());
        RecordChange change =
            change(batch.source(i), value.value(), value.value().model().orElse(used));
        changes.add(
            Result.of(
                draft -> {
                  change.apply(draft);
                  more.apply(draft);
                }));
      } else {
        changes.add(Result.failure(((Result.Failure<Translated>) results.get(i)).error()));
      }
    }
    return changes;
  }

  /** The translations of all records; those with unreadable headers are not translated. */
  private List<Result<Translated>> translated(
      Function<List<TextInput>, List<Result<Translated>>> translate, GuidanceHeaders headers) {
    List<Result<Translated>> refused = new ArrayList<>(batch.size());
    List<TextInput> texts = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Sentence source = batch.source(i);
      try {
        texts.add(headers.of(source));
        refused.add(null);
      } catch (RecordException e) {
        refused.add(Result.failure(e));
      }
    }
    Iterator<Result<Translated>> translations = translate.apply(texts).iterator();
    refused.replaceAll(failure -> failure == null ? translations.next() : failure);
    return refused;
  }

  private RecordChange change(Sentence source, Translated translated, Translate.Model used) {
    Double score = score(translated.score());
    Double normalizedScore = score(translated.normalizedScore());
    List<Alternative> nBest = translated.nBest().stream().map(this::alternative).toList();
    List<AlignmentPoint> alignment = alignment(translated.alignment());
    List<StageTiming> steps = timings(translated.timings());
    List<String> flags = translated.flags().stream().sorted().map(TranslationFlag::text).toList();
    Double quality = translated.quality().isPresent() ? translated.quality().getAsDouble() : null;
    List<LearnedFrom> taught =
        translated.taught().stream().map(TranslationRecords::origin).toList();
    List<SimilarTranslation> similar =
        translated.similar().stream().map(TranslationRecords::similar).toList();
    return draft -> {
      draft.setSource(source);
      draft.setTargetLanguage(translated.targetLanguage());
      draft.setText(translated.text());
      draft.setScore(score);
      draft.setNormalizedScore(normalizedScore);
      draft.setNBest(nBest);
      draft.setAlignment(alignment);
      draft.setModelId(used.id());
      draft.setModelVersion(used.version());
      draft.setSourceTokens(translated.sourceTokens());
      draft.setTargetTokens(translated.targetTokens());
      draft.setMemorySentences(translated.remembered());
      draft.setCorrections(taught);
      draft.setSimilar(similar);
      draft.setFlags(flags);
      draft.setQuality(quality);
      List<StageTiming> timings = new ArrayList<>(draft.getTimings());
      timings.addAll(steps);
      draft.setTimings(timings);
    };
  }

  private static LearnedFrom origin(Remembered found) {
    return new LearnedFrom(found.correction(), Instant.ofEpochMilli(found.time()));
  }

  private static SimilarTranslation similar(Translated.Similar found) {
    SimilarSentence known = found.known();
    return new SimilarTranslation(
        found.sentence(),
        known.source(),
        known.translation().text(),
        known.similarity(),
        origin(known.translation()));
  }

  private List<StageTiming> timings(Translated.Timings steps) {
    return List.of(
        new StageTiming(stage + "/prepare", steps.prepare(), 0L, batch.size()),
        new StageTiming(stage + "/decode", steps.decode(), 0L, batch.size()),
        new StageTiming(stage + "/restore", steps.restore(), 0L, batch.size()));
  }

  /** Without a builder, which looks up and copies the default of each field. */
  private Alternative alternative(Translated.Alternative found) {
    return new Alternative(
        found.text(),
        found.score(),
        found.normalizedScore(),
        List.of(),
        List.of(),
        null,
        NOT_COUNTED,
        null,
        alignment(found.alignment()));
  }

  /** The alignment; null unless requested. */
  private List<AlignmentPoint> alignment(List<Translated.AlignmentPoint> points) {
    if (!parts.alignment()) {
      return null;
    }
    List<AlignmentPoint> records = new ArrayList<>(points.size());
    for (Translated.AlignmentPoint point : points) {
      records.add(
          new AlignmentPoint(
              point.source(),
              point.target(),
              point.weight(),
              point.sourceSpan().start(),
              point.sourceSpan().end(),
              point.targetSpan().start(),
              point.targetSpan().end(),
              point.sourceWord(),
              point.targetWord()));
    }
    return records;
  }

  private Double score(double score) {
    return parts.scores() && !Double.isNaN(score) ? score : null;
  }
}
