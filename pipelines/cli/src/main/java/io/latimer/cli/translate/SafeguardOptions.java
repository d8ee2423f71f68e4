package io.latimer.cli.translate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.nmt.Safeguards;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.terms.Terminology;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that say what translations must have of their sources. */
final class SafeguardOptions {
  @Option(
      names = "--keep",
      paramLabel = "PATTERN",
      description =
          "Keep what a regular expression (RE2) matches as it is, such as 'INV-[0-9]+'; may be"
              + " repeated. With a model.")
  private List<String> keep = List.of();

  @Option(
      names = "--no-number-check",
      description =
          "Do not check that translations have the numbers of their sources. With a model.")
  private boolean unchecked;

  @Option(
      names = "--glossary",
      paramLabel = "FILE",
      description =
          "Glossary (.ltx) whose terms translations must have; see latimer glossary build. With a"
              + " model.")
  private Path glossary;

  /** The opener of the glossary for a translator. */
  Translate.Companion<Terminology> glossary() {
    return (residents, model) ->
        glossary == null
            ? Terminology.NONE
            : Glossary.opener().open(residents, IndexRefs.of(glossary), Device.CPU);
  }

  /** Refuses options that translation by phrases does not have. */
  void check(CommandLine command, boolean byPhrases) {
    if (byPhrases && (glossary != null || !keep.isEmpty() || unchecked)) {
      throw new ParameterException(
          command,
          (glossary != null ? "--glossary" : unchecked ? "--no-number-check" : "--keep")
              + " needs a model; remove it, or translate with --model.");
    }
  }

  Safeguards safeguards(CommandLine command) {
    try {
      return new Safeguards(KeepPatterns.of(keep), !unchecked);
    } catch (OperatorException e) {
      throw new ParameterException(command, "--keep: " + e.getMessage(), e);
    }
  }
}
