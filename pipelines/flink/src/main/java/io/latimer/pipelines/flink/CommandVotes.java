package io.latimer.pipelines.flink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;

/**
 * What the subtasks of some groups say to a command: each says it to the job master, and learns
 * what the others have said. A command takes effect when all have prepared it, and not if one
 * cannot.
 *
 * <p>A round is the time between two starts of the tasks, which all start together: what a subtask
 * had prepared before is not prepared after. The job master knows no class of the job, so the types
 * are Java's own. If it fails, so do the tasks, and a new round begins.
 */
final class CommandVotes {
  /** How far a subtask is with a command. */
  enum State {
    /** It can apply the command. */
    PREPARED,
    /** It cannot. */
    REFUSED,
    /** It was decided that the command takes effect, and has in this subtask. */
    APPLIED,
    /** It was decided that the command does not take effect. */
    DROPPED
  }

  /**
   * What a subtask says to a command.
   *
   * @param reason why it is refused or dropped; otherwise empty
   * @param ended whether the subtask that tells the end of the command has told it
   */
  record Vote(State state, String reason, boolean ended) {
    static final Vote PREPARED = new Vote(State.PREPARED, "", false);
    static final Vote APPLIED = new Vote(State.APPLIED, "", false);

    private static final String ENDED = "ended ";

    static Vote refused(String reason) {
      return new Vote(State.REFUSED, reason, false);
    }

    static Vote dropped(String reason) {
      return new Vote(State.DROPPED, reason, false);
    }

    Vote end() {
      return new Vote(state, reason, true);
    }

    /** Whether the subtask knows the decision. */
    boolean isDecided() {
      return state == State.APPLIED || state == State.DROPPED;
    }

    private String encode() {
      return (ended ? ENDED : "") + state + " " + reason;
    }

    private static Vote decode(String text) {
      boolean ended = text.startsWith(ENDED);
      String rest = ended ? text.substring(ENDED.length()) : text;
      int space = rest.indexOf(' ');
      return new Vote(State.valueOf(rest.substring(0, space)), rest.substring(space + 1), ended);
    }
  }

  /** Commands that the job master remembers; more than can be undecided at once. */
  private static final int REMEMBERED = 64;

  private final String name;
  private final List<String> groups;
  private final String voter;
  private final GlobalAggregateManager master;

  /**
   * Makes the votes of a subtask.
   *
   * @param groups those that decide together, each by the name of its first stage
   * @param group that of the subtask
   */
  CommandVotes(
      List<String> groups, String group, int subtask, int subtasks, GlobalAggregateManager master) {
    this.name = "commands of stages " + String.join(", ", groups);
    this.groups = List.copyOf(groups);
    this.voter = voter(group, subtask, subtasks);
    this.master = master;
  }

  private static String voter(String group, int subtask, int subtasks) {
    return group + " " + subtask + "/" + subtasks;
  }

  /**
   * Votes, in place of an earlier vote of this subtask.
   *
   * @return the votes so far
   */
  Votes vote(String round, String command, Vote vote) throws IOException {
    String key = round + " " + command;
    Map<String, Map<String, String>> mine = new HashMap<>();
    mine.put(key, new HashMap<>(Map.of(voter, vote.encode())));
    Map<String, String> all = master.updateGlobalAggregate(name, mine, new Collect()).get(key);
    Map<String, Integer> missing = new HashMap<>(); // by group
    List<Vote> votes = new ArrayList<>();
    all.forEach(
        (voter, text) -> {
          int subtasks = Integer.parseInt(voter.substring(voter.lastIndexOf('/') + 1));
          missing.merge(voter.substring(0, voter.lastIndexOf(' ')), subtasks - 1, (a, b) -> a - 1);
          votes.add(Vote.decode(text));
        });
    boolean complete = groups.stream().allMatch(group -> missing.getOrDefault(group, 1) == 0);
    return new Votes(votes, complete);
  }

  /**
   * The votes on a command.
   *
   * @param complete whether all subtasks have voted
   */
  record Votes(List<Vote> all, boolean complete) {
    boolean have(State state) {
      return all.stream().anyMatch(vote -> vote.state() == state);
    }

    /** Whether all those that have voted know the decision. */
    boolean decided() {
      return all.stream().allMatch(Vote::isDecided);
    }

    /** Whether the end of the command was told. */
    boolean ended() {
      return all.stream().anyMatch(Vote::ended);
    }

    /** Why the command is refused, or was; empty if it is not. Of complete votes. */
    String refusal() {
      if (have(State.APPLIED)) {
        return "";
      }
      State told = have(State.DROPPED) ? State.DROPPED : State.REFUSED;
      return String.join(
          "; ",
          all.stream()
              .filter(vote -> vote.state() == told)
              .map(Vote::reason)
              .distinct()
              .sorted()
              .toList());
    }
  }

  /** Adds votes, and forgets the oldest commands. */
  private static final class Collect
      implements AggregateFunction<
          Map<String, Map<String, String>>,
          Map<String, Map<String, String>>,
          Map<String, Map<String, String>>> {
    private static final long serialVersionUID = 1L;

    @Override
    public Map<String, Map<String, String>> createAccumulator() {
      return new LinkedHashMap<>();
    }

    @Override
    public Map<String, Map<String, String>> add(
        Map<String, Map<String, String>> change, Map<String, Map<String, String>> all) {
      change.forEach(
          (command, votes) -> {
            Map<String, String> before = all.remove(command);
            Map<String, String> now = before == null ? new HashMap<>() : before;
            now.putAll(votes);
            all.put(command, now); // the last one is the newest
          });
      Iterator<String> oldest = all.keySet().iterator();
      while (all.size() > REMEMBERED) {
        oldest.next();
        oldest.remove();
      }
      return all;
    }

    @Override
    public Map<String, Map<String, String>> getResult(Map<String, Map<String, String>> all) {
      // a copy: it is sent while others vote
      Map<String, Map<String, String>> copy = new HashMap<>();
      all.forEach((command, votes) -> copy.put(command, new HashMap<>(votes)));
      return copy;
    }

    @Override
    public Map<String, Map<String, String>> merge(
        Map<String, Map<String, String>> a, Map<String, Map<String, String>> b) {
      return add(a, b);
    }
  }
}
