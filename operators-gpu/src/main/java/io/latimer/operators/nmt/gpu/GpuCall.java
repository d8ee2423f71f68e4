package io.latimer.operators.nmt.gpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.SourceChecks;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** One batch of a waiting caller. Only the thread that drives the search modifies it. */
final class GpuCall {
  /** Results read per thread and step. */
  private static final int SHARE = 64;

  private final DecodeOptions options;

  /** One per record; each is set by one thread. */
  private final List<Result<Decoded>> results;

  /** Sentences to decode, longest first, and their positions in the batch. */
  private final GpuSentence[] sentences;

  private final int[] places;
  private List<GpuSentence> toDecode;
  private int open;
  private volatile boolean done;
  private Throwable error;

  /**
   * Checks a batch.
   *
   * @param network whose limits the records must keep
   */
  GpuCall(List<DecodeInput> batch, NetworkSettings network, DecodeOptions options) {
    this.options = options;
    this.results = new ArrayList<>(Collections.nCopies(batch.size(), null));
    long[] order = new long[batch.size()]; // longest first, then in input order
    int n = 0;
    for (int i = 0; i < batch.size(); i++) {
      DecodeInput input = batch.get(i);
      RecordException wrong = check(input, network);
      if (wrong != null) {
        results.set(i, Result.failure(wrong));
      } else if (SourceChecks.isEmpty(input, options)) {
        results.set(i, Result.of(SourceChecks.empty(options)));
      } else {
        order[n++] = ((long) -input.length() << 32) | i;
      }
    }
    Arrays.sort(order, 0, n);
    boolean endsLoops = options.has(DecodeOptions.Switch.END_LOOPS);
    this.sentences = new GpuSentence[n];
    this.places = new int[n];
    for (int k = 0; k < n; k++) {
      places[k] = (int) order[k];
      DecodeInput input = batch.get(places[k]);
      int limit = SourceChecks.limit(input, network, options);
      sentences[k] = new GpuSentence(this, input, limit, endsLoops && input.mayLoop());
    }
    this.toDecode = Arrays.asList(sentences);
    this.open = n;
    this.done = n == 0;
  }

  /** The error in a record, or why no search on a GPU can hold it; null if neither. */
  private RecordException check(DecodeInput input, NetworkSettings network) {
    RecordException wrong = SourceChecks.check(input, network, options);
    if (wrong != null) {
      return wrong;
    }
    int length = input.length();
    int words = options.limit(length);
    long weights = SearchCapacity.weights(options, length);
    if (weights > SearchCapacity.MOST_WEIGHTS) {
      return SourceChecks.tooLarge(
          length,
          "a search on a GPU: a beam of "
              + options.beamSize()
              + " with up to "
              + words
              + " words has "
              + weights
              + " attention weights, and at most "
              + SearchCapacity.MOST_WEIGHTS
              + " can be kept; turn off the alignment, or use a smaller beam or length factor",
          null);
    }
    long result = SearchCapacity.resultWords(options, length);
    if (result > SearchCapacity.MOST_RESULT_WORDS) {
      return SourceChecks.tooLarge(
          length,
          "a search on a GPU: "
              + options.nBest()
              + " translations with up to "
              + words
              + " words each may take "
              + result
              + " numbers, and at most "
              + SearchCapacity.MOST_RESULT_WORDS
              + " can be read back; turn off the alignment, or use fewer translations or a smaller"
              + " length factor",
          null);
    }
    return null;
  }

  /** The sentences to decode, longest first. */
  List<GpuSentence> sentences() {
    return toDecode;
  }

  /** Tokens of the longest sentence to decode. */
  int longest() {
    return toDecode.get(0).length();
  }

  /** Whether sentences failed because memory was short. */
  boolean isShortOfMemory() {
    return error == null && toDecode.stream().anyMatch(GpuSentence::isShortOfMemory);
  }

  /** Retries the sentences that failed because memory was short: only they are to decode now. */
  void retry() {
    toDecode = toDecode.stream().filter(GpuSentence::isShortOfMemory).toList();
    toDecode.forEach(GpuSentence::retry);
    open = toDecode.size();
    done = false;
  }

  /** One of its sentences has ended. */
  void ended() {
    open--;
    if (open == 0) {
      done = true;
    }
  }

  /** The search has failed. */
  void fail(Throwable reason) {
    error = reason;
    done = true;
  }

  boolean isDone() {
    return done;
  }

  /** The result of each record; throws the search's error, if it failed. */
  List<Result<Decoded>> results(Team team) {
    if (error instanceof RuntimeException e) {
      throw e;
    }
    if (error != null) {
      throw new OperatorException("the decoder failed: " + error, error);
    }
    team.forEach(sentences.length, SHARE, k -> results.set(places[k], result(sentences[k])));
    return results;
  }

  private Result<Decoded> result(GpuSentence sentence) {
    if (sentence.failure() != null) {
      return Result.failure(sentence.failure());
    }
    Decoded decoded = GpuResult.decode(sentence.result(), sentence.length(), options);
    return decoded == null ? Result.failure(SourceChecks.notFinite()) : Result.of(decoded);
  }
}
