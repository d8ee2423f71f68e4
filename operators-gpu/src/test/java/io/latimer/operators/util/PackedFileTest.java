package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Plain and packed bytes come out alike, from files and from pipes. */
class PackedFileTest {
  private static final byte[] TEXT = "one\ntwo\n".repeat(5000).getBytes(StandardCharsets.UTF_8);

  @TempDir private Path folder;

  private static byte[] packed(byte[]... members) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] member : members) {
      try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
        out.write(member);
      }
    }
    return bytes.toByteArray();
  }

  private static byte[] read(Path file) throws IOException {
    try (InputStream in = PackedFile.open(file, 1024)) {
      return in.readAllBytes();
    }
  }

  @Test
  void readsFiles() throws IOException {
    assertThat(read(Files.write(folder.resolve("plain"), TEXT))).isEqualTo(TEXT);
    assertThat(read(Files.write(folder.resolve("packed"), packed(TEXT)))).isEqualTo(TEXT);
    assertThat(read(Files.write(folder.resolve("empty"), new byte[0]))).isEmpty();
    assertThat(read(Files.write(folder.resolve("one"), new byte[] {0x1f}))).hasSize(1);
  }

  @Test
  void readsAllMembers() throws IOException {
    Path file = Files.write(folder.resolve("members"), packed(TEXT, new byte[0], TEXT));
    assertThat(read(file)).hasSize(2 * TEXT.length);
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void readsPipes() throws Exception {
    for (byte[] bytes : new byte[][] {TEXT, packed(TEXT)}) {
      Path pipe = folder.resolve("pipe");
      assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> {
                try {
                  Files.write(pipe, bytes, StandardOpenOption.WRITE);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      assertThat(read(pipe)).isEqualTo(TEXT);
      written.join();
      Files.delete(pipe);
    }
  }
}
