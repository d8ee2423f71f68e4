package io.latimer.operators.lm;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Team;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Scores texts by a language model: their words, parted as {@link LmText} says, and each text as a
 * whole. Words are looked up on all cores, and scored where the {@link ScoreWords} works.
 */
public final class Score implements BatchOperator<String, Scored> {
  private static final int TEXTS_PER_PART = 64;

  private final ScoreWords words;
  private final ScoreOptions options;
  private final Team team;
  private final Runnable release;
  private boolean closed;

  /**
   * Makes a scorer of texts.
   *
   * @param words scores the words; closed with it
   * @param threads that look words up, 1 or more
   * @param release gives back what the model came from, when all else is closed
   */
  public Score(ScoreWords words, ScoreOptions options, int threads, Runnable release) {
    this.words = words;
    this.options = options;
    this.team = new Team(threads, "lm-words");
    this.release = release;
  }

  /** The model. */
  public LanguageModel model() {
    return words.model();
  }

  /** How texts are scored. */
  public ScoreOptions options() {
    return options;
  }

  @Override
  public List<Result<Scored>> apply(List<String> batch) {
    return score(batch.size(), i -> batch.get(i).getBytes(StandardCharsets.UTF_8));
  }

  /** The same for texts that are bytes, in the encoding of the model's words. */
  public List<Result<Scored>> applyBytes(List<byte[]> batch) {
    return score(batch.size(), batch::get);
  }

  private List<Result<Scored>> score(int size, IntFunction<byte[]> text) {
    if (closed) {
      throw new OperatorException("the scorer is closed");
    }
    LmVocabulary vocabulary = words.model().vocabulary();
    LmSentence[] sentences = new LmSentence[size];
    team.run(
        (size + TEXTS_PER_PART - 1) / TEXTS_PER_PART,
        part -> {
          int to = Math.min(size, (part + 1) * TEXTS_PER_PART);
          for (int i = part * TEXTS_PER_PART; i < to; i++) {
            byte[] bytes = text.apply(i);
            int[] ids = LmText.ids(vocabulary, bytes, 0, bytes.length);
            sentences[i] = new LmSentence(ids, options.begin(), options.end(), LmState.NONE);
          }
        });
    List<Result<WordScores>> scores = words.apply(Arrays.asList(sentences));
    List<Result<Scored>> results = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      results.add(
          scores.get(i) instanceof Result.Failure<WordScores> failure
              ? Result.failure(failure.error())
              : Result.of(new Scored(sentences[i], scores.get(i).orElseThrow())));
    }
    return results;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    team.close();
    try {
      words.close();
    } finally {
      release.run();
    }
  }
}
