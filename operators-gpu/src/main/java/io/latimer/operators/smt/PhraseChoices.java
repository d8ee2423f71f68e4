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
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    List<SourcePhrase> distinct = distinct(tables);
    Choice[][] phrases = new Choice[distinct.size()][];
    team.forEach(phrases.length, SHARE, i -> phrases[i] = choices(distinct.get(i)));
    score(List.of(phrases), team);
    team.forEach(phrases.length, SHARE, i -> phrases[i] = best(phrases[i]));
    List<Choice[][][]> lattices = new ArrayList<>(Collections.nCopies(sentences.size(), null));
    team.forEach(
        sentences.size(),
        1,
        i -> lattices.set(i, lattice(sentences.get(i), tables.get(i), phrases)));
    List<Choice[]> copied = new ArrayList<>();
    for (int i = 0; i < sentences.size(); i++) {
      copyUnknown(sentences.get(i), lattices.get(i), copied);
    }
    score(copied, team);
    return new Lattices(lattices, numbered(List.of(phrases), copied));
  }

  /** Numbers the choices, those for a phrase consecutively. */
  private static Choice[] numbered(List<Choice[]> phrases, List<Choice[]> copied) {
    List<Choice> all = new ArrayList<>();
    for (List<Choice[]> some : List.of(phrases, copied)) {
      for (Choice[] phrase : some) {
        for (Choice choice : phrase) {
          choice.number = all.size();
          all.add(choice);
        }
      }
    }
    return all.toArray(Choice[]::new);
  }

  /** The distinct phrases of a batch, by their numbers. */
  private static List<SourcePhrase> distinct(List<PhraseTable> tables) {
    List<SourcePhrase> distinct = new ArrayList<>();
    for (PhraseTable table : tables) {
      for (SourcePhrase phrase : table.phrases()) {
        while (distinct.size() <= phrase.number()) {
          distinct.add(null);
        }
        distinct.set(phrase.number(), phrase);
      }
    }
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
  private void score(List<Choice[]> phrases, Team team) {
    List<LmSentence> asked = new ArrayList<>();
    int[] firsts = new int[phrases.size()];
    for (int i = 0; i < firsts.length; i++) {
      firsts[i] = asked.size();
      for (Choice choice : phrases.get(i)) {
        asked.add(LmSentence.after(LmState.NONE, choice.words));
      }
    }
    List<Result<WordScores>> answers = lm.apply(asked);
    team.forEach(
        firsts.length,
        SHARE,
        i -> {
          int at = firsts[i];
          for (Choice choice : phrases.get(i)) {
            WordScores words = answers.get(at++).orElseThrow();
            double learned = gain == null ? 0 : gain.log10(choice.identity, words);
            choice.score(weights, learned, words.total());
          }
        });
  }

  private Choice[] best(Choice[] choices) {
    Arrays.sort(choices, BEST_FIRST); // stable: equal ones stay in the order of the table
    return choices.length > most ? Arrays.copyOf(choices, most) : choices;
  }

  private static Choice[][][] lattice(
      SentenceWords sentence, PhraseTable table, Choice[][] phrases) {
    int[] words = numbered(sentence);
    Choice[][][] lattice = new Choice[words.length][1][];
    for (SourcePhrase phrase : table.phrases()) {
      Choice[] choices = phrases[phrase.number()];
      int length = phrase.words();
      if (choices.length == 0) {
        continue;
      }
      // the table has only the first occurrence of a phrase
      for (int from = phrase.from(); from + length <= words.length; from++) {
        int first = phrase.from();
        if (Arrays.equals(words, first, first + length, words, from, from + length)) {
          if (lattice[from].length < length) {
            lattice[from] = Arrays.copyOf(lattice[from], length);
          }
          lattice[from][length - 1] = choices;
        }
      }
    }
    return lattice;
  }

  /** The words of a sentence as numbers: equal ones for equal words. */
  private static int[] numbered(SentenceWords sentence) {
    Map<String, Integer> numbers = new HashMap<>();
    int[] words = new int[sentence.size()];
    for (int i = 0; i < words.length; i++) {
      words[i] = numbers.computeIfAbsent(sentence.word(i), word -> numbers.size());
    }
    return words;
  }

  private void copyUnknown(SentenceWords sentence, Choice[][][] lattice, List<Choice[]> copied) {
    for (int i = 0; i < lattice.length; i++) {
      if (lattice[i][0] == null) {
        double[] features = new double[Feature.COUNT];
        features[Feature.WORDS.column] = 1;
        features[Feature.PHRASES.column] = 1;
        features[Feature.UNKNOWN.column] = -1;
        String word = sentence.word(i);
        int known = index.target().id(word);
        int identity = known == PhraseSections.END ? -1 - place(sentence, word) : known;
        int id = lm.model().vocabulary().id(word);
        lattice[i][0] = new Choice[] {Choice.copy(identity, id, features)};
        copied.add(lattice[i][0]);
      }
    }
  }

  /** The first place of one of a sentence's words. */
  private static int place(SentenceWords sentence, String word) {
    int place = 0;
    while (!sentence.word(place).equals(word)) {
      place++;
    }
    return place;
  }
}
