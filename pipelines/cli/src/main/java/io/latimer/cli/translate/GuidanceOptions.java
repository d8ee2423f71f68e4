package io.latimer.cli.translate;

import io.latimer.cli.command.Languages;
import io.latimer.operators.text.Guidance;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Options that say what translations are to be like. */
final class GuidanceOptions {
  private static final String SOURCE = "--source-language";
  private static final String TARGET = "--target-language";
  static final String UNKNOWN = "und";

  @Option(
      names = SOURCE,
      paramLabel = "LANGUAGE",
      defaultValue = "",
      description =
          "Language of the input, such as en: for models that read several, and by phrases.")
  private String sourceLanguage;

  @Option(
      names = TARGET,
      paramLabel = "LANGUAGE",
      defaultValue = "",
      description =
          "Language of the output, such as de: for models that write several, and by phrases.")
  private String targetLanguage;

  @Option(
      names = "--target-prefix",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Text that each translation begins with.")
  private String targetPrefix;

  /** For a model, which may have names of its own for languages. */
  Guidance guidance() {
    return new Guidance(sourceLanguage, targetLanguage, targetPrefix);
  }

  /** The BCP 47 tag of the input; {@code und} if unknown. */
  String sourceTag(CommandLine command) {
    return tag(command, SOURCE, sourceLanguage);
  }

  /** The BCP 47 tag of the output. */
  String targetTag(CommandLine command) {
    return tag(command, TARGET, targetLanguage);
  }

  private static String tag(CommandLine command, String option, String given) {
    if (given.isEmpty()) {
      return UNKNOWN;
    }
    Languages.require(command, option, given);
    return given;
  }
}
