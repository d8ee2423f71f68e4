package io.latimer.operators.align;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Merges two directed alignments into one by grow-diag-final-and (Och and Ney 2003; Koehn, Och and
 * Marcu 2003): takes their intersection; then, repeatedly, adds links of their union that have a
 * neighbor, diagonal ones included, and an unaligned word; finally adds links of either between two
 * unaligned words. Candidates are tried by source place, then target place, pass by pass, as
 * fast_align's {@code atools} does. For one sentence pair; not thread-safe.
 */
final class Symmetrization {
  private final int sourceWords;
  private final int targetWords;
  // Cells of the alignment matrix: source place * target words + target place
  private final Set<Integer> candidates = new HashSet<>(); // links of one direction
  private final TreeSet<Integer> untried = new TreeSet<>(); // candidates to try, in order
  private final BitSet links;
  private final boolean[] sourceLinked;
  private final boolean[] targetLinked;

  private Symmetrization(int sourceWords, int targetWords) {
    this.sourceWords = sourceWords;
    this.targetWords = targetWords;
    this.links = new BitSet(sourceWords * targetWords);
    this.sourceLinked = new boolean[sourceWords];
    this.targetLinked = new boolean[targetWords];
  }

  /**
   * Symmetrizes.
   *
   * @param sourceOfTarget for each target word its source place, or {@link
   *     DirectedAligner#UNALIGNED}
   * @param targetOfSource for each source word its target place, likewise
   */
  static Alignment growDiagFinalAnd(int[] sourceOfTarget, int[] targetOfSource) {
    Symmetrization pair = new Symmetrization(targetOfSource.length, sourceOfTarget.length);
    pair.intersect(sourceOfTarget, targetOfSource);
    pair.grow();
    pair.finish(sourceOfTarget, targetOfSource);
    return pair.alignment();
  }

  private void intersect(int[] sourceOfTarget, int[] targetOfSource) {
    for (int target = 0; target < targetWords; target++) {
      int source = sourceOfTarget[target];
      if (source >= 0 && targetOfSource[source] == target) {
        link(source, target);
      } else if (source >= 0) {
        candidates.add(cell(source, target));
      }
    }
    for (int source = 0; source < sourceWords; source++) {
      int target = targetOfSource[source];
      if (target >= 0 && sourceOfTarget[target] != source) {
        candidates.add(cell(source, target));
      }
    }
  }

  private void grow() {
    // A candidate that failed can succeed later only once a neighbor of it is linked.
    untried.addAll(candidates);
    int last = -1;
    while (!untried.isEmpty()) {
      Integer next = untried.higher(last);
      int cell = next != null ? next : untried.first(); // of the next pass
      last = cell;
      untried.remove(cell);
      int source = cell / targetWords;
      int target = cell % targetWords;
      if (!(sourceLinked[source] && targetLinked[target]) && hasNeighbor(source, target)) {
        link(source, target);
        candidates.remove(cell);
        tryNeighbors(source, target);
      }
    }
  }

  private boolean hasNeighbor(int source, int target) {
    for (int s = Math.max(0, source - 1); s <= Math.min(sourceWords - 1, source + 1); s++) {
      for (int t = Math.max(0, target - 1); t <= Math.min(targetWords - 1, target + 1); t++) {
        if (links.get(cell(s, t))) {
          return true; // the cell itself is not linked yet
        }
      }
    }
    return false;
  }

  private void tryNeighbors(int source, int target) {
    for (int s = Math.max(0, source - 1); s <= Math.min(sourceWords - 1, source + 1); s++) {
      for (int t = Math.max(0, target - 1); t <= Math.min(targetWords - 1, target + 1); t++) {
        if (candidates.contains(cell(s, t))) {
          untried.add(cell(s, t));
        }
      }
    }
  }

  private void finish(int[] sourceOfTarget, int[] targetOfSource) {
    // Of the target words that share a source word the first wins, as in the order of the cells.
    for (int target = 0; target < targetWords; target++) {
      linkIfFree(sourceOfTarget[target], target);
    }
    for (int source = 0; source < sourceWords; source++) {
      linkIfFree(source, targetOfSource[source]);
    }
  }

  private void linkIfFree(int source, int target) {
    if (source >= 0 && target >= 0 && !sourceLinked[source] && !targetLinked[target]) {
      link(source, target);
    }
  }

  private void link(int source, int target) {
    links.set(cell(source, target));
    sourceLinked[source] = true;
    targetLinked[target] = true;
  }

  private int cell(int source, int target) {
    return source * targetWords + target;
  }

  private Alignment alignment() {
    List<Alignment.Link> all = new ArrayList<>();
    for (int cell = links.nextSetBit(0); cell >= 0; cell = links.nextSetBit(cell + 1)) {
      all.add(new Alignment.Link(cell / targetWords, cell % targetWords));
    }
    return new Alignment(all);
  }
}
