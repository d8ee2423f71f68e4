package io.latimer.operators.glossary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.glossary.index.GlossaryBuilder;
import io.latimer.operators.glossary.text.InlineTerms;
import io.latimer.operators.glossary.text.TermCells;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.text.terms.TermMatch;
import io.latimer.operators.text.terms.Terminology;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlossaryTest {
  private static Glossary glossary(String terms) {
    return Glossary.of("en", "de", InlineTerms.parse(terms.replace(';', '\n')));
  }

  private static List<String> found(Terminology glossary, String sentence) {
    return glossary.find(sentence).stream().map(TermMatch::text).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "hotel=Hotel # The HOTEL's hotels, l’hotel. # HOTEL/hotel",
        "front desk=x;desk=y;front=z # front desk front  desk, front, desk # front desk/front  desk/front/desk",
        "a b c=x;b=y;a b=z # a b a b c b # a b/a b c/b",
        "us=wir;US=USA # us US Us # us/US/Us",
        "C=C;C++=C++ # C++ and C, c # C++/C",
        "lift|lifts=Aufzug # a lift, two Lifts, lifted # lift/Lifts",
        "check-in=x # check-in, check in, check - in # check-in",
        "don't=x # don’t, dont # don’t",
        "酒店=Hotel;大酒店=Grandhotel # 北京大酒店和酒 店 # 大酒店/酒 店",
        "5 GB=x # 5 GB, 3.5 GB, 5GB # 5 GB",
        "café=x # cafe\u0301 CAFÉ # cafe\u0301/CAFÉ",
        "x=y # # ",
      })
  void findsTheLongestOfThoseThatBeginFirst(String terms, String sentence, String expected) {
    List<String> words = expected == null ? List.of() : List.of(expected.split("/"));
    assertThat(found(glossary(terms), sentence == null ? "" : sentence)).isEqualTo(words);
  }

  @Test
  void matchesHaveTheirPlaceAndTheirTerm() {
    String sentence = "😂 Is the Front desk open?";
    assertThat(glossary("front desk=Rezeption").find(sentence))
        .containsExactly(
            new TermMatch(
                10,
                20,
                "Front desk",
                false,
                new Term(List.of("front desk"), List.of("Rezeption"), false, TargetRule.AS_GIVEN)));
  }

  private static boolean satisfied(String terms, String sentence, String translation) {
    Glossary glossary = glossary(terms);
    List<TermMatch> matches = glossary.find(sentence);
    assertThat(matches).isNotEmpty();
    boolean all = glossary.unmet(matches, translation).isEmpty();
    if (matches.size() == 1) {
      assertThat(glossary.satisfied(matches.get(0), translation)).isEqualTo(all);
    }
    return all;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "key=Schlüssel # the key # der Schlüssel, bitte",
        "key=der Schlüssel # the key # Der  Schlüssel.",
        "key=der Schlüssel # the key # \"Der Schlüssel\"",
        "key=Schlüssel # the key # Ja. schlüssel",
        "room=Zimmer|Zimmern # the room # in den zimmern",
        "Wi-Fi=- # Free wi-fi here # Hier ist wi-fi frei",
        "Wi-Fi=- # Free WI-FI # Freies WI‑FI",
        "breakfast=- # Breakfast is served # Es gibt breakfast",
        "lift=Aufzug # a lift and a lift # Aufzug, Aufzug",
        "lift=Aufzug;elevator=Aufzug # lift or elevator # ein Aufzug oder ein Aufzug",
        "a1=x|y;b1=x # a1 b1 # x y",
        "a1=x|y;b1=y|z;c1=z|x # a1 b1 c1 # z y x",
        "hotel=호텔 # the hotel # 호텔에서",
      })
  void translationsWithTheFormsAreRight(String terms, String sentence, String translation) {
    assertThat(satisfied(terms, sentence, translation)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "key=Schlüssel # the key # der Hotelschlüssel",
        "key=Schlüssel # the key # der SCHLÜSSEL",
        "key=Schlüssel # the key # der schlüssel",
        "key=der Schlüssel # the key # für der-Schlüssel",
        "room=Zimmer|Zimmern # the room # im Zimmers",
        "Wi-Fi=- # Free wi-fi here # Hier ist Wi-Fi frei",
        "BA=Ba|bA # BA # x ba",
        "lift=Aufzug # a lift and a lift # Aufzug",
        "lift=Aufzug;elevator=Aufzug # lift or elevator # ein Aufzug",
        "spa town=Bad Ems;bath=Bad # the bath in the spa town # das Bad Ems",
        "key=Schlüssel # the key # ''",
      })
  void translationsWithoutThemAreWrong(String terms, String sentence, String translation) {
    assertThat(satisfied(terms, sentence, translation)).isFalse();
  }

  @Test
  void unmetTermsKeepTheirOrder() {
    Glossary glossary = glossary("a1=x;b1=y;c1=z");
    List<TermMatch> matches = glossary.find("c1 a1 b1 a1");
    assertThat(glossary.unmet(matches, "x y"))
        .extracting(TermMatch::text)
        .containsExactly("c1", "a1");
    assertThat(glossary.unmet(List.of(), "x")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "lift=aufzug|Lift, Lift here, Aufzug",
    "lift=aufzug|Lift, The Lift here, aufzug",
    "lift=aufzug|Lift, lift here, aufzug",
    "IT=edv, IT here, edv",
    "lift=-, Lift here, Lift",
    "lift=ßa, Lift, Ssa",
  })
  void theFormToWrite(String terms, String sentence, String expected) {
    Glossary glossary = glossary(terms);
    assertThat(glossary.form(glossary.find(sentence).get(0))).isEqualTo(expected);
  }

  @Test
  void capitalsAndCaseAreThoseOfTheLanguage() {
    Glossary turkish =
        Glossary.of("en", "tr", List.of(Term.of(List.of("engine"), List.of("iş", "ısı", "izin"))));
    TermMatch match = turkish.find("Engine").get(0);
    assertThat(turkish.form(match)).isEqualTo("İş");
    assertThat(turkish.satisfied(match, "bir ISI")).isTrue();
    assertThat(turkish.satisfied(match, "bir IZIN")).isFalse();
    assertThat(turkish.satisfied(match, "bir İZİN")).isTrue();
  }

  @Test
  void nothingDependsOnTheMachinesLanguage() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr"));
    try {
      assertThat(found(glossary("Title=Titel"), "TITLE")).containsExactly("TITLE");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void learnedTermsCountBeforeThoseOfTheFile() {
    Glossary base = glossary("lift=Aufzug;front=vorn;key=Schlüssel");
    Glossary learned =
        base.withLearned(
            InlineTerms.parse("Lift=Fahrstuhl\nfront desk=Empfang\nFront desk=Rezeption"));
    assertThat(learned.find("lift at the front desk, front, key"))
        .extracting(match -> match.text() + "=" + match.term().targets().get(0))
        .containsExactly("lift=Fahrstuhl", "front desk=Rezeption", "front=vorn", "key=Schlüssel");
    assertThat(base.find("lift at the front desk"))
        .extracting(match -> match.term().targets().get(0))
        .containsExactly("Aufzug", "vorn");
    assertThat(learned.withLearned(List.of()).find("lift").get(0).term().targets())
        .containsExactly("Aufzug");
  }

  @Test
  void learnedTermsBesideAFileAreSharedAndReleased(@TempDir Path folder) {
    Path file = folder.resolve("terms.ltx");
    GlossaryBuilder builder =
        new GlossaryBuilder("en", "de", GlossaryBuilder.Repeated.REFUSED, place -> "term " + place);
    builder.add(Term.of(List.of("lift"), List.of("Aufzug")), 1);
    builder.write(file, "1");
    List<Term> terms = InlineTerms.parse("lift=Fahrstuhl");
    IndexRef ref = IndexRefs.of(file);
    ResidentIndexes residents = new ResidentIndexes();
    try (Glossary base = Glossary.open(residents, ref, List.of(), "none");
        Glossary one = Glossary.open(residents, ref, terms, "one");
        Glossary same = Glossary.open(residents, ref, terms, "one")) {
      assertThat(residents.size()).isEqualTo(2);
      assertThat(one.find("a lift").get(0).term().targets()).containsExactly("Fahrstuhl");
      assertThat(same.find("a lift")).isEqualTo(one.find("a lift"));
      assertThat(base.find("a lift").get(0).term().targets()).containsExactly("Aufzug");
      assertThat(one.id()).isEqualTo(base.id());
    }
    List<Term> tooLong = InlineTerms.parse("a ".repeat(40) + "=x");
    assertThatThrownBy(() -> Glossary.open(residents, ref, tooLong, "too long"))
        .isInstanceOf(RecordException.class);
    assertThat(residents.size()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {"lift|lifts#Aufzug", "US#USA", "us#wir|uns", "Wi-Fi#-"})
  void theCellsOfATermMakeItAgain(String source, String target) {
    for (String matchCase : List.of("", "yes", "no")) {
      for (String rule : target.equals("-") ? List.of("") : List.of("", "any")) {
        Term term = TermCells.term(source, target, matchCase, rule);
        List<String> cells = TermCells.of(term);
        assertThat(cells.subList(0, 2)).containsExactly(source, target);
        assertThat(TermCells.term(cells.get(0), cells.get(1), cells.get(2), cells.get(3)))
            .isEqualTo(term);
      }
    }
  }

  @Test
  void mistakesOfARecordsGlossaryAreItsOwn() {
    assertThatThrownBy(() -> glossary("a1=x;b1=y;a1=z"))
        .isInstanceOf(RecordException.class)
        .hasMessage(
            "term 3 of the glossary: \"a1\" has another translation than in term 1 of the glossary;"
                + " remove one, or write all forms in one of them, separated by |");
    assertThatThrownBy(() -> glossary("a ".repeat(40) + "=x"))
        .isInstanceOf(RecordException.class)
        .hasMessageContaining("found 40");
  }

  @Test
  void noTermsAreFoundInNone() {
    assertThat(Terminology.NONE.find("a lift")).isEmpty();
    assertThat(Glossary.of("en", "de", List.of()).find("a lift")).isEmpty();
  }

  /** Takes as long as the text, where a search that starts again at each word would not end. */
  @Test
  void hostileTextsAndTermsAreQuick() {
    Glossary glossary =
        Glossary.of(
            "en",
            "de",
            List.of(
                Term.of(List.of("a ".repeat(31) + "b"), List.of("a|".repeat(2) + "b")),
                Term.of(List.of("c"), List.of("c", "c c", "c c c"))));
    assertThat(glossary.find("a ".repeat(500_000))).isEmpty();
    List<TermMatch> matches = glossary.find("c ".repeat(20_000));
    assertThat(matches.size()).isEqualTo(20_000);
    assertThat(glossary.unmet(matches, "c ".repeat(19_000)).size()).isEqualTo(1_000);
  }
}
