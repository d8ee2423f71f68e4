package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.text.BpeSegmenter;
import io.latimer.operators.text.Vocabulary;
import java.util.List;

/** Whether BPE codes belong to a vocabulary. */
public final class BpeCodes {
  /** Merges that are only steps to others are fewer than this share. */
  private static final double FEW_MERGES = 0.1;

  private BpeCodes() {}

  /**
   * Compares codes and vocabulary: if codes produce tokens outside the vocabulary, the model sees
   * only unknown words.
   *
   * @param file of the codes
   * @param vocabularyName of the vocabulary in messages
   * @param warnings takes one if few merges make tokens of the vocabulary
   * @throws ModelFormatException if no merge makes one
   */
  public static void check(
      String file,
      byte[] codes,
      String vocabularyName,
      Vocabulary vocabulary,
      List<String> warnings) {
    BpeSegmenter segmenter = BpeSegmenter.of(codes, file);
    int known = segmenter.mergesIn(vocabulary);
    if (segmenter.merges() > 0 && known == 0) {
      throw new ModelFormatException(
          String.format(
              "%s: none of its %d merges makes a token of %s; expected the BPE codes that belong to"
                  + " this vocabulary",
              file, segmenter.merges(), vocabularyName));
    }
    if (known < FEW_MERGES * segmenter.merges()) {
      warnings.add(
          String.format(
              "%s: only %d of its %d merges make tokens of %s; are these its BPE codes?",
              file, known, segmenter.merges(), vocabularyName));
    }
  }
}
