package io.latimer.cli.phrases;

import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.SourcePhrase;
import java.util.List;

/**
 * The format of a phrase pair as a row: source phrase, target phrase, numbers.
 *
 * @param start prefix of a row
 * @param fields the numbers
 */
record RowFormat(String start, List<Field> fields) {
  static final String SEPARATOR = " ||| ";

  /**
   * The format of cdec grammars, with the features that its extractor writes, in the same order.
   */
  static final RowFormat CDEC =
      new RowFormat(
          "[X]" + SEPARATOR,
          List.of(
              new Field(
                  SEPARATOR + "EgivenFCoherent=", new PhraseFeature(false, RowFormat::coherent)),
              new Field(
                  " SampleCountF=",
                  PhraseFeature.ofSource(phrase -> StrictMath.log10(1.0 + phrase.samples()))),
              new Field(
                  " CountEF=", PhraseFeature.ofPair(pair -> StrictMath.log10(1.0 + pair.count()))),
              new Field(" MaxLexFgivenE=", PhraseColumn.LEX_FE.feature()),
              new Field(" MaxLexEgivenF=", PhraseColumn.LEX_EF.feature()),
              new Field(" IsSingletonF=", PhraseColumn.SINGLETON_F.feature()),
              new Field(" IsSingletonFE=", PhraseColumn.SINGLETON_FE.feature())));

  /**
   * A number of a row.
   *
   * @param label text before the number
   */
  record Field(String label, PhraseFeature feature) {}

  /** Columns separated by {@code |||}. */
  static RowFormat text(List<PhraseColumn> columns) {
    return new RowFormat(
        "", columns.stream().map(column -> new Field(SEPARATOR, column.feature())).toList());
  }

  /** -log10 of the share of the samples that gave the pair. */
  private static double coherent(SourcePhrase phrase, PhrasePair pair) {
    return StrictMath.log10((double) phrase.samples() / pair.count());
  }
}
