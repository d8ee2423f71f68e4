package io.latimer.operators.text.terms;

import io.latimer.operators.RecordException;
import io.latimer.operators.util.Utf8;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A term and its translation. White space at the ends of forms is removed; spaces, tabs and line
 * ends between words become one space.
 *
 * @param sources the source forms, any of which is the term; 1 to {@link #MAX_FORMS} of 1 to {@link
 *     #MAX_CHARS} characters each
 * @param targets the target forms, the preferred one first: one for {@link TargetRule#AS_GIVEN},
 *     none for {@link TargetRule#KEEP}, else 1 to {@link #MAX_FORMS}
 * @param caseSensitive whether the case of the source counts
 * @param rule what a translation must have
 */
public record Term(
    List<String> sources, List<String> targets, boolean caseSensitive, TargetRule rule) {
  /** Maximum number of source forms, and of target forms. */
  public static final int MAX_FORMS = 32;

  /** Maximum length of a form in UTF-16 characters. */
  public static final int MAX_CHARS = 512;

  private static final Pattern SPACES = Pattern.compile("[ \\t\\n\\r]+");

  /**
   * Makes a term.
   *
   * @throws RecordException saying what is wrong with a form, or with their number
   */
  public Term {
    sources = checked("source", sources);
    targets = checked("target", targets);
    requireNumber("source", sources.size(), 1, MAX_FORMS);
    switch (rule) {
      case AS_GIVEN -> requireNumber("target", targets.size(), 1, 1);
      case ANY_FORM -> requireNumber("target", targets.size(), 1, MAX_FORMS);
      case KEEP -> requireNumber("target", targets.size(), 0, 0);
    }
  }

  /**
   * A term with the usual settings: {@link #isSensitive case-sensitive} if it is all capitals,
   * {@link TargetRule#AS_GIVEN} with one target form, else {@link TargetRule#ANY_FORM}.
   */
  public static Term of(List<String> sources, List<String> targets) {
    return new Term(
        sources,
        targets,
        isSensitive(sources),
        targets.size() == 1 ? TargetRule.AS_GIVEN : TargetRule.ANY_FORM);
  }

  /** A term that is not translated, with the usual case rule. */
  public static Term keep(List<String> sources) {
    return new Term(sources, List.of(), isSensitive(sources), TargetRule.KEEP);
  }

  /** Whether all forms have capitals and no small letters, so that their case usually counts. */
  public static boolean isSensitive(List<String> sources) {
    return sources.stream()
        .allMatch(
            form ->
                form.codePoints().anyMatch(Character::isUpperCase)
                    && form.codePoints().noneMatch(Character::isLowerCase));
  }

  private static List<String> checked(String side, List<String> forms) {
    String[] checked = new String[forms.size()];
    for (int i = 0; i < checked.length; i++) {
      String form = withSingleSpaces(forms.get(i));
      if (form.isEmpty()) {
        throw new RecordException("a " + side + " form is empty");
      }
      if (form.length() > MAX_CHARS) {
        throw new RecordException(
            "a " + side + " form has " + form.length() + " characters; the limit is " + MAX_CHARS);
      }
      if (Utf8.loneSurrogate(form) >= 0 || hasControl(form)) {
        throw new RecordException(
            "a " + side + " form has a control character or half of a surrogate pair; remove it");
      }
      checked[i] = form;
    }
    return List.of(checked);
  }

  /** Other spaces, such as those that do not break, are part of a form. */
  private static String withSingleSpaces(String form) {
    String stripped = form.strip();
    return stripped.indexOf("  ") < 0 && !hasControl(stripped)
        ? stripped
        : SPACES.matcher(stripped).replaceAll(" ");
  }

  private static boolean hasControl(String form) {
    for (int i = 0; i < form.length(); i++) {
      if (Character.isISOControl(form.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static void requireNumber(String side, int found, int least, int most) {
    if (found < least || found > most) {
      String number = least == most ? "" + least : least + " to " + most;
      throw new RecordException(
          "expected "
              + number
              + " "
              + side
              + (most == 1 ? " form" : " forms")
              + ", found "
              + found);
    }
  }
}
