package io.latimer.operators.smt;

import io.latimer.operators.Result;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.WordScores;
import io.latimer.operators.lm.model.LmState;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.SourcePhrase;
import io.latimer.operators.phrases.index.LearnedSegment;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseSections;
import io.latimer.operators.phrases.index.TargetBigrams;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.ObjIntConsumer;

/**
 * Makes the choices of a batch of sentences from their phrase tables: the best translations of each
 * phrase, by their features and the language model's score without context. A phrase that several
 * sentences share is processed once.
 */
final class PhraseChoices {
  /** Phrases that a thread processes at a time. */
  private static final int SHARE = 32;

  private static final Choice[] NONE = {};

  private static final Comparator<Choice> BEST_FIRST =
      Comparator.comparingDouble((Choice choice) -> -choice.expected);

  private final ScoreWords lm;
  private final PhraseIndex index;
  private final FeatureWeights weights;
  private final int most;
  private final LanguageModelGain gain; // null without learned pairs
  private final int[] lmIds; // by id in the index, the model's id plus 1; 0 if not looked up yet

  /**
   * Makes no choices yet.
   *
   * @param taught of pairs that the index file was taught
   * @param most maximum translations of a phrase that are kept
   */
  PhraseChoices(
      ScoreWords lm, PhraseIndex index, TargetBigrams taught, FeatureWeights weights, int most) {
    this.lm = lm;
    this.index = index;
    this.weights = weights;
    this.most = most;
    LearnedSegment segment = index.learnedSegment();
    TargetBigrams learned = segment == null ? TargetBigrams.NONE : segment.bigrams();
    this.gain =
        learned.words() == 0 && taught.words() == 0 ? null : new LanguageModelGain(learned, taught);
    this.lmIds = new int[index.target().size()];
  }

  /** The choices of sentences. A word without a translation has the choice to be copied. */
  Lattices of(List<SentenceWords> sentences, List<PhraseTable> tables, Team team) {
    int size = sentences.size();
    SourcePhrase[][] found = new SourcePhrase[size][];
    team.forEach(size, SHARE, i -> found[i] = tables.get(i).phrases().toArray(SourcePhrase[]::new));
    SourcePhrase[] distinct = distinct(found, team);
    Choice[][] phrases = new Choice[distinct.length][];
    team.forEach(phrases.length, SHARE, i -> phrases[i] = choices(distinct[i]));
    score(phrases, team);
    team.forEach(phrases.length, SHARE, i -> phrases[i] = best(phrases[i]));
    Choice[][][][] lattices = new Choice[size][][][];
    Choice[][] copied = new Choice[size][];
    team.forEach(
        size,
        1,
        i -> {
          int[] words = sentences.get(i).firstPlaces();
          lattices[i] = lattice(words, found[i], phrases);
          copied[i] = copyUnknown(sentences.get(i), words, lattices[i]);
        });
    score(copied, team);
    Choice[][] all = Arrays.copyOf(phrases, phrases.length + size);
    System.arraycopy(copied, 0, all, phrases.length, size);
    return new Lattices(Arrays.asList(lattices), numbered(all, team));
  }

  /** Numbers the choices, those for a phrase consecutively. */
  private static Choice[] numbered(Choice[][] phrases, Team team) {
    int[] firsts = firsts(phrases);
    Choice[] all = new Choice[firsts[phrases.length]];
    forEach(
        phrases,
        firsts,
        team,
        (choice, at) -> {
          choice.number = at;
          all[at] = choice;
        });
    return all;
  }

  /** Calls an action with each choice and its number among all. */
  private static void forEach(
      Choice[][] phrases, int[] firsts, Team team, ObjIntConsumer<Choice> action) {
    team.forEach(
        phrases.length,
        SHARE,
        i -> {
          int at = firsts[i];
          for (Choice choice : phrases[i]) {
            action.accept(choice, at++);
          }
        });
  }

  /** Per phrase, the number of choices before its own; and the number of all. */
  private static int[] firsts(Choice[][] phrases) {
    int[] firsts = new int[phrases.length + 1];
    for (int i = 0; i < phrases.length; i++) {
      firsts[i + 1] = Math.addExact(firsts[i], phrases[i].length);
    }
    return firsts;
  }

  /** The distinct phrases of a batch, by their numbers; null for those that no sentence has. */
  private static SourcePhrase[] distinct(SourcePhrase[][] found, Team team) {
    int[] ends = new int[found.length];
    team.forEach(
        found.length,
        SHARE,
        i -> {
          for (SourcePhrase phrase : found[i]) {
            ends[i] = Math.max(ends[i], phrase.number() + 1);
          }
        });
    SourcePhrase[] distinct = new SourcePhrase[Arrays.stream(ends).max().orElse(0)];
    team.forEach(
        found.length,
        SHARE,
        i -> {
          for (SourcePhrase phrase : found[i]) {
            distinct[phrase.number()] = phrase; // any sentence's: its translations are the same
          }
        });
    return distinct;
  }

  private Choice[] choices(SourcePhrase phrase) {
    if (phrase == null || phrase.words() > SearchOptions.MAX_PHRASE) {
      return NONE; // no sentence has it, or it is too long for a search
    }
    List<PhrasePair> pairs = phrase.pairs();
    double coherence = Math.log10(phrase.coherence());
    boolean single = phrase.extractions() == 1;
    Choice[] choices = new Choice[pairs.size()];
    for (int i = 0; i < choices.length; i++) {
      PhrasePair pair = pairs.get(i);
      int[] target = pair.target();
      double[] features = new double[Feature.COUNT];
      features[Feature.TRANSLATION.column] = Math.log10(pair.probability());
      features[Feature.LEXICAL_TARGET.column] = -pair.lexicalTargetGivenSource();
      features[Feature.LEXICAL_SOURCE.column] = -pair.lexicalSourceGivenTarget();
      features[Feature.COHERENCE.column] = coherence;
      features[Feature.FREQUENCY.column] = Math.log10(1 + pair.count());
      features[Feature.SINGLETONS.column] = (single ? 1 : 0) + (pair.count() == 1 ? 1 : 0);
      features[Feature.WORDS.column] = target.length;
      features[Feature.PHRASES.column] = 1;
      choices[i] = new Choice(phrase.words(), target, lmIds(target), features);
    }
    return choices;
  }

  /** The ids of target words in the language model. */
  private int[] lmIds(int[] target) {
    int[] ids = new int[target.length];
    for (int i = 0; i < ids.length; i++) {
      int known = lmIds[target[i]]; // threads that look up the same word store the same number
      if (known == 0) {
        byte[] word = index.target().bytes(target[i]);
        known = 1 + lm.model().vocabulary().id(word, 0, word.length);
        lmIds[target[i]] = known;
      }
      ids[i] = known - 1;
    }
    return ids;
  }

  /** Sets the scores of choices, for which it asks the language model. */
  private void score(Choice[][] phrases, Team team) {
    int[] firsts = firsts(phrases);
    LmSentence[] asked = new LmSentence[firsts[phrases.length]];
    forEach(
        phrases,
        firsts,
        team,
        (choice, at) -> asked[at] = LmSentence.after(LmState.NONE, choice.words));
    List<Result<WordScores>> answers = lm.apply(Arrays.asList(asked));
    forEach(
        phrases,
        firsts,
        team,
        (choice, at) -> {
          WordScores words = answers.get(at).orElseThrow();
          double learned = gain == null ? 0 : gain.log10(choice.identity, words);
          choice.score(weights, learned, words.total());
        });
  }

  private Choice[] best(Choice[] choices) {
    Arrays.sort(choices, BEST_FIRST); // stable: equal ones stay in the order of the table
    return choices.length > most ? Arrays.copyOf(choices, most) : choices;
  }

  /**
   * The choices of a sentence.
   *
   * @param words per word, the first place of an equal one
   * @param found the first occurrence of each phrase
   */
  private static Choice[][][] lattice(int[] words, SourcePhrase[] found, Choice[][] phrases) {
    Choice[][][] lattice = new Choice[words.length][1][];
    for (SourcePhrase phrase : found) {
      Choice[] choices = phrases[phrase.number()];
      int length = phrase.words();
      if (choices.length == 0) {
        continue;
      }
      int first = phrase.from();
      for (int from = first; from + length <= words.length; from++) {
        if (words[from] == words[first]
            && Arrays.equals(words, first, first + length, words, from, from + length)) {
          if (lattice[from].length < length) {
            lattice[from] = Arrays.copyOf(lattice[from], length);
          }
          lattice[from][length - 1] = choices;
        }
      }
    }
    return lattice;
  }

  /**
   * Adds the choice to copy each word that has no translation.
   *
   * @param words as above
   * @return the added choices
   */
  private Choice[] copyUnknown(SentenceWords sentence, int[] words, Choice[][][] lattice) {
    List<Choice> copied = new ArrayList<>();
    for (int i = 0; i < lattice.length; i++) {
      if (lattice[i][0] == null) {
        double[] features = new double[Feature.COUNT];
        features[Feature.WORDS.column] = 1;
        features[Feature.PHRASES.column] = 1;
        features[Feature.UNKNOWN.column] = -1;
        String word = sentence.word(i);
        int known = index.target().id(word);
        int identity = known == PhraseSections.END ? -1 - words[i] : known;
        int id = lm.model().vocabulary().id(word);
        Choice choice = Choice.copy(identity, id, features);
        lattice[i][0] = new Choice[] {choice};
        copied.add(choice);
      }
    }
    return copied.toArray(Choice[]::new);
  }
}
