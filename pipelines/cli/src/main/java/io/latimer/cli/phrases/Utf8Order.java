package io.latimer.cli.phrases;

import java.util.Comparator;

/** The order of texts by UTF-8 bytes, which is that of their code points. */
final class Utf8Order {
  /** Compares as the bytes would; texts have no unpaired surrogates. */
  static final Comparator<String> COMPARATOR = Utf8Order::compare;

  private static final int SURROGATES = 0x800;

  private Utf8Order() {}

  private static int compare(String one, String other) {
    int length = Math.min(one.length(), other.length());
    for (int i = 0; i < length; i++) {
      char a = one.charAt(i);
      char b = other.charAt(i);
      if (a != b) {
        return Integer.compare(rank(a), rank(b));
      }
    }
    return Integer.compare(one.length(), other.length());
  }

  /** Ranks surrogates above all others, because their code points are. */
  private static int rank(char c) {
    if (Character.isSurrogate(c)) {
      return Character.MAX_VALUE - SURROGATES + (c - Character.MIN_SURROGATE) + 1;
    }
    return c > Character.MAX_SURROGATE ? c - SURROGATES : c;
  }
}
