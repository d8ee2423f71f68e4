package io.latimer.pipelines.flink.batch;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.StageIndexVersion;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks up the learned pairs that batches are stamped with. These may be unknown for a while: a
 * batch is restored before the pairs are, and after rescaling it may be some appends ahead of them.
 * Thread-safe.
 */
final class LearnedStamps {
  /** Number of cached versions of a stage; a lookup without the cache hashes all pairs. */
  private static final int REMEMBERED = 16;

  private final Set<String> names;
  private final Map<String, Learned> indexes = new HashMap<>(); // by name

  /**
   * Creates the stamps of a group.
   *
   * @param names of the indexes of the group's stages; a restored batch may also be stamped for
   *     removed ones
   */
  LearnedStamps(Collection<String> names) {
    this.names = Set.copyOf(names);
  }

  /** The pairs learned beside an index, and cached versions of them. */
  private static final class Learned {
    private LearnedPairs pairs = LearnedPairs.none();
    private final Map<Range, LearnedPairs> ranges =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Range, LearnedPairs> eldest) {
            return size() > REMEMBERED;
          }
        };
  }

  /** A range of pair numbers, with an exclusive end. */
  private record Range(long from, long to) {}

  /**
   * Sets the pairs that a stage has learned beside an index.
   *
   * @param index its name
   * @param pairs all pairs that batches may be stamped with; later ones only add to these, or drop
   *     the first ones
   */
  synchronized void set(String index, LearnedPairs pairs) {
    indexes.computeIfAbsent(index, name -> new Learned()).pairs = pairs;
  }

  /**
   * The index versions that a batch is stamped with, by name; empty if some of their pairs are
   * unknown.
   */
  synchronized Optional<Map<String, IndexVersion>> find(List<StageIndexVersion> stamps) {
    Map<String, IndexVersion> versions = new LinkedHashMap<>();
    for (StageIndexVersion stamp : stamps) {
      if (!names.contains(stamp.getStage())) {
        continue;
      }
      IndexRef index = IndexState.fromAvro(stamp.getReference());
      LearnedPairs pairs = pairs(stamp);
      if (pairs == null) {
        return Optional.empty();
      }
      versions.put(stamp.getStage(), new IndexVersion(index, pairs));
    }
    return Optional.of(versions);
  }

  private LearnedPairs pairs(StageIndexVersion stamp) {
    long from = stamp.getLearnedFrom();
    long to = stamp.getLearnedTo();
    if (from == to) {
      return LearnedPairs.none(from);
    }
    Learned learned = indexes.get(stamp.getStage());
    if (learned == null || from < learned.pairs.from() || to > learned.pairs.to()) {
      return null;
    }
    return learned.ranges.computeIfAbsent(
        new Range(from, to), range -> learned.pairs.endingAt(to).startingAt(from));
  }

  /** Whether a batch needs pairs that were dropped and so will never be known. */
  synchronized boolean areDropped(List<StageIndexVersion> stamps) {
    return stamps.stream()
        .filter(stamp -> stamp.getLearnedFrom() < stamp.getLearnedTo())
        .anyMatch(
            stamp -> {
              Learned learned = indexes.get(stamp.getStage());
              return learned != null && stamp.getLearnedFrom() < learned.pairs.from();
            });
  }

  /** Describes the unknown pairs of a batch. */
  synchronized String missing(List<StageIndexVersion> stamps) {
    StringBuilder text = new StringBuilder();
    for (StageIndexVersion stamp : stamps) {
      if (names.contains(stamp.getStage()) && pairs(stamp) == null) {
        Learned learned = indexes.get(stamp.getStage());
        LearnedPairs pairs = learned == null ? LearnedPairs.none() : learned.pairs;
        text.append(text.isEmpty() ? "" : ", ").append("stage ").append(stamp.getStage());
        text.append(" needs those from ").append(stamp.getLearnedFrom());
        text.append(" to ").append(stamp.getLearnedTo());
        text.append(", found ").append(pairs.from()).append(" to ").append(pairs.to());
      }
    }
    return text.toString();
  }
}
