package io.latimer.pipelines.sql;

import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.job.StageOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * The options of a model.
 *
 * @param deadline maximum time of a call; zero for the query's setting
 * @param hasTimeout whether {@code batch.timeout} is given; otherwise it depends on the deadline
 */
record ModelOptions(
    Task task, OnError onError, Duration deadline, boolean hasTimeout, StageOptions stage) {
  private static final String BATCH_TIMEOUT = "batch.timeout";

  /** The option for stages that can read texts of a record other than its source. */
  private static final String TEXT = "of";

  /** The option for the index file of any task; its name in a job file depends on the stage. */
  private static final String INDEX = "index";

  /** The texts that only records in jobs have. */
  private static final Set<String> TRANSLATED = Set.of("translation", "alternatives");

  static final ConfigKey<Task> TASK =
      ConfigKey.required(
          "task", ConfigTypes.word(Task.class), Task.TRANSLATE, "What the model does.");

  static final ConfigKey<OnError> ON_ERROR =
      ConfigKey.of(
          "on-error",
          ConfigTypes.word(OnError.class),
          OnError.COLUMN,
          "What becomes of a row whose text cannot be processed: `column` says why in the column"
              + " `error`, which OUTPUT must then have; with `null` all columns are NULL; `fail`"
              + " fails the job.");

  static final ConfigKey<Duration> DEADLINE =
      ConfigKey.of(
          "deadline",
          ConfigTypes.duration(Duration.ZERO),
          Duration.ZERO,
          "How long a call may take; after that, its row counts as one that cannot be processed."
              + " Must be below the query's `timeout`, after which Flink fails the job; 0 for three"
              + " quarters of that, or for none if the query has no timeout.");

  /** The options that a stage does not have in a job file. */
  static final ConfigKey<?>[] OWN = {TASK, ON_ERROR, DEADLINE};

  /**
   * Parses the options of a model.
   *
   * @param options as in the statement, including the provider
   * @param name of the model, for messages
   * @throws ConfigException if they are invalid; lists every problem
   */
  static ModelOptions read(Map<String, String> options, String name) {
    Map<String, String> own = new LinkedHashMap<>(options);
    own.remove(FactoryUtil.PROVIDER.key());
    // read first, because the other options depend on it
    Map<String, String> task = new LinkedHashMap<>();
    if (own.containsKey(TASK.name())) {
      task.put(TASK.name(), own.get(TASK.name()));
    }
    Settings which =
        ConfigFile.readOptions(ConfigSection.of("model", "", TASK), task, name, Path.of(""));
    nameIndex(which.get(TASK), own, name);
    checkText(which.get(TASK), own.get(TEXT), name);
    StageOptions stage =
        StageOptions.read(which.get(TASK).kind(), own, name, Path.of("").toAbsolutePath(), OWN);
    return new ModelOptions(
        which.get(TASK),
        stage.others().get(ON_ERROR),
        stage.others().get(DEADLINE),
        own.containsKey(BATCH_TIMEOUT),
        stage);
  }

  /** Renames the option {@code index} to its name in a job file. */
  private static void nameIndex(Task task, Map<String, String> own, String name) {
    String key = task.file().orElse(INDEX);
    if (own.containsKey(INDEX) && own.containsKey(key) && !key.equals(INDEX)) {
      throw new ConfigException(
          name, List.of(INDEX + ": is another name of " + key + "; give only one of them"));
    }
    if (own.containsKey(INDEX)) {
      own.put(key, own.remove(INDEX));
    }
  }

  /** Checks the text to read; a row has no translation from an earlier stage. */
  private static void checkText(Task task, String text, String name) {
    boolean isOption =
        StageOptions.section(task.kind()).keys().stream().anyMatch(key -> key.name().equals(TEXT));
    if (isOption && TRANSLATED.contains(text == null ? "" : text)) {
      throw new ConfigException(
          name,
          List.of(
              TEXT + ": must be source, as a row has a text and no translation, found " + text));
    }
  }
}
