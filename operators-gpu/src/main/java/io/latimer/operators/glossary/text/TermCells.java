package io.latimer.operators.glossary.text;

import io.latimer.operators.RecordException;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Makes terms of the cells of a table: forms are separated by {@code |}. */
public final class TermCells {
  /** The target of a term that is not translated. */
  static final String KEEP = "-";

  private static final Pattern SEPARATOR = Pattern.compile("\\|");

  private TermCells() {}

  /**
   * A term of a source and a target, with the usual settings.
   *
   * @throws RecordException saying what is wrong
   */
  public static Term term(String source, String target) {
    return term(source, target, "", "");
  }

  /**
   * A term with its settings.
   *
   * @param matchCase yes, no, or empty for the usual rule
   * @param rule given, any, or empty for the usual rule
   * @throws RecordException saying what is wrong
   */
  public static Term term(String source, String target, String matchCase, String rule) {
    if (source.isBlank()) {
      throw new RecordException("the source is empty");
    }
    if (target.isBlank()) {
      throw new RecordException(
          "the target is empty; write " + KEEP + " for a term that is not translated");
    }
    List<String> sources = forms(source);
    boolean keep = target.strip().equals(KEEP);
    Term usual = keep ? Term.keep(sources) : Term.of(sources, forms(target));
    return new Term(
        sources,
        usual.targets(),
        sensitive(matchCase, usual.caseSensitive()),
        keep ? kept(rule) : rule(rule, usual.rule()));
  }

  /** The cells of a term: source, target, case and rule, the last two empty for the usual ones. */
  public static List<String> of(Term term) {
    boolean keep = term.rule() == TargetRule.KEEP;
    String source = String.join("|", term.sources());
    String target = keep ? KEEP : String.join("|", term.targets());
    Term usual = term(source, target);
    return List.of(
        source,
        target,
        term.caseSensitive() == usual.caseSensitive() ? "" : term.caseSensitive() ? "yes" : "no",
        term.rule() == usual.rule() ? "" : term.rule() == TargetRule.ANY_FORM ? "any" : "given");
  }

  private static List<String> forms(String cell) {
    return List.of(SEPARATOR.split(cell, -1));
  }

  private static boolean sensitive(String cell, boolean usual) {
    return switch (cell.strip().toLowerCase(Locale.ROOT)) {
      case "" -> usual;
      case "yes" -> true;
      case "no" -> false;
      default -> throw new RecordException("case must be yes or no, found \"" + cell + "\"");
    };
  }

  private static TargetRule rule(String cell, TargetRule usual) {
    return switch (cell.strip().toLowerCase(Locale.ROOT)) {
      case "" -> usual;
      case "given" -> TargetRule.AS_GIVEN;
      case "any" -> TargetRule.ANY_FORM;
      default -> throw new RecordException("rule must be given or any, found \"" + cell + "\"");
    };
  }

  private static TargetRule kept(String rule) {
    if (!rule.isBlank()) {
      throw new RecordException("a term with the target " + KEEP + " has no rule; leave it empty");
    }
    return TargetRule.KEEP;
  }
}
