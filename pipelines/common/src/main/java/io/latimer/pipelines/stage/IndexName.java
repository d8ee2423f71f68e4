package io.latimer.pipelines.stage;

import java.util.Objects;

/**
 * The name of an index of a stage in commands, statuses and the state of a job: that of the stage
 * for its main index, and {@code STAGE.KEY} for any other, such as {@code translate.glossary}.
 * Names of stages have no dot.
 *
 * @param stage name of the stage
 * @param key of the index in the job file; empty for the main index
 */
public record IndexName(String stage, String key) {
  private static final char DOT = '.';

  public IndexName {
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(key, "key");
  }

  /** Reads a name. */
  public static IndexName parse(String name) {
    int dot = name.indexOf(DOT);
    return dot < 0
        ? new IndexName(name, "")
        : new IndexName(name.substring(0, dot), name.substring(dot + 1));
  }

  /** Whether it is the main index of the stage. */
  public boolean isMain() {
    return key.isEmpty();
  }

  /** The name as {@link #parse} reads it. */
  @Override
  public String toString() {
    return isMain() ? stage : stage + DOT + key;
  }
}
