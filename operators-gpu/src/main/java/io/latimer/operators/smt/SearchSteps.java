package io.latimer.operators.smt;

import io.latimer.operators.Result;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.WordScores;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Runs the searches of many sentences in lockstep, so that each step asks the language model once
 * for all of them. If a GPU answers, the searches form two groups that take turns: while one waits
 * for the language model, the cores search the other. This does not affect what a search finds. Not
 * thread-safe.
 */
final class SearchSteps {
  private final ScoreWords lm;
  private final Team team;
  private final Team alone = new Team(1);
  private final Team pair; // asks and searches at the same time, or one after the other

  /**
   * Makes a runner of searches.
   *
   * @param team searches
   * @param overlap whether to search while the language model is asked; it should not need the
   *     cores then
   */
  SearchSteps(ScoreWords lm, Team team, boolean overlap) {
    this.lm = lm;
    this.team = team;
    this.pair = overlap ? new Team(2) : alone;
  }

  /**
   * Runs searches to their end.
   *
   * @return the nanoseconds that they have waited for the language model
   */
  long run(StackSearch[] searches) {
    // with fewer, half of the sentences would leave cores idle, and two groups ask twice as often
    boolean split = pair.size() > 1 && searches.length >= 2 * team.size();
    Group asking = new Group(searches, 0, split ? 2 : 1);
    Group searching = new Group(searches, split ? 1 : searches.length, 2);
    long waited = 0;
    asking.advance();
    while (asking.isRunning() || searching.isRunning()) {
      waited += turn(asking, searching, split ? pair : alone);
      Group next = searching;
      searching = asking;
      asking = next;
    }
    return waited;
  }

  /** Asks for one group and searches the other; returns the extra nanoseconds of asking. */
  private static long turn(Group asking, Group searching, Team threads) {
    long start = System.nanoTime();
    long[] searched = new long[1];
    threads.run(
        2,
        part -> {
          if (part == 0) {
            asking.ask(); // in the caller's thread, whose work on devices may be measured
          } else {
            long begin = System.nanoTime();
            searching.advance();
            searched[0] = System.nanoTime() - begin;
          }
        });
    return System.nanoTime() - start - searched[0];
  }

  /** Searches that ask together. */
  private final class Group {
    private final StackSearch[] searches;
    private final List<List<LmSentence>> asked = new ArrayList<>(); // by search
    private final int[] firsts; // of the answers, by search
    private final int steps;
    private int step; // under way, from 1; 0 before the first
    private List<Result<WordScores>> answers = List.of();

    /** Takes every {@code distance}-th search: of a sorted batch, each group has all lengths. */
    Group(StackSearch[] all, int first, int distance) {
      searches =
          IntStream.iterate(first, i -> i < all.length, i -> i + distance)
              .mapToObj(i -> all[i])
              .toArray(StackSearch[]::new);
      firsts = new int[searches.length];
      int most = 0;
      for (StackSearch search : searches) {
        asked.add(new ArrayList<>());
        most = Math.max(most, search.steps());
      }
      steps = most;
    }

    /** Whether there is a step under way, or to come. */
    boolean isRunning() {
      return step <= steps;
    }

    /** Asks the language model for the step under way, if there is one. */
    void ask() {
      List<LmSentence> all = new ArrayList<>();
      for (int i = 0; i < searches.length; i++) {
        firsts[i] = all.size();
        all.addAll(asked.get(i));
      }
      answers = all.isEmpty() ? List.of() : lm.apply(all);
    }

    /** Ends the step under way, which has its answers, and begins the next. */
    void advance() {
      team.forEach(searches.length, 1, this::advance);
      step++;
    }

    private void advance(int i) {
      StackSearch search = searches[i];
      asked.get(i).clear();
      if (step > 0 && step <= search.steps()) {
        search.end(step, answers, firsts[i]);
      }
      if (step < search.steps()) {
        search.begin(step + 1, asked.get(i));
      }
    }
  }
}
