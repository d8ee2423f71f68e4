package io.latimer.cli.terminal;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UProperty;
import com.ibm.icu.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The number of terminal columns of a text: two for East Asian wide characters and emoji, none for
 * combining marks (Unicode Standard Annex 11). Control characters are shown as spaces.
 */
public final class TextWidth {
  private TextWidth() {}

  /** The columns of a text; control characters count as one each. */
  public static int of(String text) {
    if (isAscii(text)) {
      return text.length();
    }
    int width = 0;
    for (String cluster : clusters(text)) {
      width += ofCluster(cluster);
    }
    return width;
  }

  /** The text itself if it fits, else truncated with an ellipsis. */
  public static String cut(String text, int columns) {
    if (of(text) <= columns) {
      return text;
    }
    StringBuilder kept = new StringBuilder();
    int width = 0;
    for (String cluster : clusters(text)) {
      width += ofCluster(cluster);
      if (width > columns - 1) {
        break;
      }
      kept.append(cluster);
    }
    return columns < 1 ? "" : kept.append('…').toString();
  }

  /**
   * Wraps a text into lines of a maximum width, at spaces if possible.
   *
   * @param columns at least 2
   */
  public static List<String> wrap(String text, int columns) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    int width = 0;
    for (String word : plain(text).split(" ", -1)) {
      int wordWidth = of(word);
      if (width > 0 && width + 1 + wordWidth > columns) {
        lines.add(line.toString());
        line.setLength(0);
        width = 0;
      }
      if (width > 0) {
        line.append(' ');
        width++;
      }
      for (String cluster : wordWidth <= columns ? List.of(word) : clusters(word)) {
        int clusterWidth = of(cluster);
        if (width + clusterWidth > columns) {
          lines.add(line.toString());
          line.setLength(0);
          width = 0;
        }
        line.append(cluster);
        width += clusterWidth;
      }
    }
    lines.add(line.toString());
    return lines;
  }

  /** The text padded with spaces to a number of columns. */
  public static String pad(String text, int columns) {
    return text + " ".repeat(Math.max(0, columns - of(text)));
  }

  /** The text on one line and safe for a terminal: every control character becomes a space. */
  public static String plain(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 0x80);
  }

  private static List<String> clusters(String text) {
    BreakIterator boundaries = BreakIterator.getCharacterInstance(Locale.ROOT);
    boundaries.setText(text);
    List<String> clusters = new ArrayList<>();
    int start = 0;
    for (int end = boundaries.next(); end != BreakIterator.DONE; end = boundaries.next()) {
      clusters.add(text.substring(start, end));
      start = end;
    }
    return clusters;
  }

  private static int ofCluster(String cluster) {
    int first = cluster.codePointAt(0);
    if (cluster.indexOf('\uFE0F') >= 0
        || UCharacter.hasBinaryProperty(first, UProperty.EMOJI_PRESENTATION)) {
      return 2;
    }
    int type = UCharacter.getType(first);
    if (type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.FORMAT) {
      return 0;
    }
    int eastAsian = UCharacter.getIntPropertyValue(first, UProperty.EAST_ASIAN_WIDTH);
    return eastAsian == UCharacter.EastAsianWidth.WIDE
            || eastAsian == UCharacter.EastAsianWidth.FULLWIDTH
        ? 2
        : 1;
  }
}
