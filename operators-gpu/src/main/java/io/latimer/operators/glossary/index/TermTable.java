package io.latimer.operators.glossary.index;

import io.latimer.operators.util.Hashing;
import java.nio.ByteBuffer;

/**
 * The table of a glossary: under the hash of each beginning of a source form, word by word, whether
 * a form ends there. Thread-safe.
 */
final class TermTable {
  private final ByteBuffer bytes;
  private final int slots;
  private final int seed;

  /**
   * A table that was checked, or built.
   *
   * @param seed of its hashes
   */
  TermTable(ByteBuffer bytes, int seed) {
    this.bytes = bytes;
    this.slots = bytes.limit() / GlossarySections.SLOT_BYTES;
    this.seed = seed;
  }

  int slots() {
    return slots;
  }

  int seed() {
    return seed;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  /** The entry under a hash; {@link GlossarySections#FREE} if there is none. */
  int entry(long hash) {
    int slot = slot(hash);
    return slot < 0 ? GlossarySections.FREE : bytes.getInt(entryAt(slot));
  }

  /** The slot that has a hash, or a free one for it; -1 if there is none within reach. */
  private int slot(long hash) {
    int slot = (int) Hashing.home(hash, slots);
    for (int probes = 0; probes < GlossarySections.MAX_PROBES; probes++) {
      if (bytes.getInt(entryAt(slot)) == GlossarySections.FREE
          || bytes.getLong(GlossarySections.SLOT_BYTES * slot) == hash) {
        return slot;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return -1;
  }

  /**
   * Puts an entry into a table that is being built, in place of that of a mere beginning.
   *
   * @return what was there before, or the entry itself; -1 if there is no slot within reach
   */
  int put(long hash, int entry) {
    int slot = slot(hash);
    if (slot < 0) {
      return -1;
    }
    int before = bytes.getInt(entryAt(slot));
    if (before <= GlossarySections.BEGINNING) {
      bytes.putLong(GlossarySections.SLOT_BYTES * slot, hash);
      bytes.putInt(entryAt(slot), entry);
      return entry;
    }
    return before;
  }

  /** Puts an entry in place of whatever is there under its hash. */
  void replace(long hash, int entry) {
    bytes.putInt(entryAt(slot(hash)), entry);
  }

  private static int entryAt(int slot) {
    return GlossarySections.SLOT_BYTES * slot + GlossarySections.ENTRY_AT;
  }
}
