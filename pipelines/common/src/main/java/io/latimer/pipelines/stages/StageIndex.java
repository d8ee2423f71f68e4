package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.NotAnIndexException;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.stage.StageConfig;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The index file of a stage as sent to the tasks.
 *
 * @param pinned whether the job file gives its SHA-256
 */
record StageIndex(String kind, URI uri, String sha256, String version, boolean pinned)
    implements Serializable {

  /** A script beside a folder of indexes that builds them, as in the examples. */
  private static final String BUILD_SCRIPT = "build-indexes.sh";

  /** The key for the expected content. */
  static final ConfigKey<String> SHA256 =
      ConfigKey.of(
          "sha256",
          ConfigTypes.text(
              "64 lower-case hexadecimal digits, or empty",
              text -> text.matches("([0-9a-f]{64})?")),
          "",
          "SHA-256 of that file; any other file is refused. Without it, a job that is"
              + " restored from its state also refuses a changed file at the same path.");

  /**
   * Hashes the file that a stage names but does not load it.
   *
   * @param path the key for its path; the stage also has {@link #SHA256}
   * @throws OperatorException if the file does not exist or has other content than the job file
   *     expects
   */
  static StageIndex of(StageConfig config, ConfigKey<String> path, IndexKind kind) {
    Settings settings = config.settings();
    String where = "stage " + config.name() + ": ";
    IndexRef ref;
    try {
      ref = IndexRefs.of(ConfigTypes.localFile(settings.get(path)));
    } catch (NotAnIndexException e) {
      throw withRemedy(e, ConfigTypes.localFile(settings.get(path)));
    } catch (IllegalArgumentException e) {
      throw new OperatorException(where + path.name() + ": " + e.getMessage(), e);
    }
    if (!ref.kind().equals(kind.id())) {
      throw new OperatorException(
          where
              + settings.get(path)
              + ": expected an index of kind "
              + kind.id()
              + ", found "
              + ref.kind());
    }
    String wanted = settings.get(SHA256);
    if (!wanted.isEmpty() && !wanted.equals(ref.sha256())) {
      throw new OperatorException(
          where
              + settings.get(path)
              + " is not the file that the job file expects: expected SHA-256 "
              + wanted
              + ", found "
              + ref.sha256()
              + "; restore that file, or correct sha256");
    }
    return new StageIndex(ref.kind(), ref.uri(), ref.sha256(), ref.version(), !wanted.isEmpty());
  }

  /** Adds how to make a missing file, if the folder above its own has a script for that. */
  private static NotAnIndexException withRemedy(NotAnIndexException error, Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    Path script = folder == null ? null : folder.resolveSibling(BUILD_SCRIPT);
    if (script == null || Files.exists(file) || !Files.isExecutable(script)) {
      return error;
    }
    return new NotAnIndexException(
        error.getMessage() + "; run " + script + ", which builds it", error);
  }

  IndexRef ref() {
    return new IndexRef(kind, uri, sha256, version);
  }
}
