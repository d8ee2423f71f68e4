package io.latimer.pipelines.flink.control;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the commands that a task has sent in its current attempt and that have not ended:
 * gatherers keep them in their state, so their number must be bounded.
 */
final class InFlightCommands {
  private static final Logger LOG = LoggerFactory.getLogger(InFlightCommands.class);

  /** By command: how many had ended in the job when it was first asked for; -1 before. */
  private final Map<String, Long> commands = new LinkedHashMap<>();

  private final EndedCommands ended;
  private final int most;

  /**
   * Creates the commands under way of a task.
   *
   * @param most the number at which there is no more room
   */
  InFlightCommands(GlobalAggregateManager master, int most) {
    this.ended = new EndedCommands(master);
    this.most = most;
  }

  /** Adds a command that is being sent, even if there are too many. */
  void add(String command) {
    commands.put(command, -1L);
    ask();
  }

  /** Whether there is room for another command. Asks the job master only if it has to. */
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
      // if so many have ended since, the job master may have forgotten that this one has
      commands.values().removeIf(all -> found.all() - all >= EndedCommands.REMEMBERED);
    } catch (IOException | RuntimeException e) {
      LOG.warn("the job master did not say which commands have ended; it is asked again", e);
    }
  }
}
