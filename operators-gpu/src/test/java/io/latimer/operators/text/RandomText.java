package io.latimer.operators.text;

import java.util.List;
import java.util.Random;

/** Texts of parts that short ways might take for others. */
final class RandomText {
  private static final List<String> WORDS =
      List.of("the", "man", "is", "Tom's", "don't", "well-known", "3", "1,000", "5", "größe", "12");

  private static final List<String> ODD =
      List.of(
          ".",
          "..",
          "...",
          ",",
          ",,",
          "!",
          "?",
          ":",
          ";",
          "'",
          "''",
          "\"",
          "`",
          "´",
          "´´",
          "(",
          ")",
          "[",
          "]",
          "%",
          "-",
          "–",
          "—",
          "…",
          "‘",
          "’",
          "‚",
          "“",
          "”",
          "„",
          "«",
          "»",
          "\u00A0",
          "nº",
          "ºC",
          "cm",
          "&",
          "&amp;",
          "&apos;",
          "|",
          "<",
          ">",
          "@-@",
          "@@",
          "$",
          "¿",
          "é",
          "e\u0301",
          "\u0301",
          "\u200D",
          "\u3000",
          "\t",
          "\u001c",
          "日本語",
          "。",
          "שלום",
          "\uE000",
          "\u2581",
          "😀",
          "👨‍👩‍👧",
          "\uD835\uDFD7",
          "𝒳",
          "Ⅷ",
          "½",
          "²",
          "ß",
          "İ",
          "ﬁ",
          "</s>",
          "<unk>",
          "https://a.org/b?c ",
          "jo@x.org",
          "www.x.de");

  private RandomText() {}

  /** Words, with odd parts in half of the texts; every surrogate has its other half. */
  static String of(Random random) {
    boolean odd = random.nextBoolean();
    StringBuilder text = new StringBuilder();
    int parts = random.nextInt(9);
    for (int i = 0; i < parts; i++) {
      boolean word = !odd || random.nextInt(3) == 0;
      List<String> pool = word ? WORDS : ODD;
      text.append(pool.get(random.nextInt(pool.size())));
      text.append(random.nextInt(odd ? 3 : 12) > 0 ? " " : "");
    }
    return text.append(random.nextInt(3) == 0 ? "." : "").toString();
  }
}
