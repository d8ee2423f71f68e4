package io.latimer.operators.nmt;

import io.latimer.operators.text.TextSpan;
import java.util.List;

/**
 * The translation of one record.
 *
 * @param text as a reader expects it; empty for a blank record
 * @param score natural-log probability of all tokens, end tokens included, summed over the
 *     sentences; at most 0; NaN where no scores were asked for
 * @param normalizedScore the mean of the sentences' length-normalized scores; NaN like the score
 * @param nBest the best translations of the record, best first and the first being {@code text};
 *     empty unless asked for. For a record of several sentences these are the best combinations of
 *     the sentences' lists
 * @param alignment by target and then by source; empty unless asked for
 * @param timings what the batch of this record took
 * @param sourceTokens number of ids that the network read, end tokens included
 * @param targetTokens number of ids that the network wrote, end tokens included
 */
public record Translated(
    String text,
    double score,
    double normalizedScore,
    List<Alternative> nBest,
    List<AlignmentPoint> alignment,
    Timings timings,
    int sourceTokens,
    int targetTokens) {

  public Translated {
    nBest = List.copyOf(nBest);
    alignment = List.copyOf(alignment);
  }

  /**
   * One entry of the n-best list, with scores like those of {@link Translated}; they are there
   * whether scores were asked for or not, since the list is sorted by them.
   *
   * @param text as a reader expects it
   * @param score finite, at most 0
   * @param normalizedScore what the list is sorted by; finite, at most 0
   * @param alignment its own, by target and then by source; empty unless asked for
   */
  public record Alternative(
      String text, double score, double normalizedScore, List<AlignmentPoint> alignment) {
    public Alternative {
      alignment = List.copyOf(alignment);
    }
  }

  /**
   * The source token that a target token looked at most. Spans and words are those of the record's
   * raw text and of {@link Translated#text()}; a token of which they hold no character, such as a
   * sign that is written only for the model, has {@link TextSpan#NONE} and word -1.
   *
   * @param source position among the record's source tokens, from 0, end tokens left out, sentences
   *     counted through
   * @param target position among the record's target tokens, counted the same way
   * @param weight the attention between them, 0 to 1
   * @param sourceSpan the source token's characters
   * @param targetSpan the target token's characters
   * @param sourceWord the word that the source token begins in, as {@link
   *     io.latimer.operators.text.TextWords} counts
   * @param targetWord the word that the target token begins in
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
   * Nanoseconds that each step took for the whole batch.
   *
   * @param prepare text to ids
   * @param decode ids to ids
   * @param restore ids to text
   */
  public record Timings(long prepare, long decode, long restore) {}
}
