package io.latimer.operators.text;

import io.latimer.operators.text.markup.Markup;

/** What of a text is written in a language. */
public final class Prose {
  private Prose() {}

  /**
   * A text without its markup and without what stays as it is in translations whatever the language
   * is: addresses, placeholders, code between backticks, names of users and topics, paths, versions
   * and the like. Takes time that grows with the length of the text; never fails.
   *
   * @param text any
   */
  public static String of(String text) {
    String plain =
        Markup.isPossible(text)
            ? Markup.of(
                    text,
                    KeptSpans.of(text).stream()
                        .map(span -> new Markup.Range(span.start(), span.end()))
                        .toList())
                .plain()
            : text;
    StringBuilder prose = new StringBuilder(plain.length());
    int from = 0;
    for (KeptSpan span : KeptSpans.of(plain)) {
      prose.append(plain, from, span.start()).append(' ');
      from = span.end();
    }
    return prose.append(plain, from, plain.length()).toString();
  }
}
