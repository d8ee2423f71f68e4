package io.latimer.pipelines.sql;

import static org.apache.flink.table.api.DataTypes.ARRAY;
import static org.apache.flink.table.api.DataTypes.BIGINT;
import static org.apache.flink.table.api.DataTypes.BOOLEAN;
import static org.apache.flink.table.api.DataTypes.DOUBLE;
import static org.apache.flink.table.api.DataTypes.FIELD;
import static org.apache.flink.table.api.DataTypes.FLOAT;
import static org.apache.flink.table.api.DataTypes.INT;
import static org.apache.flink.table.api.DataTypes.ROW;
import static org.apache.flink.table.api.DataTypes.STRING;

import io.latimer.schemas.AlignmentPoint;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.GrammarContinuation;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;

/** The kinds of stage that a model can run, and the columns of each. */
enum Task {
  TRANSLATE(
      column("target", STRING(), "The translation.", Translation::getText),
      column(
          "score",
          DOUBLE(),
          "Sum of the natural-log probabilities of its tokens; NULL if `scores` is off.",
          Translation::getScore),
      column(
          "normalized_score",
          DOUBLE(),
          "The score after length normalization; NULL if `scores` is off.",
          Translation::getNormalizedScore),
      column(
          "quality",
          DOUBLE(),
          "Probability that it is right, 0 to 1; NULL if the model, or with `phrases` the weights,"
              + " have no judge of quality.",
          Translation::getQuality),
      column(
          "alternatives",
          ARRAY(
              ROW(
                  FIELD("target", STRING()),
                  FIELD("score", DOUBLE()),
                  FIELD("normalized_score", DOUBLE()))),
          "The `nbest` translations, best first; empty unless `nbest` is above 1.",
          t -> array(t.getNBest(), Task::row)),
      column(
          "alignment",
          ARRAY(
              ROW(
                  FIELD("source_word", INT()),
                  FIELD("target_word", INT()),
                  FIELD("weight", FLOAT()))),
          "The linked words, numbered from 0, -1 for none; NULL unless `alignment` is on.",
          t -> t.getAlignment() == null ? null : array(t.getAlignment(), Task::row)),
      column(
          "target_language",
          STRING(),
          "Language of the translation as a BCP 47 tag.",
          Translation::getTargetLanguage),
      column("source_tokens", INT(), "Tokens that the model read.", Translation::getSourceTokens),
      column("target_tokens", INT(), "Tokens that the model wrote.", Translation::getTargetTokens),
      column("model_id", STRING(), "Content id of the model file.", Translation::getModelId),
      column(
          "model_version",
          STRING(),
          "Version in the model file; may be empty.",
          Translation::getModelVersion)),

  SCORE(
      score("score", DOUBLE(), "log10 probability of the text.", LanguageScore::getLog10),
      score(
          "perplexity",
          DOUBLE(),
          "Perplexity of all words, including the end of the sentence.",
          LanguageScore::getPerplexity),
      score(
          "perplexity_of_known",
          DOUBLE(),
          "Perplexity without unknown words.",
          LanguageScore::getPerplexityOfKnown),
      score(
          "words",
          INT(),
          "Number of words, including the end of the sentence.",
          LanguageScore::getWords),
      score("unknown_words", INT(), "Number of unknown words.", LanguageScore::getUnknownWords),
      score("model_id", STRING(), "Content id of the model file.", LanguageScore::getModelId),
      score(
          "model_version",
          STRING(),
          "Version in the model file; may be empty.",
          LanguageScore::getModelVersion)),

  GRAMMAR_CHECK(
      check(
          "derivable",
          BOOLEAN(),
          "Whether the grammar derives the text.",
          GrammarCheck::getDerivable),
      check("words", INT(), "Number of words of the text.", GrammarCheck::getWords),
      check(
          "longest_prefix",
          INT(),
          "Words of the longest prefix that the grammar derives.",
          GrammarCheck::getLongestPrefix),
      check(
          "accepted_prefixes",
          INT(),
          "Number of prefixes that the grammar derives.",
          GrammarCheck::getAcceptedPrefixes),
      check(
          "roots",
          ARRAY(STRING()),
          "The symbols that derive the whole text.",
          check -> array(check.getRoots(), Task::text)),
      check(
          "viable",
          INT(),
          "Words of the longest beginning that a sentence of the grammar has, too; NULL for a"
              + " derivable text.",
          check -> continued(check, GrammarContinuation::getViable)),
      check(
          "next_words",
          ARRAY(STRING()),
          "Words that could have followed there; NULL for a derivable text.",
          check -> continued(check, found -> array(found.getNext(), Task::text))),
      check(
          "grammar_id", STRING(), "Content id of the grammar's file.", GrammarCheck::getGrammarId),
      check(
          "grammar_version",
          STRING(),
          "Version in the grammar's file; may be empty.",
          GrammarCheck::getGrammarVersion)),

  PHRASES(
      table(
          "phrases",
          ARRAY(
              ROW(
                  FIELD("place", INT()),
                  FIELD("words", INT()),
                  FIELD("phrase", STRING()),
                  FIELD("occurrences", BIGINT()),
                  FIELD("samples", INT()),
                  FIELD("extractions", BIGINT()),
                  FIELD("coherence", DOUBLE()),
                  FIELD(
                      "targets",
                      ARRAY(
                          ROW(
                              FIELD("target", STRING()),
                              FIELD("occurrences", INT()),
                              FIELD("probability", DOUBLE()),
                              FIELD("lex_target", DOUBLE()),
                              FIELD("lex_source", DOUBLE())))))),
          "The phrases of the text that occur in the index, with their translations; `place` is that"
              + " of the first word, from 0.",
          found -> array(found.getPhrases(), Task::row)),
      table(
          "omitted_phrases",
          INT(),
          "Phrases that are not listed because of `max-translations`.",
          SentencePhraseTable::getOmittedPhrases),
      table(
          "omitted_translations",
          INT(),
          "Translations that are not listed because of `max-translations`.",
          SentencePhraseTable::getOmittedTranslations),
      table("index_id", STRING(), "Content id of the index file.", SentencePhraseTable::getIndexId),
      table(
          "index_version",
          STRING(),
          "Version in the index file; may be empty.",
          SentencePhraseTable::getIndexVersion)),

  IDENTITY(column("target", STRING(), "The text itself.", Translation::getText));

  /** The column that says why a text could not be processed. */
  static final String ERROR = "error";

  @SuppressWarnings("ImmutableEnumChecker") // the list is unmodifiable, and its functions stateless
  private final List<Column> columns;

  /**
   * A column that a model may have.
   *
   * @param meaning in a sentence
   * @param value extracts the value from a processed record, in Flink's internal form; null for
   *     NULL
   */
  record Column(String name, DataType type, String meaning, Function<Translation, Object> value) {}

  Task(Column... columns) {
    List<Column> all = new ArrayList<>(Arrays.asList(columns));
    all.add(column(ERROR, STRING(), "Why the text could not be processed, or NULL.", t -> null));
    this.columns = List.copyOf(all);
  }

  /** The kind of stage in a job file, which is the task's name in SQL. */
  String kind() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The key of its index file in a job file; empty if it has none. */
  Optional<String> file() {
    return switch (this) {
      case TRANSLATE, SCORE -> Optional.of("model");
      case GRAMMAR_CHECK -> Optional.of("grammar");
      case PHRASES -> Optional.of("index");
      case IDENTITY -> Optional.empty();
    };
  }

  /** The columns that a model of the task may have; the last one is {@link #ERROR}. */
  List<Column> columns() {
    return columns;
  }

  Optional<Column> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  private static Column column(
      String name, DataType type, String meaning, Function<Translation, Object> value) {
    return new Column(name, type, meaning, t -> internal(value.apply(t)));
  }

  /** A value in Flink's internal form, which differs for text. */
  private static Object internal(Object value) {
    return value instanceof String string ? text(string) : value;
  }

  // each model is one stage, so a record has only one value of each kind

  private static Column score(
      String name, DataType type, String meaning, Function<LanguageScore, Object> value) {
    return column(name, type, meaning, t -> value.apply(t.getLanguageScores().get(0)));
  }

  private static Column check(
      String name, DataType type, String meaning, Function<GrammarCheck, Object> value) {
    return column(name, type, meaning, t -> value.apply(t.getGrammarChecks().get(0)));
  }

  private static Column table(
      String name, DataType type, String meaning, Function<SentencePhraseTable, Object> value) {
    return column(name, type, meaning, t -> value.apply(t.getPhraseTables().get(0)));
  }

  private static <T> T continued(GrammarCheck check, Function<GrammarContinuation, T> value) {
    return check.getContinuation() == null ? null : value.apply(check.getContinuation());
  }

  private static StringData text(String text) {
    return StringData.fromString(text);
  }

  private static <T> ArrayData array(List<T> items, Function<T, Object> value) {
    return new GenericArrayData(items.stream().map(value).toArray());
  }

  private static GenericRowData row(Alternative one) {
    return GenericRowData.of(text(one.getText()), one.getScore(), one.getNormalizedScore());
  }

  private static GenericRowData row(AlignmentPoint link) {
    return GenericRowData.of(link.getSourceWord(), link.getTargetWord(), link.getWeight());
  }

  private static GenericRowData row(SentencePhrase phrase) {
    return GenericRowData.of(
        phrase.getFrom(),
        phrase.getWords(),
        text(phrase.getText()),
        phrase.getOccurrences(),
        phrase.getSamples(),
        phrase.getExtractions(),
        phrase.getCoherence(),
        array(phrase.getTranslations(), Task::row));
  }

  private static GenericRowData row(PhraseTranslation one) {
    return GenericRowData.of(
        text(one.getText()),
        one.getCount(),
        one.getProbability(),
        one.getLexicalTargetGivenSource(),
        one.getLexicalSourceGivenTarget());
  }
}
