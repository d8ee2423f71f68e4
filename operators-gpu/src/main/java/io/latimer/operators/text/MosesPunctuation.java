package io.latimer.operators.text;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Makes typographic punctuation plain, by the rules that Moses published. */
final class MosesPunctuation {
  private record Rule(Pattern pattern, String replacement) {
    Rule(String pattern, String replacement) {
      this(Pattern.compile(pattern), replacement);
    }
  }

  private static final List<Rule> RULES =
      List.of(
          new Rule("\\(", " ("),
          new Rule("\\)", ") "),
          new Rule(" {2,}+", " "),
          new Rule("\\) ([.!:?;,])", ")$1"),
          new Rule("\\( ", "("),
          new Rule(" \\)", ")"),
          new Rule("(\\d) %", "$1%"),
          new Rule(" ([:;])", "$1"),
          new Rule("[„“”]|''|´´", "\""),
          new Rule("–", "-"),
          new Rule("—", " - "),
          new Rule(" {2,}+", " "),
          new Rule("(\\p{L})[‘’](\\p{L})", "$1'$2"),
          new Rule("[‘‚’´`]", "'"),
          new Rule("…", "..."),
          new Rule("[\u00A0 ]«[\u00A0 ]", " \""),
          new Rule("«[\u00A0 ]?", "\""),
          new Rule("[\u00A0 ]»[\u00A0 ]", "\" "),
          new Rule("[\u00A0 ]?»", "\""),
          new Rule("\u00A0(%|:|\\?|!|;)", "$1"),
          new Rule("(nº|,)\u00A0", "$1 "),
          new Rule("\u00A0(ºC|cm)", " $1"));

  private static final Pattern ENGLISH_QUOTE = Pattern.compile("\"([,.]++)");
  private static final Pattern OTHER_COMMA = Pattern.compile(",\"");
  private static final Pattern OTHER_STOP = Pattern.compile("(\\.++)\"(\\s*+[^<\\s])");
  private static final Pattern NUMBER = Pattern.compile("(\\d)\u00A0(\\d)");

  /** Languages that write a comma before decimals. */
  private static final Set<String> DECIMAL_COMMA = Set.of("de", "es", "cs", "cz", "fr");

  private MosesPunctuation() {}

  static String normalize(String line, String languageTag) {
    String text = line;
    for (Rule rule : RULES) {
      text = rule.pattern().matcher(text).replaceAll(rule.replacement());
    }
    String language = Locale.forLanguageTag(languageTag).getLanguage();
    if (language.equals("en")) {
      text = ENGLISH_QUOTE.matcher(text).replaceAll("$1\"");
    } else if (!language.equals("cs") && !language.equals("cz")) {
      text = OTHER_COMMA.matcher(text).replaceAll("\",");
      text = OTHER_STOP.matcher(text).replaceAll("\"$1$2");
    }
    text = NUMBER.matcher(text).replaceAll(DECIMAL_COMMA.contains(language) ? "$1,$2" : "$1.$2");
    return text.strip();
  }
}
