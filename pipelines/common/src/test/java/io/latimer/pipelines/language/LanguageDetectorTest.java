package io.latimer.pipelines.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LanguageDetectorTest {
  private static final LanguageDetector DETECTOR =
      LanguageDetector.of(LanguageDetector.COMMON_LANGUAGES);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          en | The train to the coast was late again, so we walked along the river and waited there.
          de | Der Zug an die Küste hatte wieder Verspätung, also gingen wir am Fluss entlang und warteten.
          fr | Le train pour la côte était encore en retard, alors nous avons marché le long de la rivière.
          es | El tren de la costa volvió a llegar tarde, así que caminamos junto al río y esperamos allí.
          it | Il treno per la costa era di nuovo in ritardo, così abbiamo camminato lungo il fiume.
          pt | O comboio para a costa voltou a atrasar-se, por isso caminhámos ao longo do rio e esperámos.
          nl | De trein naar de kust had weer vertraging, dus liepen we langs de rivier en wachtten daar.
          pl | Pociąg nad morze znowu się spóźnił, więc poszliśmy wzdłuż rzeki i tam na niego czekaliśmy.
          cs | Vlak k moři měl zase zpoždění, a tak jsme šli podél řeky a tam jsme na něj čekali.
          sv | Tåget till kusten var försenat igen, så vi gick längs floden och väntade där på det.
          fi | Juna rannikolle oli taas myöhässä, joten kävelimme jokea pitkin ja odotimme siellä.
          tr | Sahile giden tren yine geç kaldı, bu yüzden nehir boyunca yürüdük ve orada bekledik.
          hu | A tengerparti vonat megint késett, ezért a folyó mentén sétáltunk, és ott vártunk rá.
          ru | Поезд на побережье снова опоздал, поэтому мы пошли вдоль реки и ждали его там.
          uk | Потяг до узбережжя знову запізнився, тому ми пішли вздовж річки й чекали на нього там.
          bg | Влакът за крайбрежието отново закъсня, затова тръгнахме покрай реката и го чакахме там.
          ar | تأخر القطار المتجه إلى الساحل مرة أخرى، فمشينا على طول النهر وانتظرناه هناك.
          fa | قطار ساحل دوباره دیر کرد، برای همین کنار رودخانه قدم زدیم و آنجا منتظر ماندیم.
          hi | तट की ओर जाने वाली रेलगाड़ी फिर देर से आई, इसलिए हम नदी के किनारे चले और वहीं रुके रहे।
          zh | 去海边的火车又晚点了，所以我们沿着河走，在那里等它。
          ja | 海へ行く電車がまた遅れたので、私たちは川沿いを歩いて、そこで待っていました。
          ko | 바다로 가는 기차가 또 늦어서 우리는 강을 따라 걸으며 기다렸습니다.
          el | Το τρένο για την ακτή άργησε ξανά, οπότε περπατήσαμε κατά μήκος του ποταμού.
          he | הרכבת לחוף איחרה שוב, אז הלכנו לאורך הנהר וחיכינו לה שם.
          th | รถไฟไปชายฝั่งมาสายอีกแล้ว เราจึงเดินเลียบแม่น้ำและรออยู่ที่นั่น
          """)
  void sentencesAreInTheirLanguages(String language, String text) {
    DetectedLanguage found = DETECTOR.detect(text);
    assertThat(found.language()).isEqualTo(language);
    assertThat(found.isCertain()).as(found.toString()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "OK",
        "Cancel",
        "Sign in",
        "Save changes",
        "Guten Morgen",
        "Der Hund",
        "Star Wars: The Force Awakens",
        "New York Stock Exchange",
        "Angela Merkel, Emmanuel Macron, Olaf Scholz",
        "São Paulo, Rio de Janeiro",
        "Real Madrid - FC Barcelona 2:1",
        "Microsoft Windows Server 2022 Datacenter",
        "iPhone 15 Pro Max 256 GB",
        "Arnold Schwarzenegger",
        "SELECT name FROM users WHERE id = 42",
        "public static void main(String[] args) {",
        "npm install --save-dev typescript",
        "ERROR: NullPointerException at line 42",
        "https://example.org/ein/weg/nach/irgendwo?frage=antwort&noch=eine",
        "@die_katze #derhundunddiekatze {name} ${user.name} %s",
        "`der Hund und die Katze sind im Haus und schlafen`",
        "12.345,67 € + 19 % = 14.691,35 €",
        "😀😀😀 👍🏽 🇩🇪",
        "hahahahahahahahahahahaha",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "lorem ipsum dolor sit amet consectetur adipiscing elit",
        "¯\\_(ツ)_/¯",
        "α β γ",
        "東京",
        "10 μm",
        "LOL haha ok",
        "<b>OK</b> <i>Cancel</i> <a href='die-seite-mit-der-katze'>x</a>",
        "3f786850e387550fdab836ed7e6dc881de23001b",
        "sushi karaoke tsunami",
      })
  void whatDoesNotSayItsLanguageIsNotCertain(String text) {
    assertThat(DETECTOR.detect(text)).matches(found -> !found.isCertain());
  }

  @ParameterizedTest
  @CsvSource({
    "ja, ありがとう",
    "ko, 안녕하세요",
    "el, Καλημέρα σας",
    "he, שלום לכולם",
    "th, สวัสดีครับ",
    "ja, iPhone 15 を買いました",
  })
  void aScriptOfOneLanguageDecidesAlone(String language, String text) {
    assertThat(DETECTOR.detect(text)).isEqualTo(new DetectedLanguage(language, 1));
  }

  @Test
  void textsOfCapitalsCount() {
    assertThat(DETECTOR.detect("BITTE DIE TÜR NACH DEM BETRETEN DES HAUSES WIEDER SCHLIESSEN"))
        .matches(found -> found.language().equals("de") && found.isCertain());
  }

  @Test
  void whatIsNoTextDoesNotCount() {
    String german = "Bitte lesen Sie vor dem Einbau <b>diese</b> Anleitung und heben Sie sie auf";
    String code = " `if the value of this option is not set then use the default of the class`";
    assertThat(DETECTOR.detect(german + code + " https://the.example.org/this/is/the/way/of/it"))
        .matches(found -> found.language().equals("de") && found.isCertain());
  }

  @Test
  void onlyNamedLanguagesAreFound() {
    LanguageDetector few = LanguageDetector.of(List.of("de-AT", "nb", "no", "zh-Hant"));
    assertThat(few.detect("Ik heb gisteren een nieuwe fiets gekocht en ben er heel blij mee"))
        .matches(found -> List.of("de", "nb").contains(found.language()));
    assertThat(few.detect("Поезд на побережье снова опоздал")).isEqualTo(DetectedLanguage.UNKNOWN);
    assertThat(few.detect("ありがとうございました")).isEqualTo(DetectedLanguage.UNKNOWN);
    assertThatThrownBy(() -> LanguageDetector.of(List.of("de", "tlh")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the language \"tlh\" cannot be told from others; these can: af, ");
    assertThatThrownBy(() -> LanguageDetector.of(List.of("sr-Latn")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theLibraryHasAllLanguagesThatItIsAskedFor() {
    assertThat(KnownLanguage.all())
        .allSatisfy(
            language -> assertThat(LanguageNgrams.get().codes()).containsAll(language.codes()));
    assertThat(LanguageDetector.knownLanguages()).containsAll(LanguageDetector.COMMON_LANGUAGES);
  }

  /** Any text has a language and a confidence, and no text breaks a detector. */
  @Test
  void anyTextIsJudged() {
    Random random = new Random(7);
    String[] parts = {
      "der ", "the ", "\ud83d", "\ude00", "\u0000", "<b>", "</", "`", "{", "&#x", "http://", "@",
      "\n", "漢", "の", "ا", "я", "ß", "\u0301", "\uE000", "A", "%s", "[[", "~~", "1", "'", "\u202e",
    };
    for (int i = 0; i < 3_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(60); n > 0; n--) {
        text.append(
            random.nextInt(3) == 0
                ? Character.toString(random.nextInt(0x3000) + 1)
                : parts[random.nextInt(parts.length)]);
      }
      assertThat(DETECTOR.detect(text.toString()).confidence()).isBetween(0.0, 1.0);
    }
    assertThat(DETECTOR.detect("der Hund und ".repeat(100_000)).language()).isEqualTo("de");
    assertThat(DETECTOR.detect("x".repeat(1_000_000)).isCertain()).isFalse();
  }

  @Test
  void threadsShareADetector() throws InterruptedException, ExecutionException {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      texts.add("Der Hund Nummer " + i + " schläft heute wieder auf dem alten Sofa im Flur");
      texts.add("Le chien numéro " + i + " dort encore sur le vieux canapé du couloir");
    }
    List<DetectedLanguage> expected = texts.stream().map(DETECTOR::detect).toList();
    assertThat(expected).extracting(DetectedLanguage::language).containsOnly("de", "fr");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<List<DetectedLanguage>> all = () -> texts.stream().map(DETECTOR::detect).toList();
      for (Future<List<DetectedLanguage>> found : threads.invokeAll(List.of(all, all, all, all))) {
        assertThat(found.get()).isEqualTo(expected);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aConfidenceIsAProbability() {
    assertThatThrownBy(() -> new DetectedLanguage("de", 1.5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1.5");
    assertThatThrownBy(() -> new DetectedLanguage("de", Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
