package io.latimer.operators.nmt;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * BLEU of a corpus with one reference, n-grams of 1 to 4 words, by words between spaces (Papineni
 * et al. 2002; what multi-bleu.perl gives): 0 to 100.
 */
public final class Bleu {
  private static final int ORDER = 4;

  private Bleu() {}

  public static double of(List<String> hypotheses, List<String> references) {
    if (hypotheses.size() != references.size()) {
      throw new IllegalArgumentException(
          hypotheses.size() + " hypotheses for " + references.size() + " references");
    }
    long[] matches = new long[ORDER];
    long[] totals = new long[ORDER];
    long found = 0;
    long expected = 0;
    for (int i = 0; i < hypotheses.size(); i++) {
      String[] words = words(hypotheses.get(i));
      String[] reference = words(references.get(i));
      found += words.length;
      expected += reference.length;
      for (int n = 1; n <= ORDER; n++) {
        Map<List<String>, Integer> counts = ngrams(words, n);
        Map<List<String>, Integer> allowed = ngrams(reference, n);
        for (Map.Entry<List<String>, Integer> entry : counts.entrySet()) {
          totals[n - 1] += entry.getValue();
          matches[n - 1] += Math.min(entry.getValue(), allowed.getOrDefault(entry.getKey(), 0));
        }
      }
    }
    double sum = 0;
    for (int n = 0; n < ORDER; n++) {
      if (matches[n] == 0) {
        return 0;
      }
      sum += Math.log((double) matches[n] / totals[n]);
    }
    double brevity = found < expected ? 1 - (double) expected / found : 0;
    return 100 * Math.exp(brevity + sum / ORDER);
  }

  private static String[] words(String line) {
    String stripped = line.strip();
    return stripped.isEmpty() ? new String[0] : stripped.split("\\s+");
  }

  private static Map<List<String>, Integer> ngrams(String[] words, int n) {
    Map<List<String>, Integer> counts = new HashMap<>();
    for (int i = 0; i + n <= words.length; i++) {
      counts.merge(Arrays.asList(words).subList(i, i + n), 1, Integer::sum);
    }
    return counts;
  }
}
