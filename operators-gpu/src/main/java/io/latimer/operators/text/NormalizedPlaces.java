package io.latimer.operators.text;

import com.ibm.icu.text.Normalizer2;
import java.text.Normalizer;

/** Normalizes text to a Unicode form, and maps the result's code points to the original text. */
public final class NormalizedPlaces {
  /**
   * Longer runs of characters that combine with each other are normalized in pieces, as in the
   * Stream-Safe Text Format (UAX 15), whose limit is 30: normalization sorts a run of marks by
   * insertion, which takes seconds for 100,000.
   */
  private static final int LONGEST_RUN = 256;

  /**
   * First and last code point of the raw text for each normalized one; null if they are the same.
   */
  private final int[][] places;

  private NormalizedPlaces(int[][] places) {
    this.places = places;
  }

  /**
   * Normalizes a text in time that grows with its length.
   *
   * @param form null for none
   */
  public static String normalize(String text, Normalizer.Form form) {
    if (form == null) {
      return text;
    }
    Normalizer2 boundaries = boundaries(form);
    if (!hasLongRun(text, boundaries)) {
      return Normalizer.normalize(text, form);
    }
    StringBuilder normalized = new StringBuilder(text.length());
    for (int start = 0; start < text.length(); ) {
      int end = runEnd(text, start, boundaries);
      normalized.append(Normalizer.normalize(text.substring(start, end), form));
      start = end;
    }
    return normalized.toString();
  }

  private static Normalizer2 boundaries(Normalizer.Form form) {
    return form == Normalizer.Form.NFC
        ? Normalizer2.getNFCInstance()
        : Normalizer2.getNFKCInstance();
  }

  private static boolean hasLongRun(String text, Normalizer2 boundaries) {
    int run = 0;
    for (int at = 0; at < text.length() && run < LONGEST_RUN; ) {
      int c = text.codePointAt(at);
      run = isStart(c, boundaries) ? 1 : run + 1;
      at += Character.charCount(c);
    }
    return run >= LONGEST_RUN;
  }

  /** Where the run of combining characters at a position ends. */
  private static int runEnd(String text, int start, Normalizer2 boundaries) {
    int end = start + Character.charCount(text.codePointAt(start));
    for (int run = 1; run < LONGEST_RUN && end < text.length(); run++) {
      int c = text.codePointAt(end);
      if (isStart(c, boundaries)) {
        break;
      }
      end += Character.charCount(c);
    }
    return end;
  }

  /** Whether a character never changes with those before it. */
  private static boolean isStart(int c, Normalizer2 boundaries) {
    return c < 0x300 || boundaries.hasBoundaryBefore(c);
  }

  /**
   * Maps the code points of a normalized text to those of the original.
   *
   * @param raw the original text
   * @param form how it was normalized; null if it was not
   * @param normalized the result of {@link #normalize}
   */
  public static NormalizedPlaces of(String raw, Normalizer.Form form, String normalized) {
    if (form == null || raw.equals(normalized)) {
      return new NormalizedPlaces(null);
    }
    Normalizer2 boundaries = boundaries(form);
    int[][] places = new int[normalized.codePointCount(0, normalized.length())][];
    int done = 0;
    int points = 0;
    int start = 0;
    while (start < raw.length()) {
      int end = runEnd(raw, start, boundaries);
      String part = Normalizer.normalize(raw.substring(start, end), form);
      int next = points + raw.codePointCount(start, end);
      int length = part.codePointCount(0, part.length());
      for (int i = 0; i < length && done < places.length; i++) {
        places[done++] = new int[] {points, next - 1};
      }
      points = next;
      start = end;
    }
    while (done < places.length) { // two versions of Unicode that disagree
      places[done++] = new int[] {points - 1, points - 1};
    }
    return new NormalizedPlaces(places);
  }

  /** The place in the original text, in code points, of one in the normalized text. */
  public TextSpan raw(TextSpan span) {
    return places == null || !span.exists()
        ? span
        : new TextSpan(places[span.start()][0], places[span.end() - 1][1] + 1);
  }
}
