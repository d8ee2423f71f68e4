package io.latimer.operators.lm;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmState;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Scores words on all cores, each of which takes a share of a batch's words. Reads the model from
 * its mapped file.
 */
public final class ScoreWordsCpu implements ScoreWords {
  /** Below this number of words, threads cost more than they save. */
  private static final int SMALLEST_SHARE = 1 << 10;

  /** The same limit for text, in bytes. */
  private static final int SMALLEST_TEXT = 5 << 10;

  /** Shares of text per thread: a thread that finishes early takes another. */
  private static final int SHARES = 32;

  private final LanguageModel model;
  private final Team team;
  private final CpuMatcher[] matchers;
  private final TextScoring texts;
  private boolean closed;

  /**
   * Makes a scorer.
   *
   * @param model must stay open as long as the scorer is used, and is not closed with it
   * @param threads 1 or more
   */
  public ScoreWordsCpu(LanguageModel model, int threads) {
    this.model = model;
    this.team = new Team(threads);
    this.texts = new TextScoring(team, () -> new CpuTextWorkspace(model));
    this.matchers = new CpuMatcher[threads];
    for (int i = 0; i < threads; i++) {
      matchers[i] = CpuMatcher.of(model);
    }
  }

  @Override
  public LanguageModel model() {
    return model;
  }

  @Override
  public Optional<GpuLanguageModel> onGpu() {
    return Optional.empty();
  }

  @Override
  public List<Result<WordScores>> apply(List<LmSentence> batch) {
    requireOpen();
    SentenceBatch sentences = new SentenceBatch(model, batch, team);
    // A sentence counts as one word more than it has, so that empty sentences are distributed, too.
    long words = sentences.first(batch.size()) + (long) batch.size();
    int parts = parts(words);
    int[] starts =
        new int[parts + 1]; // first sentence of each part; parts have about equal numbers of words
    int part = 0;
    for (int i = 0; i < batch.size(); i++) {
      while (part < parts && sentences.first(i) + (long) i >= part * words / parts) {
        starts[part++] = i;
      }
    }
    Arrays.fill(starts, part, parts + 1, batch.size());
    team.run(parts, i -> new Scoring(matchers[i], sentences).run(starts[i], starts[i + 1]));
    return sentences.results();
  }

  private int parts(long words) {
    return (int) Math.max(1, Math.min(team.size(), words / SMALLEST_SHARE));
  }

  @Override
  public ScoredTexts score(LmTexts these, ScoreOptions options) {
    requireOpen();
    long shares = Math.min((long) team.size() * SHARES, these.bytes() / SMALLEST_TEXT);
    return texts.score(these, options, (int) Math.max(1, shares));
  }

  @Override
  public LmAnswers query(LmQueries queries) {
    requireOpen();
    LmChecks.check(model, queries);
    float[] log10 = new float[queries.size()];
    byte[] lengths = new byte[queries.size()];
    team.inParts(
        queries.size(),
        parts(queries.size()),
        (part, from, to) -> answer(matchers[part], queries, from, to, log10, lengths));
    return new LmAnswers(log10, lengths);
  }

  private static void answer(
      CpuMatcher matcher, LmQueries queries, int from, int to, float[] log10, byte[] lengths) {
    int width = queries.width();
    int perBlock = CpuMatcher.BLOCK / (width + 1);
    for (int first = from; first < to; first += perBlock) {
      int last = Math.min(to, first + perBlock);
      matcher.clear();
      for (int query = first; query < last; query++) {
        addQuery(matcher, queries.ids(), query * width, width);
      }
      matcher.match();
      for (int query = first; query < last; query++) {
        int place = (query - first + 1) * (width + 1) - 1;
        log10[query] = matcher.score(place);
        lengths[query] = matcher.lengths[place];
      }
    }
  }

  /** Adds a query: its last word is scored, the words before it are its context. */
  private static void addQuery(CpuMatcher matcher, int[] ids, int at, int width) {
    int known = 0;
    matcher.addContext(0, 0);
    for (int i = 0; i < width; i++) {
      int id = ids[at + i];
      known += id == LmQueries.NONE ? 0 : 1;
      if (id == LmQueries.NONE || i < width - 2) {
        matcher.addContext(Math.max(0, id), known);
      } else {
        matcher.add(id);
      }
    }
  }

  /** One thread's share of a batch, in blocks. */
  private final class Scoring {
    private final CpuMatcher matcher;
    private final SentenceBatch batch;

    /** Sentences of this block, and pieces of them. */
    private final List<Piece> pieces = new ArrayList<>();

    private LmState last = LmState.NONE; // after the last word of the previous block

    Scoring(CpuMatcher matcher, SentenceBatch batch) {
      this.matcher = matcher;
      this.batch = batch;
    }

    void run(int from, int to) {
      matcher.clear();
      for (int record = from; record < to; record++) {
        if (batch.tokens(record) > 0) {
          add(record);
        }
      }
      flush();
    }

    private void add(int record) {
      LmSentence sentence = batch.sentence(record);
      LmState state = sentence.begin() ? model.beginState() : sentence.state();
      int tokens = batch.tokens(record);
      int done = 0;
      while (done < tokens) {
        if (matcher.room() <= CpuMatcher.contextPlaces(state)) {
          flush();
        }
        matcher.addState(state);
        int count = Math.min(tokens - done, matcher.room());
        pieces.add(new Piece(record, done, count, matcher.size()));
        for (int i = 0; i < count; i++) {
          matcher.add(batch.id(record, done + i));
        }
        done += count;
        if (done < tokens) {
          flush();
          state = last;
        }
      }
    }

    private void flush() {
      matcher.match();
      for (Piece piece : pieces) {
        int to = batch.first(piece.record) + piece.from;
        for (int i = 0; i < piece.count; i++) {
          batch.log10[to + i] = matcher.score(piece.place + i);
          batch.lengths[to + i] = matcher.lengths[piece.place + i];
        }
        last = matcher.state(piece.place + piece.count - 1);
        if (piece.from + piece.count == batch.tokens(piece.record)) {
          int at = batch.stateAt(piece.record);
          System.arraycopy(last.backoffs(), 0, batch.stateBackoffs(), at, last.length());
          batch.finish(piece.record, last.length());
        }
      }
      pieces.clear();
      matcher.clear();
    }
  }

  /** Words of a sentence in a block: {@code from} indexes the sentence, {@code place} the block. */
  private record Piece(int record, int from, int count, int place) {}

  private void requireOpen() {
    if (closed) {
      throw new OperatorException("the scorer is closed");
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
