package io.latimer.pipelines.job;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.Stages;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads job files. */
public final class JobConfigReader {
  /** Maximum size of a job file. */
  private static final int MAX_BYTES = 64 << 20;

  private JobConfigReader() {}

  /**
   * Reads a job file.
   *
   * @param file in YAML and UTF-8; its relative paths belong to its folder
   * @throws ConfigException if it is invalid; gives every problem with its line
   * @throws IOException if it cannot be read
   */
  public static JobConfig read(Path file) throws IOException {
    if (Files.isDirectory(file)) { // Java's own message lacks the name
      throw new FileSystemException(file.toString(), null, "a folder; expected a job file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    }
    if (bytes.length > MAX_BYTES) {
      throw new ConfigException(
          file.toString(), List.of("line 1: the file has more than " + MAX_BYTES + " bytes"));
    }
    String yaml;
    try {
      yaml = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      ConfigException error =
          new ConfigException(file.toString(), List.of("line 1: the file is not valid UTF-8"));
      error.initCause(e);
      throw error;
    }
    return read(yaml, file.toString(), file.toAbsolutePath().getParent());
  }

  /**
   * Reads a job file's text.
   *
   * @param yaml the text
   * @param name its name in messages
   * @param base the folder that its relative paths refer to
   * @throws ConfigException if it is invalid; gives every problem with its line
   */
  public static JobConfig read(String yaml, String name, Path base) {
    Settings settings = ConfigFile.read(JobKeys.JOB, yaml, name, base);
    try {
      return checked(settings);
    } catch (IllegalArgumentException e) {
      // the problem concerns several keys; the message starts with the path of one of them
      String path = e.getMessage().substring(0, e.getMessage().indexOf(':'));
      int line = ConfigFile.lineOf(yaml, path);
      ConfigException error =
          new ConfigException(name, List.of("line " + line + ": " + e.getMessage()));
      error.initCause(e);
      throw error;
    }
  }

  /** Checks each stage, and then the job as a whole. */
  private static JobConfig checked(Settings job) {
    List<Choice> stages = job.get(JobKeys.STAGES);
    for (int i = 0; i < stages.size(); i++) {
      try {
        Stages.check(new StageConfig(stages.get(i).settings()));
      } catch (OperatorException e) {
        throw new IllegalArgumentException(
            "stages[" + i + "]." + stages.get(i).kind() + ": " + e.getMessage(), e);
      }
    }
    return new JobConfig(job);
  }
}
