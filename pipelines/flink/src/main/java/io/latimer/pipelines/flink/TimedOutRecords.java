package io.latimer.pipelines.flink;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.Origin;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;

/**
 * How often each record of a stage was in a call that timed out. The counts survive restarts of the
 * job's tasks.
 *
 * <p>They are kept by the job master. A batch's state cannot hold them: a time-out fails the task,
 * which then starts from a checkpoint that was taken before. Nor can they belong to a batch,
 * because batches after the checkpoint are gathered anew. If the job master fails as well, counting
 * starts again.
 *
 * <p>A record is identified by a 64-bit hash of its origin and bytes. The job master knows no class
 * of the job, so the types are Java's own.
 */
final class TimedOutRecords {
  private final String name;
  private final GlobalAggregateManager master;

  /** The counts when the task started; the time-out of a batch ends the task. */
  private final Map<Long, Integer> counts;

  /**
   * Reads the counts.
   *
   * @param stage name of the stage
   */
  TimedOutRecords(String stage, GlobalAggregateManager master) throws IOException {
    this.name = "records of stage " + stage + " that timed out";
    this.master = master;
    this.counts = add(new HashMap<>());
  }

  /** How often a record was in a call that timed out, 0 or more. */
  int count(Envelope record) {
    // hashing reads the whole record, and almost always there are no counts
    return counts.isEmpty() ? 0 : counts.getOrDefault(key(record), 0);
  }

  /**
   * Counts a call that timed out.
   *
   * @return the largest count of its records
   */
  int timedOut(List<Envelope> records) throws IOException {
    Map<Long, Integer> more = new HashMap<>();
    records.forEach(record -> more.put(key(record), 1));
    Map<Long, Integer> all = add(more);
    return more.keySet().stream().mapToInt(key -> all.getOrDefault(key, 0)).max().orElse(0);
  }

  /**
   * Forgets records that the stage has finished. Those on which it hangs are kept: they may come
   * again after a restart.
   */
  void forget(List<Envelope> records) throws IOException {
    Map<Long, Integer> less = new HashMap<>();
    records.stream()
        .filter(record -> count(record) > 0)
        .forEach(record -> less.put(key(record), Integer.MIN_VALUE));
    if (!less.isEmpty()) {
      add(less);
    }
  }

  private Map<Long, Integer> add(Map<Long, Integer> change) throws IOException {
    return master.updateGlobalAggregate(name, change, new Sum());
  }

  private static long key(Envelope record) {
    Origin origin = record.getOrigin();
    long key = origin.getSource().hashCode();
    key = key * 1_000_003 + origin.getPartition();
    key = mix(key) + origin.getOffset();
    return mix(key) + record.getOriginal().hashCode();
  }

  /** Stafford's variant 13 of the 64-bit finalizer of MurmurHash3. */
  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** Sums by key; a key whose sum is not positive is removed. */
  private static final class Sum
      implements AggregateFunction<Map<Long, Integer>, Map<Long, Integer>, Map<Long, Integer>> {
    private static final long serialVersionUID = 1L;

    @Override
    public Map<Long, Integer> createAccumulator() {
      return new HashMap<>();
    }

    @Override
    public Map<Long, Integer> add(Map<Long, Integer> change, Map<Long, Integer> sums) {
      change.forEach((key, value) -> sums.merge(key, value, (a, b) -> a + b));
      sums.values().removeIf(sum -> sum <= 0);
      return sums;
    }

    @Override
    public Map<Long, Integer> getResult(Map<Long, Integer> sums) {
      return new HashMap<>(sums);
    }

    @Override
    public Map<Long, Integer> merge(Map<Long, Integer> a, Map<Long, Integer> b) {
      return add(a, b);
    }
  }
}
