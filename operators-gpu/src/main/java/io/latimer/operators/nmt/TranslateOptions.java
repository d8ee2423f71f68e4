package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.text.TextPipeline;
import java.util.Optional;

/**
 * How a record is translated.
 *
 * @param search how a sentence is decoded, and what its translation shall have: alternatives where
 *     {@code nBest} is above 1 (these have scores either way, since they are sorted by them),
 *     scores of its own, an alignment
 * @param splitSentences whether a record may hold several sentences; empty for the model's own
 *     setting
 * @param precision numbers to compute with; empty for the device's default: float16 on a GPU,
 *     float32 on the CPU, which supports nothing else
 */
public record TranslateOptions(
    DecodeOptions search, Optional<Boolean> splitSentences, Optional<NmtPrecision> precision) {

  /** Beam 5, one translation with its score, no alignment. */
  public static final TranslateOptions DEFAULTS = of(DecodeOptions.beam(5));

  /** By a search, with the model's own splitting and the device's precision. */
  public static TranslateOptions of(DecodeOptions search) {
    return new TranslateOptions(search, Optional.empty(), Optional.empty());
  }

  /** The same with another precision; empty for the device's default. */
  public TranslateOptions withPrecision(Optional<NmtPrecision> wanted) {
    return new TranslateOptions(search, splitSentences, wanted);
  }

  /** The same with records split into sentences or not; empty for the model's own setting. */
  public TranslateOptions withSplitSentences(Optional<Boolean> wanted) {
    return new TranslateOptions(search, wanted, precision);
  }

  /**
   * What the decoder must give: scores too where they sort a list of alternatives, and attention
   * too where it says where protected text belongs.
   */
  public DecodeOptions decoding(TextPipeline pipeline) {
    return search
        .withScores(search.scores() || search.nBest() > 1)
        .withAlignment(
            search.alignment() || search.allowUnknown() || pipeline.settings().protect());
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
}
