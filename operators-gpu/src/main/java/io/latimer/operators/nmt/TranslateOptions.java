package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.decode.NmtPrecision;
import java.util.Optional;

/**
 * How a record is translated.
 *
 * @param beamSize hypotheses per sentence, 1 (greedy) to 64
 * @param nBest length of the list of alternatives, 1 to {@code beamSize}; 1 gives none
 * @param lengthNormalization alpha: a hypothesis of n tokens, the end token included, is ranked by
 *     its score divided by {@code n^alpha}; 0 to 10. 1 is Amun's {@code normalize}
 * @param maxLengthFactor longest output as a multiple of the source's tokens, end token included;
 *     above 0, at most 100
 * @param allowUnknown whether the model may write its unknown token, in whose place the source's
 *     own text is put
 * @param scores whether the translation has its own scores: greedy search is faster without. The
 *     alternatives of a list, which is sorted by their scores, have them either way
 * @param alignment whether the alignment of tokens is wanted
 * @param shortlist whether sentences keep to the model's shortlist, if it has one
 * @param splitSentences whether a record may hold several sentences; empty to do as the model's
 *     text settings say
 * @param precision numbers to compute with; empty for what is best on the device: 16 bits on a GPU,
 *     32 on the CPU, which knows no others
 */
public record TranslateOptions(
    int beamSize,
    int nBest,
    float lengthNormalization,
    float maxLengthFactor,
    boolean allowUnknown,
    boolean scores,
    boolean alignment,
    boolean shortlist,
    Optional<Boolean> splitSentences,
    Optional<NmtPrecision> precision) {

  /** Beam 5, one translation with its score, no alignment. */
  public static final TranslateOptions DEFAULTS =
      new TranslateOptions(
          5, 1, 1f, 3f, false, true, false, true, Optional.empty(), Optional.empty());

  public TranslateOptions {
    check(beamSize >= 1 && beamSize <= 64, "beam size", "from 1 to 64", beamSize);
    check(nBest >= 1 && nBest <= beamSize, "n-best", "from 1 to the beam size, " + beamSize, nBest);
    check(
        lengthNormalization >= 0 && lengthNormalization <= 10,
        "length normalization",
        "from 0 to 10",
        lengthNormalization);
    check(
        maxLengthFactor > 0 && maxLengthFactor <= 100,
        "maximum length factor",
        "above 0 and at most 100",
        maxLengthFactor);
  }

  /**
   * The numbers to compute with on a device.
   *
   * @throws OperatorException if it does not know them
   */
  public NmtPrecision precisionOn(Device device) {
    if (device.kind() == Device.Kind.GPU) {
      return precision.orElse(NmtPrecision.FLOAT16);
    }
    NmtPrecision wanted = precision.orElse(NmtPrecision.FLOAT32);
    if (wanted != NmtPrecision.FLOAT32) {
      throw new OperatorException(
          "the CPU computes in float32 only: leave the precision "
              + wanted
              + " out, or use a GPU as device");
    }
    return wanted;
  }

  private static void check(boolean holds, String what, String range, Object found) {
    if (!holds) {
      throw new OperatorException("the " + what + " must be " + range + ", found " + found);
    }
  }
}
