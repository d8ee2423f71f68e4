package io.latimer.operators.smt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Translates tokenized sentences by phrases: extracts the phrases of the batch, then searches all
 * sentences in step, so that each step asks the language model once for all of them. Phrases and
 * language model work on the devices that they were opened on; the search runs on all cores.
 *
 * <p>A batch that is too large to be searched at once is searched in parts. The best translation is
 * found if {@link SearchOptions} limit nothing but distortion. Results do not depend on the other
 * sentences of a batch.
 */
public final class DecodePhrases implements BatchOperator<SentenceWords, List<Derivation>> {
  /** Words of the longest sentence. */
  public static final int MAX_WORDS = 4096;

  /**
   * Extensions that all steps of the sentences searched together may score, which bounds their
   * memory: some 60 bytes each, 250 MB in all, and more for n-best lists. With usual options these
   * are 350 sentences of 20 words, in a half of which a step asks for at most 87,500 extensions:
   * not many for a GPU.
   */
  private static final long MOST_CANDIDATES = 1 << 22;

  /** What a search needs beside its steps, as a number of steps. */
  private static final int STEPS_OF_A_SEARCH = 4;

  private final Phrases phrases;
  private final Score score;
  private final ScoreWords lm;
  private final SearchOptions options;
  private FeatureWeights weights;
  private PhraseChoices choices;
  private final Team team = new Team(Team.defaultThreads(), "smt");
  private final SearchSteps steps;
  private volatile DecodePhrasesTimes times = DecodePhrasesTimes.NONE;
  private boolean closed;

  /**
   * Makes a decoder.
   *
   * @param phrases closed with this object
   * @param score its language model is of the target language, with words as in the phrase index;
   *     closed with this object
   */
  public DecodePhrases(
      Phrases phrases, Score score, FeatureWeights weights, SearchOptions options) {
    this(phrases, score, weights, options, score.words().isOnGpu());
  }

  /**
   * The same.
   *
   * @param overlap whether sentences are searched while the language model is asked for others
   */
  DecodePhrases(
      Phrases phrases,
      Score score,
      FeatureWeights weights,
      SearchOptions options,
      boolean overlap) {
    this.phrases = phrases;
    this.score = score;
    this.lm = score.words();
    this.options = options;
    this.steps = new SearchSteps(lm, team, overlap);
    reweight(weights);
  }

  /** Changes the weights of the features, for the sentences from now on. */
  public void reweight(FeatureWeights changed) {
    weights = changed;
    choices = new PhraseChoices(lm, phrases.index(), changed, options.translations());
  }

  /** The phrase index, whose target words the derivations have. */
  public PhraseIndex index() {
    return phrases.index();
  }

  /** The language model. */
  public LanguageModel languageModel() {
    return score.model();
  }

  /** The weights of the features. */
  public FeatureWeights weights() {
    return weights;
  }

  /** How it searches. */
  public SearchOptions options() {
    return options;
  }

  /** The time that each part of the work has taken since this object was made. */
  public DecodePhrasesTimes times() {
    return times;
  }

  /** The best translations of each sentence, best first: at least one, with different words. */
  @Override
  public List<Result<List<Derivation>>> apply(List<SentenceWords> batch) {
    if (closed) {
      throw new OperatorException("the decoder is closed; open another");
    }
    long start = System.nanoTime();
    List<Result<PhraseTable>> tables = phrases.applyWords(batch);
    long extracted = System.nanoTime();
    List<Result<List<Derivation>>> results =
        new ArrayList<>(Collections.nCopies(batch.size(), null));
    List<SentenceWords> sentences = new ArrayList<>(batch.size());
    List<PhraseTable> found = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      if (batch.get(i).size() > MAX_WORDS) {
        results.set(i, Result.failure(tooLong(batch.get(i).size())));
      } else if (tables.get(i) instanceof Result.Failure<PhraseTable> failure) {
        results.set(i, Result.failure(failure.error()));
      } else {
        sentences.add(batch.get(i));
        found.add(tables.get(i).orElseThrow());
      }
    }
    List<Choice[][][]> lattices = choices.of(sentences, found, team);
    long chosen = System.nanoTime();
    List<List<Derivation>> best = new ArrayList<>(Collections.nCopies(lattices.size(), null));
    long asking = 0;
    for (int from = 0, to; from < lattices.size(); from = to) {
      to = together(lattices, from);
      asking += search(lattices.subList(from, to), best.subList(from, to));
    }
    int next = 0;
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) == null) {
        results.set(i, Result.of(best.get(next++)));
      }
    }
    times =
        times.plus(
            extracted - start, chosen - extracted, asking, System.nanoTime() - chosen - asking);
    return results;
  }

  /** The target words of a translation; those that are copied as they are in its sentence. */
  public List<String> words(SentenceWords sentence, Derivation translation) {
    List<String> words = new ArrayList<>();
    for (AppliedPhrase phrase : translation.phrases()) {
      for (int i = 0; i < phrase.targetWords(); i++) {
        words.add(
            phrase.isCopied()
                ? sentence.word(phrase.from())
                : index().target().word(phrase.target(i)));
      }
    }
    return words;
  }

  /** The end of the sentences from one on that are searched together: as many as have room. */
  private int together(List<Choice[][][]> lattices, int from) {
    long room = MOST_CANDIDATES;
    int to = from;
    do {
      room -= (long) options.candidates() * (lattices.get(to).length + STEPS_OF_A_SEARCH);
      to++;
    } while (to < lattices.size() && room > 0);
    return to;
  }

  /**
   * Searches sentences together.
   *
   * @param best takes their translations
   * @return the nanoseconds that they have waited for the language model
   */
  private long search(List<Choice[][][]> lattices, List<List<Derivation>> best) {
    StackSearch[] searches = new StackSearch[lattices.size()];
    team.forEach(
        searches.length,
        1,
        i ->
            searches[i] =
                new StackSearch(lattices.get(i), weights, options, lm.model().beginState()));
    long asking = steps.run(searches);
    team.forEach(searches.length, 1, i -> best.set(i, searches[i].best()));
    return asking;
  }

  private static RecordException tooLong(int words) {
    return new RecordException(
        "the sentence has "
            + words
            + " words, more than the "
            + MAX_WORDS
            + " that are translated; split it");
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    steps.close();
    team.close();
    try {
      phrases.close();
    } finally {
      score.close();
    }
  }
}
