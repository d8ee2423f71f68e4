package io.latimer.operators.nmt;

import io.latimer.operators.text.KeptSpan;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.numbers.NumberLanguage;
import io.latimer.operators.text.numbers.NumberSpan;
import io.latimer.operators.text.terms.TermMatch;
import io.latimer.operators.text.terms.Terminology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The numbers and terms of a sentence, which its translation must have. */
final class SentenceNeeds {
  private final String source;
  private final Terminology terminology;
  private final List<TermMatch> terms;
  private final NumberLanguage from; // null if numbers are not checked
  private final NumberLanguage to;
  private final List<NumberSpan> numbers;
  private final List<NumberSpan> words;

  private SentenceNeeds(
      String source,
      Terminology terminology,
      List<TermMatch> terms,
      NumberLanguage from,
      NumberLanguage to,
      List<NumberSpan> numbers,
      List<NumberSpan> words) {
    this.source = source;
    this.terminology = terminology;
    this.terms = terms;
    this.from = from;
    this.to = to;
    this.numbers = numbers;
    this.words = words;
  }

  /**
   * Finds them.
   *
   * @param kept parts that the model does not see, which are neither
   */
  static SentenceNeeds of(
      SourceSentence sentence,
      List<KeptSpan> kept,
      Safeguards safeguards,
      Terminology terminology) {
    String source = sentence.raw();
    BitSet taken = new BitSet(source.length());
    kept.forEach(span -> taken.set(span.start(), span.end()));
    List<TermMatch> terms = new ArrayList<>();
    for (TermMatch match : terminology.find(source)) {
      if (taken.get(match.start(), match.end()).isEmpty()) {
        terms.add(match);
        taken.set(match.start(), match.end());
      }
    }
    if (!safeguards.numbers()) {
      return new SentenceNeeds(source, terminology, terms, null, null, List.of(), List.of());
    }
    NumberLanguage from = language(sentence.sourceLanguage());
    NumberLanguage to = language(sentence.targetLanguage());
    List<NumberSpan> numbers = from.find(source, taken::get);
    numbers.forEach(number -> taken.set(number.start(), number.end()));
    List<NumberSpan> words =
        from.hasWords() && to.hasWords()
            ? from.findWords(source).stream()
                .filter(word -> taken.get(word.start(), word.end()).isEmpty())
                .toList()
            : List.of();
    return new SentenceNeeds(source, terminology, terms, from, to, numbers, words);
  }

  /** The numbers of a language, however its name is spelled; those of no language if unknown. */
  private static NumberLanguage language(String name) {
    try {
      return NumberLanguage.of(name.replace('_', '-'));
    } catch (IllegalArgumentException e) {
      return NumberLanguage.of("und");
    }
  }

  /**
   * The parts of the source that a translation lacks, and what it must have in their place. If it
   * has a number that its source has not, all numbers count as lost.
   *
   * @param withWords whether numbers in words count
   */
  List<KeptSpan> lacking(String translation, boolean withWords) {
    List<KeptSpan> lacking = new ArrayList<>();
    for (TermMatch match : terminology.unmet(terms, translation)) {
      lacking.add(new KeptSpan(match.start(), match.end(), terminology.form(match)));
    }
    List<NumberSpan> lost = new ArrayList<>();
    lost.addAll(invents(translation) ? numbers : missing(numbers, translation));
    if (withWords) {
      lost.addAll(missing(words, translation));
    }
    for (NumberSpan number : lost) {
      lacking.add(new KeptSpan(number.start(), number.end(), to.write(number)));
    }
    lacking.sort(Comparator.comparingInt(KeptSpan::start));
    return lacking;
  }

  private List<NumberSpan> missing(List<NumberSpan> source, String translation) {
    return source.isEmpty() ? source : to.missing(source, translation);
  }

  private boolean invents(String translation) {
    return to != null && !to.extra(from, source, translation).isEmpty();
  }

  /** What is wrong with a translation. */
  Set<TranslationFlag> flags(String translation) {
    Set<TranslationFlag> flags = EnumSet.noneOf(TranslationFlag.class);
    if (!terminology.unmet(terms, translation).isEmpty()) {
      flags.add(TranslationFlag.TERMS);
    }
    if (!missing(numbers, translation).isEmpty()
        || !missing(words, translation).isEmpty()
        || invents(translation)) {
      flags.add(TranslationFlag.NUMBERS);
    }
    return flags;
  }
}
