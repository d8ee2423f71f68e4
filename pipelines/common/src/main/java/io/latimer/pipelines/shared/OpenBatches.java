package io.latimer.pipelines.shared;

import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.batch.MicroBatcher;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The batches of shared stages that no thread has taken: an open one for each length bucket, and
 * full ones. Not thread-safe.
 */
final class OpenBatches {
  private final BatchPolicy policy;
  private final List<Bucket> buckets = new ArrayList<>();

  /** Full batches. */
  private final Queue<List<Pending>> full = new ArrayDeque<>();

  /** Arrival time of the record that is being added. */
  private long arrived;

  /** Number of records in open batches. */
  private int size;

  /** A length bucket with its open batch. */
  private final class Bucket {
    final MicroBatcher<Pending> batcher =
        new MicroBatcher<>(policy.limits(), record -> record.tokens, () -> millis(arrived));
    final List<Pending> open = new ArrayList<>();
    final Set<Membership> memberships = new HashSet<>();

    /** Whether the batch should not wait for more records. */
    boolean urgent;

    void add(Pending record) {
      note(record); // first, so that the record is known whatever fails
      List<MicroBatcher.Closed<Pending>> closed = batcher.add(record);
      if (!closed.isEmpty()) {
        closed.forEach(one -> full.add(one.records()));
        clear();
        if (!batcher.isEmpty()) {
          note(record);
        }
      }
    }

    private void note(Pending record) {
      open.add(record);
      size++;
      memberships.add(record.membership);
      urgent |= record.number <= record.membership.flushed;
    }

    private void clear() {
      size -= open.size();
      open.clear();
      memberships.clear();
      urgent = false;
    }

    boolean isDue(long now) {
      return urgent || open.size() >= policy.minRecords() || batcher.deadline().getAsLong() <= now;
    }

    List<Pending> close() {
      List<Pending> records = batcher.close(MicroBatcher.Fill.TIME).records();
      clear();
      return records;
    }
  }

  OpenBatches(BatchPolicy policy) {
    this.policy = policy;
    for (int i = 0; i <= policy.lengthBuckets().size(); i++) {
      buckets.add(new Bucket());
    }
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  void add(Pending record) {
    arrived = record.arrived;
    buckets.get(policy.bucket(record.tokens)).add(record);
  }

  /** Whether a batch is full. */
  boolean hasFull() {
    return !full.isEmpty();
  }

  /** Whether there is no batch at all. */
  boolean isEmpty() {
    return full.isEmpty() && size == 0;
  }

  /** Number of records in batches that are not full. */
  int size() {
    return size;
  }

  /**
   * Takes a full batch, or else the one that has been due for the longest time.
   *
   * @return null if there is none
   */
  List<Pending> poll() {
    if (!full.isEmpty()) {
      return full.remove();
    }
    long now = millis(System.nanoTime());
    Bucket oldest = null;
    for (Bucket bucket : buckets) {
      if (!bucket.open.isEmpty() && bucket.isDue(now) && isOlder(bucket, oldest)) {
        oldest = bucket;
      }
    }
    return oldest == null ? null : oldest.close();
  }

  private static boolean isOlder(Bucket bucket, Bucket than) {
    return than == null
        || bucket.batcher.deadline().getAsLong() < than.batcher.deadline().getAsLong();
  }

  /**
   * Time until the first open batch is due, in milliseconds; at least 1, because 0 would not wait.
   *
   * @throws java.util.NoSuchElementException if none is open
   */
  long left() {
    long first =
        buckets.stream()
            .filter(bucket -> !bucket.open.isEmpty())
            .mapToLong(bucket -> bucket.batcher.deadline().getAsLong())
            .min()
            .orElseThrow();
    return Math.max(1, first - millis(System.nanoTime()));
  }

  /** Makes the batches with records of a client due at once. */
  void flush(Membership membership) {
    buckets.forEach(bucket -> bucket.urgent |= bucket.memberships.contains(membership));
  }

  /** All records. */
  List<Pending> records() {
    List<Pending> records = new ArrayList<>();
    full.forEach(records::addAll);
    buckets.forEach(bucket -> records.addAll(bucket.open));
    return records;
  }
}
