package io.latimer.operators.nmt.convert;

import io.latimer.operators.OperatorException;
import io.latimer.operators.text.TextSettings.Segmentation;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files that split words into tokens.
 *
 * @param kind of the files
 * @param source empty if and only if there is no segmentation
 * @param target may be the same file as the source
 */
record ImportSegmentation(Segmentation kind, Optional<Path> source, Optional<Path> target) {

  static ImportSegmentation of(
      ImportRequest request, Optional<AmunConfig> config, Path sourceVocab, Path targetVocab) {
    boolean bpe = request.codes.isPresent() || request.targetCodes.isPresent();
    boolean spm = request.spm.isPresent() || request.targetSpm.isPresent();
    if (bpe && spm) {
      throw new OperatorException(
          "BPE codes and a SentencePiece model are given; expected only one of them");
    }
    if (bpe) {
      return sides(Segmentation.BPE, request.codes, request.targetCodes);
    }
    if (spm) {
      return sides(Segmentation.SPM, request.spm, request.targetSpm);
    }
    Optional<Path> configuredCodes = config.flatMap(c -> c.codes().map(c::existing));
    if (configuredCodes.isPresent()) {
      return sides(Segmentation.BPE, configuredCodes, Optional.empty());
    }
    if (isSentencePiece(sourceVocab) && isSentencePiece(targetVocab)) {
      return sides(Segmentation.SPM, Optional.of(sourceVocab), Optional.of(targetVocab));
    }
    if (isSentencePiece(sourceVocab) || isSentencePiece(targetVocab)) {
      throw new OperatorException(
          "only one vocabulary is a SentencePiece model, "
              + sourceVocab
              + " and "
              + targetVocab
              + "; pass the SentencePiece models of both sides as segmentation");
    }
    return new ImportSegmentation(Segmentation.NONE, Optional.empty(), Optional.empty());
  }

  private static ImportSegmentation sides(
      Segmentation kind, Optional<Path> source, Optional<Path> target) {
    if (source.isEmpty()) {
      throw new OperatorException(
          "a " + kind + " segmentation is given only for the target; pass the source's too");
    }
    return new ImportSegmentation(kind, source, target.or(() -> source));
  }

  private static boolean isSentencePiece(Path vocabulary) {
    String name = vocabulary.toString();
    return name.endsWith(".spm") || name.endsWith(".model");
  }
}
