package io.latimer.operators.index;

import java.net.URI;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Refers to one immutable index file: jobs configure, serialize and checkpoint this instead of the
 * index itself.
 *
 * @param kind the kind of the index, such as {@code "translation-model"}; see {@link IndexKind}
 * @param uri location of the file; a {@code file:} URI
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
}
