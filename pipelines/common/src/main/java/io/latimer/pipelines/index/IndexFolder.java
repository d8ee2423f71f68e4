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

  /** How much of the space that the disk has for copies they may take. */
  private static final int PERCENT = 90;

  private static final String PART = ".part";

  private final Path path;
  private final long maxBytes;
  private final Disk disk;

  /** The bytes that a disk has left for this process. */
  interface Disk {
    long usableBytes() throws IOException;
  }

  IndexFolder(Path path, long maxBytes, Disk disk) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.disk = disk;
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
   * A name for a file that is not complete yet. Removes what the writer did not complete before.
   *
   * @param writer letters and digits; the thread has a lock for it
   */
  Path unnamed(String writer) throws IOException {
    PublishedFiles.deleteUnnamed(path, writer);
    return PublishedFiles.unnamed(path, writer);
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
   * Removes copies, those first that have not been used for the longest time, until a new one has
   * room beside the others.
   *
   * @param more bytes of the new one
   * @param replaced the name of a copy whose place it takes, or an empty text
   * @param kept whether a copy must stay
   * @return how many bytes the new one may have, 0 or more; fewer than it has if too many must stay
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
   * How many bytes all copies together may have: a full disk would stop more than this process.
   *
   * @param present bytes that they have now
   */
  private long limit(long present) throws IOException {
    long space = present + disk.usableBytes();
    return Math.min(maxBytes, space / 100 * PERCENT);
  }

  /** Removes copies that have no room beside the others, as {@link #makeRoom} does. */
  void trim(Predicate<String> kept) throws IOException {
    makeRoom(0, "", kept);
  }

  /**
   * The error of a file that has no room although copies were removed.
   *
   * @param bytes that it has
   * @param room that there is for it, in bytes
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
