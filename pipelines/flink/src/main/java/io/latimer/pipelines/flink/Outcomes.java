package io.latimer.pipelines.flink;

import io.latimer.schemas.CommandOutcome;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.SwapState;
import java.util.ArrayList;
import java.util.List;

/**
 * What a subtask decided on the last commands, of all groups and of its own: after a restore,
 * others may not have decided them. Commands that are pending in another one are among the last, so
 * as many are kept as can be pending.
 */
final class Outcomes {
  /** Characters of a reason that is kept. */
  private static final int MAX_REASON = 200;

  private final List<CommandOutcome> last = new ArrayList<>();

  /**
   * Restores outcomes.
   *
   * @param before the state; null if there is none
   */
  static Outcomes restore(SwapState before) {
    Outcomes outcomes = new Outcomes();
    if (before != null) {
      outcomes.last.addAll(before.getOutcomes());
      if (!before.getDecided().isEmpty()) { // by an older version
        outcomes.last.add(
            new CommandOutcome(before.getDecided(), before.getCommitted(), "", false, false));
      }
    }
    return outcomes;
  }

  /**
   * Adds what was decided on a command, and forgets what is too old.
   *
   * @param reason why it was refused; otherwise empty
   */
  void add(ControlCommand command, boolean committed, String reason, boolean ofAllGroups) {
    String kept = reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON) + "...";
    last.add(new CommandOutcome(command.getId(), committed, kept, ofAllGroups, false));
    List<CommandOutcome> alike =
        last.stream().filter(one -> one.getOfAllGroups() == ofAllGroups).toList();
    if (alike.size() > CommandVotes.REMEMBERED) {
      last.remove(alike.get(0));
    }
  }

  /** All subtasks have carried out a command. */
  void ended(String command) {
    last.stream()
        .filter(one -> one.getCommand().equals(command))
        .forEach(one -> one.setEnded(true));
  }

  /** All that are kept, in order. */
  List<CommandOutcome> all() {
    return List.copyOf(last);
  }
}
