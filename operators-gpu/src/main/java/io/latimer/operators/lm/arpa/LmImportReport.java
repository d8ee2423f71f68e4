package io.latimer.operators.lm.arpa;

import java.nio.file.Path;
import java.util.List;

/**
 * What an import made.
 *
 * @param file the model file
 * @param arpa n-grams of each order as the ARPA file says
 * @param stored n-grams of each order in the model, with suffixes that the file left out
 * @param doubled n-grams that came twice, the first of which counts
 * @param unknown whether the file had {@code <unk>}; without, unknown words count -100
 * @param fileBytes the file's length
 * @param deviceBytes what a device needs of it
 */
public record LmImportReport(
    Path file,
    List<Long> arpa,
    List<Long> stored,
    long doubled,
    boolean unknown,
    long fileBytes,
    long deviceBytes) {
  public LmImportReport {
    arpa = List.copyOf(arpa);
    stored = List.copyOf(stored);
  }
}
