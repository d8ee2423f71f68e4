package io.latimer.operators.glossary.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TermWordsTest {
  private static List<String> words(String text) {
    TermWords words = TermWords.of(text, TermFolding.USUAL);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      all.add(text.substring(words.start(i), words.end(i)));
    }
    return all;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the front desk|the front desk",
        "check-in at 9:30.|check - in at 9 : 30 .",
        "3.5 GB, 1,000 €|3.5 GB , 1,000 €",
        "e.g. www.example.com|e.g . www.example.com",
        "v2.x snake_case|v2 . x snake_case",
        "l''hôtel’s can''t|l '' hôtel ’ s can''t",
        "酒店Wi-Fi 房间|酒 店 Wi - Fi 房 间",
        "호텔에서|호 텔 에 서",
        "ห้องพัก|ห้ อ ง พั ก",
        "😂!!|😂 ! !",
        "m² x² ½|m² x² ½",
        "e\u0301te\u0301 ok|e\u0301te\u0301 ok",
        "soft\u00adhyphen|soft\u00adhyphen",
        "\u0301a|\u0301a",
      })
  void splitsTexts(String text, String expected) {
    assertThat(words(text.replace("''", "'")))
        .containsExactly(expected.replace("''", "'").split(" "));
  }

  @Test
  void aTextWithoutWordsIsEmpty() {
    assertThat(words(" \t\u00a0\u200b\r\n\u0000\ufeff")).isEmpty();
  }

  private static boolean same(String one, String two, TermFolding folding, boolean sensitive) {
    TermWords words = TermWords.of(one, folding);
    TermWords term = TermWords.of(two, folding);
    boolean same = words.size() == term.size() && words.have(0, term, sensitive);
    if (same) {
      for (int i = 0; i < words.size(); i++) {
        assertThat(words.hash(i, i == 0, sensitive)).isEqualTo(term.hash(i, i == 0, sensitive));
      }
    }
    return same;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Front  Desk|front\u00a0desk",
        "caf\u00e9|cafe\u0301",
        "It’s „so“ ‑ co‐op|it's \"so\" - co-op",
        "ΟΔΟΣ|οδος",
        "Wi\u00adFi|wifi",
        "iPhone 手机|iphone手机",
        "\u1112\u1161\u11ab|\ud55c",
        "\ud801\udc00|\ud801\udc28",
      })
  void theseAreTheSameWithoutCase(String one, String two) {
    assertThat(same(one, two, TermFolding.USUAL, false)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"check-in|check - in", "front desk|frontdesk", "Straße|Strasse", "can't|cant"})
  void theseAreDifferent(String one, String two) {
    assertThat(same(one, two, TermFolding.USUAL, false)).isFalse();
  }

  @Test
  void caseCountsWhereItIsAskedFor() {
    assertThat(same("Bank", "bank", TermFolding.USUAL, true)).isFalse();
    assertThat(same("Bank’s", "Bank's", TermFolding.USUAL, true)).isTrue();
    TermWords words = TermWords.of("Bank Note", TermFolding.USUAL);
    assertThat(words.haveButForFirstCase(0, TermWords.of("bank Note", TermFolding.USUAL))).isTrue();
    assertThat(words.haveButForFirstCase(0, TermWords.of("bank note", TermFolding.USUAL)))
        .isFalse();
  }

  @Test
  void turkishHasFourKindsOfI() {
    TermFolding turkic = TermFolding.of("tr-TR");
    assertThat(turkic).isEqualTo(TermFolding.TURKIC);
    assertThat(same("ISI", "ısı", turkic, false)).isTrue();
    assertThat(same("İzmir", "izmir", turkic, false)).isTrue();
    assertThat(same("ISI", "isi", turkic, false)).isFalse();
    assertThat(same("ISI", "isi", TermFolding.of("en"), false)).isTrue();
  }

  @Test
  void placesAreThoseOfTheTextAsGiven() {
    String text = "\ud83d\ude00 cafe\u0301 e\u0323\u0301\u1100\u1161x";
    assertThat(words(text))
        .containsExactly("\ud83d\ude00", "cafe\u0301", "e\u0323\u0301", "\u1100\u1161", "x");
  }

  @Test
  void sentencesBeginAfterTheirEnds() {
    TermWords words = TermWords.of("\"Oh,\" he said. (Yes! «ok» no", TermFolding.USUAL);
    List<Integer> starts = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      if (words.startsSentence(i)) {
        starts.add(i);
      }
    }
    // " Oh , " he said . ( Yes ! « ok » no
    assertThat(starts).containsExactly(0, 1, 7, 8, 10, 11);
  }
}
