package io.latimer.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchivesTest {
  private final Archives archives = new Archives(Instant.parse("2026-11-21T00:00:00Z"));

  @TempDir Path folder;

  /** A tree whose files are written in this order. */
  private Path tree(String name, List<String> files) throws IOException {
    Path tree = folder.resolve(name);
    for (String file : files) {
      Path path = tree.resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.equals("bin/run") ? "#!/bin/sh\n" : file);
    }
    return tree;
  }

  @Test
  void theSameContentGivesTheSameBytes() throws IOException {
    Path one = tree("one", List.of("b", "bin/run", "a/c"));
    Path two = tree("two", List.of("a/c", "bin/run", "b"));
    Files.setPosixFilePermissions(two.resolve("b"), PosixFilePermissions.fromString("rwx------"));
    Files.setLastModifiedTime(two.resolve("b"), FileTime.from(Instant.EPOCH));
    byte[] tar = tar(one);
    byte[] zip = zip(one);
    TimeZone before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
      assertThat(tar(two)).isEqualTo(tar);
      assertThat(zip(two)).isEqualTo(zip);
    } finally {
      TimeZone.setDefault(before);
    }
    Files.writeString(two.resolve("b"), "other");
    assertThat(tar(two)).isNotEqualTo(tar);
  }

  private byte[] tar(Path tree) throws IOException {
    Path archive = folder.resolve("archive.tar.gz");
    archives.tarGz(tree, "name", archive);
    return Files.readAllBytes(archive);
  }

  private byte[] zip(Path tree) throws IOException {
    Path archive = folder.resolve("archive.zip");
    archives.zip(tree, "name", archive);
    return Files.readAllBytes(archive);
  }

  @Test
  void scriptsCanBeExecuted() throws Exception {
    tar(tree("one", List.of("b", "bin/run")));
    Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
    assertThat(Shell.run(unpacked, "tar", "-xzf", folder + "/archive.tar.gz").status()).isZero();
    assertThat(Files.isExecutable(unpacked.resolve("name/bin/run"))).isTrue();
    assertThat(Files.isExecutable(unpacked.resolve("name/b"))).isFalse();
  }

  @Test
  void aSortedJarDoesNotDependOnTheOrderOfItsFiles() throws Exception {
    Path one = jar("one.jar", "META-INF/MANIFEST.MF", "b", "META-INF/a", "a");
    Path two = jar("two.jar", "a", "b", "META-INF/a", "META-INF/MANIFEST.MF");
    archives.sortJar(one);
    archives.sortJar(two);
    assertThat(one).hasSameBinaryContentAs(two);
    try (ZipFile zip = new ZipFile(one.toFile())) {
      assertThat(zip.stream().map(ZipEntry::getName))
          .containsExactly("META-INF/MANIFEST.MF", "META-INF/a", "a", "b");
      assertThat(zip.getInputStream(zip.getEntry("b"))).hasContent("b");
    }
    Archives.removeFromJar(one, name -> name.equals("a"));
    try (ZipFile zip = new ZipFile(one.toFile())) {
      assertThat(zip.stream().map(ZipEntry::getName))
          .containsExactly("META-INF/MANIFEST.MF", "META-INF/a", "b");
    }
  }

  @Test
  void findsFilesOfUnusualModes() throws IOException {
    Path jar = folder.resolve("modes.jar");
    try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(jar.toFile())) {
      for (int mode : List.of(0644, 0600)) {
        ZipArchiveEntry entry = new ZipArchiveEntry("file" + Integer.toOctalString(mode));
        entry.setUnixMode(0100000 | mode);
        zip.putArchiveEntry(entry);
        zip.closeArchiveEntry();
      }
    }
    assertThat(Archives.unusualModes(jar)).containsExactly("file600: 600");
  }

  private Path jar(String name, String... entries) throws IOException {
    Path jar = folder.resolve(name);
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String path : entries) {
        ZipEntry entry = new ZipEntry(path);
        entry.setTime(1_700_000_000_000L + name.hashCode());
        zip.putNextEntry(entry);
        zip.write(path.getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }

  @Test
  void refusesLinks() throws IOException {
    Path tree = tree("one", List.of("b"));
    Files.createSymbolicLink(tree.resolve("link"), Path.of("/etc/hostname"));
    assertThatThrownBy(() -> tar(tree)).hasMessageContaining("link is not a plain file");
  }

  @Test
  void checksumsAreThoseOfSha256sum() throws Exception {
    Path tree = tree("one", List.of("b", "a"));
    Checksums.write(tree);
    assertThat(Shell.run(tree, "sha256sum", "-c", Checksums.FILE))
        .isEqualTo(new Shell(0, "a: OK\nb: OK"));
    Files.writeString(tree.resolve("a"), "changed");
    assertThat(Shell.run(tree, "sha256sum", "-c", Checksums.FILE).status()).isEqualTo(1);
  }
}
