package io.latimer.operators.lm;

import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * Scores texts in parallel: each thread of a team takes a share of them and fills its own
 * workspace, which scores its texts whenever it is full.
 */
final class TextScoring implements AutoCloseable {
  /** Collects texts and scores them; used by one thread at a time. */
  interface Workspace extends AutoCloseable {
    /** Empties the workspace and sets the options for the texts to come. */
    void begin(ScoreOptions options);

    /**
     * Takes a text, unless it does not fit in addition to those already there.
     *
     * @return whether the text was taken
     */
    boolean add(byte[] bytes, int from, int to);

    /** The number of texts in the workspace. */
    int texts();

    /** Scores the texts, of which there must be at least one, and empties the workspace. */
    ScoreColumns score();

    /** Scores a text that does not fit even into an empty workspace. */
    ScoreColumns scoreAlone(byte[] bytes, int from, int to);

    @Override
    void close();
  }

  private final Team team;
  private final Supplier<Workspace> make;
  private final Deque<Workspace> free = new ArrayDeque<>();

  /**
   * Makes a scorer.
   *
   * @param make makes workspaces, one per concurrent thread
   */
  TextScoring(Team team, Supplier<Workspace> make) {
    this.team = team;
    this.make = make;
  }

  /** Scores texts in the given number of shares. */
  ScoredTexts score(LmTexts texts, ScoreOptions options, int shares) {
    List<List<ScoreColumns>> done = new ArrayList<>();
    for (int i = 0; i < shares; i++) {
      done.add(new ArrayList<>());
    }
    team.run(shares, i -> score(texts.share(i, shares), options, done.get(i)));
    List<ScoreColumns> all = new ArrayList<>();
    done.forEach(all::addAll);
    return new ScoredTexts(all);
  }

  private void score(LmTexts.Share share, ScoreOptions options, List<ScoreColumns> done) {
    Workspace workspace = take();
    try {
      workspace.begin(options);
      while (share.next()) {
        if (workspace.add(share.bytes, share.from, share.to)) {
          continue;
        }
        if (workspace.texts() > 0) {
          done.add(workspace.score());
        }
        if (!workspace.add(share.bytes, share.from, share.to)) {
          done.add(workspace.scoreAlone(share.bytes, share.from, share.to));
        }
      }
      if (workspace.texts() > 0) {
        done.add(workspace.score());
      }
    } catch (RuntimeException | Error e) {
      Closer.runAfter(e, workspace::close); // it may be in any state: it is discarded
      throw e;
    }
    synchronized (this) {
      free.push(workspace);
    }
  }

  private synchronized Workspace take() {
    Workspace workspace = free.poll();
    return workspace == null ? make.get() : workspace;
  }

  @Override
  public synchronized void close() {
    free.forEach(Workspace::close);
    free.clear();
  }
}
