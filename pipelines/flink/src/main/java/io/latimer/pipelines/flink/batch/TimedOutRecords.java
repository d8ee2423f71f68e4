package io.latimer.pipelines.flink.batch;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.SourcePosition;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;

/**
 * Counts the calls with a record that timed out, for each record of a group of stages, and in which
 * stages. The counts survive restarts of the job's tasks.
 *
 * <p>The job master keeps them. A batch's state cannot: a time-out fails the task, which then
 * restarts from an earlier checkpoint. Nor can they belong to a batch, because batches after the
 * checkpoint are formed anew. If the job master fails as well, counting starts over.
 *
 * <p>A record is identified by a 64-bit hash of its origin and bytes. The job master cannot load
 * the job's classes, so all types are from the JDK.
 *
 * <p>The job master keeps the counts of the last {@link #MOST} records of a group, about 100 bytes
 * each, so 7 MB at most. Without this limit, records on which a stage hangs would pile up for
 * years. A forgotten count loses or duplicates no record: if the record comes again, its batches
 * just time out a few more times.
 */
final class TimedOutRecords {
  /**
   * Maximum number of records with a count. Must exceed the records in flight that time out
   * together, or these would never be found; small enough for the 3 MB answer to a starting task.
   */
  static final int MOST = 1 << 16;

  private final String name;
  private final GlobalAggregateManager master;

  /**
   * The stages of each record's time-outs when the task started; a batch's next one ends the task.
   */
  private final Map<Long, List<String>> stages;

  /**
   * Reads the counts.
   *
   * @param first name of the group's first stage
   */
  TimedOutRecords(String first, GlobalAggregateManager master) throws IOException {
    this.name = "records of stage " + first + " that timed out";
    this.master = master;
    this.stages = add(new HashMap<>(), true);
  }

  /** How often a record was in a call that timed out, 0 or more. */
  int count(Envelope record) {
    return stages(record).size();
  }

  /** The stage in which a record timed out last; its count must be above 0. */
  String lastStage(Envelope record) {
    List<String> all = stages(record);
    return all.get(all.size() - 1);
  }

  private List<String> stages(Envelope record) {
    // avoids hashing the whole record: almost always there are no counts
    return stages.isEmpty() ? List.of() : stages.getOrDefault(key(record), List.of());
  }

  /**
   * Counts a call that timed out.
   *
   * @param stage name of the stage that was working
   * @return the largest count of its records
   */
  int timedOut(List<Envelope> records, String stage) throws IOException {
    Map<Long, List<String>> more = new HashMap<>();
    records.forEach(record -> more.put(key(record), List.of(stage)));
    Map<Long, List<String>> all = add(more, false);
    return more.keySet().stream()
        .mapToInt(key -> all.getOrDefault(key, List.of()).size())
        .max()
        .orElse(0);
  }

  /**
   * Forgets records that the stages have finished. Do not pass those on which a stage hung: they
   * may come again after a restart.
   */
  void forget(List<Envelope> records) throws IOException {
    Map<Long, List<String>> less = new HashMap<>();
    records.stream()
        .filter(record -> count(record) > 0)
        .forEach(record -> less.put(key(record), List.of()));
    if (!less.isEmpty()) {
      Map<Long, List<String>> unused = add(less, false);
    }
  }

  /**
   * Updates counts.
   *
   * @param all whether to return the counts of all records instead of the changed ones
   */
  private Map<Long, List<String>> add(Map<Long, List<String>> change, boolean all)
      throws IOException {
    return master.updateGlobalAggregate(name, change, new Append(all ? null : change.keySet()));
  }

  private static long key(Envelope record) {
    SourcePosition origin = record.getOrigin();
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

  /**
   * Appends stages by key. An empty list removes the key; if there are too many keys, the least
   * recently changed ones are removed.
   */
  private static final class Append
      implements AggregateFunction<
          Map<Long, List<String>>, Map<Long, List<String>>, Map<Long, List<String>>> {
    private static final long serialVersionUID = 1L;

    private final HashSet<Long> asked;

    /**
     * Creates the function.
     *
     * @param asked keys of the result; null for all
     */
    Append(Set<Long> asked) {
      this.asked = asked == null ? null : new HashSet<>(asked);
    }

    @Override
    public Map<Long, List<String>> createAccumulator() {
      return new LinkedHashMap<>(); // in order of change, oldest first
    }

    @Override
    public Map<Long, List<String>> add(
        Map<Long, List<String>> change, Map<Long, List<String>> all) {
      change.forEach(
          (key, stages) -> {
            List<String> before = all.remove(key);
            if (!stages.isEmpty()) {
              all.put(key, before == null ? stages : both(before, stages));
            }
          });
      Iterator<Long> oldest = all.keySet().iterator();
      while (all.size() > MOST) {
        oldest.next();
        oldest.remove();
      }
      return all;
    }

    /** Concatenates into a new list, because earlier results may be in use. */
    private static List<String> both(List<String> before, List<String> after) {
      return Stream.concat(before.stream(), after.stream()).toList();
    }

    @Override
    public Map<Long, List<String>> getResult(Map<Long, List<String>> all) {
      Map<Long, List<String>> result = new HashMap<>(all); // a copy: it is sent concurrently
      if (asked != null) {
        result.keySet().retainAll(asked);
      }
      return result;
    }

    @Override
    public Map<Long, List<String>> merge(Map<Long, List<String>> a, Map<Long, List<String>> b) {
      return add(a, b);
    }
  }
}
