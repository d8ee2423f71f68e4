package io.latimer.operators.lm;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Scores words on a GPU. A batch passes through two slots of fixed size: while one is scored, the
 * host's threads write and read the other. Device memory does not grow with the batch.
 */
public final class ScoreWordsGpu implements ScoreWords {
  /** Tokens per slot. */
  private static final int ROOM = 1 << 20;

  /** Below this size in bytes, threads and their device calls cost more than they save. */
  private static final int SMALLEST_TEXT = 1 << 16;

  private static final int MOST_SHARES = 1 << 20;

  /** Threads that prepare and read slots. */
  private static final int MOST_THREADS = 16;

  private final GpuLanguageModel gpuModel;
  private final LanguageModel model;
  private final int room;
  private final int textBytes;
  private final GpuScoreSlot[] slots = new GpuScoreSlot[2];
  private final Team team = new Team(Team.defaultThreads(MOST_THREADS));
  private final TextScoring texts;
  private boolean closed;

  /**
   * Makes a scorer.
   *
   * @param model must stay open as long as the scorer is used, and is not closed with it
   * @throws OperatorException if the device is unusable, or out of memory
   */
  public ScoreWordsGpu(GpuLanguageModel model) {
    this(model, ROOM, GpuTextWorkspace.BYTES);
  }

  /**
   * Makes a scorer with slots of a given size.
   *
   * @param room tokens per slot, 32 or more
   * @param textBytes bytes of raw text that a thread sends per device call, 256 or more
   */
  ScoreWordsGpu(GpuLanguageModel model, int room, int textBytes) {
    this.gpuModel = model;
    this.model = model.model();
    this.room = room;
    this.textBytes = textBytes;
    this.texts = new TextScoring(team, () -> new GpuTextWorkspace(model, textBytes));
    try {
      for (int i = 0; i < slots.length; i++) {
        slots[i] = new GpuScoreSlot(model, room);
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public LanguageModel model() {
    return model;
  }

  @Override
  public Optional<GpuLanguageModel> onGpu() {
    return Optional.of(gpuModel);
  }

  @Override
  public List<Result<WordScores>> apply(List<LmSentence> sentences) {
    begin();
    SentenceBatch batch = new SentenceBatch(model, sentences, team);
    int turn = 0;
    for (int record = 0; record < batch.size(); record++) {
      int tokens = batch.tokens(record);
      int done = 0;
      while (done < tokens) {
        int context = Math.min(batch.before(record) + done, model.order() - 1);
        int taken = slots[turn].add(record, done, tokens, context);
        if (taken == 0) {
          turn = start(turn, batch);
        }
        done += taken;
      }
    }
    turn = start(turn, batch);
    slots[turn].finish(team);
    slots[1 - turn].finish(team);
    return batch.results();
  }

  /** Starts one slot and reads the other meanwhile; returns the one that is then free. */
  private int start(int turn, SentenceBatch batch) {
    slots[turn].start(batch, team);
    slots[1 - turn].finish(team);
    return 1 - turn;
  }

  @Override
  public ScoredTexts score(LmTexts these, ScoreOptions options) {
    begin();
    // Shares that fill one workspace each, as many for every thread, or smaller ones.
    long workspaces = these.bytes() * 10 / 9 / textBytes + 1;
    long rounds = (workspaces + team.size() - 1) / team.size();
    long shares = Math.max(1, Math.min(rounds * team.size(), these.bytes() / SMALLEST_TEXT));
    return texts.score(these, options, (int) Math.min(MOST_SHARES, Math.max(workspaces, shares)));
  }

  @Override
  public LmAnswers query(LmQueries queries) {
    begin();
    LmChecks.check(model, queries);
    float[] log10 = new float[queries.size()];
    byte[] lengths = new byte[queries.size()];
    int most = room / queries.width();
    int turn = 0;
    for (long from = 0; from < queries.size(); from += most) {
      int size = (int) Math.min(most, queries.size() - from);
      slots[turn].startQueries(queries, (int) from, size, team);
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
  }
}
