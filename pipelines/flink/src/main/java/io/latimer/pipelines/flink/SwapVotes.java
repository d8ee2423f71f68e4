package io.latimer.pipelines.flink;

import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;

/**
 * What the subtasks of a group say to a swap: each says it to the job master, and learns what the
 * others have said. A swap takes place when all have loaded the index, and not if one cannot.
 *
 * <p>A round is the time between two starts of the tasks, which all start together: what a subtask
 * had loaded before is not loaded after. The job master knows no class of the job, so the types are
 * Java's own. If it fails, so do the tasks, and a new round begins.
 */
final class SwapVotes {
  /** The index is loaded, and can be used. */
  static final String LOADED = "loaded";

  /** Later batches use it: the swap was decided. */
  static final String IN_USE = "in use";

  /** Followed by a reason. */
  static final String REFUSED = "refused: ";

  /** Swaps that the job master remembers; more than can be undecided at once. */
  private static final int REMEMBERED = 64;

  private final String name;
  private final int subtask;
  private final GlobalAggregateManager master;

  /**
   * Makes the votes of a subtask.
   *
   * @param group name of its first stage
   */
  SwapVotes(String group, int subtask, GlobalAggregateManager master) {
    this.name = "swaps of stage " + group;
    this.subtask = subtask;
    this.master = master;
  }

  /**
   * Votes, in place of an earlier vote of this subtask.
   *
   * @return the votes by subtask
   */
  Map<Integer, String> vote(String round, String command, String vote) throws IOException {
    Map<String, Map<Integer, String>> mine = new HashMap<>();
    mine.put(round + " " + command, new HashMap<>(Map.of(subtask, vote)));
    return new TreeMap<>(
        master.updateGlobalAggregate(name, mine, new Collect()).get(round + " " + command));
  }

  /** Adds votes, and forgets the oldest swaps. */
  private static final class Collect
      implements AggregateFunction<
          Map<String, Map<Integer, String>>,
          Map<String, Map<Integer, String>>,
          Map<String, Map<Integer, String>>> {
    private static final long serialVersionUID = 1L;

    @Override
    public Map<String, Map<Integer, String>> createAccumulator() {
      return new LinkedHashMap<>();
    }

    @Override
    public Map<String, Map<Integer, String>> add(
        Map<String, Map<Integer, String>> change, Map<String, Map<Integer, String>> all) {
      change.forEach(
          (swap, votes) -> {
            Map<Integer, String> before = all.remove(swap);
            Map<Integer, String> now = before == null ? new HashMap<>() : before;
            now.putAll(votes);
            all.put(swap, now); // the last one is the newest
          });
      Iterator<String> oldest = all.keySet().iterator();
      while (all.size() > REMEMBERED) {
        oldest.next();
        oldest.remove();
      }
      return all;
    }

    @Override
    public Map<String, Map<Integer, String>> getResult(Map<String, Map<Integer, String>> all) {
      // a copy: it is sent while others vote
      Map<String, Map<Integer, String>> copy = new HashMap<>();
      all.forEach((swap, votes) -> copy.put(swap, new HashMap<>(votes)));
      return copy;
    }

    @Override
    public Map<String, Map<Integer, String>> merge(
        Map<String, Map<Integer, String>> a, Map<String, Map<Integer, String>> b) {
      return add(a, b);
    }
  }
}
