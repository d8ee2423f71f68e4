package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.TextPipeline;
import java.util.Optional;

/**
 * How to translate a record.
 *
 * @param search how to decode a sentence and what to return: alternatives if {@code nBest} is above
 *     1 (always with scores, because they are sorted by them), scores, an alignment
 * @param splitSentences whether a record may hold several sentences; empty for the model's setting
 * @param precision of the computation; empty for the device's default: float16 on a GPU, float32 on
 *     the CPU; int8 is for the CPU only, float16 and bfloat16 for GPUs
 * @param guidance for what a record does not say itself
 * @param safeguards what is kept and checked
 */
public record TranslateOptions(
    DecodeOptions search,
    Optional<Boolean> splitSentences,
    Optional<NmtPrecision> precision,
    Guidance guidance,
    Safeguards safeguards) {

  /** The model's beam size, one translation with its score, no alignment. */
  public static final TranslateOptions DEFAULTS = of(DecodeOptions.beam(DecodeOptions.MODELS_BEAM));

  /**
   * Options for a search, with the model's sentence splitting and the device's default precision.
   */
  public static TranslateOptions of(DecodeOptions search) {
    return new TranslateOptions(
        search, Optional.empty(), Optional.empty(), Guidance.NONE, Safeguards.DEFAULTS);
  }

  /** A copy with another precision; empty for the device's default. */
  public TranslateOptions withPrecision(Optional<NmtPrecision> wanted) {
    return new TranslateOptions(search, splitSentences, wanted, guidance, safeguards);
  }

  /** A copy that splits records into sentences or not; empty for the model's setting. */
  public TranslateOptions withSplitSentences(Optional<Boolean> wanted) {
    return new TranslateOptions(search, wanted, precision, guidance, safeguards);
  }

  /** A copy with other guidance for what a record does not say itself. */
  public TranslateOptions withGuidance(Guidance wanted) {
    return new TranslateOptions(search, splitSentences, precision, wanted, safeguards);
  }

  /** A copy with other safeguards. */
  public TranslateOptions withSafeguards(Safeguards wanted) {
    return new TranslateOptions(search, splitSentences, precision, guidance, wanted);
  }

  /** The parts that a translation has besides its text. */
  public TranslatedParts parts() {
    return new TranslatedParts(search.nBest(), search.scores(), search.alignment());
  }

  /**
   * The decoder's options: with scores if they sort a list of alternatives, and with attention if
   * it decides where protected text goes, or quality is judged. Loops end if the safeguards say so.
   *
   * @param judges whether the quality of translations is judged, which needs scores
   */
  public DecodeOptions decoding(TextPipeline pipeline, boolean judges) {
    boolean scores = search.scores() || search.nBest() > 1;
    return search
        .with(DecodeOptions.Switch.END_LOOPS, safeguards.loops())
        .withScores(scores)
        .withAlignment(
            search.alignment()
                || search.allowUnknown()
                || pipeline.settings().protect()
                || (judges && scores));
  }

  /**
   * The precision of the computation on a device.
   *
   * @throws OperatorException if the device does not support it
   */
  public NmtPrecision precisionOn(Device device) {
    boolean gpu = device.kind() == Device.Kind.GPU;
    NmtPrecision wanted = precision.orElse(gpu ? NmtPrecision.FLOAT16 : NmtPrecision.FLOAT32);
    if (gpu && !wanted.onGpu()) {
      throw new OperatorException(
          "a GPU supports float32, float16 and bfloat16: omit the precision int8 or use the CPU");
    }
    if (!gpu && !wanted.onCpu()) {
      throw new OperatorException(
          "the CPU supports float32 and int8: omit the precision " + wanted + " or use a GPU");
    }
    return wanted;
  }
}
