package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.NetworkSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What an import made.
 *
 * @param file the model file
 * @param bytes its length
 * @param contentId see {@link io.latimer.operators.index.IndexFile#contentId}
 * @param network what the model is
 * @param weights the number of weights
 * @param shortlist what became of the lexical table, if one was given
 * @param warnings what its owner should know, one sentence each; empty when all fits
 */
public record ImportReport(
    Path file,
    long bytes,
    String contentId,
    NetworkSettings network,
    long weights,
    Optional<ShortlistReport> shortlist,
    List<String> warnings) {
  public ImportReport {
    warnings = List.copyOf(warnings);
  }
}
