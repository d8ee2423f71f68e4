package io.latimer.operators.text;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.Normalizer2;

/**
 * What two sentences must have in common to be the same one in a translation memory: their text but
 * for case, white space, Unicode normalization, and the shape of quotes, apostrophes and dashes. A
 * full stop at the end is kept apart, because titles and lists go without; other end marks belong
 * to the text.
 *
 * @param text normalized, without the full stop
 * @param stopped whether a full stop ends it
 */
public record SentenceKey(String text, boolean stopped) {
  /** Characters of the full stops of several scripts. */
  private static final String STOPS = ".。．｡।";

  /** Marks before which French texts, and tokenized ones, have a space. */
  private static final String CLOSING = ".,;:!?…";

  /** The key of a raw text, which is empty for a blank one. Takes linear time. */
  public static SentenceKey of(String raw) {
    String folded = UCharacter.foldCase(Normalizer2.getNFCInstance().normalize(raw), true);
    StringBuilder key = new StringBuilder(folded.length());
    boolean space = false;
    for (int i = 0; i < folded.length(); i++) {
      char c = folded.charAt(i);
      if (UCharacter.isUWhiteSpace(c)) {
        space = true;
        continue;
      }
      if (space && !key.isEmpty() && CLOSING.indexOf(c) < 0) {
        key.append(' ');
      }
      space = false;
      key.append(unified(c));
    }
    int end = key.length() - stop(key);
    boolean stopped = end < key.length();
    return new SentenceKey(key.substring(0, end), stopped);
  }

  /** Whether there is no text. */
  public boolean isEmpty() {
    return text.isEmpty();
  }

  /** The length of the full stop at the end of a text: 1, or 0 for none, and for an ellipsis. */
  public static int stop(CharSequence text) {
    int last = text.length() - 1;
    boolean one =
        last > 0
            && STOPS.indexOf(text.charAt(last)) >= 0
            && STOPS.indexOf(text.charAt(last - 1)) < 0;
    return one ? 1 : 0;
  }

  private static char unified(char c) {
    return switch (c) {
      case '“', '”', '„', '‟', '«', '»', '″', '〝', '〞', '＂' -> '"';
      case '‘', '’', '‚', '‛', '‹', '›', '′', '`', '´', 'ʼ', '＇' -> '\'';
      case '‐', '‑', '‒', '–', '—', '―', '−', '﹣', '－' -> '-';
      default -> c;
    };
  }
}
