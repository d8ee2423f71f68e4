package io.latimer.operators.lm.estimate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Interpolated modified Kneser-Ney smoothing as the papers write it, for tiny texts, in doubles.
 */
final class NaiveKneserNey {
  private static final String BEGIN = "<s>";

  final Map<List<String>, Double> probabilities = new HashMap<>();
  final Map<List<String>, Double> backoffs = new HashMap<>();
  final List<double[]> discounts = new ArrayList<>();
  final Set<String> words = new LinkedHashSet<>(List.of("<unk>", BEGIN, "</s>"));

  private final int order;
  private final Map<List<String>, Long> seen = new LinkedHashMap<>();
  private final Map<List<String>, Long> adjusted = new HashMap<>();
  private final Map<List<String>, Boolean> pruned = new HashMap<>();

  NaiveKneserNey(List<List<String>> sentences, int order, long[] prune, double[] fallback) {
    this.order = order;
    count(sentences);
    adjust();
    for (int k = 1; k <= order; k++) {
      discounts.add(discounts(k, fallback));
    }
    adjusted.forEach(
        (g, a) -> pruned.put(g, seen.containsKey(g) && seen.get(g) <= prune[g.size() - 1]));
    for (int k = 1; k <= order; k++) {
      estimate(k);
    }
  }

  private void count(List<List<String>> sentences) {
    for (List<String> sentence : sentences) {
      words.addAll(sentence);
      List<String> padded = new ArrayList<>(List.of(BEGIN));
      padded.addAll(sentence);
      padded.add("</s>");
      for (int end = 2; end <= padded.size(); end++) {
        for (int k = 1; k <= Math.min(order, end); k++) {
          seen.merge(List.copyOf(padded.subList(end - k, end)), 1L, Long::sum);
        }
      }
    }
  }

  private void adjust() {
    Map<List<String>, Set<String>> before = new HashMap<>();
    for (List<String> g : seen.keySet()) {
      if (g.size() > 1) {
        before.computeIfAbsent(g.subList(1, g.size()), x -> new HashSet<>()).add(g.get(0));
      }
    }
    seen.forEach(
        (g, count) ->
            adjusted.put(
                g,
                g.size() == order || g.get(0).equals(BEGIN) ? count : (long) before.get(g).size()));
    adjusted.put(List.of("<unk>"), 0L);
    adjusted.put(List.of(BEGIN), 0L);
  }

  /** What lmplz takes by how often it was seen, whatever its adjusted count is: see NgramTrie. */
  private Set<List<String>> lastOfAll() {
    List<String> ids = List.copyOf(words);
    Comparator<List<String>> suffixOrder =
        (a, b) -> {
          for (int i = 1; i <= Math.min(a.size(), b.size()); i++) {
            int c =
                Integer.compare(ids.indexOf(a.get(a.size() - i)), ids.indexOf(b.get(b.size() - i)));
            if (c != 0) {
              return c;
            }
          }
          return Integer.compare(a.size(), b.size());
        };
    List<String> last = Collections.max(seen.keySet(), suffixOrder);
    Set<List<String>> out = new HashSet<>();
    for (int k = 1; k <= last.size(); k++) {
      out.add(last.subList(last.size() - k, last.size()));
    }
    return out;
  }

  private double[] discounts(int k, double[] fallback) {
    long[] n = new long[5];
    Set<List<String>> last = lastOfAll();
    adjusted.forEach(
        (g, a) -> {
          long count = last.contains(g) ? seen.get(g) : a;
          if (g.size() == k && count < 5) {
            n[(int) count]++;
          }
        });
    if (n[1] == 0 || n[2] == 0 || n[3] == 0) {
      return fallback;
    }
    // In float32, like lmplz: a discount of about 0 is in range or is not.
    float y = n[1] / (n[1] + 2f * n[2]);
    double[] d = new double[4];
    for (int i = 1; i <= 3; i++) {
      d[i] = i - (i + 1) * y * n[i + 1] / n[i];
      if (d[i] < 0) {
        return fallback;
      }
    }
    return d;
  }

  private void estimate(int k) {
    double[] d = discounts.get(k - 1);
    Map<List<String>, List<List<String>>> byContext =
        new TreeMap<>(Comparator.comparing(x -> String.join(" ", x)));
    for (List<String> g : adjusted.keySet()) {
      if (g.size() == k) {
        byContext.computeIfAbsent(g.subList(0, k - 1), x -> new ArrayList<>()).add(g);
      }
    }
    byContext.forEach(
        (context, ngrams) -> {
          double sum = 0;
          double mass = 0;
          for (List<String> g : ngrams) {
            long a = adjusted.get(g);
            sum += a;
            mass += pruned.get(g) ? a : d[(int) Math.min(a, 3)];
          }
          backoffs.put(context, mass / sum);
          for (List<String> g : ngrams) {
            if (!pruned.get(g)) {
              long a = adjusted.get(g);
              double lower = k == 1 ? 1.0 / (words.size() - 1) : probabilities.get(g.subList(1, k));
              double own = (a - d[(int) Math.min(a, 3)]) / sum;
              probabilities.put(g, own + mass / sum * lower);
            }
          }
        });
    if (k == 1) {
      probabilities.put(List.of(BEGIN), 1.0);
    }
  }
}
