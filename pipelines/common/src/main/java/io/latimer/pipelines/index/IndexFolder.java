package io.latimer.pipelines.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.PublishedFiles;
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
 * A cache of remote index files on a machine: a private folder in which each file is named by its
 * SHA-256. Shared by the processes of a user.
 *
 * <p>It also contains {@code NAME.lock}, which a process locks while it fetches NAME, and {@code
 * NAME.X.part}, the part fetched so far.
 */
record IndexFolder(Path path, long maxBytes, Disk disk) {
  private static final Logger LOG = LoggerFactory.getLogger(IndexFolder.class);
  private static final Pattern COPY = Pattern.compile("[0-9a-f]{64}");
  private static final int NAME_LENGTH = 64;

  /** Maximum share of the disk space available for copies that they may take. */
  private static final int PERCENT = 90;

  private static final String PART = ".part";

  /** Gives the number of free bytes on a disk. */
  interface Disk {
    long usableBytes() throws IOException;
  }

  private record Copy(Path path, long bytes, FileTime used) {}

  /**
   * Opens the folder, creating it if necessary.
   *
   * @throws OperatorException if it cannot be created or is not private
   */
  static IndexFolder open(IndexSettings settings) {
    Path path = settings.directory().isEmpty() ? inCache() : Path.of(settings.directory());
    try {
      Path own = PrivateFolder.of(path);
      return new IndexFolder(
          own, settings.maxBytes(), () -> Files.getFileStore(own).getUsableSpace());
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

  /** The path of the copy of a file, which may not exist. */
  Path copy(String sha256) {
    return path.resolve(sha256);
  }

  boolean has(String sha256) {
    return Files.isRegularFile(copy(sha256), LinkOption.NOFOLLOW_LINKS);
  }

  /** Marks a copy as recently used, so that it is not among the first to be removed. */
  void touch(String sha256) {
    try {
      Files.setLastModifiedTime(copy(sha256), FileTime.from(Instant.now()));
    } catch (IOException e) {
      LOG.debug("{} was not marked as used", copy(sha256), e); // it has just been removed
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
   * A temporary name for an incomplete file. Removes files that this writer left incomplete.
   *
   * @param writer letters and digits; the thread must hold its lock
   */
  Path unnamed(String writer) throws IOException {
    PublishedFiles.deleteUnnamed(path, writer);
    return PublishedFiles.unnamed(path, writer);
  }

  /**
   * Creates a temporary file, and removes those of killed processes.
   *
   * @param name whose lock the thread must hold
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
   * Turns a temporary file into the copy of its content, replacing a damaged one.
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
   * Removes the least recently used copies until there is room for a new one.
   *
   * @param more size of the new copy in bytes
   * @param replaced the name of a copy that it replaces; may be empty
   * @param kept whether a copy must stay
   * @return the maximum size of the new copy in bytes, 0 or more; less than {@code more} if too
   *     many copies must stay
   */
  long makeRoom(long more, String replaced, Predicate<String> kept) throws IOException {
    List<Copy> copies = copies();
    copies.removeIf(copy -> name(copy).equals(replaced));
    copies.sort(Comparator.comparing(Copy::used));
    long total = copies.stream().mapToLong(Copy::bytes).sum();
    long limit = limit(total);
    for (Copy copy : copies) {
      if (total + more <= limit) {
        break;
      }
      if (!kept.test(name(copy))) {
        LOG.info("removing {}, {} bytes, to make room for others", copy.path(), copy.bytes());
        Files.deleteIfExists(copy.path());
        total -= copy.bytes();
      }
    }
    return Math.max(0, limit - total);
  }

  private static String name(Copy copy) {
    return copy.path().getFileName().toString();
  }

  /**
   * The maximum total size of all copies: a full disk would stop more than this process.
   *
   * @param present their current total size in bytes
   */
  private long limit(long present) throws IOException {
    long space = present + disk.usableBytes();
    return Math.min(maxBytes, space / 100 * PERCENT);
  }

  /** Removes the least recently used copies above the limit, as {@link #makeRoom} does. */
  void trim(Predicate<String> kept) throws IOException {
    makeRoom(0, "", kept);
  }

  /**
   * The error for a file without room even after copies were removed.
   *
   * @param bytes size of the file
   * @param room the room for it, in bytes
   */
  OperatorException full(String location, long bytes, long room) {
    return new OperatorException(
        location
            + " has "
            + bytes
            + " bytes, but "
            + path
            + " has room for "
            + room
            + " beside the copies in use: all together may have "
            + maxBytes
            + " (indexes.max-size), and at most "
            + PERCENT
            + " % of the space on the disk; raise indexes.max-size, or set indexes.directory to a"
            + " folder on a larger disk");
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
