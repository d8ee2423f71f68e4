package io.latimer.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.codec.digest.MessageDigestAlgorithms;

/** SHA-256, and the file that {@code sha256sum -c} reads. */
final class Checksums {
  static final String FILE = "SHA256SUMS";

  private Checksums() {}

  static String sha256(Path file) throws IOException {
    return new DigestUtils(MessageDigestAlgorithms.SHA_256).digestAsHex(file);
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
