package io.latimer.pipelines.stages;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.align.Aligner;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.FileErrors;
import io.latimer.pipelines.stage.StageConfig;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;

/**
 * A stage with a phrase index, which learns sentence pairs beside it as if they were in the index.
 *
 * @param <O> the operator
 */
abstract class PhraseIndexStage<O extends BatchOperator<?, ?>> extends LearningIndexStage<O> {
  private static final long serialVersionUID = 1L;

  /** Cached aligners by index id, shared by all subtasks of the process. */
  private static final Map<String, SoftReference<Aligner>> ALIGNERS = new HashMap<>();

  /**
   * Creates the stage.
   *
   * @param index a phrase index
   * @param others other indexes that the operator reads, by key of the job file
   */
  PhraseIndexStage(StageConfig config, ConfiguredIndex index, Map<String, ConfiguredIndex> others) {
    super(config, index, others);
  }

  /** The phrase index with the learned pairs; the stage must be open. */
  abstract PhraseIndex phraseIndex();

  @Override
  public final LearnedPair align(LearnedPair pair) {
    return pair.aligned(
        aligner().align(WordIds.split(pair.source()), WordIds.split(pair.target())).toString());
  }

  /** The aligner of the index file. Creating it takes some time, because it reads all words. */
  private Aligner aligner() {
    PhraseIndex base = phraseIndex().base();
    synchronized (ALIGNERS) {
      SoftReference<Aligner> made = ALIGNERS.get(base.id());
      Aligner aligner = made == null ? null : made.get();
      if (aligner == null) {
        ALIGNERS.values().removeIf(one -> one.get() == null);
        aligner = Aligner.of(base);
        ALIGNERS.put(base.id(), new SoftReference<>(aligner));
      }
      return aligner;
    }
  }

  @Override
  public final IndexRef compact(String folder, String writer, BuildProgress progress) {
    try (IndexFile base = openFile()) {
      return publish(
          folder,
          ".lpx",
          writer,
          file ->
              PhraseIndexBuilder.append(base.path(), learned(), file, base.version(), progress));
    } catch (IOException e) {
      throw new OperatorException(
          "a phrase index cannot be written to " + folder + ": " + FileErrors.reason(e), e);
    }
  }
}
