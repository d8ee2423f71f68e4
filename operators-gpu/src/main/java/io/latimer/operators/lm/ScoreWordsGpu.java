package io.latimer.operators.lm;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Team;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Scores words on a GPU. A batch goes through two slots of a fixed size, so that one is scored
 * while the threads of the host write and read the other; device memory does not grow with the
 * batch.
 */
public final class ScoreWordsGpu implements ScoreWords {
  static final String OPERATOR = "lm";

  /** Tokens of a slot. */
  private static final int ROOM = 1 << 20;

  /** Below this, in bytes, threads and their calls of the device cost more than they bring. */
  private static final int SMALLEST_TEXT = 1 << 16;

  private static final int MOST_SHARES = 1 << 20;

  /** Threads that prepare and read slots. */
  private static final int MOST_THREADS = 16;

  private final LanguageModel model;
  private final int room;
  private final int textBytes;
  private final GpuScoreSlot[] slots = new GpuScoreSlot[2];
  private final Team team =
      new Team(Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors()), OPERATOR);
  private final TextScoring texts;
  private boolean closed;

  /**
   * Makes a scorer.
   *
   * @param model stays open as long as the scorer is used, and is not closed with it
   * @throws OperatorException if the device cannot be used any longer, or has no memory left
   */
  public ScoreWordsGpu(LmOnGpu model) {
    this(model, ROOM, GpuTextRoom.BYTES);
  }

  /**
   * Makes a scorer with slots of another size.
   *
   * @param room tokens of a slot, 32 or more
   * @param textBytes bytes of raw text that a thread gives the device at a time, 256 or more
   */
  ScoreWordsGpu(LmOnGpu model, int room, int textBytes) {
    this.model = model.model();
    this.room = room;
    this.textBytes = textBytes;
    this.texts = new TextScoring(team, () -> new GpuTextRoom(model, textBytes));
    try {
      for (int i = 0; i < slots.length; i++) {
        slots[i] = new GpuScoreSlot(model, room);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public LanguageModel model() {
    return model;
  }

  @Override
  public List<Result<WordScores>> apply(List<LmSentence> batch) {
    begin();
    List<Result<WordScores>> results = new ArrayList<>(Collections.nCopies(batch.size(), null));
    List<GpuScorePart> parts = new ArrayList<>();
    int used = 0;
    int turn = 0;
    for (GpuScoreTarget target : targets(batch, results)) {
      int tokens = target == null ? 0 : target.log10().length;
      int done = 0;
      while (done < tokens) {
        int context = target.contextAt(done);
        if (used + context >= room || parts.size() == slots[turn].mostParts()) {
          turn = start(turn, parts, used, results);
          parts = new ArrayList<>();
          used = 0;
        }
        int count = Math.min(tokens - done, room - used - context);
        parts.add(new GpuScorePart(target, done, count, context, used));
        used += context + count;
        done += count;
      }
    }
    turn = start(turn, parts, used, results);
    finish(slots[turn], results);
    finish(slots[1 - turn], results);
    return Collections.unmodifiableList(results);
  }

  /** Where the scores of each sentence go; null where there is nothing to score. */
  private GpuScoreTarget[] targets(List<LmSentence> batch, List<Result<WordScores>> results) {
    GpuScoreTarget[] targets = new GpuScoreTarget[batch.size()];
    GpuScoreSlot.forShares(
        batch.size(),
        team,
        record -> {
          LmSentence sentence = batch.get(record);
          RecordException wrong = LmRecords.check(model, sentence);
          if (wrong != null) {
            results.set(record, Result.failure(wrong));
            return;
          }
          GpuScoreTarget target = new GpuScoreTarget(model, sentence, record);
          if (sentence.tokens() == 0) {
            results.set(record, Result.of(target.emptyResult()));
          } else {
            targets[record] = target;
          }
        });
    return targets;
  }

  /** Sets one slot off, and reads the other meanwhile; returns which is free then. */
  private int start(
      int turn, List<GpuScorePart> parts, int used, List<Result<WordScores>> results) {
    slots[turn].start(parts, used, team);
    finish(slots[1 - turn], results);
    return 1 - turn;
  }

  private void finish(GpuScoreSlot slot, List<Result<WordScores>> results) {
    slot.finish(team, (scores, record) -> results.set(record, Result.of(scores)));
  }

  @Override
  public ScoredTexts score(LmTexts these, ScoreOptions options) {
    begin();
    // Shares that fill a room each, or so small that all threads have one.
    long rooms = these.bytes() * 10 / 9 / textBytes + 1;
    long small = Math.min(team.size(), these.bytes() / SMALLEST_TEXT);
    return texts.score(these, options, (int) Math.min(MOST_SHARES, Math.max(rooms, small)));
  }

  @Override
  public LmAnswers query(LmQueries queries) {
    begin();
    LmRecords.check(model, queries);
    float[] log10 = new float[queries.size()];
    byte[] lengths = new byte[queries.size()];
    int most = room / queries.width();
    int turn = 0;
    for (int from = 0; from < queries.size(); from += most) {
      slots[turn].startQueries(queries, from, Math.min(most, queries.size() - from), team);
      slots[1 - turn].finishQueries(queries.width(), log10, lengths, team);
      turn = 1 - turn;
    }
    slots[1 - turn].finishQueries(queries.width(), log10, lengths, team);
    return new LmAnswers(log10, lengths);
  }

  private void begin() {
    if (closed) {
      throw new OperatorException("the scorer is closed");
    }
    for (GpuScoreSlot slot : slots) {
      slot.clear();
    }
  }

  @Override
  public void close() {
    closed = true;
    Arrays.stream(slots).filter(slot -> slot != null).forEach(GpuScoreSlot::close);
    texts.close();
    team.close();
  }
}
