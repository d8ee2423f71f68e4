package io.latimer.pipelines.flink.control;

import io.latimer.schemas.CommandOutcome;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.SwapState;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcomes of a subtask's latest commands, of all groups and of its own, because after a
 * restore they may be pending in other subtasks. Keeps as many as can be pending.
 */
final class Outcomes {
  /** Maximum length of a stored reason, in characters. */
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
    }
    return outcomes;
  }

  /**
   * Adds the outcome of a command, and forgets the oldest.
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

  /** Records that a command has ended in all subtasks. */
  void ended(String command) {
    last.stream()
        .filter(one -> one.getCommand().equals(command))
        .forEach(one -> one.setEnded(true));
  }

  /** The stored outcomes, in order. */
  List<CommandOutcome> all() {
    return List.copyOf(last);
  }
}
