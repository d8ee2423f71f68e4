package io.latimer.release;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.Zip64Mode;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/**
 * Archives that depend on nothing but the content: entries by name, one time for all, no owner, and
 * the modes 755 for what can be executed and 644 for what cannot.
 */
record Archives(Instant time) {
  private static final int EXECUTABLE = 0755;
  private static final int PLAIN = 0644;

  private static final String MANIFEST = "META-INF/MANIFEST.MF";

  /** Packs a folder under a name, as {@code .tar.gz}. */
  void tarGz(Path folder, String name, Path archive) throws IOException {
    GzipParameters parameters = new GzipParameters();
    parameters.setCompressionLevel(Deflater.DEFAULT_COMPRESSION);
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(archive));
        OutputStream gzip = new GzipCompressorOutputStream(file, parameters);
        TarArchiveOutputStream tar = new TarArchiveOutputStream(gzip, "UTF-8")) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      for (Path source : files(folder)) {
        TarArchiveEntry entry = new TarArchiveEntry(name + "/" + unix(folder, source));
        entry.setSize(Files.size(source));
        entry.setModTime(FileTime.from(time));
        entry.setMode(mode(source));
        tar.putArchiveEntry(entry);
        Files.copy(source, tar);
        tar.closeArchiveEntry();
      }
    }
  }

  /** Packs a folder under a name, as {@code .zip}. */
  void zip(Path folder, String name, Path archive) throws IOException {
    try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(archive.toFile())) {
      zip.setUseZip64(Zip64Mode.AsNeeded);
      for (Path source : files(folder)) {
        put(zip, name + "/" + unix(folder, source), source);
      }
    }
  }

  /** Removes entries from a jar by their names; the others stay byte for byte. */
  static void removeFromJar(Path jar, Predicate<String> removed) throws IOException {
    Path copy = jar.resolveSibling(jar.getFileName() + ".new");
    try (ZipFile in = ZipFile.builder().setPath(jar).get();
        ZipArchiveOutputStream out = new ZipArchiveOutputStream(copy.toFile())) {
      in.copyRawEntries(out, entry -> !removed.test(entry.getName()));
    }
    Files.move(copy, jar, StandardCopyOption.REPLACE_EXISTING);
  }

  /** The files of a jar that have another mode than 644, with their modes. */
  static List<String> unusualModes(Path jar) throws IOException {
    try (ZipFile in = ZipFile.builder().setPath(jar).get()) {
      return Collections.list(in.getEntries()).stream()
          .filter(entry -> !entry.isDirectory() && (entry.getUnixMode() & 0777) != PLAIN)
          .map(entry -> "%s: %o".formatted(entry.getName(), entry.getUnixMode() & 0777))
          .toList();
    }
  }

  /**
   * Sorts the entries of a jar by name, the manifest first, and gives all the same time: the jar
   * tool takes them as the file system lists them.
   */
  void sortJar(Path jar) throws IOException {
    Path copy = jar.resolveSibling(jar.getFileName() + ".new");
    try (ZipFile in = ZipFile.builder().setPath(jar).get();
        ZipArchiveOutputStream out = new ZipArchiveOutputStream(copy.toFile())) {
      List<ZipArchiveEntry> entries = new ArrayList<>(Collections.list(in.getEntries()));
      entries.sort(
          Comparator.comparing((ZipArchiveEntry entry) -> !entry.getName().startsWith(MANIFEST))
              .thenComparing(ZipArchiveEntry::getName));
      for (ZipArchiveEntry entry : entries) {
        copy(in, entry, out);
      }
    }
    Files.move(copy, jar, StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Copies a jar, with a folder's files added under {@code META-INF/} and some entries left away.
   */
  void addToJar(Path jar, Path folder, Predicate<String> removed, Path copy) throws IOException {
    try (ZipFile in = ZipFile.builder().setPath(jar).get();
        ZipArchiveOutputStream out = new ZipArchiveOutputStream(copy.toFile())) {
      for (ZipArchiveEntry entry : Collections.list(in.getEntriesInPhysicalOrder())) {
        if (!removed.test(entry.getName())) {
          copy(in, entry, out);
        }
      }
      for (Path source : files(folder)) {
        String path = "META-INF/" + unix(folder, source);
        if (in.getEntry(path) != null) {
          throw new ReleaseException(jar + " already has " + path);
        }
        put(out, path, source);
      }
    }
  }

  /**
   * Copies an entry as it is compressed, but without the times that the shade plugin leaves in it.
   */
  private void copy(ZipFile in, ZipArchiveEntry entry, ZipArchiveOutputStream out)
      throws IOException {
    ZipArchiveEntry copy = new ZipArchiveEntry(entry.getName());
    copy.setMethod(entry.getMethod());
    copy.setSize(entry.getSize());
    copy.setCompressedSize(entry.getCompressedSize());
    copy.setCrc(entry.getCrc());
    copy.setTimeLocal(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
    out.addRawArchiveEntry(copy, in.getRawInputStream(entry));
  }

  private void put(ZipArchiveOutputStream zip, String path, Path source) throws IOException {
    ZipArchiveEntry entry = new ZipArchiveEntry(path);
    // The time in UTC, whatever the zone of this machine: zip files have local times.
    entry.setTimeLocal(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
    entry.setUnixMode(0100000 | mode(source));
    entry.setSize(Files.size(source));
    zip.putArchiveEntry(entry);
    try (InputStream in = Files.newInputStream(source)) {
      in.transferTo(zip);
    }
    zip.closeArchiveEntry();
  }

  /** All files below a folder by their paths; a link is refused. */
  static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> files =
          all.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
              .sorted(Comparator.comparing(path -> unix(folder, path)))
              .toList();
      for (Path file : files) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          throw new ReleaseException(file + " is not a plain file; archives have only such");
        }
      }
      return files;
    }
  }

  static String unix(Path folder, Path file) {
    return folder.relativize(file).toString().replace('\\', '/');
  }

  /** By content, not by the file's own mode, which depends on how the sources were checked out. */
  private static int mode(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] head = in.readNBytes(2);
      return head.length == 2 && head[0] == '#' && head[1] == '!' ? EXECUTABLE : PLAIN;
    }
  }
}
