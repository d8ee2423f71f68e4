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
  private final List<KeptSpan> kept;
  private final Terminology terminology;
  private final List<TermMatch> terms;
  private final NumberLanguage from; // null if numbers are not checked
  private final NumberLanguage to;
  private final List<NumberSpan> numbers;
  private final List<NumberSpan> words;

  private SentenceNeeds(
      String source,
      List<KeptSpan> kept,
      Terminology terminology,
      List<TermMatch> terms,
      NumberLanguage from,
      NumberLanguage to,
      List<NumberSpan> numbers,
      List<NumberSpan> words) {
    this.source = source;
    this.kept = kept;
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
   * @param own terms of the record, which count before those of the glossary
   */
  static SentenceNeeds of(
      SourceSentence sentence,
      List<KeptSpan> kept,
      Safeguards safeguards,
      Terminology own,
      Terminology glossary) {
    String source = sentence.raw();
    BitSet taken = new BitSet(source.length());
    kept.forEach(span -> taken.set(span.start(), span.end()));
    List<TermMatch> terms = new ArrayList<>();
    for (Terminology terminology : List.of(own, glossary)) {
      for (TermMatch match : terminology.find(source)) {
        if (taken.get(match.start(), match.end()).isEmpty()) {
          terms.add(match);
          taken.set(match.start(), match.end());
        }
      }
    }
    terms.sort(Comparator.comparingInt(TermMatch::start));
    Terminology terminology = own == Terminology.NONE ? glossary : own; // the rules are the same
    if (!safeguards.numbers()) {
      return new SentenceNeeds(source, kept, terminology, terms, null, null, List.of(), List.of());
    }
    NumberLanguage from = language(sentence.sourceLanguage());
    NumberLanguage to = language(sentence.targetLanguage());
    List<NumberSpan> numbers = from.find(source, taken::get);
    numbers.forEach(number -> taken.set(number.start(), number.end()));
    List<NumberSpan> words =
        from.hasWords()
            ? from.findWords(source).stream()
                .filter(word -> taken.get(word.start(), word.end()).isEmpty())
                .toList()
            : List.of();
    if (!words.isEmpty() && !to.hasWords()) { // asked last: the rules of a language load slowly
      words = List.of();
    }
    return new SentenceNeeds(source, kept, terminology, terms, from, to, numbers, words);
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
   * What a translation does not meet.
   *
   * @param lacking the parts of the source that it lacks, and what it must have in their place. If
   *     it has a number that its source has not, all numbers count as lost
   * @param flags {@link TranslationFlag#NUMBERS} and {@link TranslationFlag#TERMS}, as they apply
   */
  record Unmet(List<KeptSpan> lacking, Set<TranslationFlag> flags) {}

  /**
   * Checks a translation.
   *
   * @param withWords whether lost numbers in words are among what it lacks
   */
  Unmet check(String translation, boolean withWords) {
    List<TermMatch> lostTerms = terminology.unmet(terms, translation);
    List<NumberSpan> lostNumbers = missing(numbers, translation);
    List<NumberSpan> lostWords = missing(words, translation);
    boolean invents = to != null && invents(translation);
    List<KeptSpan> lacking = new ArrayList<>();
    for (TermMatch match : lostTerms) {
      lacking.add(new KeptSpan(match.start(), match.end(), terminology.form(match)));
    }
    addNumbers(invents ? numbers : lostNumbers, lacking);
    if (withWords) {
      addNumbers(lostWords, lacking);
    }
    lacking.sort(Comparator.comparingInt(KeptSpan::start));
    Set<TranslationFlag> flags = EnumSet.noneOf(TranslationFlag.class);
    if (!lostTerms.isEmpty()) {
      flags.add(TranslationFlag.TERMS);
    }
    if (!lostNumbers.isEmpty() || !lostWords.isEmpty() || invents) {
      flags.add(TranslationFlag.NUMBERS);
    }
    return new Unmet(lacking, flags);
  }

  /** Its long numbers, as its translation has them. */
  List<KeptSpan> longNumbers() {
    List<KeptSpan> found = new ArrayList<>();
    addNumbers(numbers.stream().filter(NumberSpan::isLong).toList(), found);
    return found;
  }

  private boolean invents(String translation) {
    BitSet places = new BitSet();
    for (KeptSpan span : kept) {
      String text = span.target();
      int at = translation.indexOf(text, places.length());
      if (at < 0) { // the translation has another order
        at = translation.indexOf(text);
        while (at >= 0 && places.get(at)) {
          at = translation.indexOf(text, at + text.length());
        }
      }
      if (at >= 0) {
        places.set(at, at + text.length());
      }
    }
    return !to.extra(from, source, translation, places::get).isEmpty();
  }

  private List<NumberSpan> missing(List<NumberSpan> source, String translation) {
    return source.isEmpty() ? source : to.missing(source, translation);
  }

  private void addNumbers(List<NumberSpan> numbers, List<KeptSpan> lacking) {
    for (NumberSpan number : numbers) {
      lacking.add(new KeptSpan(number.start(), number.end(), to.write(number)));
    }
  }
}
