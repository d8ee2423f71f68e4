package io.latimer.operators.text;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Locates tokens in the raw text from which they come or to which they were joined.
 *
 * <p>Text and tokens have the same characters except for spaces, case and changes by normalization,
 * tokenization and their inverses. Their longest common subsequence (Myers, "An O(ND) Difference
 * Algorithm and Its Variations", 1986) contains the unchanged characters, so tokens of unchanged
 * characters are located exactly; changed characters are interpolated between the unchanged ones
 * around them.
 */
final class TokenSpans {
  /** Bounds time and memory, which grow with its square; beyond it nothing counts as unchanged. */
  private static final int MAX_DIFFERENCES = 1_000;

  private final int[] tokens;
  private final int[] text;
  private final int[] places;

  /**
   * The position in {@link #text} of each unchanged character of {@link #tokens}; -1 for changed
   * ones.
   */
  private final int[] kept;

  private TokenSpans(int[] tokens, int[] text, int[] places) {
    this.tokens = tokens;
    this.text = text;
    this.places = places;
    this.kept = new int[tokens.length];
    Arrays.fill(kept, -1);
  }

  /**
   * Locates tokens.
   *
   * @param surfaces the surface of each token; null for one that shares the characters of the
   *     previous token
   * @param text the text to search
   * @return the span of each token; {@link TextSpan#NONE} for one without characters in the text
   */
  static List<TextSpan> find(List<String> surfaces, String text) {
    int[] places = new int[text.length()];
    int[] folded = new int[text.length()];
    int count = 0;
    int place = 0;
    for (int i = 0; i < text.length(); place++) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      if (!TextWords.isSpace(point)) {
        places[count] = place;
        folded[count++] = fold(point);
      }
    }
    int[] lengths = new int[surfaces.size()];
    int[] all = characters(surfaces, lengths);
    TokenSpans spans =
        new TokenSpans(all, Arrays.copyOf(folded, count), Arrays.copyOf(places, count));
    spans.match();
    return spans.of(surfaces, lengths);
  }

  /**
   * Spans of a text in another that contains its characters.
   *
   * @param offset from that of a character in the text to its offset in the other, in code points
   */
  static List<TextSpan> moved(List<TextSpan> spans, IntUnaryOperator offset) {
    return spans.stream()
        .map(
            s ->
                s.exists()
                    ? new TextSpan(offset.applyAsInt(s.start()), offset.applyAsInt(s.end() - 1) + 1)
                    : s)
        .toList();
  }

  /**
   * The characters of all surfaces, concatenated.
   *
   * @param lengths receives the number of each
   */
  private static int[] characters(List<String> surfaces, int[] lengths) {
    int most = 0;
    for (String surface : surfaces) {
      most += surface == null ? 0 : surface.length();
    }
    int[] all = new int[most];
    int count = 0;
    for (int token = 0; token < lengths.length; token++) {
      String surface = surfaces.get(token) == null ? "" : surfaces.get(token);
      int before = count;
      for (int i = 0; i < surface.length(); ) {
        int point = surface.codePointAt(i);
        i += Character.charCount(point);
        if (!TextWords.isSpace(point)) {
          all[count++] = fold(point);
        }
      }
      lengths[token] = count - before;
    }
    return Arrays.copyOf(all, count);
  }

  /** Forms of one character compare equal; those that become several characters are not changed. */
  private static int fold(int codePoint) {
    if (codePoint < 0x80) {
      return Character.toLowerCase(codePoint);
    }
    String normal = Normalizer.normalize(Character.toString(codePoint), Normalizer.Form.NFKC);
    int point = normal.codePointCount(0, normal.length()) == 1 ? normal.codePointAt(0) : codePoint;
    return Character.toLowerCase(Character.toUpperCase(point));
  }

  private void match() {
    int head = 0;
    while (head < tokens.length && head < text.length && tokens[head] == text[head]) {
      kept[head] = head;
      head++;
    }
    int n = tokens.length;
    int m = text.length;
    while (n > head && m > head && tokens[n - 1] == text[m - 1]) {
      kept[--n] = --m;
    }
    if (n > head && m > head) {
      differ(head, n - head, m - head);
    }
  }

  /** Myers' greedy algorithm between common head and tail; x counts tokens, y counts text. */
  private void differ(int head, int n, int m) {
    int most = Math.min(n + m, MAX_DIFFERENCES);
    List<int[]> trace = new ArrayList<>();
    int[] furthest = new int[] {0, 0, 0}; // diagonals -1 to 1
    for (int d = 0; d <= most; d++) {
      int[] next = new int[2 * d + 3]; // diagonals -d-1 to d+1
      for (int k = -d; k <= d; k += 2) {
        int x = d == 0 ? 0 : step(furthest, d, k);
        int y = x - k;
        while (x < n && y < m && tokens[head + x] == text[head + y]) {
          x++;
          y++;
        }
        next[k + d + 1] = x;
        if (x >= n && y >= m) {
          walkBack(trace, head, n, m);
          return;
        }
      }
      trace.add(next);
      furthest = next;
    }
  }

  /** The start of diagonal k in round d, from the furthest positions of round d - 1. */
  private static int step(int[] furthest, int d, int k) {
    return goesDown(furthest, d, k) ? furthest[k + 1 + d] : furthest[k - 1 + d] + 1;
  }

  private static boolean goesDown(int[] furthest, int d, int k) {
    return k == -d || (k != d && furthest[k - 1 + d] < furthest[k + 1 + d]);
  }

  private void walkBack(List<int[]> trace, int head, int n, int m) {
    int x = n;
    int y = m;
    for (int d = trace.size(); d >= 0; d--) {
      int k = x - y;
      int start = d == 0 ? 0 : step(trace.get(d - 1), d, k);
      while (x > start) {
        x--;
        y--;
        kept[head + x] = head + y;
      }
      if (d > 0) {
        boolean down = goesDown(trace.get(d - 1), d, k);
        x -= down ? 0 : 1;
        y -= down ? 1 : 0;
      }
    }
  }

  private List<TextSpan> of(List<String> surfaces, int[] lengths) {
    int[] starts = new int[tokens.length];
    int[] ends = new int[tokens.length];
    int at = 0;
    int place = 0; // in the text, after the last unchanged character
    while (at < tokens.length) {
      if (kept[at] >= 0) {
        starts[at] = kept[at];
        ends[at] = kept[at] + 1;
        place = ends[at++];
        continue;
      }
      int end = at;
      while (end < tokens.length && kept[end] < 0) {
        end++;
      }
      long changed = (end < tokens.length ? kept[end] : text.length) - (long) place;
      for (int i = at; i < end; i++) {
        starts[i] = (int) (place + (i - at) * changed / (end - at));
        ends[i] = (int) (place + ((i - at + 1) * changed + (end - at) - 1) / (end - at));
      }
      at = end;
    }
    List<TextSpan> spans = new ArrayList<>(surfaces.size());
    int from = 0;
    for (int i = 0; i < surfaces.size(); i++) {
      if (surfaces.get(i) == null && i > 0) {
        spans.add(spans.get(i - 1));
        continue;
      }
      int to = from + lengths[i];
      spans.add(span(starts, ends, from, to));
      from = to;
    }
    return spans;
  }

  private TextSpan span(int[] starts, int[] ends, int from, int to) {
    TextSpan span = TextSpan.NONE;
    for (int i = from; i < to; i++) {
      if (starts[i] < ends[i]) {
        int start = span.exists() ? span.start() : places[starts[i]];
        span = new TextSpan(start, places[ends[i] - 1] + 1);
      }
    }
    return span;
  }
}
