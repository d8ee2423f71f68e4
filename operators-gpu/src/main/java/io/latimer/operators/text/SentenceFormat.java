package io.latimer.operators.text;

import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The tokens that a network reads around those of a sentence, and those that every translation
 * begins with. Each is {@value #END_OF_SENTENCE}, {@value #SOURCE} or {@value #TARGET}, which stand
 * for the end token and for the languages of the sentence, or a token of the vocabulary. Stored in
 * the model file as part of {@link TextSettings}.
 *
 * @param sourceStart before the tokens of a sentence; at most {@value #MAX_TOKENS}
 * @param sourceEnd after them; at most {@value #MAX_TOKENS}
 * @param targetStart what translations begin with, which is not part of their text; at most {@value
 *     #MAX_TOKENS}
 * @param languages the tokens that name languages, such as {@code deu_Latn}, {@code __de__} or
 *     {@code >>deu<<}; empty if and only if the format has no language
 */
public record SentenceFormat(
    List<String> sourceStart,
    List<String> sourceEnd,
    List<String> targetStart,
    List<String> languages) {
  /** Stands for the end token. */
  public static final String END_OF_SENTENCE = "{end}";

  /** Stands for the token of the source language. */
  public static final String SOURCE = "{source}";

  /** Stands for the token of the target language. */
  public static final String TARGET = "{target}";

  private static final int MAX_TOKENS = 8;
  private static final int MAX_LANGUAGES = 10_000;
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{[a-z]*}");

  /** Tokens and the end token: most models of one source and one target language. */
  public static final SentenceFormat PLAIN =
      new SentenceFormat(List.of(), List.of(END_OF_SENTENCE), List.of(), List.of());

  public SentenceFormat {
    sourceStart = List.copyOf(sourceStart);
    sourceEnd = List.copyOf(sourceEnd);
    targetStart = List.copyOf(targetStart);
    languages = List.copyOf(languages);
    for (List<String> side : List.of(sourceStart, sourceEnd, targetStart)) {
      if (side.size() > MAX_TOKENS) {
        throw refuse("at most " + MAX_TOKENS + " tokens on a side", side.size());
      }
    }
    boolean placed =
        sides(sourceStart, sourceEnd, targetStart)
            .anyMatch(token -> token.equals(SOURCE) || token.equals(TARGET));
    if (placed == languages.isEmpty()) {
      throw refuse("languages if and only if a side has " + SOURCE + " or " + TARGET, languages);
    }
    if (languages.size() > MAX_LANGUAGES
        || new HashSet<>(languages).size() < languages.size()
        || languages.contains("")) {
      throw refuse(
          "at most " + MAX_LANGUAGES + " different languages", languages.size() + " tokens");
    }
    sides(sourceStart, sourceEnd, targetStart)
        .filter(token -> PLACEHOLDER.matcher(token).matches())
        .filter(token -> !List.of(END_OF_SENTENCE, SOURCE, TARGET).contains(token))
        .findFirst()
        .ifPresent(
            token -> {
              throw refuse(END_OF_SENTENCE + ", " + SOURCE + " or " + TARGET, token);
            });
  }

  private static IllegalArgumentException refuse(String expected, Object found) {
    return new IllegalArgumentException(
        "sentence format: expected " + expected + ", found " + found);
  }

  private boolean uses(String placeholder) {
    return sides(sourceStart, sourceEnd, targetStart).anyMatch(placeholder::equals);
  }

  private static Stream<String> sides(
      List<String> sourceStart, List<String> sourceEnd, List<String> targetStart) {
    return Stream.of(sourceStart, sourceEnd, targetStart).flatMap(List::stream);
  }

  /** Whether the network is told the source language. */
  public boolean namesSource() {
    return uses(SOURCE);
  }

  /** Whether the network is told the target language. */
  public boolean namesTarget() {
    return uses(TARGET);
  }

  /** The most tokens that it adds to a source sentence. */
  int sourceTokens() {
    return sourceStart.size() + sourceEnd.size();
  }
}
