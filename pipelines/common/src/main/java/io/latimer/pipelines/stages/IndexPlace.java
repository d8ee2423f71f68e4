package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.NotAnIndexException;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.index.IndexFiles;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A user's specification of an index file: its location and expected content.
 *
 * @param where prefix of messages, such as {@code "stage score: "}; may be empty
 * @param pathName the user's name for the path, such as the key of the job file
 * @param path a path of this machine or a URI
 * @param sha256Name the user's name for the SHA-256
 * @param sha256 64 lower-case hexadecimal digits, or empty for any content
 */
record IndexPlace(String where, String pathName, String path, String sha256Name, String sha256) {
  /** A script beside a folder of indexes that builds them, as in the examples. */
  private static final String BUILD_SCRIPT = "build-indexes.sh";

  /**
   * Checks the location without reading the file.
   *
   * @throws OperatorException if it cannot be the location of an index file
   */
  void check() {
    URI uri = uri();
    String authority = uri.getRawAuthority();
    if (authority != null && authority.contains("@")) {
      throw bad(
          IndexRef.location(uri)
              + " has a user name or a password, which would be written into checkpoints; remove"
              + " them");
    }
    if (!IndexFiles.isHttp(uri)) {
      return;
    }
    if (uri.getHost() == null) {
      throw bad(IndexRef.location(uri) + " has no host");
    }
    if (sha256.isEmpty()) {
      throw bad(
          IndexRef.location(uri)
              + " needs "
              + sha256Name
              + ", because a server may change the file at any time; `sha256sum` prints it");
    }
  }

  private OperatorException bad(String what) {
    return new OperatorException(where + pathName + ": " + what);
  }

  /** The location; that of a local file is absolute. */
  private URI uri() {
    if (!ConfigTypes.isUri(path)) {
      return Path.of(path).toAbsolutePath().normalize().toUri();
    }
    try {
      return new URI(path);
    } catch (URISyntaxException e) {
      // without the URI and the cause, which may contain a password
      throw bad(
          "not a valid URI: "
              + e.getReason()
              + " at character "
              + (e.getIndex() + 1)
              + "; write a space as %20");
    }
  }

  /**
   * Creates a reference to the file without loading it: a local file is hashed, and a remote one
   * fetched unless its SHA-256 is given.
   *
   * @param kind the required kind
   * @throws OperatorException if it does not exist, is of another kind or has other content than
   *     expected
   */
  IndexRef ref(IndexKind kind, IndexFiles files) {
    check();
    URI uri = uri();
    IndexRef ref;
    if (IndexFiles.isLocal(uri)) {
      ref = local(files);
    } else if (sha256.isEmpty()) {
      ref = files.pin(uri, ResidentIndexes.process()::holds);
    } else {
      ref = new IndexRef(kind.id(), uri, sha256, "");
    }
    if (!ref.kind().equals(kind.id())) {
      throw new OperatorException(
          where
              + named(ref)
              + ": expected an index of kind "
              + kind.id()
              + ", found "
              + ref.kind());
    }
    if (!sha256.isEmpty() && !sha256.equals(ref.sha256())) {
      throw new OperatorException(
          where
              + named(ref)
              + " has other content: expected SHA-256 "
              + sha256
              + ", found "
              + ref.sha256()
              + "; restore the file, or correct "
              + sha256Name);
    }
    return ref;
  }

  private String named(IndexRef ref) {
    return ConfigTypes.isUri(path) ? ref.location() : path;
  }

  private IndexRef local(IndexFiles files) {
    Path file;
    try {
      file = ConfigTypes.localFile(path);
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage());
    }
    try {
      return files.local(file);
    } catch (NotAnIndexException e) {
      throw withRemedy(e, file);
    }
  }

  /** Adds how to create a missing file, if the parent of its folder has a script for that. */
  private static NotAnIndexException withRemedy(NotAnIndexException error, Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    Path script = folder == null ? null : folder.resolveSibling(BUILD_SCRIPT);
    if (script == null || Files.exists(file) || !Files.isExecutable(script)) {
      return error;
    }
    return new NotAnIndexException(
        error.getMessage() + "; run " + script + ", which builds it", error);
  }
}
