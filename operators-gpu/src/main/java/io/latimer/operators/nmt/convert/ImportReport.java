package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.NetworkSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The result of an import.
 *
 * @param file the model file
 * @param bytes its size in bytes
 * @param contentId see {@link io.latimer.operators.index.IndexFile#contentId}
 * @param network settings of the network
 * @param weights the number of weights
 * @param shortlist the imported part of the lexical table, if one was given
 * @param warnings for the model's owner, one sentence each; may be empty
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
