package io.latimer.pipelines.stages;

import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.SourcePhrase;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Converts the phrase tables of one batch to records, which share the translations of phrases. */
final class PhraseTableRecords {
  /** Maximum number of corrections, the newest ones, that a translation names. */
  private static final int CORRECTIONS = 3;

  private final int best;
  private final int maxTranslations;

  /** Converted phrases by number, without their positions; null for one that was not met yet. */
  private final List<SentencePhrase> made = new ArrayList<>();

  /**
   * Sets the maximum size of a table.
   *
   * @param best translations of each phrase, the most frequent ones; 1 or more
   * @param maxTranslations translations of all phrases; 1 or more. Every phrase keeps its best one
   *     as long as possible, then its second, and so on; the last ones go to the most frequent
   *     phrases, and of equally frequent ones to the first
   */
  PhraseTableRecords(int best, int maxTranslations) {
    this.best = best;
    this.maxTranslations = maxTranslations;
  }

  /** Converts a table: its phrases with translations, and the number left out. */
  SentencePhraseTable.Builder of(PhraseTable table) {
    List<SentencePhrase> phrases = new ArrayList<>();
    for (SourcePhrase phrase : table.phrases()) {
      SentencePhrase any = made(phrase);
      if (!any.getTranslations().isEmpty()) {
        phrases.add(with(any, phrase.from(), any.getTranslations()));
      }
    }
    long size = size(phrases);
    List<SentencePhrase> kept = size > maxTranslations ? cut(phrases) : phrases;
    return SentencePhraseTable.newBuilder()
        .setPhrases(kept)
        .setOmittedPhrases(phrases.size() - kept.size())
        .setOmittedTranslations(Math.toIntExact(size - size(kept)));
  }

  private SentencePhrase made(SourcePhrase phrase) {
    int number = phrase.number();
    while (made.size() <= number) {
      made.add(null);
    }
    SentencePhrase known = made.get(number);
    if (known == null) {
      known = record(phrase);
      made.set(number, known);
    }
    return known;
  }

  private static long size(List<SentencePhrase> phrases) {
    return phrases.stream().mapToLong(phrase -> phrase.getTranslations().size()).sum();
  }

  /** Reduces the phrases and their translations to as many as fit. */
  private List<SentencePhrase> cut(List<SentencePhrase> phrases) {
    int[] kept = kept(phrases);
    List<SentencePhrase> some = new ArrayList<>();
    for (int i = 0; i < kept.length; i++) {
      if (kept[i] > 0) {
        SentencePhrase phrase = phrases.get(i);
        some.add(with(phrase, phrase.getFrom(), phrase.getTranslations().subList(0, kept[i])));
      }
    }
    return some;
  }

  /** The number of translations to keep of each phrase. */
  private int[] kept(List<SentencePhrase> phrases) {
    // a stable sort: equally frequent ones stay in order
    int[] byFrequency =
        IntStream.range(0, phrases.size())
            .boxed()
            .sorted(Comparator.comparing(i -> -phrases.get(i).getOccurrences()))
            .mapToInt(i -> i)
            .toArray();
    int[] kept = new int[phrases.size()];
    int left = maxTranslations;
    for (int rank = 0; left > 0; rank++) {
      for (int i : byFrequency) {
        if (left > 0 && rank < phrases.get(i).getTranslations().size()) {
          kept[i]++;
          left--;
        }
      }
    }
    return kept;
  }

  private SentencePhrase record(SourcePhrase phrase) {
    List<PhrasePair> pairs = phrase.pairs();
    int kept = Math.min(best, pairs.size());
    List<PhraseTranslation> translations = new ArrayList<>(kept);
    for (int i = 0; i < kept; i++) {
      translations.add(record(pairs.get(i)));
    }
    return new SentencePhrase(
        phrase.from(),
        phrase.words(),
        phrase.text(),
        phrase.occurrences(),
        phrase.samples(),
        phrase.extractions(),
        phrase.coherence(),
        translations);
  }

  private static PhraseTranslation record(PhrasePair pair) {
    int learned = pair.learned();
    return new PhraseTranslation(
        pair.text(),
        pair.count(),
        pair.probability(),
        pair.lexicalTargetGivenSource(),
        pair.lexicalSourceGivenTarget(),
        learned,
        learned == 0 ? List.of() : learnedFrom(pair));
  }

  private static List<LearnedFrom> learnedFrom(PhrasePair pair) {
    return pair.corrections(CORRECTIONS).stream()
        .map(one -> new LearnedFrom(one.id(), Instant.ofEpochMilli(one.time())))
        .toList();
  }

  private static SentencePhrase with(
      SentencePhrase phrase, int from, List<PhraseTranslation> translations) {
    return new SentencePhrase(
        from,
        phrase.getWords(),
        phrase.getText(),
        phrase.getOccurrences(),
        phrase.getSamples(),
        phrase.getExtractions(),
        phrase.getCoherence(),
        translations);
  }
}
