package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordKey;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The texts of all n-best lists of a batch, in sequence, for an operator. Stages of a group share
 * their words, as in {@link BatchTexts}.
 */
final class AlternativeTexts {
  /** The words of a record's alternatives, in their order. */
  private static final RecordKey<Words> WORDS =
      new RecordKey<>("words of the alternatives", Words.class, RecordPart.ALTERNATIVES);

  private record Words(List<SentenceWords> texts) {
    boolean areOf(List<String> list) {
      return texts.stream().map(SentenceWords::text).toList().equals(list);
    }
  }

  private final int[] sizes;
  private final List<SentenceWords> words = new ArrayList<>();

  private AlternativeTexts(int records) {
    this.sizes = new int[records];
  }

  /** Takes the texts of a batch; a record without alternatives has none. */
  static AlternativeTexts of(StageBatch batch) {
    AlternativeTexts all = new AlternativeTexts(batch.size());
    for (int record = 0; record < batch.size(); record++) {
      Translation translation = batch.translation(record);
      if (translation != null) {
        List<String> texts = translation.getNBest().stream().map(Alternative::getText).toList();
        all.words.addAll(
            batch
                .handedOn(WORDS, record)
                .filter(handed -> handed.areOf(texts)) // by the stage that wrote them last
                .map(Words::texts)
                .orElseGet(() -> SentenceWords.of(texts)));
        all.sizes[record] = texts.size();
      }
    }
    return all;
  }

  /** Passes the texts of a record's alternatives to stages that read their words. */
  static void handOn(StageBatch batch, int record, List<String> texts) {
    batch.handOn(WORDS, record, new Words(SentenceWords.of(texts)));
  }

  List<SentenceWords> words() {
    return words;
  }

  /**
   * The results of the whole batch; a record fails if the operator refuses any of its texts.
   *
   * @param results one per text
   * @param part converts a result to what is added to an entry
   * @param add changes a private copy of an entry, whose lists are shared
   */
  <T, P> List<Result<RecordChange>> changes(
      List<Result<T>> results, Function<T, P> part, BiConsumer<Alternative, P> add) {
    List<Result<RecordChange>> all = new ArrayList<>(sizes.length);
    int next = 0;
    for (int size : sizes) {
      all.add(change(results.subList(next, next + size), part, add));
      next += size;
    }
    return all;
  }

  private static <T, P> Result<RecordChange> change(
      List<Result<T>> results, Function<T, P> part, BiConsumer<Alternative, P> add) {
    List<P> parts = new ArrayList<>(results.size());
    for (Result<T> result : results) {
      if (result instanceof Result.Failure<T> refused) {
        return Result.failure(refused.error());
      }
      parts.add(part.apply(result.orElseThrow()));
    }
    return Result.of(
        draft -> {
          List<Alternative> changed = new ArrayList<>(parts.size());
          for (int i = 0; i < parts.size(); i++) {
            Alternative entry = copy(draft.getNBest().get(i));
            add.accept(entry, parts.get(i));
            changed.add(entry);
          }
          draft.setNBest(changed);
        });
  }

  private static Alternative copy(Alternative entry) {
    return new Alternative(
        entry.getText(),
        entry.getScore(),
        entry.getNormalizedScore(),
        entry.getLanguageScores(),
        entry.getGrammarChecks(),
        entry.getPhraseCoverage(),
        entry.getWords(),
        entry.getRerankScore(),
        entry.getAlignment());
  }
}
