package io.latimer.pipelines.stages;

import io.latimer.operators.RecordException;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.glossary.text.InlineTerms;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.terms.RecordTerms;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.util.Utf8;
import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import java.util.List;

/**
 * The headers in which records say what their translations are to be like. Of several headers of a
 * name, the last counts.
 *
 * @param language name of the header with the target language; empty for none
 * @param prefix name of the header with the text that the translation begins with; empty for none
 * @param glossary name of the header with the terms that it must have; empty for none
 */
record GuidanceHeaders(String language, String prefix, String glossary) {
  /** Records say nothing in headers. */
  static final GuidanceHeaders NONE = new GuidanceHeaders("", "", "");

  private static final String UNKNOWN_LANGUAGE = "und";

  /**
   * A record's text and what it says.
   *
   * @throws RecordException if a header is not UTF-8, or a term is wrong
   */
  TextInput of(Sentence sentence) {
    String source = sentence.getLanguage();
    Guidance guidance =
        new Guidance(
            source.equals(UNKNOWN_LANGUAGE) ? "" : source,
            value(sentence.getHeaders(), language).strip(),
            value(sentence.getHeaders(), prefix));
    List<Term> terms = InlineTerms.parse(value(sentence.getHeaders(), glossary));
    return new TextInput(
        sentence.getText(),
        guidance,
        terms.isEmpty() ? RecordTerms.NONE : (from, to) -> Glossary.of(from, to, terms));
  }

  private static String value(List<Header> headers, String name) {
    String value = "";
    for (Header header : headers) {
      if (!name.isEmpty() && header.getKey().equals(name) && header.getValue() != null) {
        value = Utf8.decode(header.getValue().duplicate());
        if (value == null) {
          throw new RecordException(
              "the header \"" + name + "\" is not UTF-8; send its text in UTF-8");
        }
      }
    }
    return value;
  }
}
