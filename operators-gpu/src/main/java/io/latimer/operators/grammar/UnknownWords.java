package io.latimer.operators.grammar;

/** What derives a word that is not a terminal of the grammar. */
public enum UnknownWords {
  /** No variable: the sentence is not derivable. */
  REFUSE,

  /**
   * The variables of its class: a terminal such as {@code UNK-LC-s}, made of the word's form as in
   * the Berkeley parser (see {@link WordSignature}). If the grammar has no class for it, no
   * variable.
   */
  CLASS,

  /** Every variable that has a lexical rule, with probability 1 in best trees. */
  ANY
}
