package io.latimer.cli.translate;

import io.latimer.cli.terminal.TextWidth;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.Translated.AlignmentPoint;
import io.latimer.operators.nmt.Translated.Alternative;
import io.latimer.operators.nmt.TranslationFlag;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The output format of translations: plain text, or fields separated by {@code |||} as in Amun and
 * Marian.
 *
 * @param nBest whether to print every entry of the n-best list, each with the index of its input
 *     line, from 0
 * @param scores whether to append the score and the normalized score
 * @param alignment whether to append the links between source and target words after the text, as
 *     {@code 0-0 1-2}
 * @param quality whether to append the probability that the text is right, as {@code 0.87}, or
 *     nothing if it is not known; not with an n-best list
 * @param flags whether to append what is doubtful, as {@code numbers,loop}; not with an n-best list
 */
record OutputFormat(
    boolean nBest, boolean scores, boolean alignment, boolean quality, boolean flags) {
  private static final String SEPARATOR = " ||| ";

  /**
   * The lines of one record, each with its line end.
   *
   * @param number of the record's line, from 1
   */
  String lines(long number, Translated translated) {
    if (!nBest) {
      return fields(
              new Alternative(
                  translated.text(),
                  translated.score(),
                  translated.normalizedScore(),
                  translated.alignment()),
              scores)
          + (quality ? SEPARATOR + probability(translated.quality()) : "")
          + (flags ? SEPARATOR + names(translated.flags()) : "")
          + "\n";
    }
    StringBuilder lines = new StringBuilder();
    for (Alternative entry : translated.nBest()) {
      lines.append(number - 1).append(SEPARATOR);
      lines.append(fields(entry, true)).append('\n');
    }
    return lines.toString();
  }

  /**
   * The output for a line that could not be translated: an empty line, so that input and output
   * lines correspond; nothing in n-best lists, which contain line numbers.
   */
  String failedLine() {
    return nBest ? "" : "\n";
  }

  /** The fields, in the order of Marian's output printer: text, alignment, features, score. */
  private String fields(Alternative entry, boolean withScores) {
    String line = TextWidth.plain(entry.text()); // one record must stay on one line
    if (alignment) {
      line += SEPARATOR + links(entry.alignment());
    }
    return withScores
        ? line
            + String.format(
                Locale.ROOT, " ||| F0= %.6f ||| %.6f", entry.score(), entry.normalizedScore())
        : line;
  }

  private static String probability(OptionalDouble quality) {
    return quality.isPresent() ? String.format(Locale.ROOT, "%.2f", quality.getAsDouble()) : "";
  }

  private static String names(Set<TranslationFlag> flags) {
    return flags.stream().sorted().map(TranslationFlag::text).collect(Collectors.joining(","));
  }

  private static String links(List<AlignmentPoint> alignment) {
    // Several pieces of a word give one link.
    return alignment.stream()
        .filter(point -> point.sourceWord() >= 0 && point.targetWord() >= 0)
        .sorted(
            Comparator.comparingInt(AlignmentPoint::targetWord)
                .thenComparingInt(AlignmentPoint::sourceWord))
        .map(point -> point.sourceWord() + "-" + point.targetWord())
        .distinct()
        .collect(Collectors.joining(" "));
  }
}
