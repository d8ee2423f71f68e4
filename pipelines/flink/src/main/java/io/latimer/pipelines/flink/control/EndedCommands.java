package io.latimer.pipelines.flink.control;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;

/**
 * A registry at the job master of the commands that have ended in a job. The subtask that reports
 * the end of a command also adds it here, so that commands are not sent faster than they are
 * executed. It forgets the oldest ones, but still counts them.
 */
record EndedCommands(GlobalAggregateManager master) {
  private static final String NAME = "ended commands";

  /** Number of commands that are remembered; more than are asked for at a time. */
  static final int REMEMBERED = 4_096;

  /** A pseudo id whose number is the count of all commands that have ended. */
  private static final String ALL = "";

  /**
   * The answer to a query.
   *
   * @param commands those asked for that are known to have ended
   * @param all how many have ended in the job
   */
  record Ended(Set<String> commands, long all) {}

  /** Adds a command that has ended. */
  void add(String command) throws IOException {
    send(List.of(command), Set.of());
  }

  /** Which of some commands have ended. */
  Ended among(Collection<String> commands) throws IOException {
    Map<String, Long> ended = send(List.of(), commands);
    long all = ended.remove(ALL);
    return new Ended(ended.keySet(), all);
  }

  private Map<String, Long> send(Collection<String> ended, Collection<String> asked)
      throws IOException {
    return master.updateGlobalAggregate(NAME, new HashSet<>(ended), new Collect(asked));
  }

  /** Numbers and adds commands, and returns those asked for that have ended. */
  private static final class Collect
      implements AggregateFunction<Set<String>, Map<String, Long>, Map<String, Long>> {
    private static final long serialVersionUID = 1L;

    private final HashSet<String> asked;

    Collect(Collection<String> asked) {
      this.asked = new HashSet<>(asked);
    }

    @Override
    public Map<String, Long> createAccumulator() {
      return new LinkedHashMap<>(Map.of(ALL, 0L)); // in insertion order, oldest first
    }

    @Override
    public Map<String, Long> add(Set<String> change, Map<String, Long> all) {
      for (String command : change) {
        if (!all.containsKey(command)) {
          all.put(command, all.merge(ALL, 1L, Long::sum));
        }
      }
      Iterator<String> oldest = all.keySet().iterator();
      oldest.next(); // skips the count
      while (all.size() > REMEMBERED + 1) {
        oldest.next();
        oldest.remove();
      }
      return all;
    }

    @Override
    public Map<String, Long> getResult(Map<String, Long> all) {
      Map<String, Long> ended = new HashMap<>(all);
      ended.keySet().retainAll(asked);
      ended.put(ALL, all.get(ALL));
      return ended;
    }

    @Override
    public Map<String, Long> merge(Map<String, Long> a, Map<String, Long> b) {
      Set<String> commands = new LinkedHashSet<>(b.keySet());
      commands.remove(ALL);
      return add(commands, a);
    }
  }
}
