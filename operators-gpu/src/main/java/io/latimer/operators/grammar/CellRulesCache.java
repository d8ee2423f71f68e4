package io.latimer.operators.grammar;

import java.util.Arrays;

/**
 * Caches the rules of cells by the classes found there: the many cells of natural sentences have
 * few distinct sets of classes. Is emptied when it is full. Not thread-safe.
 */
final class CellRulesCache {
  /** A power of two; at most half of the slots are used. */
  private static final int SLOTS = 1 << 13;

  private static final long MOST_BYTES = 32L << 20;

  private final ClassTables tables;
  private final CellRules[] slots = new CellRules[SLOTS];
  private int used;
  private long bytes;

  CellRulesCache(ClassTables tables) {
    this.tables = tables;
  }

  /**
   * The rules of a cell.
   *
   * @param found mask of the classes found there
   */
  CellRules of(long[] found) {
    int slot = slot(found);
    CellRules rules = slots[slot];
    return rules == null ? add(found, slot) : rules;
  }

  private CellRules add(long[] found, int free) {
    CellRules rules = new CellRules(tables, found);
    int slot = free;
    if (used == SLOTS / 2 || bytes + rules.bytes() > MOST_BYTES) {
      Arrays.fill(slots, null);
      used = 0;
      bytes = 0;
      slot = slot(found);
    }
    slots[slot] = rules;
    used++;
    bytes += rules.bytes();
    return rules;
  }

  /** The slot of a cell's rules, or a free one for them. */
  private int slot(long[] found) {
    long hash = 0;
    for (long word : found) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    int slot = (int) hash & SLOTS - 1;
    while (slots[slot] != null && !Arrays.equals(slots[slot].found, found)) {
      slot = slot + 1 & SLOTS - 1;
    }
    return slot;
  }
}
