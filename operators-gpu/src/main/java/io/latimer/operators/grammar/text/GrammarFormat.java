package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The formats of grammars in text files, plain or gzip. */
public enum GrammarFormat {
  /** The lines of {@link RuleLines}. */
  RULES,
  /** See {@link NltkReader}. */
  NLTK,
  /** See {@link EbnfReader}. */
  EBNF,
  /** See {@link LarkReader}. */
  LARK,
  /** See {@link GbnfReader}. */
  GBNF,
  /** See {@link BerkeleyReader}. */
  BERKELEY;

  private static final Map<String, GrammarFormat> BY_EXTENSION =
      Map.ofEntries(
          Map.entry("cfg", NLTK),
          Map.entry("pcfg", NLTK),
          Map.entry("ebnf", EBNF),
          Map.entry("bnf", EBNF),
          Map.entry("lark", LARK),
          Map.entry("gbnf", GBNF),
          Map.entry("gr", BERKELEY),
          Map.entry("grammar", BERKELEY),
          Map.entry("binary", BERKELEY),
          Map.entry("unary", BERKELEY),
          Map.entry("lexicon", BERKELEY));
  private static final Pattern LINE_OF_RULES =
      Pattern.compile("(start|v) \\S+|e|u \\S+ \\S+( \\S+)?|(b|t) \\S+ \\S+( \\S+){0,2}");
  private static final Pattern LARK_RULE =
      Pattern.compile("[?!]?\\w+(\\.-?\\d+)?\\s*:(?![:=]).*|%(import|ignore)\\b.*");
  private static final Pattern GBNF_RULE = Pattern.compile("root\\s*::=.*");
  private static final Pattern EBNF_RULE = Pattern.compile("(\\w[\\w-]*|<[^>]+>)\\s*(::=|:=|=).*");
  private static final Pattern NLTK_RULE = Pattern.compile("%start\\b.*|[^\\s'\"|]+\\s*->.*");

  /**
   * The format of a file by the end of its name (without {@code .gz}), or else by the first line
   * that is typical of a format.
   *
   * @throws GrammarFormatException if it cannot be read, or no line is typical of a format
   */
  public static GrammarFormat of(Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    name = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    GrammarFormat format = BY_EXTENSION.get(name.substring(name.lastIndexOf('.') + 1));
    return format == null ? byContent(file) : format;
  }

  private static GrammarFormat byContent(Path file) {
    boolean ebnf = false;
    for (String line : GrammarSource.lines(file)) {
      if (LINE_OF_RULES.matcher(line).matches()) {
        return RULES;
      }
      String text = line.strip();
      if (GBNF_RULE.matcher(text).matches()) {
        return GBNF;
      }
      if (NLTK_RULE.matcher(text).matches()) {
        return NLTK;
      }
      if (LARK_RULE.matcher(text).matches()) {
        return LARK;
      }
      ebnf |= EBNF_RULE.matcher(text).matches(); // GBNF if a line for root follows
    }
    if (!ebnf) {
      throw new GrammarFormatException(
          file
              + ": no line looks like a rule of one of the formats "
              + names()
              + "; name the format");
    }
    return EBNF;
  }

  /** The names of all formats. */
  private static String names() {
    return String.join(", ", List.of(values()).stream().map(GrammarFormat::toString).toList());
  }

  /** The name as users write it: lower case. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
