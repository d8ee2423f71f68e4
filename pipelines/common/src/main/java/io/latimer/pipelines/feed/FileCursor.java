package io.latimer.pipelines.feed;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in a file that may grow, be truncated or replaced.
 *
 * @param offset number of bytes before it
 * @param number number of records before it, including those of files that this one replaced
 * @param fingerprint identifies the file by its beginning; see {@link GrowingFile#fingerprint}
 * @param detail extra data for the kind of file; may be empty
 */
record FileCursor(long offset, long number, String fingerprint, String detail) {
  static final FileCursor START = new FileCursor(0, 0, "", "");

  private static final Pattern FORM =
      Pattern.compile("([0-9]{1,18}):([0-9]{1,18}):([0-9a-f]{0,32}):([0-9:]*)");

  /**
   * Parses the cursor of a position.
   *
   * @throws FeedException if it is invalid
   */
  static FileCursor of(FeedPosition position) throws FeedException {
    if (position.cursor().isEmpty()) {
      return START;
    }
    Matcher matcher = FORM.matcher(position.cursor());
    if (!matcher.matches()) {
      throw new FeedException(
          "the position of " + position.feed() + " is damaged; remove it to start anew");
    }
    return new FileCursor(
        Long.parseLong(matcher.group(1)),
        Long.parseLong(matcher.group(2)),
        matcher.group(3),
        matcher.group(4));
  }

  /** The cursor as text. */
  String text() {
    return offset + ":" + number + ":" + fingerprint + ":" + detail;
  }
}
