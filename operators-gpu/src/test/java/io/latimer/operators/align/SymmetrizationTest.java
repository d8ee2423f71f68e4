package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Grow-diag-final-and, by hand and by its definition on whole matrices. */
class SymmetrizationTest {
  @ParameterizedTest(name = "{0} | {1}")
  @CsvSource({
    // for each target word its source place; for each source word its target place; links
    "'0 1 2',     '0 1 2',   '0-0 1-1 2-2'", // equal: unchanged
    "'2 1 0',     '2 1 0',   '0-2 1-1 2-0'", // on the other diagonal
    "'- -',       '- -',     ''",
    "'0 0 0',     '0',       '0-0 0-1 0-2'", // grows along a row
    "'0',         '0 0 0',   '0-0 1-0 2-0'", // grows along a column
    "'0 1',       '0 -',     '0-0 1-1'", // grows diagonally
    "'0 - 2',     '0 - -',   '0-0 2-2'", // no neighbor, but both words are free
    "'0 - 0',     '0',       '0-0'", // no neighbor, and one word is taken
    "'- - 0',     '1 - -',   '0-2'", // an intersection without links: the first direction wins
    "'- 1 1',     '1 2',     '0-1 1-2'", // 0-1 takes the word that 1-1 needs
    "'0 0 1 1',   '0 1',     '0-0 0-1 1-1 1-2 1-3'",
    "'3 2 1 0',   '3 - - -', '0-3 1-2 2-1 3-0'", // each link lets the next one grow
    "'- 1 1 2',   '0 1 3',   '0-0 1-1 1-2 2-3'",
    "'- - 2 3',   '0 1 - 3', '0-0 1-1 2-2 3-3'", // grows against the order of candidates
  })
  void symmetrizes(String sourceOfTarget, String targetOfSource, String expected) {
    assertThat(
            Symmetrization.growDiagFinalAnd(places(sourceOfTarget), places(targetOfSource))
                .toString())
        .isEqualTo(expected);
  }

  private static int[] places(String text) {
    return Arrays.stream(text.split(" "))
        .mapToInt(place -> place.equals("-") ? DirectedAligner.UNALIGNED : Integer.parseInt(place))
        .toArray();
  }

  @Test
  void givesWhatTheDefinitionGives() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      int source = 1 + random.nextInt(9);
      int target = 1 + random.nextInt(9);
      int[] sourceOfTarget = places(random, target, source);
      int[] targetOfSource = places(random, source, target);
      assertThat(Symmetrization.growDiagFinalAnd(sourceOfTarget, targetOfSource))
          .as("%s %s", Arrays.toString(sourceOfTarget), Arrays.toString(targetOfSource))
          .isEqualTo(new Naive(sourceOfTarget, targetOfSource).alignment());
    }
  }

  /** Places mostly along the diagonal, as otherwise nothing would grow. */
  private static int[] places(Random random, int words, int others) {
    int[] places = new int[words];
    for (int i = 0; i < words; i++) {
      int near = i * others / words + random.nextInt(3) - 1;
      places[i] =
          switch (random.nextInt(5)) {
            case 0 -> DirectedAligner.UNALIGNED;
            case 1 -> random.nextInt(others);
            default -> Math.max(0, Math.min(others - 1, near));
          };
    }
    return places;
  }

  /** The definition: whole matrices, passes over all cells until one adds no link. */
  private static final class Naive {
    final boolean[][] forward;
    final boolean[][] backward;
    final boolean[][] links;

    Naive(int[] sourceOfTarget, int[] targetOfSource) {
      int source = targetOfSource.length;
      int target = sourceOfTarget.length;
      forward = new boolean[source][target];
      backward = new boolean[source][target];
      links = new boolean[source][target];
      for (int t = 0; t < target; t++) {
        if (sourceOfTarget[t] >= 0) {
          forward[sourceOfTarget[t]][t] = true;
        }
      }
      for (int s = 0; s < source; s++) {
        if (targetOfSource[s] >= 0) {
          backward[s][targetOfSource[s]] = true;
        }
      }
    }

    Alignment alignment() {
      forEach((s, t) -> links[s][t] = forward[s][t] && backward[s][t]);
      int before;
      do {
        before = list().size();
        forEach(
            (s, t) -> {
              boolean union = forward[s][t] || backward[s][t];
              boolean free = !sourceLinked(s) || !targetLinked(t);
              links[s][t] |= union && free && neighbor(s, t);
            });
      } while (list().size() > before);
      finish(forward);
      finish(backward);
      return new Alignment(list());
    }

    private void finish(boolean[][] direction) {
      forEach((s, t) -> links[s][t] |= direction[s][t] && !sourceLinked(s) && !targetLinked(t));
    }

    private boolean sourceLinked(int source) {
      boolean linked = false;
      for (boolean link : links[source]) {
        linked |= link;
      }
      return linked;
    }

    private boolean targetLinked(int target) {
      return Arrays.stream(links).anyMatch(row -> row[target]);
    }

    private boolean neighbor(int source, int target) {
      boolean[] found = {false};
      forEach(
          (s, t) ->
              found[0] |=
                  links[s][t]
                      && (s != source || t != target)
                      && Math.abs(s - source) <= 1
                      && Math.abs(t - target) <= 1);
      return found[0];
    }

    private List<Alignment.Link> list() {
      List<Alignment.Link> list = new ArrayList<>();
      forEach(
          (s, t) -> {
            if (links[s][t]) {
              list.add(new Alignment.Link(s, t));
            }
          });
      return list;
    }

    private interface Cell {
      void at(int source, int target);
    }

    private void forEach(Cell cell) {
      for (int s = 0; s < links.length; s++) {
        for (int t = 0; t < links[0].length; t++) {
          cell.at(s, t);
        }
      }
    }
  }
}
