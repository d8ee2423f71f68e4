package io.latimer.pipelines.flink;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commands that a task has sent and that have not ended, in its present attempt: gatherers have
 * them in their state, so there must not be any number of them.
 */
final class UnderWay {
  private static final Logger LOG = LoggerFactory.getLogger(UnderWay.class);

  /** How many commands had ended in the job when a command was first asked for; -1 before. */
  private final Map<String, Long> commands = new LinkedHashMap<>();

  private final EndedCommands ended;
  private final int most;

  /**
   * Makes the commands under way of a task.
   *
   * @param most how many there should be at most
   */
  UnderWay(GlobalAggregateManager master, int most) {
    this.ended = new EndedCommands(master);
    this.most = most;
  }

  /** Adds one that is sent, even if there are too many. */
  void add(String command) {
    commands.put(command, -1L);
    ask();
  }

  /** Whether one more can be sent. Asks the job master only if that is not certain. */
  boolean hasRoom() {
    if (commands.size() >= most) {
      ask();
    }
    return commands.size() < most;
  }

  private void ask() {
    try {
      EndedCommands.Ended found = ended.among(commands.keySet());
      commands.keySet().removeAll(found.commands());
      commands.replaceAll((command, all) -> all < 0 ? found.all() : all);
      // those that have ended since would hide it by now
      commands.values().removeIf(all -> found.all() - all >= EndedCommands.REMEMBERED);
    } catch (IOException | RuntimeException e) {
      LOG.warn("the job master did not say which commands have ended; it is asked again", e);
    }
  }
}
