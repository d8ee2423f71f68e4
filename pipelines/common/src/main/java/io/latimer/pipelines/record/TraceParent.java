package io.latimer.pipelines.record;

import io.latimer.schemas.Header;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The trace context of a record, from its header {@code traceparent} (W3C Trace Context).
 *
 * @param traceId 32 hexadecimal digits in lower case, not all 0
 * @param parentId of the span that sent the record: 16 hexadecimal digits in lower case, not all 0
 * @param sampled whether the sender records the trace
 */
public record TraceParent(String traceId, String parentId, boolean sampled) {
  /** The header. */
  public static final String HEADER = "traceparent";

  /** Version, trace, parent, flags; versions after 00 may have more. */
  private static final Pattern FORMAT =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

  private static final int LONGEST = 512;
  private static final int HEX = 16;

  /**
   * The trace of a record.
   *
   * @return empty if it has no such header, several of them, or one with another format
   */
  public static Optional<TraceParent> of(List<Header> headers) {
    Header found = null;
    for (Header header : headers) {
      if (header.getKey().equals(HEADER)) {
        if (found != null) {
          return Optional.empty();
        }
        found = header;
      }
    }
    ByteBuffer value = found == null ? null : found.getValue();
    return value == null || value.remaining() > LONGEST
        ? Optional.empty()
        : of(StandardCharsets.ISO_8859_1.decode(value.duplicate()).toString());
  }

  private static Optional<TraceParent> of(String value) {
    Matcher parts = FORMAT.matcher(value);
    if (!parts.matches()) {
      return Optional.empty();
    }
    String version = parts.group(1);
    boolean longer = parts.group(5) != null;
    if (version.equals("ff")
        || (version.equals("00") && longer)
        || isZero(parts.group(2))
        || isZero(parts.group(3))) {
      return Optional.empty();
    }
    boolean sampled = (Integer.parseInt(parts.group(4), HEX) & 1) != 0;
    return Optional.of(new TraceParent(parts.group(2), parts.group(3), sampled));
  }

  private static boolean isZero(String digits) {
    return digits.chars().allMatch(digit -> digit == '0');
  }
}
