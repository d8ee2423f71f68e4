package io.latimer.operators.nmt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.LanguagePair;
import io.latimer.operators.text.TextInput;
import java.util.List;

/** Translates raw text, whatever the decoder. */
public interface TextTranslator extends BatchOperator<String, Translated> {
  /**
   * Translates texts of which their senders may say something.
   *
   * @return one result per text, in order
   */
  List<Result<Translated>> translate(List<TextInput> batch);

  /** Translates texts of which their senders say nothing. */
  @Override
  default List<Result<Translated>> apply(List<String> batch) {
    return translate(batch.stream().map(text -> new TextInput(text, Guidance.NONE)).toList());
  }

  /**
   * The languages that a text is translated from and to.
   *
   * @throws io.latimer.operators.RecordException if the model lacks a language, or must be told one
   */
  LanguagePair languages(TextInput text);
}
