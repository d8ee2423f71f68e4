package io.latimer.operators.smt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.TargetBigrams;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * Translates tokenized sentences by phrases: extracts the phrases of the batch, chooses their best
 * translations and searches the sentences. Phrases and language model work on the devices that they
 * were opened on; the search runs on the GPU that has the language model, or else on all cores.
 *
 * <p>A batch that is too large to be searched at once is searched in parts. The search is exact if
 * {@link SearchOptions} limit nothing but distortion. Results do not depend on the other sentences
 * of a batch, nor on where they are searched.
 */
public final class DecodePhrases implements BatchOperator<SentenceWords, List<Derivation>> {
  /** Words of the longest sentence. */
  public static final int MAX_WORDS = 4096;

  private final Phrases phrases;
  private final Score score;
  private final ScoreWords lm;
  private final SearchOptions options;
  private TargetBigrams taught = TargetBigrams.NONE;
  private FeatureWeights weights;
  private PhraseChoices choices;
  private final Team team = new Team(Team.defaultThreads());
  private final SearchLattices search;
  private volatile DecodePhrasesTimes times = DecodePhrasesTimes.NONE;
  private final Closer closer = new Closer();
  private boolean closed;

  /**
   * Makes a decoder. It searches on the GPU that has the language model, if that has one in layout
   * hash; else on all cores.
   *
   * @param phrases closed with this object
   * @param score its language model is of the target language, with words as in the phrase index;
   *     closed with this object
   * @throws OperatorException if the device is unusable, or out of memory
   */
  public DecodePhrases(
      Phrases phrases, Score score, FeatureWeights weights, SearchOptions options) {
    this(phrases, score, weights, options, team -> search(score.words(), options, team));
  }

  /**
   * The same with any searcher.
   *
   * @param search makes the searcher, whose work a team may share; closed with this object
   */
  DecodePhrases(
      Phrases phrases,
      Score score,
      FeatureWeights weights,
      SearchOptions options,
      Function<Team, SearchLattices> search) {
    this.phrases = phrases;
    this.score = score;
    this.lm = score.words();
    this.options = options;
    this.search = search.apply(team);
    closer.add(score);
    closer.add(phrases);
    closer.add(this.search); // first, as it may use the language model's memory
    reweight(weights);
  }

  /** A decoder that searches on all cores, wherever the language model is; to compare. */
  public static DecodePhrases onCores(
      Phrases phrases, Score score, FeatureWeights weights, SearchOptions options) {
    return new DecodePhrases(
        phrases, score, weights, options, team -> searchOnCores(score.words(), options, team));
  }

  private static SearchLattices search(ScoreWords lm, SearchOptions options, Team team) {
    SearchLattices onCores = searchOnCores(lm, options, team);
    return lm.onGpu()
        .filter(SearchLatticesGpu::canSearch)
        .<SearchLattices>map(model -> new SearchLatticesGpu(model, options, team, onCores))
        .orElse(onCores);
  }

  private static SearchLattices searchOnCores(ScoreWords lm, SearchOptions options, Team team) {
    return new SearchLatticesCpu(lm, options, team, lm.onGpu().isPresent());
  }

  /** Changes the weights of the features, for the sentences from now on. */
  public void reweight(FeatureWeights changed) {
    weights = changed;
    choices = new PhraseChoices(lm, phrases.index(), taught, changed, options.translations());
  }

  /** Counts words that the index file was taught for the language model, from now on. */
  void teach(TargetBigrams words) {
    taught = words;
    reweight(weights);
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
      int words = batch.get(i).size();
      if (words > MAX_WORDS) {
        results.set(i, Result.failure(SentenceWords.tooLong(words, MAX_WORDS, "are translated")));
      } else if (tables.get(i) instanceof Result.Failure<PhraseTable> failure) {
        results.set(i, Result.failure(failure.error()));
      } else {
        sentences.add(batch.get(i));
        found.add(tables.get(i).orElseThrow());
      }
    }
    Lattices lattices = choices.of(sentences, found, team);
    long chosen = System.nanoTime();
    List<List<Derivation>> best = new ArrayList<>(Collections.nCopies(sentences.size(), null));
    long asking = search.search(lattices, weights, best);
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

  @Override
  public void close() {
    closed = true;
    closer.close();
  }
}
