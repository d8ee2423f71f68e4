package io.latimer.operators.text.terms;

/** What a translation must have for a term. */
public enum TargetRule {
  /**
   * The one target form, with its case; only at the start of a sentence may its first letter's
   * differ.
   */
  AS_GIVEN,
  /** Any of the target forms; case counts only if the term is case-sensitive. */
  ANY_FORM,
  /** The source's own text as it stands there: the term is not translated. */
  KEEP
}
