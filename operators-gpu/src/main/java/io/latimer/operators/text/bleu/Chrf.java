package io.latimer.operators.text.bleu;

import io.latimer.operators.text.TextWords;
import java.util.HashMap;
import java.util.Map;

/**
 * The chrF score of one translation against one reference (Popović 2015): the F-score, with recall
 * counted twice, of the n-grams of characters with n from 1 to 6, without whitespace, averaged over
 * the n that both texts have. Equal to sacrebleu's sentence chrF (chrF2, nw:0, eff:yes).
 */
public final class Chrf {
  private static final int LONGEST = 6;
  private static final double BETA_SQUARED = 4;

  private Chrf() {}

  /** The score, 0 to 100; 0 if one of the texts has no characters. */
  public static double of(String translation, String reference) {
    int[] found = characters(translation);
    int[] wanted = characters(reference);
    double precision = 0;
    double recall = 0;
    int orders = Math.min(LONGEST, Math.min(found.length, wanted.length));
    for (int n = 1; n <= orders; n++) {
      int same = same(counts(found, n), counts(wanted, n));
      precision += (double) same / (found.length - n + 1);
      recall += (double) same / (wanted.length - n + 1);
    }
    if (precision == 0 || recall == 0) {
      return 0;
    }
    precision /= orders;
    recall /= orders;
    return 100 * (1 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall);
  }

  private static int[] characters(String text) {
    return text.codePoints().filter(c -> !TextWords.isSpace(c)).toArray();
  }

  private static Map<String, Integer> counts(int[] text, int n) {
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i + n <= text.length; i++) {
      counts.merge(new String(text, i, n), 1, Integer::sum);
    }
    return counts;
  }

  private static int same(Map<String, Integer> found, Map<String, Integer> wanted) {
    int same = 0;
    for (Map.Entry<String, Integer> entry : found.entrySet()) {
      same += Math.min(entry.getValue(), wanted.getOrDefault(entry.getKey(), 0));
    }
    return same;
  }
}
