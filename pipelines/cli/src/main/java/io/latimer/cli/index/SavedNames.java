package io.latimer.cli.index;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.terminal.Terminal;
import io.latimer.pipelines.flink.state.SavedState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds the contents that checkpoints and savepoints in a folder refer to. */
record SavedNames(String folder, Terminal terminal) {
  /**
   * Returns those of some contents that are referred to.
   *
   * @param contents SHA-256
   * @throws CommandException if there is no checkpoint, or one cannot be read
   */
  Set<String> of(Set<String> contents) {
    try {
      List<String> states = SavedState.find(folder);
      if (states.isEmpty()) {
        throw new CommandException(
            folder
                + " has no checkpoint and no savepoint, so nothing says which files are needed;"
                + " name the folder where they are.");
      }
      Set<String> named = read(states, contents);
      List<String> later = new ArrayList<>(SavedState.find(folder));
      later.removeAll(states);
      named.addAll(read(later, contents)); // taken in the meantime
      return named;
    } catch (IOException e) {
      throw new CommandException(
          e.getMessage() + "; nothing was removed, because it may name any of the files.", e);
    }
  }

  private Set<String> read(List<String> states, Set<String> contents) throws IOException {
    Set<String> named = new HashSet<>();
    for (String state : states) {
      terminal.status("reading " + state + " ...");
      named.addAll(of(state, contents));
    }
    terminal.status("");
    return named;
  }

  private static Set<String> of(String state, Set<String> contents) throws IOException {
    try {
      return SavedState.read(state).names(contents);
    } catch (IOException e) {
      if (SavedState.exists(state)) {
        throw e;
      }
      return Set.of(); // a newer checkpoint has just replaced it
    }
  }
}
