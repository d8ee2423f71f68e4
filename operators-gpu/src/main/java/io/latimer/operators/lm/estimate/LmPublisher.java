package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.PublishedFiles;
import io.latimer.operators.lm.arpa.LmImportReport;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.TempFolder;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Builds model files from counts and puts them into a folder, named after their content: the
 * SHA-256 of the bytes, plus {@code .llm}.
 *
 * <p>A file appears under its name only when complete, and its content never changes. Equal counts,
 * words, options and versions give equal files, so publishing again changes nothing. Files are
 * never deleted, because the publisher cannot know which are in use.
 */
public final class LmPublisher {
  private static final int BUFFER = 1 << 16;

  /**
   * A published model.
   *
   * @param ref its location
   * @param bytes size of the file
   * @param estimate report of its estimation
   */
  public record Published(IndexRef ref, long bytes, EstimateReport estimate) {}

  private LmPublisher() {}

  /**
   * Publishes a model.
   *
   * @param counts of {@link EstimateLm#record}s; of the options' order
   * @param words the {@link EstimateLm#dictionary} of their words; the file's bytes depend on the
   *     order of ids
   * @param folder target folder; created if missing
   * @param version recorded in the file and the reference; at most 64 bytes of UTF-8, may be empty
   * @throws OperatorException if the discounts cannot be computed, or a file cannot be written
   */
  public static Published publish(
      NgramCounts counts,
      WordIds words,
      EstimateOptions options,
      LmLayout layout,
      Path folder,
      String version) {
    try {
      Files.createDirectories(folder);
      Path unnamed = PublishedFiles.unnamed(folder);
      try (TempFolder temporary = new TempFolder(options.tempFolder().orElse(null))) {
        Path arpa = temporary.file("arpa");
        EstimateReport report;
        try (OutputStream out =
            new BufferedOutputStream(
                Files.newOutputStream(arpa, StandardOpenOption.CREATE_NEW), BUFFER)) {
          report = EstimateLm.fromCounts(counts, words, out, options, BuildProgress.NONE);
        }
        LmImportReport imported =
            LmImporter.importArpa(
                new LmImportRequest(arpa, unnamed, layout, LmImportRequest.DEFAULT_KEYS, version),
                (section, ngrams, total) -> {});
        return new Published(
            PublishedFiles.name(unnamed, folder, ".llm"), imported.fileBytes(), report);
      } finally {
        Files.deleteIfExists(unnamed);
      }
    } catch (IOException e) {
      throw new OperatorException(
          "a language model cannot be written to " + folder + ": " + FileErrors.reason(e), e);
    }
  }
}
