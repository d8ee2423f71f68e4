package io.latimer.e2e.chaos;

import io.latimer.schemas.ControlStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which commands were sent, and what the job said to them. Thread-safe. */
final class CommandLedger {
  private static final Pattern LEARNED = Pattern.compile("learned pairs from [0-9]+ to ([0-9]+).*");

  /** What a command asks for. */
  enum Kind {
    SWAP,
    APPEND,
    SET,
    /** A swap that the job sends itself, to an index file that it has written. */
    COMPACT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<String, Kind> sent = new LinkedHashMap<>();
  private final Map<String, String> ended = new LinkedHashMap<>();
  private final Map<Kind, Integer> carriedOut = new EnumMap<>(Kind.class);
  private final Map<Kind, Integer> refused = new EnumMap<>(Kind.class);
  private final List<String> repeated = new ArrayList<>();
  private long learned;

  /** Notes that a command is about to be sent. */
  synchronized void send(Kind kind, String id) {
    sent.put(id, kind);
  }

  /** Notes a status. */
  synchronized void see(ControlStatus status) {
    String id = status.getCommand();
    Kind kind = id.startsWith("compact-") ? Kind.COMPACT : sent.get(id);
    boolean ends = status.getSubtask() < 0 && !status.getState().equals("received");
    if (kind == null || !ends) { // also of a correction, which has an id of its own
      return;
    }
    String end = status.getState() + " " + status.getMessage();
    String before = ended.put(id, end);
    if (before != null) {
      repeated.add(id + ": " + before + "; then " + end);
      return;
    }
    boolean inUse = status.getState().equals("in-use");
    (inUse ? carriedOut : refused).merge(kind, 1, Integer::sum);
    Matcher pairs = LEARNED.matcher(status.getMessage());
    if (inUse && pairs.matches()) {
      learned = Long.parseLong(pairs.group(1));
    }
  }

  /** The number of pairs that the job has learned, as far as it has said it. */
  synchronized long learned() {
    return learned;
  }

  /** The commands that were sent and have not ended. */
  synchronized Set<String> underWay() {
    Set<String> open = new LinkedHashSet<>(sent.keySet());
    open.removeAll(ended.keySet());
    return open;
  }

  /** The commands whose end was told more than once. */
  synchronized List<String> repeated() {
    return List.copyOf(repeated);
  }

  /** Whether a command of each kind was carried out. */
  synchronized boolean hasAllKinds() {
    return carriedOut.size() == Kind.values().length;
  }

  /** How many of a kind were carried out. */
  synchronized int carriedOut(Kind kind) {
    return carriedOut.getOrDefault(kind, 0);
  }

  /** How many of a kind were refused. */
  synchronized int refused(Kind kind) {
    return refused.getOrDefault(kind, 0);
  }
}
