package io.latimer.operators.text.numbers;

import com.ibm.icu.util.ULocale;
import io.latimer.operators.text.numbers.NumberForm.Style;
import io.latimer.operators.text.numbers.WordLexicon.Word;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Finds numbers in words, by the spelling rules of ICU. Immutable. */
final class NumberWords {
  private static final int MOST_PARTS = 16;
  private static final long LARGEST = 1_000_000_000_000_000L;

  /** Languages that write other words right after a number's. */
  private static final Set<String> COMPOUNDING =
      Set.of(
          "de", "nl", "sv", "da", "nb", "nn", "no", "fi", "et", "hu", "is", "lb", "af", "fy", "cs",
          "sk", "pl", "ru", "uk");

  private static final Set<String> AND =
      Set.of("and", "und", "et", "y", "e", "i", "en", "og", "och", "ja", "và", "és", "va");

  /** Words that mean something else, too. */
  private static final Map<String, Set<String>> AMBIGUOUS =
      Map.ofEntries(
          Map.entry("en", Set.of("second", "third", "fourth", "fifth", "quarter")),
          Map.entry("de", Set.of("acht", "elf", "achte", "sieben", "achten")),
          Map.entry("fr", Set.of("neuf", "neuve", "neufs", "six", "tiers", "quart", "second")),
          Map.entry("es", Set.of("cuarto", "cuarta", "segundo", "tercio", "quinta", "once")),
          Map.entry("it", Set.of("sei", "venti", "sesto", "quarto", "quinta", "secondo")),
          Map.entry(
              "pt", Set.of("segunda", "terça", "quarta", "quinta", "sexta", "quarto", "terceiro")),
          Map.entry("nl", Set.of("acht", "vier", "elf", "vierde", "achtste")),
          Map.entry("pl", Set.of("trzy", "sto", "pięć")),
          Map.entry("ru", Set.of("три", "сорок", "семью", "сто", "трём", "стой")),
          Map.entry("tr", Set.of("on", "kırk", "yüz", "altı", "bin", "yedi", "dokuz")),
          Map.entry("ar", Set.of("ست", "سبع", "ستة")),
          Map.entry("hi", Set.of("सात", "नौ", "छह", "सौ")));

  /** Numbers that ICU's rules do not spell; in a translation only. */
  private static final Map<String, Map<String, Word>> OTHERS =
      Map.of(
          "en",
              words(
                  "dozen",
                  12,
                  "score",
                  20,
                  "twenties",
                  20,
                  "thirties",
                  30,
                  "forties",
                  40,
                  "fifties",
                  50,
                  "sixties",
                  60,
                  "seventies",
                  70,
                  "eighties",
                  80,
                  "nineties",
                  90,
                  "noon",
                  12,
                  "midnight",
                  12),
          "de", words("Dutzend", 12, "zwo", 2, "dritt", 3, "Mittag", 12, "Mitternacht", 12),
          "es", words("docena", 12, "media", 30, "cuarto", 15),
          "fr",
              words(
                  "douzaine",
                  12,
                  "demie",
                  30,
                  "quart",
                  15,
                  "quinzaine",
                  15,
                  "dizaine",
                  10,
                  "vingtaine",
                  20,
                  "trentaine",
                  30,
                  "quarantaine",
                  40,
                  "cinquantaine",
                  50,
                  "soixantaine",
                  60,
                  "centaine",
                  100,
                  "millier",
                  1000));

  private final String language;
  private final Lexicon<Word> words;
  private final Lexicon<Word> others;
  private final ClockWords clock;

  NumberWords(ULocale locale) {
    language = locale.getLanguage();
    words = WordLexicon.of(locale);
    others = new Lexicon<>(OTHERS.getOrDefault(language, Map.of()), true);
    clock = new ClockWords(language);
  }

  private static Map<String, Word> words(Object... words) {
    Map<String, Word> map = new LinkedHashMap<>();
    for (int i = 0; i < words.length; i += 2) {
      map.put((String) words[i], new Word((int) words[i + 1], false, false));
    }
    return map;
  }

  /** Whether ICU has rules for the language. */
  boolean isKnown() {
    return words != null;
  }

  /** The numbers of 3 and more that surely are numbers. */
  List<NumberSpan> find(String text) {
    List<NumberSpan> found = new ArrayList<>();
    if (!isKnown()) {
      return found;
    }
    int at = 0;
    while (at < text.length()) {
      if (!starts(text, at)) {
        at++;
        continue;
      }
      Parse parse = parse(text, at, false);
      NumberSpan time = time(text, at, parse);
      if (time != null) {
        found.add(time);
      } else if (parse != null && isSure(text, at, parse)) {
        found.add(parse.span(text, at));
      }
      at = time != null ? time.end() : parse == null ? at + 1 : parse.end;
    }
    return found;
  }

  /** The numbers that words may mean, parts of words among them. */
  List<NumberSpan> evidence(String text) {
    List<NumberSpan> found = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      NumberSpan span = starts(text, at) ? evidence(text, at) : null;
      if (span != null) {
        found.add(span);
      }
      at = span == null ? at + 1 : span.end();
    }
    return found;
  }

  private NumberSpan evidence(String text, int at) {
    Lexicon.Match<Integer> minutes = clock.minutesAt(text, at);
    if (minutes != null) {
      return new Parse(minutes.end(), minutes.meaning(), false, 1).span(text, at);
    }
    Parse parse = isKnown() ? parse(text, at, COMPOUNDING.contains(language)) : null;
    NumberSpan time = isKnown() ? time(text, at, parse) : null;
    if (time != null) {
      return time;
    }
    Lexicon.Match<Word> other = parse == null ? others.at(text, at, 3) : null;
    parse = other == null ? parse : new Parse(other.end(), other.meaning().value(), false, 1);
    return parse == null ? null : parse.span(text, at);
  }

  /** The time that words say at a place; null if they say none. */
  private NumberSpan time(String text, int start, Parse number) {
    Lexicon.Match<ClockWords.Phrase> phrase = clock.phraseAt(text, start);
    if (phrase != null) {
      int at = Chars.skipSpace(text, phrase.end());
      int end = Chars.digitsEnd(text, at);
      long hour = end - at == 1 || end - at == 2 ? Chars.number(text, at, end) : -1;
      if (end == at && at < text.length() && starts(text, at)) {
        Parse word = parse(text, at, false);
        hour = word == null ? -1 : word.value;
        end = word == null ? at : word.end;
      }
      return hour < 1 || hour > 24
          ? null
          : time(
              text, start, end, (int) hour + phrase.meaning().shift(), phrase.meaning().minutes());
    }
    boolean hour = number != null && number.value <= 24 && !isArticle(text, start, number.end);
    int end = hour ? clock.hourEnd(text, number.end) : -1;
    if (end < 0) {
      return null;
    }
    int next = Chars.skipSpace(text, end);
    next = text.startsWith("und ", next) ? next + 4 : next;
    Parse minutes = next < text.length() && starts(text, next) ? parse(text, next, false) : null;
    boolean more = minutes != null && minutes.value > 2 && minutes.value < 60;
    return more
        ? time(text, start, minutes.end, (int) number.value, (int) minutes.value)
        : time(text, start, end, (int) number.value, 0);
  }

  /** German "eine Uhr" is a clock. */
  private boolean isArticle(String text, int start, int end) {
    return language.equals("de") && text.substring(start, end).equalsIgnoreCase("eine");
  }

  private static NumberSpan time(String text, int start, int end, int hour, int minutes) {
    NumberValue value = NumberValue.of(NumberKind.TIME, hour == 0 ? 12 : hour, minutes);
    return NumberSpan.of(text, start, end, value, NumberForm.of(Style.CLOCK, value.numbers()));
  }

  private static boolean starts(String text, int at) {
    return Character.isLetter(text.charAt(at)) && Chars.isWordStart(text, at);
  }

  private boolean isSure(String text, int start, Parse parse) {
    String word = text.substring(start, parse.end).toLowerCase(Locale.ROOT);
    boolean unspaced = Chars.isUnspaced(word.charAt(0));
    boolean alone = word.indexOf(' ') < 0 && word.indexOf('-') < 0;
    return parse.value >= 3
        && !parse.isScaleOnly()
        && !(unspaced && word.length() < 3)
        && !(alone && AMBIGUOUS.getOrDefault(language, Set.of()).contains(word));
  }

  /** A number in words that starts somewhere. */
  private record Parse(int end, long value, boolean isOrdinal, int smallWords) {
    boolean isScaleOnly() {
      return smallWords == 0;
    }

    NumberSpan span(String text, int start) {
      BigDecimal number = BigDecimal.valueOf(value);
      Style style = isOrdinal ? Style.ORDINAL : Style.WORDS;
      return NumberSpan.of(
          text, start, end, NumberValue.of(number), NumberForm.of(style, List.of(number)));
    }
  }

  /**
   * The longest number in words at a place; null if there is none.
   *
   * @param inWords whether a longer word may start with it
   */
  private Parse parse(String text, int start, boolean inWords) {
    Sum sum = new Sum();
    Parse longest = null;
    int at = start;
    boolean firstWord = true;
    for (int i = 0; i < MOST_PARTS; i++) {
      Lexicon.Match<Word> match = words.at(text, at, 0, sum::mayAdd);
      match = match == null ? words.at(text, at, Integer.MAX_VALUE, sum::mayAdd) : match;
      if (match == null) {
        break;
      }
      sum.add(match.meaning());
      at = match.end();
      boolean ends = Chars.isWordEnd(text, at);
      if (ends || (inWords && firstWord)) {
        longest = new Parse(at, sum.value(), match.meaning().isOrdinal(), sum.smallWords);
      }
      if (ends) {
        firstWord = false;
        at = next(text, at, sum);
      } else if (sum.endsWithScale && text.startsWith("und", at)) {
        at += 3;
      }
    }
    return longest;
  }

  /** Where the next word of a number may start. */
  private static int next(String text, int end, Sum sum) {
    int at = end;
    if (Chars.isAnyOf(text, at, "-\u2010\u2011") || Chars.skipSpace(text, at) > at) {
      at++;
    }
    for (int size = 1; size <= 3 && sum.endsWithScale && at > end; size++) {
      int after = at + size;
      if (after < text.length()
          && Chars.isSpace(text.charAt(after))
          && AND.contains(text.substring(at, after))) {
        return after + 1;
      }
    }
    return at;
  }

  /** Adds words to a number, as long as they make one. */
  private static final class Sum {
    private long total;
    private long group;
    private long lastScale = Long.MAX_VALUE;
    private boolean endsWithScale;
    private int smallWords;
    private boolean empty = true;

    boolean mayAdd(Word word) {
      if (empty) {
        return true;
      }
      if (!word.isScale()) {
        return endsWithScale && word.value() < scaleOfGroup();
      }
      if (word.value() > LARGEST / Math.max(1, value())) {
        return false;
      }
      return word.value() != lastScale
          && (group == 0 || word.value() > group || (word.value() == 100 && group < 100));
    }

    private long scaleOfGroup() {
      return group > 0 ? 100 : lastScale;
    }

    void add(Word word) {
      empty = false;
      if (!word.isScale()) {
        smallWords++;
        group += word.value();
        endsWithScale = word.value() > 0 && word.value() % 100 == 0;
        return;
      }
      endsWithScale = true;
      if (word.value() == 100) {
        group = Math.max(1, group) * 100;
      } else if (word.value() < lastScale) {
        total += Math.max(1, group) * word.value();
        group = 0;
        lastScale = word.value();
      } else {
        total = (total + group) * word.value();
        group = 0;
        lastScale = word.value();
      }
    }

    long value() {
      return total + group;
    }
  }
}
