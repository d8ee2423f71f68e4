package io.latimer.cli.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.latimer.schemas.AlignmentPoint;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.SimilarTranslation;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.util.List;

/**
 * Converts a record to the JSON that the page shows, with texts and lists of bounded length, so
 * that even a record of a megabyte becomes a short event. Times are milliseconds since 1970.
 */
final class RecordView {
  /** Maximum length of a text in characters. */
  static final int MOST_TEXT = 4_000;

  private static final int MOST_NAME = 200;
  private static final int MOST_PHRASES = 40;
  private static final int MOST_TRANSLATIONS = 5;
  private static final int MOST_ALTERNATIVES = 8;
  private static final int MOST_LINKS = 400;
  private static final int MOST_WORDS = 20;

  private final JsonGenerator json;
  private boolean cut;

  private RecordView(JsonGenerator json) {
    this.json = json;
  }

  /**
   * Converts a record to JSON.
   *
   * @param own the key with which a page has sent it; null for other records
   * @param millis latency since its source
   */
  static String json(Envelope envelope, String own, long millis) {
    return PageJson.of(json -> new RecordView(json).write(envelope, own, millis));
  }

  private void write(Envelope envelope, String own, long millis) throws IOException {
    json.writeStartObject();
    if (own != null) {
      json.writeStringField("own", own);
    }
    json.writeNumberField("latency", millis);
    text("origin", envelope.getOrigin().getSource(), MOST_NAME);
    Translation translation = envelope.getTranslation();
    Sentence sentence =
        translation != null && translation.getSource() != null
            ? translation.getSource()
            : envelope.getSentence();
    if (sentence != null) {
      text("id", sentence.getId(), MOST_NAME);
      text("feed", sentence.getFeed(), MOST_NAME);
      text("language", sentence.getLanguage(), MOST_NAME);
      text("source", sentence.getText(), MOST_TEXT);
      json.writeNumberField("time", sentence.getEventTime().toEpochMilli());
    }
    if (envelope.getFailure() != null) {
      refused(envelope.getFailure());
    } else if (translation != null) {
      translation(translation);
    }
    json.writeBooleanField("cut", cut);
    json.writeEndObject();
  }

  private void refused(DeadLetter letter) throws IOException {
    json.writeObjectFieldStart("refused");
    text("stage", letter.getStage(), MOST_NAME);
    text("message", letter.getErrorMessage(), MOST_TEXT);
    json.writeEndObject();
  }

  private void translation(Translation translation) throws IOException {
    Sentence source = translation.getSource();
    boolean same =
        translation.getText().equals(source.getText())
            && translation.getTargetLanguage().equals(source.getLanguage());
    if (!same || !translation.getModelId().isEmpty()) { // otherwise the job translates nothing
      text("target", translation.getTargetLanguage(), MOST_NAME);
      text("translation", translation.getText(), MOST_TEXT);
      model(translation.getModelVersion(), translation.getModelId());
    }
    if (translation.getNormalizedScore() != null) {
      number("score", translation.getNormalizedScore());
    }
    if (translation.getQuality() != null) {
      number("quality", translation.getQuality());
    }
    json.writeArrayFieldStart("flags");
    for (String flag : first(translation.getFlags(), MOST_WORDS)) {
      json.writeString(shortened(flag, MOST_NAME));
    }
    json.writeEndArray();
    corrections(first(translation.getCorrections(), MOST_TRANSLATIONS));
    similar(first(translation.getSimilar(), MOST_TRANSLATIONS));
    links(translation.getAlignment());
    scores(translation.getLanguageScores());
    checks(translation.getGrammarChecks());
    json.writeArrayFieldStart("phrases");
    for (SentencePhraseTable table : translation.getPhraseTables()) {
      phrases(table);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("alternatives");
    for (Alternative one : first(translation.getNBest(), MOST_ALTERNATIVES)) {
      json.writeStartObject();
      text("text", one.getText(), MOST_TEXT / MOST_ALTERNATIVES);
      number("score", one.getNormalizedScore());
      if (one.getRerankScore() != null) {
        number("rerank", one.getRerankScore());
      }
      scores(one.getLanguageScores());
      checks(one.getGrammarChecks());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("timings");
    for (StageTiming timing : first(translation.getTimings(), MOST_WORDS)) {
      json.writeStartObject();
      text("stage", timing.getStage(), MOST_NAME);
      number("millis", timing.getNanos() / 1e6);
      number("queued", timing.getQueueNanos() / 1e6);
      json.writeNumberField("batch", timing.getBatchSize());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /**
   * Writes links as spans in code points: start and end in the source, start and end in the
   * translation, weight.
   */
  private void links(List<AlignmentPoint> alignment) throws IOException {
    if (alignment == null) {
      return;
    }
    json.writeArrayFieldStart("links");
    for (AlignmentPoint point : first(alignment, MOST_LINKS)) {
      if (point.getSourceStart() >= 0 && point.getTargetStart() >= 0) {
        json.writeStartArray();
        json.writeNumber(point.getSourceStart());
        json.writeNumber(point.getSourceEnd());
        json.writeNumber(point.getTargetStart());
        json.writeNumber(point.getTargetEnd());
        json.writeNumber(Math.round(point.getWeight() * 100) / 100.0);
        json.writeEndArray();
      }
    }
    json.writeEndArray();
  }

  private void similar(List<SimilarTranslation> similar) throws IOException {
    json.writeArrayFieldStart("similar");
    for (SimilarTranslation one : similar) {
      json.writeStartObject();
      text("source", one.getSource(), MOST_TEXT / MOST_ALTERNATIVES);
      text("text", one.getText(), MOST_TEXT / MOST_ALTERNATIVES);
      json.writeNumberField("similarity", one.getSimilarity());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void corrections(List<LearnedFrom> corrections) throws IOException {
    json.writeArrayFieldStart("corrections");
    for (LearnedFrom from : corrections) {
      json.writeStartObject();
      text("id", from.getId(), MOST_NAME);
      json.writeNumberField("time", from.getTime().toEpochMilli());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void scores(List<LanguageScore> scores) throws IOException {
    json.writeArrayFieldStart("scores");
    for (LanguageScore score : first(scores, MOST_WORDS)) {
      json.writeStartObject();
      text("stage", score.getStage(), MOST_NAME);
      text("of", score.getText(), MOST_NAME);
      number("perplexity", score.getPerplexity());
      json.writeNumberField("words", score.getWords());
      json.writeNumberField("unknown", score.getUnknownWords());
      model(score.getModelVersion(), score.getModelId());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void checks(List<GrammarCheck> checks) throws IOException {
    json.writeArrayFieldStart("checks");
    for (GrammarCheck check : first(checks, MOST_WORDS)) {
      json.writeStartObject();
      text("stage", check.getStage(), MOST_NAME);
      text("of", check.getText(), MOST_NAME);
      json.writeBooleanField("derivable", check.getDerivable());
      json.writeNumberField("words", check.getWords());
      json.writeNumberField("prefix", check.getLongestPrefix());
      if (check.getContinuation() != null) {
        json.writeNumberField("viable", check.getContinuation().getViable());
        json.writeNumberField("nextWords", check.getContinuation().getNextWords());
        json.writeArrayFieldStart("next");
        for (String word : first(check.getContinuation().getNext(), MOST_WORDS)) {
          json.writeString(shortened(word, MOST_NAME));
        }
        json.writeEndArray();
      }
      model(check.getGrammarVersion(), check.getGrammarId());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void phrases(SentencePhraseTable table) throws IOException {
    json.writeStartObject();
    text("stage", table.getStage(), MOST_NAME);
    text("of", table.getText(), MOST_NAME);
    model(table.getIndexVersion(), table.getIndexId());
    json.writeNumberField("learnedPairs", table.getLearnedPairs());
    json.writeNumberField(
        "omitted",
        table.getOmittedPhrases() + Math.max(0, table.getPhrases().size() - MOST_PHRASES));
    json.writeArrayFieldStart("phrases");
    for (SentencePhrase phrase : first(table.getPhrases(), MOST_PHRASES)) {
      json.writeStartObject();
      text("text", phrase.getText(), MOST_NAME);
      json.writeNumberField("occurrences", phrase.getOccurrences());
      json.writeNumberField("extractions", phrase.getExtractions());
      json.writeArrayFieldStart("translations");
      for (PhraseTranslation one : first(phrase.getTranslations(), MOST_TRANSLATIONS)) {
        json.writeStartObject();
        text("text", one.getText(), MOST_NAME);
        json.writeNumberField("count", one.getCount());
        number("share", one.getProbability());
        json.writeNumberField("learned", one.getLearned());
        corrections(one.getCorrections());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void model(String version, String id) throws IOException {
    text("version", version, MOST_NAME);
    text("model", id, MOST_NAME);
  }

  /** Writes a number, or null if it is not finite, which JSON cannot express. */
  private void number(String name, double value) throws IOException {
    if (Double.isFinite(value)) {
      json.writeNumberField(name, value);
    } else {
      json.writeNullField(name);
    }
  }

  private void text(String name, String value, int most) throws IOException {
    cut |= value.length() > most;
    json.writeStringField(name, shortened(value, most));
  }

  private static String shortened(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end);
  }

  private static <T> List<T> first(List<T> list, int most) {
    return list.size() <= most ? list : list.subList(0, most);
  }
}
