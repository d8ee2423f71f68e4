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
  private static final String KEEP = "--keep";
  private static final String NO_NUMBER_CHECK = "--no-number-check";
  private static final String GLOSSARY = "--glossary";

  /** All of them. */
  static final List<String> NAMES = List.of(KEEP, NO_NUMBER_CHECK, GLOSSARY);

  @Option(
      names = KEEP,
      paramLabel = "PATTERN",
      description =
          "Keep what a regular expression (RE2) matches as it is, such as 'INV-[0-9]+'; may be"
              + " repeated. With a model.")
  private List<String> keep = List.of();

  @Option(
      names = NO_NUMBER_CHECK,
      description =
          "Do not check that translations have the numbers of their sources. With a model.")
  private boolean unchecked;

  @Option(
      names = GLOSSARY,
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

  Safeguards safeguards(CommandLine command) {
    try {
      return Safeguards.of(KeepPatterns.of(keep), !unchecked);
    } catch (OperatorException e) {
      throw new ParameterException(command, KEEP + ": " + e.getMessage(), e);
    }
  }
}
