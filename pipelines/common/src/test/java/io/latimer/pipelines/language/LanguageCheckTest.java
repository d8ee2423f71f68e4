package io.latimer.pipelines.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.TextTranslator;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.nmt.TranslationFlag;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.LanguagePair;
import io.latimer.operators.text.TextInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageCheckTest {
  private static final String ENGLISH = "The train to the coast was late again, so we waited there";
  private static final String GERMAN =
      "Der Zug an die Küste hatte Verspätung, also warteten wir dort";
  private static final String FRENCH =
      "Le train pour la côte était en retard, alors nous attendions";
  private static final TranslatedParts PLAIN = new TranslatedParts(1, true, false);

  /** Translates every text to a given one, in the languages that the texts name. */
  private static final class Fake implements TextTranslator {
    private final List<String> translated = new ArrayList<>();
    private final String output;

    Fake(String output) {
      this.output = output;
    }

    @Override
    public List<Result<Translated>> translate(List<TextInput> batch) {
      batch.forEach(text -> translated.add(text.text()));
      return batch.stream().map(text -> result()).toList();
    }

    private Result<Translated> result() {
      Translated one = Translated.untranslated(output, "de", TranslationFlag.ASSEMBLED, PLAIN);
      return Result.of(one);
    }

    @Override
    public LanguagePair languages(TextInput text) {
      Guidance said = text.guidance();
      if (said.targetLanguage().equals("lost")) {
        throw new RecordException("no such language");
      }
      return new LanguagePair(said.sourceLanguage(), said.targetLanguage());
    }

    @Override
    public List<Result<Translated>> apply(List<String> batch) {
      throw new AssertionError("not used");
    }

    @Override
    public void close() {}
  }

  private static LanguageCheck check(OtherLanguages others) {
    return new LanguageCheck(others, LanguageDetector.COMMON_LANGUAGES);
  }

  private static TextInput text(String text, String source, String target) {
    return new TextInput(text, new Guidance(source, target, ""));
  }

  private static Translated value(Result<Translated> result) {
    return ((Result.Value<Translated>) result).value();
  }

  @Test
  void withoutACheckAllIsTranslated() {
    Fake fake = new Fake(FRENCH);
    List<Result<Translated>> results =
        check(OtherLanguages.TRANSLATE)
            .translate(List.of(text(GERMAN, "en", "de"), text(FRENCH, "en", "de")), fake, PLAIN);
    assertThat(fake.translated).containsExactly(GERMAN, FRENCH);
    assertThat(results)
        .allSatisfy(
            result -> assertThat(value(result).flags()).containsExactly(TranslationFlag.ASSEMBLED));
  }

  @Test
  void otherLanguagesPassInTheirPlaces() {
    Fake fake = new Fake(GERMAN);
    TranslatedParts nBest = new TranslatedParts(3, false, false);
    List<Result<Translated>> results =
        check(OtherLanguages.PASS)
            .translate(
                List.of(
                    text(ENGLISH, "en", "de-AT"),
                    text(GERMAN, "en", "de-AT"),
                    text("Der Hund", "en", "de-AT"),
                    text(FRENCH, "en", "de-AT"),
                    text("海へ行く電車が遅れました", "en", "de-AT")),
                fake,
                nBest);
    assertThat(fake.translated).containsExactly(ENGLISH, "Der Hund");
    assertThat(value(results.get(0)).flags()).containsExactly(TranslationFlag.ASSEMBLED);
    Translated same = value(results.get(1));
    assertThat(same.text()).isEqualTo(GERMAN);
    assertThat(same.flags()).containsExactly(TranslationFlag.ALREADY_TRANSLATED);
    assertThat(same.targetLanguage()).isEqualTo("de-AT");
    assertThat(same.score()).isNaN();
    assertThat(same.nBest()).extracting(Translated.Alternative::text).containsExactly(GERMAN);
    Translated third = value(results.get(3));
    assertThat(third.text()).isEqualTo(FRENCH);
    assertThat(third.flags()).containsExactly(TranslationFlag.OTHER_LANGUAGE);
    assertThat(third.targetLanguage()).isEqualTo("fr");
    assertThat(value(results.get(4)).targetLanguage()).isEqualTo("ja");
  }

  @Test
  void otherLanguagesAreRefusedWithWhatWasFound() {
    Fake fake = new Fake(GERMAN);
    List<Result<Translated>> results =
        check(OtherLanguages.DEAD_LETTER)
            .translate(List.of(text(FRENCH, "en", "de"), text(GERMAN, "en", "de")), fake, PLAIN);
    assertThat(fake.translated).isEmpty();
    assertThat(((Result.Failure<Translated>) results.get(0)).error().getMessage())
        .matches(
            "the text is in \"fr\" \\(confidence (0\\.9\\d|1\\.00)\\), and is to be translated from"
                + " \"en\"; send it to a model of its language, or let other languages pass");
    assertThat(value(results.get(1)).flags()).containsExactly(TranslationFlag.ALREADY_TRANSLATED);
    assertThat(value(results.get(1)).score()).isZero();
  }

  @Test
  void whatRecordsSayOfTheirLanguagesCounts() {
    Fake fake = new Fake(ENGLISH);
    List<Result<Translated>> results =
        check(OtherLanguages.DEAD_LETTER)
            .translate(
                List.of(
                    text(FRENCH, "fr", "en"),
                    text(FRENCH, "en", "fr"),
                    text(FRENCH, "und", "en"), // any language
                    text(FRENCH, "und", "fr"),
                    text(GERMAN, "de-AT", "de-CH"), // the same language
                    text(FRENCH, "tlh", "de"), // a language that nobody can tell
                    text(FRENCH, "en", "sr-Latn"),
                    text(FRENCH, "en", "lost")),
                fake,
                PLAIN);
    assertThat(fake.translated)
        .containsExactly(FRENCH, FRENCH, GERMAN, FRENCH, FRENCH, FRENCH)
        .hasSize(results.size() - 2);
    assertThat(value(results.get(1)).flags()).containsExactly(TranslationFlag.ALREADY_TRANSLATED);
    assertThat(value(results.get(3)).flags()).containsExactly(TranslationFlag.ALREADY_TRANSLATED);
  }

  @Test
  void aTranslationInAnotherLanguageIsFlagged() {
    List<TextInput> one = List.of(text(ENGLISH, "en", "de"));
    for (String output : List.of(ENGLISH, FRENCH)) {
      Translated found =
          value(check(OtherLanguages.PASS).translate(one, new Fake(output), PLAIN).get(0));
      assertThat(found.text()).isEqualTo(output);
      assertThat(found.flags())
          .isEqualTo(Set.of(TranslationFlag.ASSEMBLED, TranslationFlag.OUTPUT_LANGUAGE));
    }
    for (String output : List.of(GERMAN, "OK", "Angela Merkel, Emmanuel Macron")) {
      assertThat(
              value(check(OtherLanguages.PASS).translate(one, new Fake(output), PLAIN).get(0))
                  .flags())
          .containsExactly(TranslationFlag.ASSEMBLED);
    }
  }

  @Test
  void sourceAndTargetAreToldApartWhateverTheListSays() {
    Fake fake = new Fake(GERMAN);
    List<Result<Translated>> results =
        new LanguageCheck(OtherLanguages.PASS, List.of("fr"))
            .translate(List.of(text(ENGLISH, "en", "de"), text(GERMAN, "en", "de")), fake, PLAIN);
    assertThat(fake.translated).containsExactly(ENGLISH);
    assertThat(value(results.get(1)).flags()).containsExactly(TranslationFlag.ALREADY_TRANSLATED);
    assertThatThrownBy(() -> new LanguageCheck(OtherLanguages.PASS, List.of("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"x\"");
  }

  /** Texts of the source language that look like its twin. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sr | Voz za obalu je opet kasnio, pa smo hodali pored reke i čekali ga tamo celo popodne.
          bs | Voz za obalu je opet kasnio, pa smo hodali pored rijeke i čekali ga tamo cijelo popodne.
          bs | Воз за обалу је опет каснио, па смо ходали поред реке и чекали га тамо цело поподне.
          hr | Vlak za obalu je opet kasnio, pa smo hodali uz rijeku i čekali ga ondje cijelo popodne.
          sk | Vlak k moři měl zase zpoždění, a tak jsme šli podél řeky a tam jsme na něj čekali.
          cs | Vlak k moru mal zase meškanie, a tak sme išli popri rieke a tam sme naň čakali celý deň.
          nb | Toget til kysten var forsinket igen, så vi gik langs floden og ventede på det der.
          da | Toget til kysten var forsinket igjen, så vi gikk langs elven og ventet på det der.
          gl | O comboio para a costa voltou a atrasar-se, por isso caminhámos ao longo do rio.
          ms | Kereta api ke pantai terlambat lagi, jadi kami berjalan di sepanjang sungai itu.
          """)
  void whatLooksLikeATwinIsTranslated(String source, String text) {
    assertTranslated(source, "de", text);
  }

  /** Texts of the source language in a script in which nobody can tell it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          uz | ru | Соҳилга борадиган поезд яна кечикди, шунинг учун биз дарё бўйлаб юриб, ўша ерда кутдик.
          uz | en | Соҳилга борадиган поезд яна кечикди, шунинг учун биз дарё бўйлаб юриб, ўша ерда кутдик.
          kk | en | Jağalauğa baratyn poiyz tağy da keşikti, sondyqtan biz özen boiymen jürip, sonda küttik.
          kk | tr | Jağalauğa baratyn poiyz tağy da keşikti, sondyqtan biz özen boiymen jürip, sonda küttik.
          az | ru | Саһилә ҝедән гатар јенә ҝеҹикди, она ҝөрә дә чај боју ҝедиб орада ҝөзләдик.
          """)
  void whatIsInAnotherScriptOfTheSourceIsTranslated(String source, String target, String text) {
    assertTranslated(source, target, text);
  }

  private static void assertTranslated(String source, String target, String text) {
    for (List<String> languages :
        List.of(LanguageDetector.COMMON_LANGUAGES, List.of("pl", "es", "tr", "ru"))) {
      Fake fake = new Fake("OK");
      new LanguageCheck(OtherLanguages.DEAD_LETTER, languages)
          .translate(List.of(text(text, source, target)), fake, PLAIN);
      assertThat(fake.translated).as("%s", languages).containsExactly(text);
    }
  }

  @Test
  void whatCannotBeTheSourceIsStillRefused() {
    Fake fake = new Fake("OK");
    List<Result<Translated>> results =
        check(OtherLanguages.DEAD_LETTER)
            .translate(
                List.of(
                    text(FRENCH, "sr", "de"), // by its twins, Serbian is told in Latin letters
                    text(FRENCH, "cs", "de"),
                    text(FRENCH, "uz", "de"),
                    text(GERMAN, "hr", "de")),
                fake,
                PLAIN);
    assertThat(fake.translated).isEmpty();
    assertThat(results.subList(0, 3)).allMatch(Result.Failure.class::isInstance);
    assertThat(value(results.get(3)).flags()).containsExactly(TranslationFlag.ALREADY_TRANSLATED);
  }

  @Test
  void aTranslationThatLooksLikeATwinOfItsTargetIsNotFlagged() {
    String danish =
        "Toget til kysten var forsinket igen, så vi gik langs floden og ventede på det.";
    for (String target : List.of("da", "nb", "no", "nn")) {
      List<TextInput> one = List.of(text(ENGLISH, "en", target));
      assertThat(
              value(check(OtherLanguages.PASS).translate(one, new Fake(danish), PLAIN).get(0))
                  .flags())
          .as(target)
          .containsExactly(TranslationFlag.ASSEMBLED);
    }
  }
}
