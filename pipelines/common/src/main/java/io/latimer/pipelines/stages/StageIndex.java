package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.stage.StageConfig;
import java.io.Serializable;
import java.net.URI;

/**
 * The index file of a stage, as the job file names it, on the way to the tasks.
 *
 * @param pinned whether the job file says which content it means
 */
record StageIndex(String kind, URI uri, String sha256, String version, boolean pinned)
    implements Serializable {

  /** The key of the content that the job file means. */
  static final ConfigKey<String> SHA256 =
      ConfigKey.of(
          "sha256",
          ConfigTypes.text(
              "64 lower-case hexadecimal digits, or nothing",
              text -> text.matches("([0-9a-f]{64})?")),
          "",
          "SHA-256 of the model file; another file is refused. A job that is restored from its state"
              + " refuses another file at the same path too, unless its SHA-256 stands here.");

  /**
   * Reads the file that a stage names, to know its content; loads nothing.
   *
   * @param path the key that names it; {@link #SHA256} is another key of the stage
   * @throws OperatorException if there is no such file, or it is not what the job file means
   */
  static StageIndex of(StageConfig config, ConfigKey<String> path, IndexKind kind) {
    Settings settings = config.settings();
    String where = "stage " + config.name() + ": ";
    IndexRef ref;
    try {
      ref = IndexRefs.of(ConfigTypes.localFile(settings.get(path)));
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
              + " is not the file that the job file means: expected SHA-256 "
              + wanted
              + ", found "
              + ref.sha256()
              + "; put that file there, or correct sha256");
    }
    return new StageIndex(ref.kind(), ref.uri(), ref.sha256(), ref.version(), !wanted.isEmpty());
  }

  IndexRef ref() {
    return new IndexRef(kind, uri, sha256, version);
  }
}
