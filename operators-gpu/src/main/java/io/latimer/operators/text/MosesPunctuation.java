package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Replaces typographic punctuation with plain punctuation, by the rules that Moses published. */
final class MosesPunctuation {
  /**
   * One rule.
   *
   * @param needs texts of which a line must contain at least one for the rule to match: each is one
   *     character, or one character twice
   */
  private record Rule(List<String> needs, Pattern pattern, String replacement) {
    Rule(String pattern, String replacement, String... needs) {
      this(List.of(needs), Pattern.compile(pattern), replacement);
    }

    String apply(String line) {
      for (String needed : needs) {
        if (line.contains(needed)) {
          return always(line);
        }
      }
      return line;
    }

    String always(String line) {
      return pattern.matcher(line).replaceAll(replacement);
    }
  }

  private static final List<Rule> RULES =
      List.of(
          new Rule("\\(", " (", "("),
          new Rule("\\)", ") ", ")"),
          new Rule(" {2,}+", " ", "  "),
          new Rule("\\) ([.!:?;,])", ")$1", ")"),
          new Rule("\\( ", "(", "("),
          new Rule(" \\)", ")", ")"),
          new Rule("(\\d) %", "$1%", "%"),
          new Rule(" ([:;])", "$1", ":", ";"),
          new Rule("[„“”]|''|´´", "\"", "„", "“", "”", "''", "´´"),
          new Rule("–", "-", "–"),
          new Rule("—", " - ", "—"),
          new Rule(" {2,}+", " ", "  "),
          new Rule("(\\p{L})[‘’](\\p{L})", "$1'$2", "‘", "’"),
          new Rule("[‘‚’´`]", "'", "‘", "‚", "’", "´", "`"),
          new Rule("…", "...", "…"),
          new Rule("[\u00A0 ]«[\u00A0 ]", " \"", "«"),
          new Rule("«[\u00A0 ]?", "\"", "«"),
          new Rule("[\u00A0 ]»[\u00A0 ]", "\" ", "»"),
          new Rule("[\u00A0 ]?»", "\"", "»"),
          new Rule("\u00A0(%|:|\\?|!|;)", "$1", "\u00A0"),
          new Rule("(nº|,)\u00A0", "$1 ", "\u00A0"),
          new Rule("\u00A0(ºC|cm)", " $1", "\u00A0"));

  private static final Rule ENGLISH_QUOTE = new Rule("\"([,.]++)", "$1\"", "\"");
  private static final Rule OTHER_COMMA = new Rule(",\"", "\",", "\"");

  /** Matches only from the start of a run of full stops, or a long run would be read from each. */
  private static final Rule OTHER_STOP =
      new Rule("(?:\\G|(?<!\\.))(\\.++)\"(\\s*+[^<\\s])", "\"$1$2", "\"");

  private static final Rule NUMBER_COMMA = new Rule("(\\d)\u00A0(\\d)", "$1,$2", "\u00A0");
  private static final Rule NUMBER_STOP = new Rule("(\\d)\u00A0(\\d)", "$1.$2", "\u00A0");

  /** Languages that write a comma before decimals. */
  private static final Set<String> DECIMAL_COMMA = Set.of("de", "es", "cs", "cz", "fr");

  /** All rules, for a language with rules of its own. */
  private final List<Rule> rules = new ArrayList<>(RULES);

  /**
   * For each character up to the last that a rule needs: 1 if a rule needs one, 2 if it needs two.
   */
  private final byte[] needed;

  MosesPunctuation(String languageTag) {
    String language = Locale.forLanguageTag(languageTag).getLanguage();
    if (language.equals("en")) {
      rules.add(ENGLISH_QUOTE);
    } else if (!language.equals("cs") && !language.equals("cz")) {
      rules.add(OTHER_COMMA);
      rules.add(OTHER_STOP);
    }
    rules.add(DECIMAL_COMMA.contains(language) ? NUMBER_COMMA : NUMBER_STOP);
    List<String> needs = rules.stream().flatMap(rule -> rule.needs().stream()).toList();
    needed = new byte[needs.stream().mapToInt(need -> need.charAt(0)).max().orElseThrow() + 1];
    for (String need : needs) {
      boolean alone = need.length() == 1 || needed[need.charAt(0)] == 1;
      needed[need.charAt(0)] = (byte) (alone ? 1 : 2);
    }
  }

  String normalize(String line) {
    if (isPlain(line)) {
      return line.strip();
    }
    String text = line;
    for (Rule rule : rules) {
      text = rule.apply(text);
    }
    return text.strip();
  }

  /** As {@link #normalize}, without checking what rules need. */
  String normalizeByAllRules(String line) {
    String text = line;
    for (Rule rule : rules) {
      text = rule.always(text);
    }
    return text.strip();
  }

  /** Whether a line contains nothing that any rule needs. */
  private boolean isPlain(String line) {
    char before = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c < needed.length && needed[c] > 0 && (needed[c] == 1 || c == before)) {
        return false;
      }
      before = c;
    }
    return true;
  }
}
