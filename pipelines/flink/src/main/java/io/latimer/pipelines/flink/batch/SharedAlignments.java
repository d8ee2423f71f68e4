package io.latimer.pipelines.flink.batch;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of alignments of sentence pairs: all subtasks of a process need the same ones at about
 * the same time, so each is made only once. Thread-safe.
 */
final class SharedAlignments {
  private static final Logger LOG = LoggerFactory.getLogger(SharedAlignments.class);

  /** Number of cached alignments: those of one append command, for subtasks that are slower. */
  private static final int KEPT = 256;

  private record Key(String sha256, LearnedPair pair) {}

  private final Map<Key, FutureTask<LearnedPair>> last =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, FutureTask<LearnedPair>> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * Aligns a pair, or waits for another thread that is doing so.
   *
   * @param index the result depends only on it and the pair
   */
  LearnedPair align(IndexRef index, LearnedPair pair, UnaryOperator<LearnedPair> aligner)
      throws InterruptedException {
    Key key = new Key(index.sha256(), pair);
    FutureTask<LearnedPair> mine = new FutureTask<>(() -> aligner.apply(pair));
    FutureTask<LearnedPair> first;
    synchronized (last) {
      first = last.putIfAbsent(key, mine);
    }
    if (first != null) {
      try {
        return first.get();
      } catch (ExecutionException e) { // its task may have ended
        LOG.debug("another subtask could not align correction {}", pair.id(), e);
        return aligner.apply(pair);
      }
    }
    mine.run();
    try {
      return mine.get();
    } catch (ExecutionException e) {
      synchronized (last) {
        last.remove(key, mine);
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) e.getCause(); // the aligner throws no others
    }
  }
}
