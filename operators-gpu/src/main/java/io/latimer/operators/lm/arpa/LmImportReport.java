package io.latimer.operators.lm.arpa;

import java.nio.file.Path;
import java.util.List;

/**
 * The result of an import.
 *
 * @param file the model file
 * @param arpa n-grams per order, as declared by the ARPA file
 * @param stored n-grams per order in the model, including generated missing suffixes
 * @param doubled number of duplicate n-grams, of which the first occurrence counts
 * @param unknown whether the file had {@code <unk>}; if not, unknown words score -100 (log10)
 * @param fileBytes size of the file in bytes
 * @param deviceBytes device memory that it needs, in bytes
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
