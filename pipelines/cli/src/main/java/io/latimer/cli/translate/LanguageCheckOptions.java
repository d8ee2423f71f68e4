package io.latimer.cli.translate;

import io.latimer.cli.command.Candidates;
import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.TextTranslator;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.TextInput;
import io.latimer.pipelines.language.LanguageCheck;
import io.latimer.pipelines.language.OtherLanguages;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options for lines that are not in the source language. */
final class LanguageCheckOptions {
  private static final String OTHER_LANGUAGES = "--other-languages";
  private static final String LANGUAGES = "--languages";

  @Option(
      names = OTHER_LANGUAGES,
      paramLabel = "WHAT",
      defaultValue = "translate",
      completionCandidates = Choices.class,
      description =
          "What becomes of lines that are certainly not in the source language: translate; pass, they"
              + " stay as they are; or fail, so that only those in the target language stay (default:"
              + " ${DEFAULT-VALUE}).")
  private String others;

  @Option(
      names = LANGUAGES,
      paramLabel = "LANGUAGE",
      split = ",",
      description =
          "Languages of the lines besides source and target, such as fr,pl (default: some 60 common"
              + " ones). With --other-languages pass or fail.")
  private List<String> languages = List.of();

  /** The values for shell completion. */
  static final class Choices extends Candidates {
    Choices() {
      super("translate", "pass", "fail");
    }
  }

  /** The check; unknown values are usage errors. */
  LanguageCheck check(CommandLine command) {
    OtherLanguages choice =
        switch (others) {
          case "translate" -> OtherLanguages.TRANSLATE;
          case "pass" -> OtherLanguages.PASS;
          case "fail" -> OtherLanguages.DEAD_LETTER;
          default ->
              throw new ParameterException(
                  command,
                  OTHER_LANGUAGES + ": \"" + others + "\" is not translate, pass or fail.");
        };
    if (choice == OtherLanguages.TRANSLATE && !languages.isEmpty()) {
      throw new ParameterException(
          command, LANGUAGES + " needs " + OTHER_LANGUAGES + " pass or fail.");
    }
    try {
      return new LanguageCheck(choice, languages);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, LANGUAGES + ": " + e.getMessage() + ".", e);
    }
  }

  /**
   * A translator whose lines are checked.
   *
   * @param translator not closed by this one
   */
  record Checked(LanguageCheck check, TextTranslator translator, TranslatedParts parts)
      implements BatchOperator<String, Translated> {
    @Override
    public List<Result<Translated>> apply(List<String> batch) {
      return check.translate(
          batch.stream().map(line -> new TextInput(line, Guidance.NONE)).toList(),
          translator,
          parts);
    }

    @Override
    public int inFlight() {
      return translator.inFlight();
    }

    @Override
    public void close() {}
  }
}
