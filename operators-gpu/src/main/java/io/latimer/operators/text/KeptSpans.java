package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds what a translation must contain as its source does: addresses, placeholders, code, names of
 * users and topics, paths, versions, numbers of accounts and telephones, and hexadecimal numbers.
 *
 * <p>All quantifiers are bounded or possessive: no text makes the search slow or deep. A pattern is
 * tried only where its first character is, so that plain text costs a look at each character.
 */
final class KeptSpans {
  private static final String NO_WORD_BEFORE = "(?<![\\p{L}\\p{N}])";
  private static final String NO_WORD_AFTER = "(?![\\p{L}\\p{N}])";

  private static final Pattern ADDRESS =
      Pattern.compile(
          NO_WORD_BEFORE
              + "(?:https?|ftp)://[^\\s<>\"\\uE000]++"
              + "|(?<![\\p{L}\\p{N}.])www\\.[^\\s<>\"\\uE000]++"
              + "|(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]{1,64}+@"
              + "[\\p{L}\\p{N}-]{1,63}+(?:\\.[\\p{L}\\p{N}-]{1,63}+){1,10}+",
          Pattern.CASE_INSENSITIVE);

  private static final String NAME = "[A-Za-z_][A-Za-z0-9_]{0,40}+";
  private static final String PART = "[\\p{L}\\p{N}._+-]{1,64}+";
  private static final String PATH =
      "(?<![\\p{L}\\p{N}/.~<:+=_-])(?:~|\\.{1,2}+)?+/" + PART + "(?:/" + PART + "){1,20}+/?+";
  private static final String UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";
  private static final String HASH = "(?=[a-f]{0,64}+[0-9])(?=[0-9]{0,64}+[a-f])[0-9a-f]{7,64}+";

  /** By the first character; of two at one place, the first counts. */
  private static final Pattern[] AT = new Pattern[0x80];

  /** Where a word starts with a letter, if it has a digit. */
  private static final Pattern AT_LETTER =
      anyOf(
          UUID + NO_WORD_AFTER,
          HASH + NO_WORD_AFTER,
          // IBAN
          "[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?" + NO_WORD_AFTER,
          "v\\d{1,4}+(?:\\.\\d{1,6}+){0,4}+(?:-[A-Za-z0-9]{1,20}+)?+" + NO_WORD_AFTER);

  /** Where a word starts with a digit. */
  private static final Pattern AT_DIGIT =
      anyOf(
          "0[xX][0-9A-Fa-f]{1,64}+" + NO_WORD_AFTER,
          UUID + NO_WORD_AFTER,
          HASH + NO_WORD_AFTER,
          // telephones of North America
          "(?<!-)(?:\\d{3}-)?\\d{3}-\\d{4}(?![\\p{L}\\p{N}-])",
          // versions: three numbers or more, but no thousands
          "(?<![.,])(?!\\d{1,3}(?:\\.\\d{3}){2,5}(?!\\.?\\d))"
              + "\\d{1,4}+(?:\\.\\d{1,6}+){2,4}+(?:-[A-Za-z0-9]{1,20}+)?+"
              + NO_WORD_AFTER);

  private static final Pattern DRIVE =
      Pattern.compile("[A-Za-z]:(?:\\\\" + PART + "){1,20}+\\\\?+");

  static {
    at("`", "``[^\\n\\uE000]{1,200}?``", "`[^`\\n\\uE000]{1,200}+`");
    at("{", "\\{\\{[^{}\\n\\uE000]{1,64}+\\}\\}", "\\{[\\p{L}\\p{N}_.:#-]{0,64}+\\}");
    at("[", "\\[\\[[^\\[\\]\\n\\uE000]{1,64}+\\]\\]");
    at(
        "<",
        "<\\d{1,3}+/>",
        "<3++(?![\\p{L}\\p{N}])", // a heart
        "<(?:https?://|mailto:)[^\\s<>\\uE000]{1,2000}+>", // a link of Markdown
        "<(code|kbd|samp|tt|var)(?:\\s[^<>]{0,200}+)?+>[^<>]{0,200}+</\\1>",
        // what its author says is not to be translated
        "<([a-zA-Z]{1,20}+)\\s(?=[^<>]{0,200}?(?:translate=[\"']?no|notranslate))[^<>]{1,400}+>"
            + "[^<>]{0,400}+</\\2>");
    at("&", "&(?:#\\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"); // entities
    at("$", "\\$\\{[^{}\\s\\uE000]{1,64}+\\}", NO_WORD_BEFORE + "\\$" + NAME);
    at(
        "%",
        "(?<![\\p{N}%])%(?:\\d{1,2}+\\$|\\("
            + NAME
            + "\\))?+[-+0#]{0,3}+\\d{0,3}+"
            + "(?:\\.\\d{1,2}+)?+(?:ll|[hlLqjzt])?+[diouxXeEfFgGcrsa@]"
            + NO_WORD_AFTER);
    at(":", "(?<![\\p{L}\\p{N}:]):[a-z][a-z0-9_+-]{0,31}+:(?![\\p{L}\\p{N}:])");
    at(
        "#",
        "(?<![\\p{L}\\p{N}&#])#(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})" + NO_WORD_AFTER,
        "(?<![\\p{L}\\p{N}_&#])#[\\p{L}_][\\p{L}\\p{N}_]{0,60}+");
    at("@", "(?<![\\p{L}\\p{N}_@])@[\\p{L}\\p{N}_]{1,40}+");
    at("/~.", PATH);
    // telephones
    at("+", "(?<![\\p{L}\\p{N}+])\\+\\d{1,3}+(?:[ ./-]?\\(?\\d{1,5}+\\)?){2,6}" + NO_WORD_AFTER);
    at("(", "(?<![\\p{L}\\p{N}])\\(\\d{3}\\) ?\\d{3}-\\d{4}" + NO_WORD_AFTER);
  }

  private static final String NOT_AT_THE_END = ".,;:!?'”’»…";

  private KeptSpans() {}

  private static Pattern anyOf(String... patterns) {
    return Pattern.compile(String.join("|", patterns));
  }

  private static void at(String first, String... patterns) {
    first.chars().forEach(c -> AT[c] = anyOf(patterns));
  }

  /**
   * Given spans and those of the text that do not overlap them, in order.
   *
   * @param given in order, without overlaps
   */
  static List<KeptSpan> with(List<KeptSpan> given, String text) {
    List<KeptSpan> found = of(text);
    if (given.isEmpty() || found.isEmpty()) {
      return given.isEmpty() ? found : given;
    }
    List<KeptSpan> merged = new ArrayList<>(found.size() + given.size());
    int next = 0;
    for (KeptSpan span : found) {
      while (next < given.size() && given.get(next).end() <= span.start()) {
        merged.add(given.get(next++));
      }
      if (next == given.size() || given.get(next).start() >= span.end()) {
        merged.add(span);
      }
    }
    merged.addAll(given.subList(next, given.size()));
    return merged;
  }

  /** The spans of a text, in order, without overlaps. */
  static List<KeptSpan> of(String text) {
    List<KeptSpan> spans = new ArrayList<>();
    int at = 0;
    if (text.indexOf('@') >= 0 || text.contains("://") || text.contains("www.")) {
      Matcher matcher = ADDRESS.matcher(text);
      while (matcher.find()) {
        others(text, at, matcher.start(), spans);
        at = addressEnd(text, matcher.start(), matcher.end());
        spans.add(KeptSpan.of(text, matcher.start(), at));
      }
    }
    others(text, at, text.length(), spans);
    return spans;
  }

  private static void others(String text, int from, int to, List<KeptSpan> spans) {
    int at = from;
    boolean inWord = false;
    while (at < to) {
      char c = text.charAt(at);
      boolean ofWord = Character.isLetterOrDigit(c) || Character.isSurrogate(c);
      Pattern pattern = c >= AT.length || (inWord && ofWord) ? null : patternAt(text, at, c, to);
      int end = pattern == null ? -1 : end(pattern, text, at, to);
      if (end > at) {
        spans.add(KeptSpan.of(text, at, end));
        at = end;
        inWord = false;
      } else {
        inWord = ofWord;
        at++;
      }
    }
  }

  private static Pattern patternAt(String text, int at, char c, int to) {
    if (c >= '0' && c <= '9') {
      return AT_DIGIT;
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      if (at + 2 < to && text.charAt(at + 1) == ':' && text.charAt(at + 2) == '\\') {
        return DRIVE;
      }
      return hasDigit(text, at, to) ? AT_LETTER : null;
    }
    return AT[c];
  }

  /** Whether a word has a digit, or the part of a UUID that follows it may. */
  private static boolean hasDigit(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c >= '0' && c <= '9') {
        return true;
      }
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && !(c == '-' && i == from + 8)) {
        return false;
      }
    }
    return false;
  }

  /** Where a pattern that matches at a place ends; -1 if it does not. */
  private static int end(Pattern pattern, String text, int from, int to) {
    Matcher matcher = pattern.matcher(text).region(from, to);
    matcher.useTransparentBounds(true).useAnchoringBounds(false);
    return matcher.lookingAt() ? withoutStops(text, from, matcher.end()) : -1;
  }

  /** Full stops after a word are those of the sentence. */
  private static int withoutStops(String text, int start, int end) {
    int at = end;
    while (at > start && text.charAt(at - 1) == '.') {
      at--;
    }
    return at > start && Character.isLetterOrDigit(text.charAt(at - 1)) ? at : end;
  }

  /**
   * An address does not include the full stop of its sentence, nor a bracket that it did not open.
   */
  private static int addressEnd(String text, int start, int end) {
    String address = text.substring(start, end);
    boolean opens = address.indexOf('(') >= 0 || address.indexOf('[') >= 0;
    int at = end;
    while (at > start + 1) {
      char c = text.charAt(at - 1);
      boolean unopened = !opens && (c == ')' || c == ']');
      if (NOT_AT_THE_END.indexOf(c) < 0 && !unopened) {
        return at;
      }
      at--;
    }
    return end;
  }
}
