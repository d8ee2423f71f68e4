package io.latimer.operators.lm.estimate;

import io.latimer.operators.lm.arpa.LmImportReport;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.TempFolder;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A model file that was made from counts. Equal counts, words, options and versions give equal
 * files.
 *
 * @param bytes size of the file
 * @param estimate report of its estimation
 */
public record LmFile(long bytes, EstimateReport estimate) {
  private static final int BUFFER = 1 << 16;

  /**
   * Writes a model.
   *
   * @param counts of {@link EstimateLm#record}s; of the options' order
   * @param words the {@link EstimateLm#dictionary} of their words; the file's bytes depend on the
   *     order of ids
   * @param file appears when it is complete
   * @param version recorded in the file; at most 64 bytes of UTF-8, may be empty
   * @throws io.latimer.operators.OperatorException if the discounts cannot be computed
   * @throws IOException if a file cannot be written
   */
  public static LmFile write(
      NgramCounts counts,
      WordIds words,
      EstimateOptions options,
      LmLayout layout,
      Path file,
      String version)
      throws IOException {
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
              new LmImportRequest(arpa, file, layout, LmImportRequest.DEFAULT_KEYS, version),
              (section, ngrams, total) -> {});
      return new LmFile(imported.fileBytes(), report);
    }
  }
}
