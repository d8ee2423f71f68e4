package io.latimer.pipelines.feed.caption;

import io.latimer.pipelines.feed.text.HtmlText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A caption: its times and its text, without tags, on one line.
 *
 * @param startMillis from the captions' time 0
 * @param endMillis not before the start
 * @param text without white space around it; may be empty
 * @param lines the lines that the text was joined from, without empty ones
 */
public record Cue(long startMillis, long endMillis, String text, List<String> lines) {
  private static final String TIME = "(?:([0-9]{1,4}):)?([0-5]?[0-9]):([0-5]?[0-9])[.,]([0-9]{3})";
  private static final Pattern TIMES =
      Pattern.compile("\\s*" + TIME + "\\s*-->\\s*" + TIME + "(?:[^0-9].*)?");

  private static final Pattern NUMBER = Pattern.compile("\\s*[0-9]{1,9}\\s*");

  /** WebVTT blocks that are not cues. */
  private static final Pattern NO_CUE =
      Pattern.compile("(?:WEBVTT|NOTE|STYLE|REGION)(?:[ \\t].*)?");

  /** WebVTT's timestamps within a text, and SubRip's position tags. */
  private static final Pattern MARKS = Pattern.compile("<[0-9:.]+>|\\{\\\\[^}]*\\}");

  /** Scripts without spaces between words. */
  private static final Pattern NO_SPACES =
      Pattern.compile("[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\u3000-\\u303f\\uff00-\\uffef]");

  /** Creates a cue of a single line. */
  Cue(long startMillis, long endMillis, String text) {
    this(startMillis, endMillis, text, List.of(text));
  }

  /** Thrown if the bytes between two blank lines are not a valid cue. */
  public static final class InvalidCueException extends Exception {
    private static final long serialVersionUID = 1L;

    public InvalidCueException(String message) {
      super(message);
    }
  }

  /**
   * Reads the lines between two blank lines.
   *
   * @return null if they are something other than a cue, such as a comment
   * @throws InvalidCueException if they are an invalid cue
   */
  public static Cue of(List<byte[]> lines) throws InvalidCueException {
    String first = text(lines.get(0));
    if (first.startsWith("\ufeff")) {
      first = first.substring(1);
    }
    if (NO_CUE.matcher(first).matches() && !first.contains("-->")) {
      return null;
    }
    int at = first.contains("-->") ? 0 : 1; // an identifier or a number may come before
    String times = at == 0 ? first : lines.size() > 1 ? text(lines.get(1)) : "";
    Matcher matcher = TIMES.matcher(times);
    if (!matcher.matches()) {
      throw new InvalidCueException(
          "the cue has no times such as 00:01:02.500 --> 00:01:04.000 in its first or second line");
    }
    List<String> texts = new ArrayList<>();
    for (byte[] line : lines.subList(at + 1, lines.size())) {
      String text = HtmlText.of(MARKS.matcher(text(line)).replaceAll("")).replace('\n', ' ');
      if (!text.isEmpty()) {
        texts.add(text);
      }
    }
    long start = millis(matcher, 1);
    return new Cue(start, Math.max(start, millis(matcher, 5)), joined(texts), List.copyOf(texts));
  }

  /**
   * Whether a line with times begins a cue though no blank line precedes it, as WebVTT allows.
   *
   * @param block the lines since the last blank one
   */
  public static boolean beginsAfter(List<byte[]> block, byte[] line) {
    return !block.isEmpty()
        && isTimes(line)
        && (block.size() > 1 // times after the identifier of a cue belong to it
            || isTimes(block.get(0))
            || NO_CUE
                .matcher(latin(block.get(0)).replaceFirst("^\u00ef\u00bb\u00bf", ""))
                .matches());
  }

  /** Whether a line could be the number of a cue. */
  public static boolean isNumber(byte[] line) {
    return NUMBER.matcher(latin(line)).matches();
  }

  private static boolean isTimes(byte[] line) {
    return TIMES.matcher(latin(line)).matches();
  }

  /** Decodes the line as Latin-1, which is right only for ASCII. */
  private static String latin(byte[] line) {
    return new String(line, StandardCharsets.ISO_8859_1);
  }

  /**
   * Length of the prefix of this text that repeats the previous cue: roll-up captions show their
   * last lines again above the new one.
   *
   * @return a number of UTF-16 code units, with the space after them
   */
  public int rolledUp(Cue before) {
    if (startMillis < before.startMillis || startMillis > before.endMillis) {
      return 0;
    }
    int shown = Math.min(lines.size(), before.lines.size());
    while (shown > 0 && !lines.subList(0, shown).equals(before.lastLines(shown))) {
      shown--;
    }
    int length = joined(lines.subList(0, shown)).length();
    boolean space = length > 0 && length < text.length() && text.charAt(length) == ' ';
    return space ? length + 1 : length;
  }

  private List<String> lastLines(int count) {
    return lines.subList(lines.size() - count, lines.size());
  }

  private static String joined(List<String> lines) {
    StringBuilder joined = new StringBuilder();
    lines.forEach(line -> join(joined, line));
    return joined.toString();
  }

  private static String text(byte[] line) throws InvalidCueException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidCueException("the cue is not valid UTF-8; convert the file");
    }
  }

  private static long millis(Matcher times, int group) {
    String hours = times.group(group);
    long minutes =
        (hours == null ? 0 : 60 * Long.parseLong(hours)) + Long.parseLong(times.group(group + 1));
    long seconds = 60 * minutes + Long.parseLong(times.group(group + 2));
    return 1_000 * seconds + Long.parseLong(times.group(group + 3));
  }

  /** Appends text, after a space if its script uses spaces. */
  static void join(StringBuilder to, String text) {
    if (text.isEmpty()) {
      return;
    }
    if (to.length() > 0) {
      String before = to.substring(to.length() - 1);
      boolean dense =
          NO_SPACES.matcher(before).matches() && NO_SPACES.matcher(text.substring(0, 1)).matches();
      if (!dense) {
        to.append(' ');
      }
    }
    to.append(text);
  }
}
