package io.latimer.pipelines.flink.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;

/**
 * Two-phase agreement of all subtasks of a job's groups on a command. Each subtask votes through
 * the job master and sees the votes of the others. A command takes effect once all have prepared
 * it; one refusal is a veto.
 *
 * <p>A round lasts from one start of the tasks, which all start together, to the next; nothing that
 * was prepared survives a restart. The job master cannot load the job's classes, so votes are sent
 * as types of the JDK. If the job master fails, so do the tasks, and a new round begins.
 */
final class CommandVotes {
  /** A subtask's progress with a command. */
  enum State {
    /** It has the command in its state, but has not prepared or refused it yet. */
    PENDING,
    /** It can apply the command. */
    PREPARED,
    /** It cannot apply the command. */
    REFUSED,
    /** The decision was to apply the command, and this subtask has done so. */
    APPLIED,
    /** The decision was not to apply the command. */
    DROPPED
  }

  /**
   * A subtask's vote on a command.
   *
   * @param reason why it is refused or dropped; otherwise empty
   * @param ended whether the subtask has nothing more to do for the command
   */
  record Vote(State state, String reason, boolean ended) {
    static final Vote PENDING = new Vote(State.PENDING, "", false);
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

  /**
   * Number of commands whose outcomes subtasks remember: for all groups together, and for each
   * group. More than can be pending.
   */
  static final int REMEMBERED = 256;

  /** Longer reasons are cut, because every subtask receives the reasons of all. */
  static final int MAX_REASON = 1_000;

  private static final String NAME = "commands";

  /** A pseudo command on which a subtask votes to say that it has begun the round. */
  private static final String BEGUN = "";

  private final String voter;
  private final int remembered;
  private final GlobalAggregateManager master;

  /**
   * Creates the votes of a subtask.
   *
   * @param groups all of the job, each by the name of its first stage
   * @param group that of the subtask
   */
  CommandVotes(
      List<String> groups, String group, int subtask, int subtasks, GlobalAggregateManager master) {
    this.voter = group + " " + subtask + "/" + subtasks;
    this.remembered = 2 * REMEMBERED * (groups.size() + 1); // also those of the previous round
    this.master = master;
  }

  /** Cuts a reason that is too long. */
  static String cut(String reason) {
    return reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON) + "...";
  }

  /**
   * Begins a round.
   *
   * @param known the subtask's votes on commands from before; the others see them no later than its
   *     begin
   * @return the votes of the subtasks that have begun
   */
  Votes begin(String round, Map<String, Vote> known) throws IOException {
    Map<String, Vote> all = new LinkedHashMap<>(known);
    all.put(BEGUN, Vote.PENDING);
    return send(round, all, BEGUN);
  }

  /**
   * Votes, replacing an earlier vote of this subtask.
   *
   * @return the votes so far
   */
  Votes vote(String round, String command, Vote vote) throws IOException {
    return send(round, Map.of(command, vote), command);
  }

  private Votes send(String round, Map<String, Vote> votes, String asked) throws IOException {
    Map<String, Map<String, String>> mine = new LinkedHashMap<>();
    votes.forEach(
        (command, vote) ->
            mine.put(key(round, command), new HashMap<>(Map.of(voter, vote.encode()))));
    List<Tally> all = new ArrayList<>();
    master
        .updateGlobalAggregate(NAME, mine, new Collect(key(round, asked), remembered))
        .forEach((voters, votesOfGroup) -> all.addAll(Tally.of(voters, votesOfGroup)));
    return new Votes(all);
  }

  /**
   * The number of equal votes in a group.
   *
   * @param subtasks number of the group's subtasks
   * @param count how many of them cast this vote, 1 or more
   */
  record Tally(String group, int subtasks, Vote vote, int count) {
    /**
     * Reads the votes of a group.
     *
     * @param voters a group and its size, as from {@link #voters(String)}
     * @param counts of equal votes, by encoded vote
     */
    private static List<Tally> of(String voters, Map<String, Integer> counts) {
      int slash = voters.lastIndexOf('/');
      String group = voters.substring(0, slash);
      int subtasks = Integer.parseInt(voters.substring(slash + 1));
      List<Tally> tallies = new ArrayList<>();
      counts.forEach(
          (text, count) -> tallies.add(new Tally(group, subtasks, Vote.decode(text), count)));
      return tallies;
    }

    /** The group of a voter, with the number of its subtasks. */
    private static String voters(String voter) {
      return voter.substring(0, voter.lastIndexOf(' ')) + voter.substring(voter.lastIndexOf('/'));
    }
  }

  private static String key(String round, String command) {
    return round + " " + command;
  }

  /**
   * The votes on a command.
   *
   * @param all equal votes as one tally: there may be hundreds of subtasks, each of which asks
   */
  record Votes(List<Tally> all) {
    /** Whether all subtasks of some groups have voted. */
    boolean complete(Collection<String> groups) {
      Map<String, Integer> missing = new HashMap<>(); // by group
      for (Tally tally : all) {
        missing.putIfAbsent(tally.group(), tally.subtasks());
        missing.merge(tally.group(), -tally.count(), Integer::sum);
      }
      return groups.stream().allMatch(group -> missing.getOrDefault(group, 1) == 0);
    }

    boolean have(State state) {
      return all.stream().anyMatch(tally -> tally.vote().state() == state);
    }

    /** Whether all voters know the decision. */
    boolean decided() {
      return all.stream().allMatch(tally -> tally.vote().isDecided());
    }

    /** Whether all voters have nothing more to do. */
    boolean ended() {
      return all.stream().allMatch(tally -> tally.vote().ended());
    }

    /** Why the command is or was refused; empty if it is not. Requires complete votes. */
    String refusal() {
      if (have(State.APPLIED)) {
        return "";
      }
      State told = have(State.DROPPED) ? State.DROPPED : State.REFUSED;
      return cut(
          String.join(
              "; ",
              all.stream()
                  .map(Tally::vote)
                  .filter(vote -> vote.state() == told)
                  .map(Vote::reason)
                  .distinct()
                  .sorted()
                  .toList()));
    }
  }

  /** Adds votes, forgets the oldest commands, and counts the votes on one command by group. */
  private record Collect(String asked, int remembered)
      implements AggregateFunction<
          Map<String, Map<String, String>>,
          Map<String, Map<String, String>>,
          Map<String, Map<String, Integer>>> {
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
      while (all.size() > remembered) {
        oldest.next();
        oldest.remove();
      }
      return all;
    }

    @Override
    public Map<String, Map<String, Integer>> getResult(Map<String, Map<String, String>> all) {
      Map<String, Map<String, Integer>> counts = new HashMap<>();
      all.get(asked)
          .forEach(
              (voter, vote) ->
                  counts
                      .computeIfAbsent(Tally.voters(voter), voters -> new HashMap<>())
                      .merge(vote, 1, Integer::sum));
      return counts;
    }

    @Override
    public Map<String, Map<String, String>> merge(
        Map<String, Map<String, String>> a, Map<String, Map<String, String>> b) {
      return add(a, b);
    }
  }
}
