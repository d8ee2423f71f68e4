package io.latimer.operators.smt.tune;

import io.latimer.operators.text.bleu.Bleu;
import io.latimer.operators.text.bleu.BleuCounts;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Searches for the best weights on a line through given ones, exactly (Och 2003, section 4). Along
 * the line each candidate's score is a linear function of the step, so the best candidate of a
 * sentence changes at few steps only, and BLEU of all sentences is constant between any two such
 * steps.
 */
record LineSearch(CandidatePool pool, Team team) {
  /** The longest step, in either direction. */
  static final double FURTHEST = 1e3;

  /** How far to step beyond the last change, where all longer steps are equally good. */
  private static final double BEYOND = 0.1;

  /** Intervals between changes that are no wider are skipped: rounding may have made them. */
  private static final double CLOSEST = 1e-9;

  /** Sentences that a thread processes at a time. */
  private static final int SHARE = 16;

  /**
   * A point on a line.
   *
   * @param step from the line's start, in directions
   * @param bleu of what the weights there choose
   */
  record Point(double step, double bleu) {}

  /** From a step on, another candidate of a sentence is its best. */
  private record Change(double step, BleuCounts from, BleuCounts to) {}

  /** A sentence's best candidates along the line: the first at its far end, then the changes. */
  private record Path(BleuCounts first, List<Change> changes) {}

  /** The best point of a line: that with the highest BLEU, in the first such interval. */
  Point best(double[] start, double[] direction) {
    List<Path> paths = new ArrayList<>(Collections.nCopies(pool.sentences(), null));
    team.forEach(paths.size(), SHARE, i -> paths.set(i, path(pool.of(i), start, direction)));
    Bleu bleu = new Bleu();
    List<Change> changes = new ArrayList<>();
    for (Path path : paths) {
      if (path != null) {
        bleu.add(path.first);
        changes.addAll(path.changes);
      }
    }
    changes.sort(Comparator.comparingDouble(Change::step));
    Point best = null;
    double from = -FURTHEST;
    for (int i = 0; i <= changes.size(); i++) {
      double to = i < changes.size() ? changes.get(i).step : FURTHEST;
      if (to - from > CLOSEST) {
        double score = bleu.score();
        if (best == null || score > best.bleu) {
          best = new Point(inside(from, to), score);
        }
      }
      from = to;
      if (i < changes.size()) {
        bleu.remove(changes.get(i).from);
        bleu.add(changes.get(i).to);
      }
    }
    return best;
  }

  private static double inside(double from, double to) {
    if (from == -FURTHEST) {
      return to == FURTHEST ? 0 : Math.max(to - BEYOND, (from + to) / 2);
    }
    return to == FURTHEST ? Math.min(from + BEYOND, (from + to) / 2) : (from + to) / 2;
  }

  /** Null for a sentence without candidates. */
  private static Path path(CandidateList candidates, double[] start, double[] direction) {
    if (candidates.size() == 0) {
      return null;
    }
    double[] slopes = candidates.scores(direction);
    double[] heights = candidates.scores(start);
    int best = 0;
    for (int i = 0; i < slopes.length; i++) {
      heights[i] -= FURTHEST * slopes[i]; // at the line's far end
      if (heights[i] > heights[best] || (heights[i] == heights[best] && slopes[i] > slopes[best])) {
        best = i;
      }
    }
    BleuCounts first = candidates.counts(best);
    List<Change> changes = new ArrayList<>();
    double at = -FURTHEST;
    while (true) {
      int next = next(heights, slopes, best);
      double crossing =
          next < 0
              ? FURTHEST
              : (heights[best] - heights[next]) / (slopes[next] - slopes[best]) - FURTHEST;
      if (crossing >= FURTHEST) {
        return new Path(first, changes);
      }
      at = Math.max(at, crossing); // rounding must not step back
      changes.add(new Change(at, candidates.counts(best), candidates.counts(next)));
      best = next;
    }
  }

  /** The line that crosses another one first, of those that are steeper; -1 for none. */
  private static int next(double[] heights, double[] slopes, int line) {
    double height = heights[line];
    double slope = slopes[line];
    int next = -1;
    double below = 0; // of the nearest: crossings are compared without a division
    double steeper = 0;
    for (int i = 0; i < slopes.length; i++) {
      double more = slopes[i] - slope;
      if (more > 0) {
        double one = (height - heights[i]) * steeper;
        double other = below * more;
        if (next < 0 || one < other || (one == other && more > steeper)) {
          next = i;
          below = height - heights[i];
          steeper = more;
        }
      }
    }
    return next;
  }
}
