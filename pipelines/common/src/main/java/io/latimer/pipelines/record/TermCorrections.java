package io.latimer.pipelines.record;

import io.latimer.operators.RecordException;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.glossary.text.TermCells;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.text.terms.Term;
import io.latimer.schemas.Correction;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Corrections that are terms, learned beside a glossary. Their source is the cell of a table of
 * terms, with {@code |} between forms; their target is another, and optionally the cells of case
 * and rule after tabs.
 */
public final class TermCorrections {
  /** Stands for any language: the number of words of a term does not depend on it. */
  private static final String ANY_LANGUAGE = "und";

  private static final Pattern TAB = Pattern.compile("\t");

  /** Target, case and rule. */
  private static final int CELLS = 3;

  private TermCorrections() {}

  /** The correction of a term, the reverse of {@link #terms}. */
  public static Correction of(String id, Instant time, Term term) {
    List<String> cells = TermCells.of(term);
    String target = String.join("\t", cells.subList(1, cells.size())).stripTrailing();
    return new Correction(id, time, cells.get(0), target, null);
  }

  /** The terms of learned pairs, oldest first. */
  public static List<Term> terms(LearnedPairs pairs) {
    return pairs.texts().stream().map(pair -> term(pair.source(), pair.target())).toList();
  }

  private static Term term(String source, String target) {
    String[] cells = TAB.split(target, -1);
    if (cells.length > CELLS) {
      throw new RecordException(
          "expected a target, and at most a case and a rule after tabs, found "
              + cells.length
              + " columns");
    }
    return TermCells.term(
        source, cells[0], cells.length > 1 ? cells[1] : "", cells.length > 2 ? cells[2] : "");
  }

  /**
   * Normalizes a correction to that of {@link #of}. Its cells are told apart before the white space
   * around them goes.
   *
   * @throws RecordException saying why it is no term, without its id
   */
  public static Correction normalized(Correction correction) {
    if (correction.getAlignment() != null) {
      throw new RecordException("a term has no alignment; leave it out, or set it to null");
    }
    Term term = term(correction.getSource(), correction.getTarget());
    Glossary.of(ANY_LANGUAGE, ANY_LANGUAGE, List.of(term)).close();
    return Corrections.normalized(of(correction.getId(), correction.getTime(), term));
  }
}
