package io.latimer.pipelines.feed.caption;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The times at which the parts of a sentence are shown. The text {@code 1000-2500/12 2500-4000/8}
 * means: from 1 s to 2.5 s its first 12 UTF-16 code units, then 8 more.
 *
 * @param shares in order; not empty
 */
public record CaptionShares(List<Share> shares) {
  /** The header of a sentence that contains its times. */
  public static final String HEADER = "captions";

  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})-([0-9]{1,12})/([0-9]{1,7})");
  private static final int MAX_SHARES = 10_000;

  /**
   * A part.
   *
   * @param startMillis from the captions' time 0
   * @param endMillis not before the start
   * @param length in UTF-16 code units; 0 or more
   */
  public record Share(long startMillis, long endMillis, int length) {}

  /** Parses the value of a header; empty if it is invalid. */
  public static Optional<CaptionShares> of(String text) {
    List<Share> shares = new ArrayList<>();
    for (String one : text.split(" ", MAX_SHARES + 1)) {
      Matcher matcher = FORM.matcher(one);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      long start = Long.parseLong(matcher.group(1));
      long end = Long.parseLong(matcher.group(2));
      if (end < start) {
        return Optional.empty();
      }
      shares.add(new Share(start, end, Integer.parseInt(matcher.group(3))));
    }
    return Optional.of(new CaptionShares(shares));
  }

  /** The value of the header. */
  public String text() {
    StringJoiner text = new StringJoiner(" ");
    for (Share share : shares) {
      text.add(share.startMillis() + "-" + share.endMillis() + "/" + share.length());
    }
    return text.toString();
  }
}
