package io.latimer.pipelines.language;

import java.lang.Character.UnicodeScript;
import java.util.EnumMap;
import java.util.Map;

/**
 * The script that most of a text is written in.
 *
 * @param script the one with the most letters; Japanese counts as {@code HAN}. {@code COMMON} if
 *     there are no letters, or scripts are mixed
 * @param letters how many letters are in it
 * @param kana how many of them are Japanese only
 */
record TextScript(UnicodeScript script, int letters, int kana) {
  private static final TextScript NONE = new TextScript(UnicodeScript.COMMON, 0, 0);

  /** The script of a text. Names in Latin letters are usual in all scripts. */
  static TextScript of(String text) {
    Map<UnicodeScript, Integer> counts = new EnumMap<>(UnicodeScript.class);
    int all = 0;
    int kana = 0;
    for (int at = 0; at < text.length(); ) {
      int c = text.codePointAt(at);
      at += Character.charCount(c);
      if (!Character.isLetter(c)) {
        continue;
      }
      UnicodeScript script = UnicodeScript.of(c);
      boolean isKana = script == UnicodeScript.HIRAGANA || script == UnicodeScript.KATAKANA;
      kana += isKana ? 1 : 0;
      all++;
      counts.merge(isKana ? UnicodeScript.HAN : script, 1, Integer::sum);
    }
    TextScript found = NONE;
    for (Map.Entry<UnicodeScript, Integer> count : counts.entrySet()) {
      if (count.getValue() >= found.letters) { // of two, the one after Latin
        found = new TextScript(count.getKey(), count.getValue(), kana);
      }
    }
    boolean most =
        found.script == UnicodeScript.LATIN
            ? 5 * found.letters >= 4 * all
            : 2 * found.letters >= all;
    return most ? found : NONE;
  }
}
