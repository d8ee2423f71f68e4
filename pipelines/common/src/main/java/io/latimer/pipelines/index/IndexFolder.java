package io.latimer.pipelines.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.PrivateFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies of remote index files on a machine: a private folder, in which each file has its
 * SHA-256 as its name. Shared by the processes of a user.
 *
 * <p>Beside the copies there are {@code NAME.lock}, which a process has locked while it fetches
 * NAME, and {@code NAME.X.part}, what it has fetched so far.
 */
final class IndexFolder {
  private static final Logger LOG = LoggerFactory.getLogger(IndexFolder.class);
  private static final Pattern COPY = Pattern.compile("[0-9a-f]{64}");
  private static final int NAME_LENGTH = 64;
  private static final String PART = ".part";

  private final Path path;
  private final long maxBytes;

  private IndexFolder(Path path, long maxBytes) {
    this.path = path;
    this.maxBytes = maxBytes;
  }

  private record Copy(Path path, long bytes, FileTime used) {}

  /**
   * Opens the folder, and makes it if it does not exist.
   *
   * @throws OperatorException if it cannot be made, or is not private
   */
  static IndexFolder open(IndexSettings settings) {
    Path path = settings.directory().isEmpty() ? inCache() : Path.of(settings.directory());
    try {
      return new IndexFolder(PrivateFolder.of(path), settings.maxBytes());
    } catch (IOException e) {
      throw new OperatorException(
          "the folder for copies of index files, "
              + path
              + ", cannot be used: "
              + FileErrors.reason(e)
              + "; indexes.directory of the job file sets another",
          e);
    }
  }

  private static Path inCache() {
    String set = System.getenv("XDG_CACHE_HOME");
    Path cache =
        set == null || set.isEmpty()
            ? Path.of(System.getProperty("user.home", "")).resolve(".cache")
            : Path.of(set);
    if (!cache.isAbsolute()) {
      throw new OperatorException(
          "this process has no home folder for copies of index files; set indexes.directory in the"
              + " job file");
    }
    return cache.resolve("latimer").resolve("indexes");
  }

  /** Where the copy of a file is, or would be. */
  Path copy(String sha256) {
    return path.resolve(sha256);
  }

  boolean has(String sha256) {
    return Files.isRegularFile(copy(sha256), LinkOption.NOFOLLOW_LINKS);
  }

  /** Notes that a copy is being used, so that it is not one of the first to go. */
  void touch(String sha256) {
    try {
      Files.setLastModifiedTime(copy(sha256), FileTime.from(Instant.now()));
    } catch (IOException e) {
      LOG.debug("{} was not marked as used", copy(sha256), e); // it was just removed
    }
  }

  /**
   * Takes the lock of a name.
   *
   * @param name a SHA-256
   */
  ContentLock lock(String name) throws IOException, InterruptedException {
    return ContentLock.take(path, name);
  }

  /**
   * Makes a temporary file, and removes those of processes that were killed.
   *
   * @param name whose lock the thread has
   */
  Path newPart(String name) throws IOException {
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(path, "*" + PART)) {
      for (Path part : parts) {
        removeIfStale(part, name);
      }
    }
    return Files.createTempFile(path, name + ".", PART);
  }

  private void removeIfStale(Path part, String locked) throws IOException {
    String file = part.getFileName().toString();
    String name = file.substring(0, Math.min(NAME_LENGTH, file.length()));
    if (name.equals(locked)) {
      Files.deleteIfExists(part);
    } else if (COPY.matcher(name).matches()) {
      Optional<ContentLock> lock = ContentLock.tryTake(path, name);
      if (lock.isPresent()) {
        try {
          Files.deleteIfExists(part);
        } finally {
          lock.get().close();
        }
      }
    }
  }

  /**
   * Makes a temporary file the copy of its content, in the place of one that is damaged.
   *
   * @param part synced
   */
  void keep(Path part, String sha256) throws IOException {
    Files.move(part, copy(sha256), StandardCopyOption.ATOMIC_MOVE);
    syncFolder();
  }

  private void syncFolder() throws IOException {
    if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      try (FileChannel folder = FileChannel.open(path, StandardOpenOption.READ)) {
        folder.force(true);
      }
    }
  }

  /**
   * Removes copies, those first that have not been used for the longest time, until the others have
   * room together.
   *
   * @param more bytes that are about to be added
   * @param kept whether a copy must stay
   */
  void makeRoom(long more, Predicate<String> kept) throws IOException {
    List<Copy> copies = copies();
    copies.sort(Comparator.comparing(Copy::used));
    long total = more + copies.stream().mapToLong(Copy::bytes).sum();
    for (Copy copy : copies) {
      if (total <= maxBytes) {
        return;
      }
      if (!kept.test(copy.path().getFileName().toString())) {
        LOG.info("removing {}, {} bytes, to make room for others", copy.path(), copy.bytes());
        Files.deleteIfExists(copy.path());
        total -= copy.bytes();
      }
    }
    if (total > maxBytes) {
      LOG.warn(
          "the index files in {} have {} bytes, more than indexes.max-size, {}; all of them are in"
              + " use",
          path,
          total,
          maxBytes);
    }
  }

  private List<Copy> copies() throws IOException {
    List<Copy> copies = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
      for (Path file : files) {
        if (!COPY.matcher(file.getFileName().toString()).matches()) {
          continue;
        }
        try {
          BasicFileAttributes attributes =
              Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
          if (attributes.isRegularFile()) {
            copies.add(new Copy(file, attributes.size(), attributes.lastModifiedTime()));
          }
        } catch (NoSuchFileException e) {
          // another process has just removed it
        }
      }
    }
    return copies;
  }
}
