package io.latimer.operators.nmt;

import io.latimer.operators.text.TextSpan;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The translation of one record.
 *
 * @param text the translation; empty for a blank record
 * @param targetLanguage its language, a BCP 47 tag; {@code und} if unknown
 * @param score of a neural model: natural-log probability of all tokens, end tokens included,
 *     summed over the sentences; at most 0. By phrases: the weighted sum of the features, which may
 *     be above 0. NaN if no scores were requested
 * @param normalizedScore the mean of the sentences' length-normalized scores; NaN like the score
 * @param nBest the best translations of the record, best first, starting with {@code text}; empty
 *     unless requested. For several sentences, these are the best combinations of the sentences'
 *     lists
 * @param alignment sorted by target, then by source; empty unless requested
 * @param timings of this record's batch
 * @param sourceTokens number of ids that the decoder read, including end tokens
 * @param targetTokens number of ids that the decoder wrote, including end tokens
 * @param remembered number of sentences translated by a translation memory; these have no tokens,
 *     no alignment and score 0
 * @param taught those of them that corrections taught, in the order of the text
 * @param similar taught sentences that are similar to others of the text
 * @param flags what is doubtful about it; mostly nothing
 * @param quality the probability that it is right, 0 to 1: that of its least certain sentence.
 *     Empty if the model or weights have no judge, no scores were requested, or no sentence was
 *     decoded
 * @param model that translated it; empty if it is its own translation
 */
public record Translated(
    String text,
    String targetLanguage,
    double score,
    double normalizedScore,
    List<Alternative> nBest,
    List<AlignmentPoint> alignment,
    Timings timings,
    int sourceTokens,
    int targetTokens,
    int remembered,
    List<Remembered> taught,
    List<Similar> similar,
    Set<TranslationFlag> flags,
    OptionalDouble quality,
    Optional<Translate.Model> model) {

  public Translated {
    flags = Set.copyOf(flags);
    nBest = List.copyOf(nBest);
    alignment = List.copyOf(alignment);
    taught = List.copyOf(taught);
    similar = List.copyOf(similar);
  }

  /**
   * A text that is its own translation, in one alternative with score 0, as a text without words
   * has.
   *
   * @param language its language, a BCP 47 tag
   * @param why it is not translated
   * @param parts what translations have
   */
  public static Translated untranslated(
      String text, String language, TranslationFlag why, TranslatedParts parts) {
    double score = parts.scores() ? 0 : Double.NaN;
    return new Translated(
        text,
        language,
        score,
        score,
        parts.nBest() > 1 ? List.of(new Alternative(text, 0, 0, List.of())) : List.of(),
        List.of(),
        new Timings(0, 0, 0),
        0,
        0,
        0,
        List.of(),
        List.of(),
        Set.of(why),
        OptionalDouble.empty(),
        Optional.empty());
  }

  /** This translation with one more doubt. */
  public Translated with(TranslationFlag flag) {
    Set<TranslationFlag> all = EnumSet.of(flag);
    all.addAll(flags);
    return new Translated(
        text,
        targetLanguage,
        score,
        normalizedScore,
        nBest,
        alignment,
        timings,
        sourceTokens,
        targetTokens,
        remembered,
        taught,
        similar,
        all,
        quality,
        model);
  }

  /**
   * A known sentence that is similar to one of the record.
   *
   * @param sentence number of the record's sentence, from 0
   */
  public record Similar(int sentence, SimilarSentence known) {}

  /**
   * One entry of the n-best list. Unlike those of {@link Translated}, its scores are always
   * present, because the list is sorted by them.
   *
   * @param text the translation
   * @param score finite
   * @param normalizedScore the list's sort key; finite
   * @param alignment of this entry, sorted by target, then by source; empty unless requested
   */
  public record Alternative(
      String text, double score, double normalizedScore, List<AlignmentPoint> alignment) {
    public Alternative {
      alignment = List.copyOf(alignment);
    }
  }

  /**
   * The source token to which a target token attends most. Spans and words refer to the record's
   * raw text and to {@link Translated#text()}; a token without characters there, such as a marker
   * that only the model sees, has {@link TextSpan#NONE} and word -1.
   *
   * @param source 0-based position among the record's source tokens across all sentences, without
   *     end tokens
   * @param target position among the record's target tokens, counted in the same way
   * @param weight attention between the two, 0 to 1
   * @param sourceSpan the source token's characters
   * @param targetSpan the target token's characters
   * @param sourceWord word in which the source token starts, as {@link
   *     io.latimer.operators.text.TextWords} counts
   * @param targetWord word in which the target token starts
   */
  public record AlignmentPoint(
      int source,
      int target,
      float weight,
      TextSpan sourceSpan,
      TextSpan targetSpan,
      int sourceWord,
      int targetWord) {}

  /**
   * Nanoseconds per step, for the whole batch.
   *
   * @param prepare text to ids
   * @param decode ids to ids
   * @param restore ids to text
   */
  public record Timings(long prepare, long decode, long restore) {}
}
