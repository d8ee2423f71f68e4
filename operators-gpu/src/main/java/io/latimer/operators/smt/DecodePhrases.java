package io.latimer.operators.smt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.WordScores;
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
 * language model work on the device that they were opened on; the search runs on all cores.
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
   * memory: some 100 bytes each. With usual options these are 170 sentences of 20 words, far more
   * than keep a device busy.
   */
  private static final long MOST_CANDIDATES = 1 << 21;

  /** What a search needs beside its steps, as a number of steps. */
  private static final int STEPS_OF_A_SEARCH = 4;

  private final Phrases phrases;
  private final Score score;
  private final ScoreWords lm;
  private final SearchOptions options;
  private FeatureWeights weights;
  private PhraseChoices choices;
  private final Team team = new Team(Team.defaultThreads(), "smt");
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
    this.phrases = phrases;
    this.score = score;
    this.lm = score.words();
    this.options = options;
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
   * @return the nanoseconds that the language model has taken
   */
  private long search(List<Choice[][][]> lattices, List<List<Derivation>> best) {
    StackSearch[] searches = new StackSearch[lattices.size()];
    team.forEach(
        searches.length,
        1,
        i ->
            searches[i] =
                new StackSearch(lattices.get(i), weights, options, lm.model().beginState()));
    long asking = search(searches);
    team.forEach(searches.length, 1, i -> best.set(i, searches[i].best()));
    return asking;
  }

  /** Runs searches in step; gives the nanoseconds that the language model has taken. */
  private long search(StackSearch[] searches) {
    int steps = 0;
    for (StackSearch search : searches) {
      steps = Math.max(steps, search.steps());
    }
    long asking = 0;
    List<List<LmSentence>> asked = new ArrayList<>();
    for (int i = 0; i < searches.length; i++) {
      asked.add(new ArrayList<>());
    }
    int[] firsts = new int[searches.length];
    for (int s = 1; s <= steps; s++) {
      int step = s;
      team.forEach(
          searches.length,
          1,
          i -> {
            asked.get(i).clear();
            if (step <= searches[i].steps()) {
              searches[i].begin(step, asked.get(i));
            }
          });
      List<LmSentence> all = new ArrayList<>();
      for (int i = 0; i < searches.length; i++) {
        firsts[i] = all.size();
        all.addAll(asked.get(i));
      }
      long start = System.nanoTime();
      List<Result<WordScores>> answers = lm.apply(all);
      asking += System.nanoTime() - start;
      team.forEach(
          searches.length,
          1,
          i -> {
            if (step <= searches[i].steps()) {
              searches[i].end(step, answers, firsts[i]);
            }
          });
    }
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
    team.close();
    try {
      phrases.close();
    } finally {
      score.close();
    }
  }
}
