package io.latimer.operators.text;

import com.ibm.icu.text.Normalizer2;
import java.text.Normalizer;

/** Maps the code points of a Unicode-normalized text to the original text. */
final class NormalizedPlaces {
  /**
   * First and last code point of the raw text for each normalized one; null if they are the same.
   */
  private final int[][] places;

  private NormalizedPlaces(int[][] places) {
    this.places = places;
  }

  /**
   * Compares.
   *
   * @param raw the original text
   * @param form how it was normalized; null if it was not
   * @param normalized the result
   */
  static NormalizedPlaces of(String raw, Normalizer.Form form, String normalized) {
    if (form == null || raw.equals(normalized)) {
      return new NormalizedPlaces(null);
    }
    Normalizer2 boundaries =
        form == Normalizer.Form.NFC ? Normalizer2.getNFCInstance() : Normalizer2.getNFKCInstance();
    int[][] places = new int[normalized.codePointCount(0, normalized.length())][];
    int[] points = raw.codePoints().toArray();
    int done = 0;
    int start = 0;
    while (start < points.length) {
      int end = start + 1;
      while (end < points.length && !boundaries.hasBoundaryBefore(points[end])) {
        end++;
      }
      String part = Normalizer.normalize(new String(points, start, end - start), form);
      int length = part.codePointCount(0, part.length());
      for (int i = 0; i < length && done < places.length; i++) {
        places[done++] = new int[] {start, end - 1};
      }
      start = end;
    }
    while (done < places.length) { // two versions of Unicode that disagree
      places[done++] = new int[] {points.length - 1, points.length - 1};
    }
    return new NormalizedPlaces(places);
  }

  TextSpan raw(TextSpan span) {
    return places == null || !span.exists()
        ? span
        : new TextSpan(places[span.start()][0], places[span.end() - 1][1] + 1);
  }
}
