package io.latimer.pipelines.flink;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;

/**
 * The commands that have ended in a job, by their ids, at the job master: the subtask that tells
 * the end of a command tells it here, too, so that commands are not sent faster than they are
 * carried out. It forgets the oldest ones.
 */
final class EndedCommands {
  private static final String NAME = "ended commands";

  /** More than are asked for at a time. */
  private static final int REMEMBERED = 4_096;

  private final GlobalAggregateManager master;

  EndedCommands(GlobalAggregateManager master) {
    this.master = master;
  }

  /** Adds one. */
  void add(String command) throws IOException {
    send(List.of(command), Set.of());
  }

  /** Which of some commands have ended. */
  Set<String> among(Collection<String> commands) throws IOException {
    return send(List.of(), commands);
  }

  private Set<String> send(Collection<String> ended, Collection<String> asked) throws IOException {
    return master.updateGlobalAggregate(NAME, new HashSet<>(ended), new Collect(asked));
  }

  /** Adds commands, and returns which of those asked for have ended. */
  private static final class Collect
      implements AggregateFunction<Set<String>, Set<String>, Set<String>> {
    private static final long serialVersionUID = 1L;

    private final HashSet<String> asked;

    Collect(Collection<String> asked) {
      this.asked = new HashSet<>(asked);
    }

    @Override
    public Set<String> createAccumulator() {
      return new LinkedHashSet<>();
    }

    @Override
    public Set<String> add(Set<String> change, Set<String> all) {
      all.addAll(change);
      Iterator<String> oldest = all.iterator();
      while (all.size() > REMEMBERED) {
        oldest.next();
        oldest.remove();
      }
      return all;
    }

    @Override
    public Set<String> getResult(Set<String> all) {
      Set<String> ended = new HashSet<>(asked);
      ended.retainAll(all);
      return ended;
    }

    @Override
    public Set<String> merge(Set<String> a, Set<String> b) {
      return add(a, b);
    }
  }
}
