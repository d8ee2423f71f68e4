package io.latimer.release;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, and the file that {@code sha256sum -c} reads. */
final class Checksums {
  static final String FILE = "SHA256SUMS";

  private Checksums() {}

  static String sha256(Path file) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Writes the checksums of all files of a folder into it. */
  static void write(Path folder) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Path file : Archives.files(folder)) {
      lines.append(sha256(file)).append("  ").append(Archives.unix(folder, file)).append('\n');
    }
    Files.writeString(folder.resolve(FILE), lines);
  }
}
