package io.latimer.pipelines.stage;

/** What a stage reads of a record, or writes to it; see {@link BatchStage#reads}. */
public enum RecordPart {
  /** The sentence. No stage writes it. */
  SOURCE,
  /** The translation's text, language, model, scores, alignment and numbers of tokens. */
  TRANSLATION,
  /** The n-best list: its texts, their order, and the model's scores of them. */
  ALTERNATIVES,
  /** Scores of language models, of the record and of its alternatives. */
  LANGUAGE_SCORES,
  /** Phrase tables. */
  PHRASE_TABLES,
  /** Verdicts of grammars, on the record and on its alternatives. */
  GRAMMAR_CHECKS
}
