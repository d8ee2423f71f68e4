package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.StageConfig;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;

/**
 * The index file of a stage in serializable form.
 *
 * @param version empty for a remote file that was not read yet
 * @param pinned whether the job file gives its SHA-256
 * @param files opens the file
 */
record ConfiguredIndex(
    String kind, URI uri, String sha256, String version, boolean pinned, IndexFiles files)
    implements Serializable {

  /** The key for the expected content. */
  static final ConfigKey<String> SHA256 =
      ConfigKey.of(
          "sha256",
          ConfigTypes.text(
              "64 lower-case hexadecimal digits, or empty",
              text -> text.matches("([0-9a-f]{64})?")),
          "",
          "SHA-256 of that file; any other file is refused. Required for an http or https address."
              + " Without it, the file is read where the job is started, and a job that is restored"
              + " from its state also refuses a changed file at the same path.");

  /**
   * The key for a stage's index file; a stage also has {@link #SHA256}.
   *
   * @param example a file name
   * @param meaning such as "Model file made by `latimer lm import`"
   */
  static ConfigKey<String> key(String name, String example, String meaning) {
    return ConfigKey.required(name, ConfigTypes.path(false), example, meaning + WHERE);
  }

  /** The key for an optional index file; empty for none. */
  static ConfigKey<String> optionalKey(String name, String meaning) {
    return ConfigKey.of(name, ConfigTypes.path(true), "", meaning + WHERE);
  }

  /** The documentation of a file's location. */
  private static final String WHERE =
      "; a relative path is relative to the job file's folder, and all machines of the job"
          + " must have the file at this path. Or an `http:` or `https:` address, or a URI that"
          + " the engine can read (`s3:`, `hdfs:` and others), of which each machine keeps a copy"
          + " in `indexes.directory`.";

  /**
   * The key for the expected content of one of several files of a stage.
   *
   * @param path the key for the file
   */
  static ConfigKey<String> sha256(ConfigKey<String> path) {
    return ConfigKey.of(
        path.name() + "-sha256",
        SHA256.type(),
        "",
        "SHA-256 of the `" + path.name() + "`, like `sha256`.");
  }

  /**
   * Checks the location of an index file without reading it.
   *
   * @param path the key for it; the stage also has {@link #SHA256}
   * @throws OperatorException if it cannot be the location of an index file
   */
  static void check(Settings settings, ConfigKey<String> path) {
    check(settings, path, SHA256);
  }

  /**
   * The same.
   *
   * @param sha256 the key for its content
   */
  static void check(Settings settings, ConfigKey<String> path, ConfigKey<String> sha256) {
    place("", settings, path, sha256).check();
  }

  private static IndexPlace place(
      String where, Settings settings, ConfigKey<String> path, ConfigKey<String> sha256) {
    return new IndexPlace(
        where, path.name(), settings.get(path), sha256.name(), settings.get(sha256));
  }

  /**
   * Determines the hash of a stage's file without loading it: a local file is hashed, and a remote
   * one fetched unless the job file gives its SHA-256.
   *
   * @param path the key for its path; the stage also has {@link #SHA256}
   * @throws OperatorException if the file does not exist or has other content than the job file
   *     expects
   */
  static ConfiguredIndex of(
      StageConfig config, ConfigKey<String> path, IndexKind kind, IndexFiles files) {
    return of(config, path, SHA256, kind, files);
  }

  /**
   * The same.
   *
   * @param sha256 the key for its content
   */
  static ConfiguredIndex of(
      StageConfig config,
      ConfigKey<String> path,
      ConfigKey<String> sha256,
      IndexKind kind,
      IndexFiles files) {
    return of(place("stage " + config.name() + ": ", config.settings(), path, sha256), kind, files);
  }

  /** The same for a place that is not the value of one key. */
  static ConfiguredIndex of(IndexPlace place, IndexKind kind, IndexFiles files) {
    IndexRef ref = place.ref(kind, files);
    return new ConfiguredIndex(
        ref.kind(), ref.uri(), ref.sha256(), ref.version(), !place.sha256().isEmpty(), files);
  }

  IndexRef ref() {
    return new IndexRef(kind, uri, sha256, version);
  }

  ConfiguredIndex withVersion(String known) {
    return new ConfiguredIndex(kind, uri, sha256, known, pinned, files);
  }

  /** Opens the file of a reference, this one or another of its kind. */
  IndexFile open(IndexRef ref, ResidentIndexes indexes) {
    return files.open(ref, indexes::holds);
  }

  /** Builds an index file and publishes it to a folder, see {@link IndexFiles#publish}. */
  IndexRef publish(String folder, String ending, String writer, IndexFiles.Build build)
      throws IOException {
    return files.publish(folder, ending, writer, ResidentIndexes.process()::holds, build);
  }

  /** A copy with another index. */
  ConfiguredIndex with(IndexRef other) {
    return new ConfiguredIndex(
        other.kind(), other.uri(), other.sha256(), other.version(), true, files);
  }
}
