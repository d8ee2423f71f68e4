package io.latimer.pipelines.stage;

/** A part of a record that a stage reads or writes; see {@link BatchStage#reads}. */
public enum RecordPart {
  /** The sentence. No stage writes it. */
  SOURCE,
  /** The translation's text, language, model, scores, alignment and numbers of tokens. */
  TRANSLATION,
  /** The n-best list: its texts, their order and their model scores. */
  ALTERNATIVES,
  /** Scores of language models, of the record and of its alternatives. */
  LANGUAGE_SCORES,
  /** Phrase tables. */
  PHRASE_TABLES,
  /** Verdicts of grammars, on the record and on its alternatives. */
  GRAMMAR_CHECKS
}
