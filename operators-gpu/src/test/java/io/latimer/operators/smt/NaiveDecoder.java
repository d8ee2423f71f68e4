package io.latimer.operators.smt;

import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.model.LmState;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.SourcePhrase;
import io.latimer.operators.phrases.index.LearnedPairs;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Every translation that the phrases of a sentence allow, each scored as a whole sentence. */
final class NaiveDecoder {
  private final SentenceWords sentence;
  private final PhraseTable table;
  private final ScoreWords lm;
  private final List<List<String>> taught; // the words of learned target sentences
  private final int distortion;
  private final List<Whole> found = new ArrayList<>();

  /**
   * A translation: its words, and its features; the language model's has only what learned pairs
   * add.
   */
  private record Whole(List<String> words, Map<Feature, Double> features) {}

  private NaiveDecoder(
      SentenceWords sentence,
      PhraseTable table,
      ScoreWords lm,
      LearnedPairs learned,
      int distortion) {
    this.sentence = sentence;
    this.table = table;
    this.lm = lm;
    this.taught =
        learned.pairs().stream().map(pair -> List.of(pair.target().split(" ", -1))).toList();
    this.distortion = distortion;
  }

  /** The score of the best derivation of each translation, by its words. */
  static Map<String, Double> translations(
      SentenceWords sentence,
      PhraseTable table,
      ScoreWords lm,
      LearnedPairs learned,
      FeatureWeights weights,
      int distortion) {
    NaiveDecoder decoder = new NaiveDecoder(sentence, table, lm, learned, distortion);
    decoder.extend(new BitSet(), 0, List.of(), Map.of());
    List<LmSentence> asked = new ArrayList<>();
    for (Whole whole : decoder.found) {
      asked.add(
          LmSentence.of(
              whole.words.stream().mapToInt(word -> lm.model().vocabulary().id(word)).toArray()));
    }
    Map<String, Double> best = new HashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      Whole whole = decoder.found.get(i);
      double score =
          weights.of(Feature.LANGUAGE_MODEL) * lm.apply(asked).get(i).orElseThrow().total();
      for (Map.Entry<Feature, Double> feature : whole.features.entrySet()) {
        score += weights.of(feature.getKey()) * feature.getValue();
      }
      best.merge(String.join(" ", whole.words), score, Math::max);
    }
    return best;
  }

  private void extend(
      BitSet translated, int end, List<String> words, Map<Feature, Double> features) {
    int gap = translated.nextClearBit(0);
    if (gap == sentence.size()) {
      found.add(new Whole(words, features));
      return;
    }
    for (int from = gap; from < sentence.size(); from++) {
      for (int to = from + 1; to <= sentence.size(); to++) {
        boolean open = translated.get(from, to).isEmpty();
        boolean near = Math.abs(from - end) <= distortion;
        boolean returns = from == gap || to - gap <= distortion;
        if (!open || !near || !returns) {
          continue;
        }
        BitSet more = (BitSet) translated.clone();
        more.set(from, to);
        for (Whole choice : choices(from, to)) {
          List<String> longer = new ArrayList<>(words);
          longer.addAll(choice.words);
          Map<Feature, Double> sum = new HashMap<>(features);
          choice.features.forEach((feature, value) -> sum.merge(feature, value, Double::sum));
          sum.merge(Feature.DISTORTION, -(double) Math.abs(from - end), Double::sum);
          extend(more, to, longer, sum);
        }
      }
    }
  }

  private List<Whole> choices(int from, int to) {
    List<Whole> choices = new ArrayList<>();
    for (SourcePhrase phrase : table.phrases()) {
      if (!phrase.text().equals(sentence.words(from, to))) {
        continue;
      }
      for (PhrasePair pair : phrase.pairs()) {
        double ofPhrase = phrase.extractions() == 1 ? 1 : 0;
        double ofPair = pair.count() == 1 ? 1 : 0;
        List<String> words = List.of(pair.text().split(" ", -1));
        choices.add(
            new Whole(
                words,
                Map.of(
                    Feature.LANGUAGE_MODEL, gain(words),
                    Feature.TRANSLATION, Math.log10(pair.probability()),
                    Feature.LEXICAL_TARGET, -pair.lexicalTargetGivenSource(),
                    Feature.LEXICAL_SOURCE, -pair.lexicalSourceGivenTarget(),
                    Feature.COHERENCE, Math.log10(phrase.coherence()),
                    Feature.FREQUENCY, Math.log10(1 + pair.count()),
                    Feature.SINGLETONS, ofPhrase + ofPair,
                    Feature.WORDS, (double) pair.words(),
                    Feature.PHRASES, 1.0)));
      }
    }
    if (choices.isEmpty() && to == from + 1) {
      choices.add(
          new Whole(
              List.of(sentence.word(from)),
              Map.of(
                  Feature.LANGUAGE_MODEL, gain(List.of(sentence.word(from))),
                  Feature.UNKNOWN, -1.0,
                  Feature.WORDS, 1.0,
                  Feature.PHRASES, 1.0)));
    }
    return choices;
  }

  /** What the learned pairs add for a phrase: 100 words of theirs weigh as much as the model. */
  private double gain(List<String> words) {
    int[] ids = words.stream().mapToInt(word -> lm.model().vocabulary().id(word)).toArray();
    float[] known =
        lm.apply(List.of(LmSentence.after(LmState.NONE, ids))).get(0).orElseThrow().log10();
    double sum = 0;
    for (int i = 0; i < ids.length; i++) {
      List<String> after = words.subList(Math.max(0, i - 1), i);
      List<String> ngram = words.subList(Math.max(0, i - 1), i + 1);
      if (taught(ngram) == 0) {
        after = List.of();
        ngram = List.of(words.get(i));
      }
      if (taught(ngram) > 0) {
        double p = Math.pow(10, known[i]);
        sum += Math.max(0, Math.log10((100 * p + taught(ngram)) / (100 + taught(after)) / p));
      }
    }
    return sum;
  }

  /** How often words occur in the learned target sentences; for none, the number of all words. */
  private int taught(List<String> ngram) {
    int count = 0;
    for (List<String> words : taught) {
      for (int from = 0; from < words.size(); from++) {
        int to = from + ngram.size();
        count += to <= words.size() && words.subList(from, to).equals(ngram) ? 1 : 0;
      }
    }
    return count;
  }
}
