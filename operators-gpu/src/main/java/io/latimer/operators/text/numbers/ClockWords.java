package io.latimer.operators.text.numbers;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How people say a time of day: "half past two", "halb drei", "three o'clock". */
final class ClockWords {
  /**
   * Words before an hour.
   *
   * @param shift what they add to it: -1 for "to three"
   */
  record Phrase(int minutes, int shift) {}

  private static final Map<String, List<String>> HOURS =
      Map.of("en", List.of("o'clock"), "de", List.of("uhr"), "nl", List.of("uur"));

  private static final Map<String, Map<String, Phrase>> PHRASES =
      Map.of(
          "en",
              Map.of(
                  "quarter till", new Phrase(45, -1),
                  "half past", new Phrase(30, 0),
                  "quarter past", new Phrase(15, 0),
                  "quarter after", new Phrase(15, 0),
                  "quarter to", new Phrase(45, -1),
                  "quarter of", new Phrase(45, -1)),
          "de",
              Map.of(
                  "halb", new Phrase(30, -1),
                  "viertel nach", new Phrase(15, 0),
                  "viertel vor", new Phrase(45, -1),
                  "viertel", new Phrase(15, -1),
                  "dreiviertel", new Phrase(45, -1),
                  "drei viertel", new Phrase(45, -1)),
          "nl",
              Map.of(
                  "half", new Phrase(30, -1),
                  "kwart over", new Phrase(15, 0),
                  "kwart voor", new Phrase(45, -1)),
          "sv",
              Map.of(
                  "halv", new Phrase(30, -1),
                  "kvart över", new Phrase(15, 0),
                  "kvart i", new Phrase(45, -1)));

  /** Spans of time that are said in halves and quarters of an hour, in minutes. */
  private static final Map<String, Map<String, Integer>> MINUTES =
      Map.of(
          "en",
              Map.of(
                  "half an hour",
                  30,
                  "half hour",
                  30,
                  "quarter of an hour",
                  15,
                  "quarter hour",
                  15,
                  "three quarters of an hour",
                  45),
          "de",
              Map.of(
                  "halbe stunde",
                  30,
                  "halben stunde",
                  30,
                  "viertelstunde",
                  15,
                  "dreiviertelstunde",
                  45,
                  "halbstündig",
                  30,
                  "viertelstündig",
                  15),
          "es", Map.of("media hora", 30, "cuarto de hora", 15, "tres cuartos de hora", 45),
          "fr", Map.of("demi heure", 30, "quart d'heure", 15, "trois quarts d'heure", 45));

  private final Lexicon<Phrase> phrases;
  private final Lexicon<Boolean> hours;
  private final Lexicon<Integer> minutes;

  ClockWords(String language) {
    phrases = new Lexicon<>(PHRASES.getOrDefault(language, Map.of()), true);
    minutes = new Lexicon<>(MINUTES.getOrDefault(language, Map.of()), true);
    Map<String, Boolean> after = new LinkedHashMap<>();
    HOURS.getOrDefault(language, List.of()).forEach(word -> after.put(word, true));
    hours = new Lexicon<>(after, true);
  }

  /** The phrase before an hour that starts at a place; null if there is none. */
  Lexicon.Match<Phrase> phraseAt(String text, int at) {
    return phrases.at(text, at);
  }

  /** The span of time that starts at a place, in minutes; null if there is none. */
  Lexicon.Match<Integer> minutesAt(String text, int at) {
    return minutes.at(text, at, 3);
  }

  /** Where the word for the hour ends after a number that ends at a place; -1 without one. */
  int hourEnd(String text, int at) {
    int word = Chars.skipSpace(text, at);
    Lexicon.Match<Boolean> match = word > at ? hours.at(text, word) : null;
    return match == null ? -1 : match.end();
  }
}
