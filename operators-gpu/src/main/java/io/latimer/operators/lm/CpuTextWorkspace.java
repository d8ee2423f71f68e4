package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmState;
import java.util.Arrays;

/** Scores texts on one thread. */
final class CpuTextWorkspace implements TextScoring.Workspace {
  /** Approximate number of tokens scored together: their state stays in the cache. */
  private static final int TOKENS = 1 << 15;

  private static final int TEXTS = 1 << 13;

  private final LanguageModel model;
  private final WordReader words;
  private final CpuMatcher matcher;

  /** The token at each place of the matcher's block, -1 for context only. */
  private final int[] tokenAt = new int[CpuMatcher.BLOCK];

  private ScoreOptions options = ScoreOptions.SENTENCES;
  private int[] tokens = new int[TOKENS];
  private final int[] offsets = new int[TEXTS + 1];
  private float[] log10 = new float[0];
  private byte[] lengths = new byte[0];
  private int size;
  private int texts;

  CpuTextWorkspace(LanguageModel model) {
    this.model = model;
    this.words = new WordReader(model.vocabulary());
    this.matcher = CpuMatcher.of(model);
  }

  @Override
  public boolean add(byte[] bytes, int from, int to) {
    if (size >= TOKENS || texts == TEXTS) {
      return false;
    }
    if (tokens.length - size < LmText.mostTokens(to - from)) {
      tokens = Arrays.copyOf(tokens, Math.addExact(size, LmText.mostTokens(to - from)));
    }
    size = LmText.tokens(model, words, options, bytes, from, to, tokens, size);
    offsets[++texts] = size;
    return true;
  }

  @Override
  public void begin(ScoreOptions scoring) {
    options = scoring;
    size = 0;
    texts = 0;
  }

  @Override
  public int texts() {
    return texts;
  }

  @Override
  public ScoreColumns score() {
    if (log10.length < size) {
      log10 = new float[tokens.length];
      lengths = new byte[tokens.length];
    }
    match();
    ScoreColumns scored = ScoreColumns.summed(texts, tokens, offsets, options, log10, lengths);
    begin(options);
    return scored;
  }

  private void match() {
    LmState begin = options.begin() ? model.beginState() : LmState.NONE;
    LmState state = LmState.NONE;
    matcher.clear();
    for (int i = 0; i < size; i++) {
      int token = tokens[i];
      boolean first = token < 0;
      if (matcher.room() <= (first ? CpuMatcher.contextPlaces(begin) : 0)) {
        state = flush();
        if (!first) {
          addState(state);
        }
      }
      if (first) {
        addState(begin);
      }
      if ((token & LmTokens.CONTEXT) == 0) {
        tokenAt[matcher.size()] = i;
        matcher.add(token & ~LmTokens.FIRST);
      }
    }
    flush();
  }

  private void addState(LmState state) {
    int place = matcher.size();
    matcher.addState(state);
    Arrays.fill(tokenAt, place, matcher.size(), -1);
  }

  /** Matches the block; returns the state after it. */
  private LmState flush() {
    int size = matcher.size();
    matcher.match();
    for (int place = 0; place < size; place++) {
      int token = tokenAt[place];
      if (token >= 0) {
        log10[token] = matcher.score(place);
        lengths[token] = matcher.lengths[place];
      }
    }
    LmState last = size == 0 ? LmState.NONE : matcher.state(size - 1);
    matcher.clear();
    return last;
  }

  @Override
  public ScoreColumns scoreAlone(byte[] bytes, int from, int to) {
    throw new IllegalStateException("an empty workspace accepts every text");
  }

  @Override
  public void close() {}
}
