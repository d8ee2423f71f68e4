package io.latimer.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/**
 * A short and a long run of a stage, whose difference is free of start-up.
 *
 * @param stage {@code identity} or {@code translate}
 * @param device that the stage runs on
 * @param parallelism number of subtasks
 * @param few sentences of the short run
 * @param many sentences of the long run
 */
record StageRuns(String stage, String device, int parallelism, int few, int many) {
  /** A way to process sentences. */
  interface Way {
    /**
     * Processes the sentences of a run.
     *
     * @param run {@code short} or {@code long}
     * @return how long it took, in seconds
     */
    double seconds(String run, int sentences) throws Exception;
  }

  static StageRuns of(String... args) {
    if (args.length != 5) {
      throw new IllegalArgumentException(
          "expected 5 arguments: identity or translate, a device, the parallelism, and the sentences"
              + " of a short and a long run; found "
              + Arrays.toString(args));
    }
    return new StageRuns(
        args[0],
        args[1],
        Integer.parseInt(args[2]),
        Integer.parseInt(args[3]),
        Integer.parseInt(args[4]));
  }

  /** Prints the sentences per second of a way. */
  void measure(String name, Way way) throws Exception {
    double shorter = way.seconds("short", few);
    double longer = way.seconds("long", many);
    System.out.printf(
        Locale.ROOT,
        "%s: %.2f s and %.2f s: %.0f sentences/s%n",
        name,
        shorter,
        longer,
        (many - few) / (longer - shorter));
  }
}
