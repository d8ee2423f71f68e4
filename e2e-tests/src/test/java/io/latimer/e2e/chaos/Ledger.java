package io.latimer.e2e.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What was sent and what was read, by id: 0, 1, 2, ... Times are {@link System#nanoTime}.
 * Thread-safe.
 */
final class Ledger {
  private static final int FIRST_SIZE = 1 << 16;

  /** What a record is, and where it belongs. */
  enum Kind {
    SENTENCE(false),
    BIG(false),
    HANGS_ONCE(false),
    HANGS_ALWAYS(true),
    UNREADABLE(true);

    private final boolean deadLetter;

    Kind(boolean deadLetter) {
      this.deadLetter = deadLetter;
    }

    boolean isDeadLetter() {
      return deadLetter;
    }
  }

  /** A wait of the reader, between two records that it saw. */
  record Gap(long from, long to) {
    long nanos() {
      return to - from;
    }
  }

  private final List<String> duplicates = new ArrayList<>();
  private final List<String> misplaced = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private Kind[] kinds = new Kind[FIRST_SIZE];
  private long[] sent = new long[FIRST_SIZE];
  private long[] seen = new long[FIRST_SIZE];
  private int size;
  private int seenSize;
  private long latestSentOfSeen = Long.MIN_VALUE;
  private long lastSeen;
  private long words;

  /** Notes that a record is about to be sent, and gives its id. */
  synchronized int send(Kind kind) {
    if (size == sent.length) {
      kinds = Arrays.copyOf(kinds, 2 * size);
      sent = Arrays.copyOf(sent, 2 * size);
      seen = Arrays.copyOf(seen, 2 * size);
    }
    kinds[size] = kind;
    sent[size] = System.nanoTime();
    return size++;
  }

  /** Adds the words of a sentence that tables count. */
  synchronized void count(int moreWords) {
    words += moreWords;
  }

  /** Notes that a record was read. */
  synchronized void see(int id, boolean deadLetter, String place) {
    long now = System.nanoTime();
    if (id < 0 || id >= size) {
      misplaced.add("unknown id " + id + " at " + place);
      return;
    }
    if (seen[id] != 0) {
      duplicates.add(kinds[id] + " " + id + " again at " + place);
      return;
    }
    if (kinds[id].isDeadLetter() != deadLetter) {
      misplaced.add(kinds[id] + " " + id + " at " + place);
    }
    if (lastSeen != 0) {
      gaps.add(new Gap(lastSeen, now));
      if (gaps.size() > FIRST_SIZE) {
        // only long waits are asked for
        gaps.sort((a, b) -> Long.compare(b.nanos(), a.nanos()));
        gaps.subList(FIRST_SIZE / 2, gaps.size()).clear();
      }
    }
    lastSeen = now;
    seen[id] = now;
    seenSize++;
    latestSentOfSeen = Math.max(latestSentOfSeen, sent[id]);
  }

  synchronized int sent() {
    return size;
  }

  synchronized int seen() {
    return seenSize;
  }

  synchronized long words() {
    return words;
  }

  synchronized long count(Kind kind) {
    return IntStream.range(0, size).filter(id -> kinds[id] == kind).count();
  }

  /** Whether a record that was sent after a time has been read. */
  synchronized boolean sawSentAfter(long time) {
    return latestSentOfSeen - time > 0 && seenSize > 0;
  }

  synchronized boolean saw(int id) {
    return seen[id] != 0;
  }

  /** When the first of the records that were sent after a time was read; -1 if none was. */
  synchronized long firstSeenOfSentAfter(long time) {
    return IntStream.range(0, size)
        .filter(id -> sent[id] - time > 0 && seen[id] != 0)
        .mapToLong(id -> seen[id])
        .min()
        .orElse(-1);
  }

  /** Ids that were sent but not read. */
  synchronized List<Integer> lost() {
    return IntStream.range(0, size).filter(id -> seen[id] == 0).boxed().toList();
  }

  synchronized long sentAt(int id) {
    return sent[id];
  }

  synchronized List<String> duplicates() {
    return List.copyOf(duplicates);
  }

  /** Records in the other topic than expected, or that nobody sent. */
  synchronized List<String> misplaced() {
    return List.copyOf(misplaced);
  }

  /** The longest time in which the reader saw nothing. */
  synchronized Gap longestGap() {
    return gaps.stream()
        .max((a, b) -> Long.compare(a.nanos(), b.nanos()))
        .orElseThrow(() -> new IllegalStateException("fewer than two records were read"));
  }

  /** Times from sending to reading in nanoseconds, ascending. */
  synchronized long[] latencies() {
    LongStream all =
        IntStream.range(0, size).filter(id -> seen[id] != 0).mapToLong(id -> seen[id] - sent[id]);
    return all.sorted().toArray();
  }
}
