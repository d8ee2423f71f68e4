package io.latimer.operators.lm;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.ListView;
import io.latimer.operators.util.Team;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scores texts by a language model: their words, split as in {@link LmText}, and each text as a
 * whole. Words are looked up and scored on the device of the {@link ScoreWords}.
 */
public final class Score implements BatchOperator<String, Scored> {
  /**
   * The system property that copies language models into native memory when the CPU scores with
   * them: true or false, the default. The system may give such memory large pages.
   */
  public static final String COPY = "latimer.lm.copy";

  private static final Logger LOG = LoggerFactory.getLogger(Score.class);

  private final ScoreWords words;
  private final ScoreOptions options;
  private final Closer closer = new Closer();
  private boolean closed;

  /**
   * Makes a scorer of texts.
   *
   * @param words scores the words; closed with this object
   * @param lease of the words' model; closed last
   */
  public Score(ScoreWords words, ScoreOptions options, Lease<?> lease) {
    closer.add(lease);
    this.words = closer.add(words);
    this.options = options;
  }

  /**
   * An opener of scorers for a model file. The model is loaded once per process and device, shared
   * by all scorers, and released when the last of them is closed.
   */
  public static IndexOpener<Score> opener(ScoreOptions options) {
    return new IndexOpener<>(
        LanguageModel.KIND,
        (residents, ref, device) ->
            device.kind() == Device.Kind.GPU
                ? IndexOpener.own(
                    residents.acquire(
                        ref,
                        device,
                        GpuLanguageModel.class,
                        (file, on) -> new GpuLanguageModel(LanguageModel.open(file), on)),
                    lease -> new Score(new ScoreWordsGpu(lease.get()), options, lease))
                : IndexOpener.own(
                    residents.acquire(
                        ref,
                        device,
                        LanguageModel.class,
                        (file, on) -> inMemory(LanguageModel.open(file), file.path())),
                    lease ->
                        new Score(
                            new ScoreWordsCpu(lease.get(), Team.defaultThreads()),
                            options,
                            lease)));
  }

  /** The model, copied if the user requests it and there is room. */
  private static LanguageModel inMemory(LanguageModel model, Path file) {
    String wanted = System.getProperty(COPY, "false").strip();
    if (!wanted.equals("true") && !wanted.equals("false")) {
      throw new OperatorException(
          "the system property " + COPY + " must be true or false, found " + wanted);
    }
    if (wanted.equals("false")) {
      return model;
    }
    try {
      return model.copied();
    } catch (OutOfMemoryError e) {
      LOG.warn(
          "{} is used in place: a copy has no room ({}); raise -XX:MaxDirectMemorySize",
          file,
          e.getMessage());
      return model;
    }
  }

  /** The model. */
  public LanguageModel model() {
    return words.model();
  }

  /** The scorer of words, for input other than text; closed with this object. */
  public ScoreWords words() {
    return words;
  }

  /**
   * Scores texts.
   *
   * @throws OperatorException if the scorer can no longer work
   */
  public ScoredTexts score(LmTexts texts) {
    if (closed) {
      throw new OperatorException("the scorer is closed; open another");
    }
    return words.score(texts, options);
  }

  /** Scores texts; the results are views, created on demand. */
  @Override
  public List<Result<Scored>> apply(List<String> batch) {
    return results(score(LmTexts.ofStrings(batch)));
  }

  /** The same for texts whose words are shared with other operators. */
  public List<Result<Scored>> applyWords(List<SentenceWords> batch) {
    return results(score(LmTexts.ofWords(batch)));
  }

  private static List<Result<Scored>> results(ScoredTexts texts) {
    return new ListView<>(texts.size(), text -> Result.of(texts.get(text)));
  }

  @Override
  public void close() {
    closed = true;
    closer.close();
  }
}
