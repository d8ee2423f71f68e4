package io.latimer.pipelines.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.PublishedFiles;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Sha256;
import io.latimer.pipelines.config.ConfigTypes;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens index files by reference. Remote files are copied to this machine once, to a folder that
 * its processes share.
 *
 * <p>A file that does not exist or has other content causes an {@link IndexFormatException}, which
 * no restart can fix. A server that does not answer causes another {@link OperatorException}, after
 * several attempts.
 */
public final class IndexFiles implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(IndexFiles.class);

  private final IndexSettings settings;
  private final IndexSource engine;
  private final IndexSource http;
  private final Retries retries;

  /** The number of attempts, and the delay after the first one, which then doubles. */
  record Retries(int attempts, Duration delay) implements Serializable {
    static final Retries DEFAULT = new Retries(5, Duration.ofMillis(500));
  }

  /**
   * Creates an opener.
   *
   * @param settings where copies are kept
   * @param engine the source of files that are neither local nor on an HTTP server
   */
  public IndexFiles(IndexSettings settings, IndexSource engine) {
    this(settings, engine, HttpSource.DEFAULT, Retries.DEFAULT);
  }

  IndexFiles(IndexSettings settings, IndexSource engine, IndexSource http, Retries retries) {
    this.settings = settings;
    this.engine = engine;
    this.http = http;
    this.retries = retries;
  }

  /** A source for engines that cannot read other files. */
  public static IndexSource none() {
    return uri -> {
      throw new IndexFormatException(
          IndexRef.location(uri)
              + ": no file system for "
              + uri.getScheme()
              + ": here; give a local path or an http or https address");
    };
  }

  /**
   * Creates the reference to a local file, or to a published model, which is imported first.
   *
   * @throws OperatorException if it is neither
   */
  public IndexRef local(Path path) {
    return ImportedModels.isOne(path) ? ImportedModels.ref(path, settings) : IndexRefs.of(path);
  }

  /** Whether a location is a local file. */
  public static boolean isLocal(URI uri) {
    return scheme(uri).equals("file");
  }

  /** Whether a location is on an HTTP server. */
  public static boolean isHttp(URI uri) {
    return scheme(uri).equals("http") || scheme(uri).equals("https");
  }

  private static String scheme(URI uri) {
    return uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
  }

  /**
   * Opens the file of a reference, and checks it as {@link IndexRefs#open} does.
   *
   * @param inUse whether content, given by SHA-256, is in use in this process, so that its copy
   *     must stay
   * @throws IndexFormatException if the file does not exist, has other content, is invalid or too
   *     large
   * @throws OperatorException if it cannot be fetched now, or the disk has no room for it
   */
  public IndexFile open(IndexRef ref, Predicate<String> inUse) {
    if (isLocal(ref.uri())) {
      return ImportedModels.isOne(IndexRefs.path(ref))
          ? ImportedModels.open(ref, settings)
          : IndexRefs.open(ref);
    }
    IndexFolder folder = IndexFolder.open(settings);
    Optional<IndexFile> copy = find(folder, ref);
    if (copy.isPresent()) {
      return copy.get();
    }
    try {
      ContentLock lock = folder.lock(ref.sha256());
      try {
        copy = find(folder, ref); // another thread or process may have fetched it meanwhile
        return copy.isPresent() ? copy.get() : fetched(folder, ref, inUse);
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw unusable(ref.uri(), e);
    } catch (InterruptedException e) {
      throw interrupted(ref.uri(), e);
    }
  }

  /** Opens the copy of a file; empty if there is none, or it is damaged. */
  private static Optional<IndexFile> find(IndexFolder folder, IndexRef ref) {
    if (!folder.has(ref.sha256())) {
      return Optional.empty();
    }
    try {
      IndexFile file = openCopy(folder, ref);
      folder.touch(ref.sha256());
      return Optional.of(file);
    } catch (IndexFormatException e) {
      if (isIntact(folder, ref)) {
        throw e; // the source file itself is not an index of its kind
      }
      LOG.warn("the copy of {} is damaged, and fetched again: {}", ref.location(), e.getMessage());
      return Optional.empty();
    }
  }

  private static IndexFile openCopy(IndexFolder folder, IndexRef ref) {
    try {
      return IndexRefs.open(
          new IndexRef(ref.kind(), folder.copy(ref.sha256()).toUri(), ref.sha256(), ref.version()));
    } catch (IndexFormatException e) {
      throw new IndexFormatException(ref.location() + ": its copy " + e.getMessage(), e);
    }
  }

  private static boolean isIntact(IndexFolder folder, IndexRef ref) {
    try (var in = Files.newInputStream(folder.copy(ref.sha256()))) {
      return Sha256.of(in).equals(ref.sha256());
    } catch (IOException e) {
      return false; // removed, or unreadable
    }
  }

  private IndexFile fetched(IndexFolder folder, IndexRef ref, Predicate<String> inUse)
      throws IOException, InterruptedException {
    String sha256 = ref.sha256();
    Predicate<String> kept = inUse.or(sha256::equals);
    Path part = folder.newPart(sha256);
    try {
      fetch(folder, ref.uri(), Optional.of(sha256), part, kept);
      folder.keep(part, sha256);
    } finally {
      Files.deleteIfExists(part);
    }
    folder.trim(kept);
    return openCopy(folder, ref);
  }

  /**
   * Fetches a remote file and returns a reference to its current content.
   *
   * @param inUse as for {@link #open}
   * @return its reference, with the same location
   * @throws IndexFormatException if the file does not exist, is no index file, is damaged or too
   *     large
   * @throws OperatorException if it cannot be fetched now, or the disk has no room for it
   */
  public IndexRef pin(URI uri, Predicate<String> inUse) {
    IndexFolder folder = IndexFolder.open(settings);
    String name = Sha256.of(uri.toString());
    try {
      ContentLock lock = folder.lock(name);
      try {
        return pinned(folder, name, uri, inUse);
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw unusable(uri, e);
    } catch (InterruptedException e) {
      throw interrupted(uri, e);
    }
  }

  private IndexRef pinned(IndexFolder folder, String name, URI uri, Predicate<String> inUse)
      throws IOException, InterruptedException {
    Path part = folder.newPart(name);
    try {
      fetch(folder, uri, Optional.empty(), part, inUse);
      IndexRef found = of(part, uri);
      folder.keep(part, found.sha256());
      folder.trim(inUse.or(found.sha256()::equals));
      return new IndexRef(found.kind(), uri, found.sha256(), found.version());
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static IndexRef of(Path part, URI uri) {
    try {
      return IndexRefs.of(part);
    } catch (IndexFormatException e) {
      throw new IndexFormatException(
          e.getMessage().replace(part.toString(), IndexRef.location(uri)), e);
    }
  }

  /**
   * Fetches a file, with several attempts.
   *
   * @param expected its SHA-256, if it is known
   */
  private void fetch(
      IndexFolder folder, URI uri, Optional<String> expected, Path part, Predicate<String> kept)
      throws InterruptedException {
    String location = IndexRef.location(uri);
    LOG.info("fetching {}", location);
    Duration delay = retries.delay();
    for (int attempt = 1; ; attempt++) {
      try (IndexSource.Content content = (isHttp(uri) ? http : engine).open(uri)) {
        attempt(folder, content, location, expected, part, kept);
        return;
      } catch (IOException e) {
        String reason = FileErrors.reason(e);
        if (attempt >= retries.attempts()) {
          throw new OperatorException(
              location + " cannot be fetched, after " + attempt + " attempts: " + reason, e);
        }
        LOG.warn("{} was not fetched, attempt {}: {}", location, attempt, reason);
      }
      Thread.sleep(delay.toMillis());
      delay = delay.multipliedBy(2);
    }
  }

  private void attempt(
      IndexFolder folder,
      IndexSource.Content content,
      String location,
      Optional<String> expected,
      Path part,
      Predicate<String> kept)
      throws IOException {
    long room = room(folder, content.length(), location, expected.orElse(""), kept);
    Transfer.Received received =
        new Transfer(room, System::nanoTime).write(content, part, location);
    if (expected.isPresent() && !expected.get().equals(received.sha256())) {
      String difference = "expected SHA-256 " + expected.get() + ", found " + received.sha256();
      if (!received.complete()) {
        throw new IOException("it may have ended early: " + difference);
      }
      throw new IndexFormatException(
          location
              + " is not the file that was referred to: "
              + difference
              + "; restore the old file, or refer to the new one");
    }
  }

  /** Makes room for the copy of a file, and returns its maximum length in bytes. */
  private long room(
      IndexFolder folder, long length, String location, String replaced, Predicate<String> kept)
      throws IOException {
    if (length > settings.maxBytes()) {
      return settings.maxBytes(); // the transfer refuses it, so no copy needs to be removed
    }
    long room = folder.makeRoom(Math.max(0, length), replaced, kept);
    if (length > room) {
      throw folder.full(location, length, room);
    }
    return room;
  }

  /** Writes a file under a temporary name. */
  @FunctionalInterface
  public interface Build {
    /**
     * Writes the file.
     *
     * @param file the path, which does not exist yet
     */
    void write(Path file) throws IOException;
  }

  /**
   * Normalizes the folder for new files for {@link #publish}.
   *
   * @param folder a path or a URI
   * @return an absolute path or a URI of a file system of the engine
   * @throws IllegalArgumentException if it is on an HTTP server, has a user name or a password, or
   *     is not a URI
   */
  public static String folder(String folder) {
    if (!ConfigTypes.isUri(folder)) {
      return Path.of(folder).toAbsolutePath().normalize().toString();
    }
    URI uri = URI.create(folder);
    if (isLocal(uri)) {
      return ConfigTypes.localFile(folder).toString();
    }
    if (isHttp(uri) || uri.getPath() == null) {
      throw new IllegalArgumentException(
          IndexRef.location(uri)
              + " is no folder that files can be written to; give a path, or a URI of a file system"
              + " of the engine, such as s3:");
    }
    String authority = uri.getRawAuthority();
    if (authority != null && authority.contains("@")) {
      throw new IllegalArgumentException(
          IndexRef.location(uri)
              + " has a user name or a password, which would be written into checkpoints; remove"
              + " them");
    }
    return folder.replaceFirst("(?<=[^/])/+$", "");
  }

  /** Whether a folder, as returned by {@link #folder}, is on this machine. */
  public static boolean isLocalFolder(String folder) {
    return !ConfigTypes.isUri(folder);
  }

  /**
   * Builds an index file and publishes it to a folder, under a name derived from its content. It
   * appears there only when complete, and files left by a killed process are deleted. This machine
   * keeps a copy of a file published elsewhere, like those that it fetches.
   *
   * @param folder as returned by {@link #folder}; a local one must exist
   * @param ending such as {@code .llm}
   * @param writer letters and digits, unique among the writers to the folder; only one may write at
   *     a time
   * @param inUse as for {@link #open}
   * @return the file
   * @throws IOException if it cannot be written
   * @throws OperatorException if the folder cannot be reached
   */
  public IndexRef publish(
      String folder, String ending, String writer, Predicate<String> inUse, Build build)
      throws IOException {
    if (isLocalFolder(folder)) {
      return named(Path.of(folder), ending, writer, build);
    }
    IndexFolder copies = IndexFolder.open(settings);
    String name = Sha256.of(folder + "\n" + writer);
    try {
      ContentLock lock = copies.lock(name);
      try {
        return uploaded(copies, URI.create(folder), ending, writer, inUse, build);
      } finally {
        lock.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException(folder + ": interrupted while writing to it", e);
    }
  }

  private static IndexRef named(Path folder, String ending, String writer, Build build)
      throws IOException {
    Path unnamed = PublishedFiles.unnamed(folder, writer);
    try {
      PublishedFiles.deleteUnnamed(folder, writer);
      build.write(unnamed);
      return PublishedFiles.name(unnamed, folder, ending);
    } finally {
      delete(unnamed);
    }
  }

  private IndexRef uploaded(
      IndexFolder copies,
      URI folder,
      String ending,
      String writer,
      Predicate<String> inUse,
      Build build)
      throws IOException, InterruptedException {
    Path unnamed = copies.unnamed(writer);
    try {
      build.write(unnamed);
      IndexRef found = IndexRefs.of(unnamed);
      String name = found.sha256() + ending;
      upload(unnamed, found.sha256(), folder, name, writer);
      copies.keep(unnamed, found.sha256());
      copies.trim(inUse.or(found.sha256()::equals));
      URI uri = URI.create(folder + "/" + name);
      return new IndexRef(found.kind(), uri, found.sha256(), found.version());
    } finally {
      delete(unnamed);
    }
  }

  private void upload(Path file, String sha256, URI folder, String name, String writer)
      throws IOException, InterruptedException {
    Duration delay = retries.delay();
    for (int attempt = 1; ; attempt++) {
      try {
        engine.publish(file, sha256, folder, name, writer);
        return;
      } catch (IOException e) {
        if (attempt >= retries.attempts()) {
          throw e;
        }
        LOG.warn(
            "{} was not written to {}, attempt {}: {}",
            name,
            IndexRef.location(folder),
            attempt,
            FileErrors.reason(e));
      }
      Thread.sleep(delay.toMillis());
      delay = delay.multipliedBy(2);
    }
  }

  private static void delete(Path unnamed) {
    try {
      Files.deleteIfExists(unnamed);
    } catch (IOException e) {
      LOG.warn("{} cannot be deleted", unnamed, e);
    }
  }

  private static OperatorException unusable(URI uri, IOException e) {
    return new OperatorException(
        IndexRef.location(uri) + " cannot be copied to this machine: " + FileErrors.reason(e), e);
  }

  private static OperatorException interrupted(URI uri, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new OperatorException(IndexRef.location(uri) + ": interrupted while fetching it", e);
  }
}
