package io.latimer.operators.util;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 digests of streams and texts. */
public final class Sha256 {
  private static final int BUFFER = 1 << 16;

  private Sha256() {}

  /** The digest of the rest of a stream, in 64 lower-case hexadecimal digits. */
  public static String of(InputStream in) throws IOException {
    MessageDigest digest = digest();
    byte[] buffer = new byte[BUFFER];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      digest.update(buffer, 0, n);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The digest of a text in UTF-8, in 64 lower-case hexadecimal digits. */
  public static String of(String text) {
    return HexFormat.of().formatHex(digest().digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** A new digest. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
