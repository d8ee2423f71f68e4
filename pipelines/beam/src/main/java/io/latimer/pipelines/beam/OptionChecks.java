package io.latimer.pipelines.beam;

import io.latimer.pipelines.sink.Format;
import java.io.IOException;
import java.util.List;
import org.apache.beam.sdk.io.FileSystems;
import org.apache.beam.sdk.io.fs.EmptyMatchTreatment;

/** Checks the combination of a pipeline's options. */
final class OptionChecks {
  private OptionChecks() {}

  /**
   * Checks options.
   *
   * @throws IllegalArgumentException if some are missing or exclude each other
   */
  static void check(TranslationOptions options) {
    switch (options.getStage()) {
      case "translate" -> {
        require(
            (options.getModel() != null) != (options.getPhrases() != null),
            "translate needs --model, or --phrases and --languageModel to translate by phrases");
        require(
            (options.getPhrases() != null) == (options.getLanguageModel() != null),
            "--phrases and --languageModel need each other");
      }
      case "identity" ->
          require(
              options.getModel() == null
                  && options.getPhrases() == null
                  && options.getLanguageModel() == null,
              "identity has no --model, --phrases or --languageModel");
      default ->
          throw new IllegalArgumentException(
              "--stage must be translate or identity, found " + options.getStage());
    }
    boolean topics = options.getInputTopics() != null && !options.getInputTopics().isEmpty();
    one("--input", options.getInput() != null, "--inputTopics", topics);
    one("--output", options.getOutput() != null, "--outputTopic", options.getOutputTopic() != null);
    boolean kafka =
        topics
            || options.getOutputTopic() != null
            || options.getDeadLetterTopic() != null
            || options.getNgramTopic() != null;
    require(!kafka || options.getBootstrapServers() != null, "topics need --bootstrapServers");
    boolean files =
        options.getOutput() != null
            || options.getDeadLetters() != null
            || options.getNgramOutput() != null;
    require(
        !(topics && files),
        "a pipeline that reads topics does not end, and its files would never be complete; write"
            + " topics: --outputTopic, --deadLetterTopic, --ngramTopic");
    if (options.isOrdered()) {
      require(options.getOutput() != null, "--ordered needs --input and --output");
      require(options.getFormat() == Format.TEXT, "--ordered writes text; leave --format out");
    } else {
      one(
          "--deadLetters",
          options.getDeadLetters() != null,
          "--deadLetterTopic",
          options.getDeadLetterTopic() != null);
    }
    boolean tables = options.getNgramTopic() != null || options.getNgramOutput() != null;
    require(
        options.getNgramWindowSeconds() >= 0 && options.getNgramLatenessSeconds() >= 0,
        "--ngramWindowSeconds and --ngramLatenessSeconds must not be negative");
    require(
        tables == (options.getNgramWindowSeconds() > 0),
        "tables of n-grams need --ngramWindowSeconds, and --ngramTopic or --ngramOutput");
  }

  /**
   * Checks that an ordered output has exactly one input file, because line numbers are per file.
   *
   * @throws IllegalArgumentException if there are no or several files
   */
  static void checkOneFile(String input) {
    long files;
    try {
      files = FileSystems.match(input, EmptyMatchTreatment.ALLOW).metadata().size();
    } catch (IOException e) {
      throw new IllegalArgumentException(input + " cannot be looked up: " + e.getMessage(), e);
    }
    require(files > 0, input + " does not exist");
    require(
        files == 1,
        "--ordered needs one input file, but "
            + input
            + " matches "
            + files
            + "; run the pipeline for each of them, or leave --ordered out");
  }

  private static void one(String first, boolean hasFirst, String second, boolean hasSecond) {
    if (hasFirst == hasSecond) {
      String found = hasFirst ? "found both" : "found neither";
      throw new IllegalArgumentException(
          "expected one of " + String.join(" and ", List.of(first, second)) + ", " + found);
    }
  }

  private static void require(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException(problem);
    }
  }
}
