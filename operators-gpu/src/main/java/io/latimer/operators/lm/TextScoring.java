package io.latimer.operators.lm;

import io.latimer.operators.util.Team;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * Scores texts side by side: each thread of a team takes a share of them, and fills a room of its
 * own, which scores what it holds whenever it is full.
 */
final class TextScoring implements AutoCloseable {
  /** Takes texts and scores them; used by one thread at a time. */
  interface Room extends AutoCloseable {
    /** Empties itself, and takes texts that are scored as is said. */
    void begin(ScoreOptions options);

    /**
     * Takes a text, or leaves it where there is no place for it beside those that it has.
     *
     * @return whether it was taken
     */
    boolean add(byte[] bytes, int from, int to);

    /** How many texts there are. */
    int texts();

    /** Scores the texts, one or more, and has none then. */
    ScoreColumns score();

    /** Scores a text that a room without any others does not take. */
    ScoreColumns scoreAlone(byte[] bytes, int from, int to);

    @Override
    void close();
  }

  private final Team team;
  private final Supplier<Room> make;
  private final Deque<Room> free = new ArrayDeque<>();

  /**
   * Makes a scorer.
   *
   * @param make makes rooms, one for each thread that works at a time
   */
  TextScoring(Team team, Supplier<Room> make) {
    this.team = team;
    this.make = make;
  }

  /** Scores texts in so many shares. */
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
    Room room = take();
    try {
      room.begin(options);
      while (share.next()) {
        if (room.add(share.bytes, share.from, share.to)) {
          continue;
        }
        if (room.texts() > 0) {
          done.add(room.score());
        }
        if (!room.add(share.bytes, share.from, share.to)) {
          done.add(room.scoreAlone(share.bytes, share.from, share.to));
        }
      }
      if (room.texts() > 0) {
        done.add(room.score());
      }
    } catch (RuntimeException | Error e) {
      closeAfter(e, room);
      throw e;
    }
    synchronized (this) {
      free.push(room);
    }
  }

  /** A room whose work has failed may be in any state: it is not used again. */
  private static void closeAfter(Throwable failure, Room room) {
    try {
      room.close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private synchronized Room take() {
    Room room = free.poll();
    return room == null ? make.get() : room;
  }

  @Override
  public synchronized void close() {
    free.forEach(Room::close);
    free.clear();
  }
}
