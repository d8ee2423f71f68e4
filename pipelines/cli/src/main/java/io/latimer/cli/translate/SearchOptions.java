package io.latimer.cli.translate;

import io.latimer.cli.command.Candidates;
import io.latimer.cli.command.DeviceOption;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The search options of translation. */
public final class SearchOptions {
  @Option(
      names = {"-b", "--beam"},
      paramLabel = "N",
      description =
          "Hypotheses per sentence, 1 to 64 (default: what the model's authors search with, or 5).")
  private Integer beam;

  @Option(
      names = "--length-normalization",
      paramLabel = "ALPHA",
      defaultValue = "1",
      description = "Rank by score / length^ALPHA, 0 to 10 (default: ${DEFAULT-VALUE}).")
  private float lengthNormalization;

  @Option(
      names = "--max-length-factor",
      paramLabel = "F",
      defaultValue = "3",
      description =
          "Maximum output length as a multiple of the source, above 0, at most 100 (default:"
              + " ${DEFAULT-VALUE}).")
  private float maxLengthFactor;

  @Option(names = "--allow-unk", description = "Allow the model's unknown token in the output.")
  private boolean allowUnknown;

  @Option(
      names = "--no-shortlist",
      description = "Allow all words of the model, even if it has a shortlist.")
  private boolean noShortlist;

  @Mixin private DeviceOption device;

  @Option(
      names = "--precision",
      paramLabel = "NAME",
      defaultValue = "auto",
      completionCandidates = Precisions.class,
      description =
          "float32; float16 or bfloat16, on a GPU only; int8, on the CPU only, if it has VNNI or AMX;"
              + " or auto: float16 on a GPU, float32 on the CPU (default: ${DEFAULT-VALUE}).")
  private String precision;

  /** The values for shell completion. */
  static final class Precisions extends Candidates {
    Precisions() {
      super("auto", "float32", "float16", "bfloat16", "int8");
    }
  }

  @Option(
      names = "--split-sentences",
      paramLabel = "true|false",
      arity = "1",
      description = "Whether a line may hold several sentences (default: the model's setting).")
  private Boolean splitSentences;

  /** The options for the operator; values out of range are usage errors. */
  public TranslateOptions options(
      CommandLine command, int nBest, boolean scores, boolean alignment) {
    try {
      return TranslateOptions.of(
              DecodeOptions.beam(
                      beam == null ? DecodeOptions.MODELS_BEAM : requireBeam(command, beam))
                  .withNBest(nBest)
                  .withLengthNormalization(lengthNormalization)
                  .withMaxLengthFactor(maxLengthFactor)
                  .withAllowUnknown(allowUnknown)
                  .withScores(scores)
                  .withAlignment(alignment)
                  .withShortlist(!noShortlist))
          .withSplitSentences(splitSentences())
          .withPrecision(NmtPrecision.parse(precision));
    } catch (OperatorException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  private static int requireBeam(CommandLine command, int given) {
    if (given < 1) {
      throw new ParameterException(
          command,
          "the beam size must be from 1 to " + DecodeOptions.MAX_BEAM + ", found " + given);
    }
    return given;
  }

  /** Whether a line may contain several sentences; empty if not given. */
  Optional<Boolean> splitSentences() {
    return Optional.ofNullable(splitSentences);
  }

  /** The device; see {@link DeviceOption#device}. */
  public Device device(CommandLine command) {
    return device.device(command);
  }
}
