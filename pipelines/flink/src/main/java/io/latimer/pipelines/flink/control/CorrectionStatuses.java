package io.latimer.pipelines.flink.control;

import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.TaughtPair;
import io.latimer.operators.text.SentenceKey;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.CorrectionStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What becomes of the first corrections of each append command, for its last status. Those of a
 * command that was prepared before a restore are not known. Thread-safe.
 */
final class CorrectionStatuses {
  /** Maximum number of corrections in a status. */
  static final int MOST = 10;

  private static final String LEARNED = "learned";

  private final Map<String, List<CorrectionStatus>> commands = new ConcurrentHashMap<>();

  /**
   * Begins to prepare a command.
   *
   * @param before what the stage knows
   */
  void begin(ControlCommand command, LearnedPairs before) {
    List<Correction> corrections = first(command);
    Map<SentenceKey, String> taught = taught(corrections, before);
    Set<String> known = new HashSet<>();
    before.pairs().forEach(pair -> known.add(pair.id()));
    List<CorrectionStatus> statuses = new ArrayList<>();
    for (Correction one : corrections) {
      String source = one.getSource();
      boolean fresh = known.add(one.getId());
      String last = fresh ? taught.put(SentenceKey.of(source), one.getTarget().strip()) : "";
      statuses.add(
          CorrectionStatus.newBuilder()
              .setId(one.getId())
              .setState(fresh ? LEARNED : "known")
              .setSource(source)
              .setBefore(last == null ? "" : last)
              .build());
    }
    commands.put(command.getId(), statuses);
  }

  private static List<Correction> first(ControlCommand command) {
    List<Correction> all = command.getAppend();
    return all.subList(0, Math.min(MOST, all.size()));
  }

  /** What was last taught for the sources of corrections. */
  private static Map<SentenceKey, String> taught(
      List<Correction> corrections, LearnedPairs before) {
    Set<SentenceKey> asked =
        corrections.stream()
            .map(one -> SentenceKey.of(one.getSource()))
            .collect(Collectors.toSet());
    Map<SentenceKey, String> taught = new HashMap<>();
    for (TaughtPair pair : before.taught()) {
      SentenceKey key = SentenceKey.of(pair.source());
      if (asked.contains(key)) {
        taught.put(key, pair.target());
      }
    }
    return taught;
  }

  /**
   * Says how a stage has translated what was not taught before. Commands with more corrections than
   * have a status are left out, so that they need not wait for it.
   *
   * @param translate translates texts, if the stage does: a translation for each, or none at all
   */
  void translated(ControlCommand command, UnaryOperator<List<String>> translate) {
    Set<String> raw =
        command.getAppend().stream()
            .filter(one -> one.getAlignment() == null)
            .map(Correction::getId)
            .collect(Collectors.toSet());
    List<CorrectionStatus> untaught =
        commands.getOrDefault(command.getId(), List.of()).stream()
            .filter(one -> one.getState().equals(LEARNED) && one.getBefore().isEmpty())
            .filter(one -> raw.contains(one.getId()))
            .toList();
    if (command.getAppend().size() > MOST || untaught.isEmpty()) {
      return;
    }
    List<String> before =
        translate.apply(untaught.stream().map(CorrectionStatus::getSource).toList());
    for (int i = 0; i < before.size(); i++) {
      untaught.get(i).setBefore(before.get(i));
    }
  }

  /** Says how a stage will translate what it learns from a command. */
  void prepared(ControlCommand command, List<LearnedPair> fresh) {
    Map<String, String> texts =
        fresh.stream().collect(Collectors.toMap(LearnedPair::id, LearnedPair::rawTarget));
    commands
        .getOrDefault(command.getId(), List.of())
        .forEach(one -> one.setAfter(texts.getOrDefault(one.getId(), "")));
  }

  /**
   * The statuses of a command that has ended, which are forgotten then.
   *
   * @param unused ids of the corrections that were not learned
   * @param why they were not
   */
  List<CorrectionStatus> end(ControlCommand command, Collection<String> unused, String why) {
    List<CorrectionStatus> ended = commands.remove(command.getId());
    if (ended == null) {
      return List.of();
    }
    for (CorrectionStatus one : ended) {
      if (one.getState().equals(LEARNED) && unused.contains(one.getId())) {
        one.setState("refused");
        one.setReason(why);
        one.setAfter("");
      }
    }
    return ended;
  }
}
