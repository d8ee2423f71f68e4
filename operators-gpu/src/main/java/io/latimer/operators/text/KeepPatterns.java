package io.latimer.operators.text;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.latimer.operators.OperatorException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A user's patterns of what a translation keeps as it is: regular expressions of RE2, which match
 * in time that grows with the text, whatever the pattern. Thread-safe.
 */
public final class KeepPatterns {
  /** No patterns. */
  public static final KeepPatterns NONE = new KeepPatterns(List.of());

  /** Maximum number of patterns. */
  public static final int MOST = 100;

  /** Maximum length of a pattern. */
  public static final int LONGEST = 1_000;

  private final List<Pattern> patterns;

  private KeepPatterns(List<Pattern> patterns) {
    this.patterns = patterns;
  }

  /**
   * Compiles patterns.
   *
   * @throws OperatorException naming the pattern, if one is no regular expression of RE2, too long,
   *     or matches an empty text
   */
  public static KeepPatterns of(List<String> patterns) {
    if (patterns.isEmpty()) {
      return NONE;
    }
    if (patterns.size() > MOST) {
      throw new OperatorException(
          patterns.size() + " patterns; the maximum is " + MOST + ": join some with |");
    }
    return new KeepPatterns(patterns.stream().map(KeepPatterns::compiled).toList());
  }

  private static Pattern compiled(String pattern) {
    if (pattern.length() > LONGEST) {
      throw new OperatorException(
          "the pattern "
              + pattern.substring(0, 40)
              + "... has "
              + pattern.length()
              + " characters; the maximum is "
              + LONGEST);
    }
    Pattern compiled;
    try {
      compiled = Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw new OperatorException(
          "the pattern "
              + pattern
              + " is no regular expression of RE2: "
              + e.getDescription()
              + (e.getPattern() == null ? "" : " at " + e.getPattern())
              + "; RE2 has no lookaround and no backreferences",
          e);
    }
    if (compiled.matcher("").find()) {
      throw new OperatorException(
          "the pattern " + pattern + " matches an empty text; make it match at least a character");
    }
    return compiled;
  }

  /** What the patterns match: from the left, of two at one place the longer, without overlaps. */
  List<KeptSpan> find(String text) {
    if (patterns.isEmpty()) {
      return List.of();
    }
    List<KeptSpan> found = new ArrayList<>();
    for (Pattern pattern : patterns) {
      Matcher matcher = pattern.matcher(text);
      while (matcher.find()) {
        if (matcher.end() > matcher.start()) {
          found.add(KeptSpan.of(text, matcher.start(), matcher.end()));
        }
      }
    }
    found.sort(
        Comparator.comparingInt(KeptSpan::start)
            .thenComparing(Comparator.comparingInt(KeptSpan::end).reversed()));
    List<KeptSpan> kept = new ArrayList<>(found.size());
    int end = 0;
    for (KeptSpan span : found) {
      if (span.start() >= end) {
        kept.add(span);
        end = span.end();
      }
    }
    return kept;
  }
}
