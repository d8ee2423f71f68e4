package io.latimer.operators.glossary;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.text.terms.TermMatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Glossaries of small alphabets, compared with searches that try everything. */
class GlossaryPropertyTest {
  private static final List<String> WORDS = List.of("a", "A", "b", "B", "ab", "\u4e2d");

  private static String phrase(Random random, int most) {
    return Stream.generate(() -> WORDS.get(random.nextInt(WORDS.size())))
        .limit(1 + random.nextInt(most))
        .collect(Collectors.joining(" "));
  }

  /** Whether case counts is part of the key, so that no two terms are in conflict. */
  private static List<Term> terms(Random random) {
    Map<String, Term> terms = new LinkedHashMap<>();
    for (int n = random.nextInt(8); n >= 0; n--) {
      boolean sensitive = random.nextBoolean();
      String source = phrase(random, 4);
      terms.put(
          sensitive + (sensitive ? source : source.toLowerCase(Locale.ROOT)),
          new Term(List.of(source), List.of("t" + n), sensitive, TargetRule.AS_GIVEN));
    }
    return List.copyOf(terms.values());
  }

  /** Words and places of a text whose words are separated by single spaces. */
  private static List<TermMatch> naive(List<Term> terms, String sentence) {
    String[] words = sentence.split(" ", -1);
    List<TermMatch> matches = new ArrayList<>();
    int start = 0;
    for (int at = 0; at < words.length; ) {
      Term best = null;
      int longest = 0;
      for (Term term : terms) {
        String[] form = term.sources().get(0).split(" ", -1);
        boolean stands = at + form.length <= words.length;
        for (int i = 0; stands && i < form.length; i++) {
          stands =
              term.caseSensitive()
                  ? form[i].equals(words[at + i])
                  : form[i].equalsIgnoreCase(words[at + i]);
        }
        if (stands && (form.length > longest || (form.length == longest && term.caseSensitive()))) {
          best = term;
          longest = form.length;
        }
      }
      int step = Math.max(1, longest);
      int end = start + step - 1;
      for (int i = 0; i < step; i++) {
        end += words[at + i].length();
      }
      if (best != null) {
        matches.add(new TermMatch(start, end, sentence.substring(start, end), at == 0, best));
      }
      at += step;
      start = end + 1;
    }
    return matches;
  }

  @Test
  void findsWhatANaiveSearchFinds() {
    Random random = new Random(11);
    int found = 0;
    for (int i = 0; i < 5_000; i++) {
      List<Term> terms = terms(random);
      Glossary glossary = Glossary.of("en", "de", terms);
      String sentence = phrase(random, 12);
      List<TermMatch> matches = glossary.find(sentence);
      assertThat(matches).as("%s in %s", terms, sentence).isEqualTo(naive(terms, sentence));
      int split = random.nextInt(terms.size() + 1);
      Glossary learned =
          Glossary.of("en", "de", terms.subList(0, split))
              .withLearned(terms.subList(split, terms.size()));
      assertThat(learned.find(sentence).stream().map(match -> match.end()))
          .isEqualTo(matches.stream().map(match -> match.end()).toList());
      found += matches.size();
    }
    assertThat(found).isGreaterThan(5_000);
  }

  /** The largest number of matches that can have different words, by trying all. */
  private static int most(List<TermMatch> matches, int at, List<String> words) {
    if (at == matches.size()) {
      return 0;
    }
    int most = most(matches, at + 1, words);
    for (String form : matches.get(at).term().targets()) {
      int word = words.indexOf(form);
      if (word >= 0) {
        List<String> left = new ArrayList<>(words);
        left.remove(word);
        most = Math.max(most, 1 + most(matches, at + 1, left));
      }
    }
    return most;
  }

  @Test
  void asManyTermsAreMetAsCanBe() {
    Random random = new Random(12);
    List<String> forms = List.of("u", "v", "w", "x");
    int unmet = 0;
    for (int i = 0; i < 3_000; i++) {
      List<Term> terms = new ArrayList<>();
      for (int n = 0; n < 4; n++) {
        List<String> targets = forms.stream().filter(form -> random.nextInt(3) == 0).toList();
        terms.add(
            new Term(
                List.of("s" + n),
                targets.isEmpty() ? List.of("y") : targets,
                false,
                TargetRule.ANY_FORM));
      }
      Glossary glossary = Glossary.of("en", "de", terms);
      String sentence =
          Stream.generate(() -> "s" + random.nextInt(4)).limit(5).collect(Collectors.joining(" "));
      List<String> words =
          Stream.generate(() -> forms.get(random.nextInt(forms.size()))).limit(5).toList();
      List<TermMatch> matches = glossary.find(sentence);
      List<TermMatch> left = glossary.unmet(matches, String.join(" ", words));
      assertThat(matches.size() - left.size())
          .as("%s in %s", matches, words)
          .isEqualTo(most(matches, 0, words));
      unmet += left.size();
    }
    assertThat(unmet).isGreaterThan(1_000);
  }
}
