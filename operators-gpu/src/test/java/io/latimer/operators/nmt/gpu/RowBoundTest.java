package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RowBoundTest {
  /** A search whose sentences end at random, step for step as the device runs it. */
  private static final class Search {
    final int beam;
    final int words;
    final Random random;
    final List<int[]> sentences = new ArrayList<>(); // rows, the rest of beam and prefix, a prefix?

    Search(int beam, int words, Random random) {
      this.beam = beam;
      this.words = words;
      this.random = random;
    }

    int rows() {
      return sentences.stream().mapToInt(s -> s[0]).sum();
    }

    void join(int n, int prefix) {
      for (int i = 0; i < n; i++) {
        sentences.add(new int[] {1, beam, prefix, prefix > 0 ? 1 : 0});
      }
    }

    int prefixed() {
      return sentences.stream().mapToInt(s -> s[3]).sum();
    }

    /** Returns how many sentences ended. */
    int step() {
      int before = sentences.size();
      for (int[] s : sentences) {
        if (s[2] > 0) {
          s[2]--;
          continue;
        }
        int found = Math.min(s[1], s[0] * (words - 1));
        int ends = Math.min(found, random.nextInt(4) == 0 ? 1 + random.nextInt(beam) : 0);
        s[0] = found - ends;
        s[1] -= ends;
      }
      sentences.removeIf(s -> s[0] == 0);
      return before - sentences.size();
    }
  }

  @Test
  void isNeverBelowWhatLives() {
    Random random = new Random(3);
    for (int round = 0; round < 300; round++) {
      int beam = 1 + random.nextInt(9);
      int words = random.nextBoolean() ? 100 : 3 + random.nextInt(8);
      int ahead = 1 + random.nextInt(4);
      Search device = new Search(beam, words, random);
      RowBound bound = new RowBound(beam, words, ahead);
      boolean prefixes = random.nextBoolean();
      Deque<int[]> inFlight = new ArrayDeque<>(); // rows after a step; ended in it, with a prefix
      int live = 0;
      int prefixed = 0;
      for (int step = 0; step < 60; step++) {
        if (random.nextInt(3) == 0) {
          int n = random.nextInt(20);
          int prefix = prefixes ? random.nextInt(5) : 0;
          device.join(n, prefix);
          bound.joined(n);
          live += n;
          prefixed += prefix > 0 ? n : 0;
        }
        assertThat(bound.next(live, prefixed)).isGreaterThanOrEqualTo(device.rows());
        bound.launched();
        int before = device.prefixed();
        int ended = device.step();
        inFlight.add(new int[] {device.rows(), ended, before - device.prefixed()});
        while (inFlight.size() == ahead || (!inFlight.isEmpty() && random.nextInt(3) == 0)) {
          int[] done = inFlight.remove();
          live -= done[1];
          prefixed -= done[2];
          // what is read may be of a later step that is done too
          boolean later = !inFlight.isEmpty() && random.nextBoolean();
          bound.reported(later ? inFlight.peekLast()[0] : done[0]);
        }
      }
    }
  }

  @Test
  void fallsAsHypothesesEnd() {
    RowBound bound = new RowBound(5, 1000, 2);
    bound.joined(10);
    assertThat(bound.next(10, 0)).as("one hypothesis each").isEqualTo(10);
    bound.launched();
    assertThat(bound.next(10, 0)).as("a beam each").isEqualTo(50);
    bound.launched();
    bound.reported(50);
    bound.reported(13);
    assertThat(bound.next(4, 0)).as("13 of at most 20").isEqualTo(13);
    bound.joined(2);
    assertThat(bound.next(6, 0)).isEqualTo(15);
    bound.launched();
    assertThat(bound.next(6, 0)).isEqualTo(23);
  }

  @Test
  void growsLateAfterAPrefix() {
    RowBound bound = new RowBound(5, 1000, 2);
    bound.joined(10);
    assertThat(bound.next(10, 4)).as("one hypothesis each").isEqualTo(10);
    bound.launched();
    bound.reported(34);
    assertThat(bound.next(10, 4)).as("4 of them still have one").isEqualTo(50);
    bound.launched();
    bound.reported(13);
    assertThat(bound.next(7, 1)).as("13, and 4 that may follow").isEqualTo(17);
  }

  @Test
  void fewBucketsHoldAnyNumber() {
    int[] up = {1, 2, 3, 4, 6, 6, 8, 8, 12};
    for (int rows = 1; rows <= up.length; rows++) {
      assertThat(RowBound.bucket(rows, 1000)).isEqualTo(up[rows - 1]);
    }
    assertThat(RowBound.bucket(900, 1000)).isEqualTo(1000);
    assertThat(RowBound.bucket(1024, 10_240)).isEqualTo(1024);
    assertThat(RowBound.bucket(1025, 10_240)).isEqualTo(1536);
    assertThat(RowBound.bucket(1537, 10_240)).isEqualTo(2048);
  }
}
