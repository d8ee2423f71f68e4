package io.latimer.operators.index;

import java.net.URI;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Refers to one immutable index file: jobs configure, serialize and checkpoint this instead of the
 * index itself.
 *
 * @param kind the kind of the index, such as {@code "translation-model"}; see {@link IndexKind}
 * @param uri location of the file as it was configured, such as a {@code file:} URI
 * @param sha256 content id: 64 lower-case hexadecimal digits over the whole file
 * @param version the producer's version of the content, free text without line breaks, may be empty
 */
public record IndexRef(String kind, URI uri, String sha256, String version) {
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

  public IndexRef {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(uri, "uri");
    Objects.requireNonNull(version, "version");
    if (!SHA256.matcher(sha256).matches()) {
      throw new IllegalArgumentException(
          "sha256 of "
              + uri
              + " must be 64 lower-case hexadecimal digits, found \""
              + sha256
              + "\"");
    }
  }

  /** The location for messages and logs. */
  public String location() {
    return location(uri);
  }

  /**
   * A location for messages and logs: without a password before the host, and without the query,
   * which is a key to the file where a server signs its addresses.
   */
  public static String location(URI uri) {
    String text = uri.toString();
    int query = text.indexOf('?');
    if (query >= 0) {
      text = text.substring(0, query) + "?...";
    }
    String authority = uri.getRawAuthority();
    int end = authority == null ? -1 : authority.lastIndexOf('@');
    return end < 0 ? text : text.replace(authority, authority.substring(end + 1));
  }

  @Override
  public String toString() {
    return kind + " " + location() + " sha256 " + sha256;
  }
}
