package io.latimer.operators.lm;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmState;
import io.latimer.operators.util.ListView;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.List;

/**
 * Sentences that are scored together, and their scores in columns, sentence by sentence. Filled by
 * several threads, each with its own sentences.
 */
final class SentenceBatch {
  /** Sentences per thread and step. */
  static final int SHARE = 256;

  private final LanguageModel model;
  private final List<LmSentence> sentences;
  private final int contexts;
  private final RecordException[] wrong;

  /** The first score of each sentence, and the end of the last; invalid sentences have none. */
  private final int[] offsets;

  private final float[] totals;
  private final int[] unknown;
  private final byte[] stateLengths;
  private final float[] stateBackoffs; // a full state's number per sentence

  /** log10 of the probability of each token. */
  final float[] log10;

  /** Words of the longest match of each token. */
  final byte[] lengths;

  /** Checks the sentences and allocates their scores. */
  SentenceBatch(LanguageModel model, List<LmSentence> sentences, Team team) {
    this.model = model;
    this.sentences = sentences;
    this.contexts = model.order() - 1;
    int size = sentences.size();
    this.wrong = new RecordException[size];
    this.offsets = new int[size + 1];
    team.forEach(
        size,
        SHARE,
        record -> {
          LmSentence sentence = sentences.get(record);
          wrong[record] = LmChecks.check(model, sentence);
          offsets[record + 1] = wrong[record] == null ? sentence.tokens() : 0;
        });
    for (int i = 0; i < size; i++) {
      offsets[i + 1] = Math.addExact(offsets[i + 1], offsets[i]);
    }
    this.totals = new float[size];
    this.unknown = new int[size];
    this.stateLengths = new byte[size];
    this.stateBackoffs = new float[Math.multiplyExact(contexts, size)];
    this.log10 = new float[offsets[size]];
    this.lengths = new byte[offsets[size]];
  }

  int size() {
    return sentences.size();
  }

  LmSentence sentence(int record) {
    return sentences.get(record);
  }

  /** The first score of a sentence. */
  int first(int record) {
    return offsets[record];
  }

  /** The number of scored tokens of a sentence; 0 if it is invalid. */
  int tokens(int record) {
    return offsets[record + 1] - offsets[record];
  }

  /** The number of tokens before the scored ones. */
  int before(int record) {
    LmSentence sentence = sentence(record);
    return sentence.begin() ? 1 : sentence.state().length();
  }

  /** The id of a token; a negative index refers to the sentence's context. */
  int id(int record, int token) {
    LmSentence sentence = sentence(record);
    if (token < 0) {
      return sentence.begin() ? model.beginSentence() : sentence.state().words()[-1 - token];
    }
    return token < sentence.ids().length ? sentence.ids()[token] : model.endSentence();
  }

  /** Called when all scores of a sentence are there, with the number of words in its state. */
  void finish(int record, int stateLength) {
    float total = 0;
    int unknowns = 0;
    int first = first(record);
    for (int i = 0; i < tokens(record); i++) {
      total += log10[first + i];
      unknowns += id(record, i) == WordTable.UNKNOWN ? 1 : 0;
    }
    totals[record] = total;
    unknown[record] = unknowns;
    stateLengths[record] = (byte) stateLength;
  }

  /** The first back-off of a sentence's state in {@link #stateBackoffs}. */
  int stateAt(int record) {
    return record * contexts;
  }

  float[] stateBackoffs() {
    return stateBackoffs;
  }

  /** The results: views, created on demand. */
  List<Result<WordScores>> results() {
    return new ListView<>(
        wrong.length,
        record ->
            wrong[record] == null ? Result.of(scores(record)) : Result.failure(wrong[record]));
  }

  private WordScores scores(int record) {
    return new WordScores(
        log10,
        lengths,
        first(record),
        tokens(record),
        unknown[record],
        totals[record],
        state(record));
  }

  private LmState state(int record) {
    LmSentence sentence = sentence(record);
    if (tokens(record) == 0) {
      return sentence.begin() ? model.beginState() : sentence.state();
    }
    int length = stateLengths[record];
    if (length == 0) {
      return LmState.NONE;
    }
    int[] words = new int[length];
    for (int i = 0; i < length; i++) {
      words[i] = id(record, tokens(record) - 1 - i);
    }
    int at = stateAt(record);
    return new LmState(words, Arrays.copyOfRange(stateBackoffs, at, at + length));
  }
}
