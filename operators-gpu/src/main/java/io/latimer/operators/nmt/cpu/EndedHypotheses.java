package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.BeamRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The hypotheses of a sentence that have ended, at most as many as the beam has places: with a full
 * list, a better one takes the place of the worst.
 *
 * @param <T> what is known of a hypothesis
 */
final class EndedHypotheses<T> {
  private record Entry<T>(T hypothesis, double normalized) {}

  private final BeamRule rule;
  private final int beamSize;
  private List<Entry<T>> entries = new ArrayList<>();

  EndedHypotheses(BeamRule rule, int beamSize) {
    this.rule = rule;
    this.beamSize = beamSize;
  }

  /** How many of the best continuations of a step count: an end after them is dropped. */
  int beam() {
    return refills() ? beamSize : beamSize - entries.size();
  }

  /** Whether the next best hypothesis takes the place of one that ends. */
  boolean refills() {
    return rule.refills() && beamSize > 1;
  }

  /** Adds a hypothesis. */
  void add(T hypothesis, double normalized) {
    Entry<T> entry = new Entry<>(hypothesis, normalized);
    if (entries.size() < beamSize) {
      entries.add(entry);
      return;
    }
    int worst = worst();
    if (normalized > entries.get(worst).normalized) {
      entries.set(worst, entry);
    }
  }

  /**
   * Whether the search is over, though hypotheses live.
   *
   * @param bestLive the normalized score of the best of them
   */
  boolean isOver(double bestLive) {
    return refills()
        && entries.size() == beamSize
        && (rule == BeamRule.FIRST_ENDED || bestLive <= entries.get(worst()).normalized);
  }

  /** The place of the worst; of equals, the last. */
  private int worst() {
    int worst = 0;
    for (int i = 1; i < entries.size(); i++) {
      worst = entries.get(i).normalized <= entries.get(worst).normalized ? i : worst;
    }
    return worst;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /**
   * The best; of equals, in the order of their places. They are forgotten here.
   *
   * @param last which come after all others
   */
  List<T> takeBest(int most, Predicate<T> last) {
    List<Entry<T>> sorted = entries;
    entries = new ArrayList<>();
    sorted.sort(Comparator.comparingDouble((Entry<T> e) -> e.normalized).reversed());
    Map<Boolean, List<Entry<T>>> parts =
        sorted.stream().collect(Collectors.partitioningBy(e -> last.test(e.hypothesis)));
    return Stream.concat(parts.get(false).stream(), parts.get(true).stream())
        .limit(most)
        .map(Entry::hypothesis)
        .toList();
  }
}
