package io.latimer.pipelines.feed.text;

import java.nio.charset.Charset;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Entities;

/**
 * Character references of HTML, by name or number (WHATWG HTML, 13.2.5.72 to 13.2.5.80); the table
 * of names is that of jsoup.
 */
final class HtmlReferences {
  private static final Pattern REFERENCE =
      Pattern.compile(
          "&(?:#0*+([0-9]*+)(?<=[0-9])|#[xX]0*+([0-9a-fA-F]*+)(?<![xX])|"
              + "([A-Za-z][A-Za-z0-9]{0,31}+));?");

  /** Names that need no semicolon, even before other letters, have 2 to 6 letters and digits. */
  private static final int SHORTEST_PREFIX = 2;

  private static final int LONGEST_PREFIX = 6;

  private static final int MAX_DIGITS = 7;
  private static final String REPLACEMENT = "\ufffd";
  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

  private HtmlReferences() {}

  /** A matcher that finds references, including unknown names. */
  static Matcher matcher(String html) {
    return REFERENCE.matcher(html);
  }

  /** Resolves a matched reference; returns it unchanged if its name is unknown. */
  static String text(Matcher found) {
    if (found.group(1) != null) {
      return ofNumber(found.group(1), 10);
    }
    if (found.group(2) != null) {
      return ofNumber(found.group(2), 16);
    }
    String reference = found.group();
    Optional<String> whole = name(found).flatMap(HtmlReferences::ofName);
    return whole.orElseGet(() -> ofPrefix(found.group(3), reference));
  }

  /** The name in a reference with its semicolon. */
  static Optional<String> name(Matcher found) {
    return found.group().endsWith(";") ? Optional.ofNullable(found.group(3)) : Optional.empty();
  }

  /** The text for a name; empty if it is unknown. */
  static Optional<String> ofName(String name) {
    return Entities.isNamedEntity(name) ? Optional.of(Entities.getByName(name)) : Optional.empty();
  }

  private static String ofPrefix(String name, String reference) {
    for (int n = Math.min(LONGEST_PREFIX, name.length()); n >= SHORTEST_PREFIX; n--) {
      String prefix = name.substring(0, n);
      if (Entities.isBaseNamedEntity(prefix)) {
        return Entities.getByName(prefix) + reference.substring(1 + n);
      }
    }
    return reference;
  }

  /**
   * The text for a code point.
   *
   * @param digits without leading zeros
   */
  private static String ofNumber(String digits, int radix) {
    boolean read = !digits.isEmpty() && digits.length() <= MAX_DIGITS;
    int code = read ? Integer.parseInt(digits, radix) : 0;
    if (code == 0 || code > Character.MAX_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) {
      return REPLACEMENT;
    }
    String text = Character.toString(code);
    if (code < 0x80 || code >= 0xa0) {
      return text;
    }
    String meant = new String(new byte[] {(byte) code}, WINDOWS_1252); // by the standard's table
    return meant.equals(REPLACEMENT) ? text : meant;
  }
}
