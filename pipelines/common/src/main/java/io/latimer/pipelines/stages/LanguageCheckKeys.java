package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.language.LanguageCheck;
import io.latimer.pipelines.language.OtherLanguages;
import java.util.List;

/** The keys of a check of languages, and the check that they describe. */
final class LanguageCheckKeys {
  static final ConfigKey<OtherLanguages> OTHER_LANGUAGES =
      ConfigKey.of(
          "other-languages",
          ConfigTypes.word(OtherLanguages.class),
          OtherLanguages.TRANSLATE,
          "What becomes of texts that are certainly not in the source language. `translate`: nothing"
              + " is checked. `pass`: they go on as they are, with a flag: `already-translated` in"
              + " the target language, `other-language` in a third one. `dead-letter`: those in a"
              + " third language become dead letters. A translation in another language than the"
              + " target's gets the flag `output-language`. Short and doubtful texts are translated.");
  static final ConfigKey<List<String>> LANGUAGES =
      ConfigKey.of(
          "languages",
          ConfigTypes.texts(),
          List.of(),
          "With `other-languages: pass` or `dead-letter`: BCP 47 tags of the languages that occur"
              + " besides source and target; if empty, some 60 common ones. A text in another"
              + " language looks like one of them.");

  static final List<ConfigKey<?>> ALL = List.of(OTHER_LANGUAGES, LANGUAGES);

  private LanguageCheckKeys() {}

  /**
   * The check.
   *
   * @throws OperatorException if a language is unknown, or the list is of no use
   */
  static LanguageCheck check(Settings settings) {
    OtherLanguages others = settings.get(OTHER_LANGUAGES);
    List<String> languages = settings.get(LANGUAGES);
    if (others == OtherLanguages.TRANSLATE && !languages.isEmpty()) {
      throw new OperatorException(
          LANGUAGES.name()
              + ": nothing is checked; set "
              + OTHER_LANGUAGES.name()
              + " to pass or dead-letter, or remove it");
    }
    try {
      return new LanguageCheck(others, languages);
    } catch (IllegalArgumentException e) {
      throw new OperatorException(LANGUAGES.name() + ": " + e.getMessage(), e);
    }
  }
}
