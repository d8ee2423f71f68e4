package io.latimer.operators.phrases.index;

import io.latimer.operators.index.MappedSection;
import io.latimer.operators.util.Hashing;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * How often words are linked, used in place where it is mapped; with learned pairs, a second table
 * has the links that they add, and the links of each word are those of both. The weight w(y|x) of a
 * target word given a source word is the share of their links in all links of the source word; a
 * word that is not aligned is linked to nothing, id {@link PhraseSections#END}. Thread-safe.
 */
public final class Lexicon {
  static final int SLOT_BYTES = 16;

  private final MappedSection table;
  private final MappedSection added; // null without learned pairs
  private final MappedSection sourceLinks;
  private final MappedSection targetLinks;
  private final long slots;

  /**
   * Makes a lexicon from untrusted bytes.
   *
   * @param table slots of {u32 source word, u32 target word, u32 links, u32 0}; links are 0 in free
   *     slots
   * @param sourceLinks per source word, all of its links: u32
   * @param targetLinks per target word: u32
   * @throws PhraseIndexException if a lookup might not end, or a number is out of range
   */
  Lexicon(MappedSection table, MappedSection sourceLinks, MappedSection targetLinks) {
    this(table, null, sourceLinks, targetLinks);
    check();
  }

  private Lexicon(
      MappedSection table,
      MappedSection added,
      MappedSection sourceLinks,
      MappedSection targetLinks) {
    this.table = table;
    this.added = added;
    this.sourceLinks = sourceLinks;
    this.targetLinks = targetLinks;
    this.slots = table.length() / SLOT_BYTES;
  }

  /**
   * This lexicon with the links of learned pairs; the table is shared.
   *
   * @param links of the learned pairs alone
   * @param sourceWords ids of all source words
   * @param targetWords ids of all target words
   */
  Lexicon with(LinkCounts links, int sourceWords, int targetWords) {
    Sections sections = new Sections(links, sourceWords, targetWords);
    return new Lexicon(
        table,
        MappedSection.inMemory((long) SLOT_BYTES * sections.slots(), sections::table),
        sum(sourceLinks, sections.sourceLinks()),
        sum(targetLinks, sections.targetLinks()));
  }

  /** Adds totals to those of the learned pairs, which are changed. */
  private static MappedSection sum(MappedSection totals, int[] added) {
    int words = (int) (totals.length() / Integer.BYTES);
    for (int word = 0; word < words; word++) {
      Sections.add(added, word, totals.getInt((long) word * Integer.BYTES));
    }
    return MappedSection.inMemory(
        (long) Integer.BYTES * added.length, out -> Pieces.write(added, out));
  }

  private void check() {
    long sourceWords = checkTotals("source", sourceLinks);
    long targetWords = checkTotals("target", targetLinks);
    boolean free = false;
    for (long slot = 0; slot < slots; slot++) {
      long at = slot * SLOT_BYTES;
      int links = table.getInt(at + 8);
      free |= links == 0;
      if (links != 0) {
        int source = table.getInt(at);
        int target = table.getInt(at + 4);
        boolean known = source >= 0 && source < sourceWords && target >= 0 && target < targetWords;
        if (!known || links < 0 || links > sourceLinks(source) || links > targetLinks(target)) {
          throw new PhraseIndexException(
              "slot "
                  + slot
                  + " of the lexicon links the words "
                  + Integer.toUnsignedString(source)
                  + " and "
                  + Integer.toUnsignedString(target)
                  + " "
                  + Integer.toUnsignedString(links)
                  + " times, which their number or their other links do not allow");
        }
      }
    }
    if (!free) {
      throw new PhraseIndexException("the lexicon has no free slot");
    }
  }

  /** Checks the totals of words, also of those that no slot names; returns how many there are. */
  private static long checkTotals(String side, MappedSection totals) {
    long words = totals.length() / Integer.BYTES;
    for (long word = 0; word < words; word++) {
      int links = totals.getInt(word * Integer.BYTES);
      if (links < 0) {
        throw new PhraseIndexException(
            side
                + " word "
                + word
                + " of the lexicon has "
                + Integer.toUnsignedString(links)
                + " links, more than an index can have");
      }
    }
    return words;
  }

  /** The table of pairs of words; without those that learned pairs add. */
  public MappedSection table() {
    return table;
  }

  /** The links of each source word. */
  public MappedSection sourceLinks() {
    return sourceLinks;
  }

  /** The links of each target word. */
  public MappedSection targetLinks() {
    return targetLinks;
  }

  /** The table of the links that learned pairs add; null without them. */
  public MappedSection added() {
    return added;
  }

  /** Slots of a table. */
  public static long slots(MappedSection table) {
    return table.length() / SLOT_BYTES;
  }

  /** Slots of the table. */
  public long slots() {
    return slots;
  }

  /** w(y|x): the probability of a target word given a source word; 0 if they are never linked. */
  public double targetGivenSource(int source, int target) {
    int links = links(source, target);
    return links == 0 ? 0 : (double) links / sourceLinks(source);
  }

  /** w(x|y): the probability of a source word given a target word; 0 if they are never linked. */
  public double sourceGivenTarget(int source, int target) {
    int links = links(source, target);
    return links == 0 ? 0 : (double) links / targetLinks(target);
  }

  /** How often two words are linked. */
  public int links(int source, int target) {
    int links = links(table, slots, source, target);
    return added == null ? links : links + links(added, slots(added), source, target);
  }

  private static int links(MappedSection table, long slots, int source, int target) {
    long key = (long) source << 32 | target;
    long slot = home(key, slots);
    while (true) {
      long at = slot * SLOT_BYTES;
      int links = table.getInt(at + 8);
      if (links == 0 || (table.getInt(at) == source && table.getInt(at + 4) == target)) {
        return links;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
  }

  /** All links of a source word; of {@link PhraseSections#END}: target words not aligned. */
  public int sourceLinks(int word) {
    return sourceLinks.getInt((long) word * Integer.BYTES);
  }

  /** All links of a target word; of {@link PhraseSections#END}: source words not aligned. */
  public int targetLinks(int word) {
    return targetLinks.getInt((long) word * Integer.BYTES);
  }

  /** Adds all links to counts, as when more text is to follow. */
  void addTo(LinkCounts counts) {
    addTo(counts, table);
    if (added != null) {
      addTo(counts, added);
    }
  }

  private static void addTo(LinkCounts counts, MappedSection table) {
    for (long at = 0; at < table.length(); at += SLOT_BYTES) {
      int links = table.getInt(at + 8);
      if (links != 0) {
        counts.add(table.getInt(at), table.getInt(at + 4), links);
      }
    }
  }

  private static long home(long key, long slots) {
    return Hashing.home(Hashing.mix(key), slots);
  }

  /** The sections of a lexicon, made from counts. */
  static final class Sections {
    private final long[] pairs; // by slot: source word in the upper half, target in the lower
    private final int[] links;
    private final int[] sourceLinks;
    private final int[] targetLinks;

    /**
     * Lays out a lexicon: at most half of its slots are taken, in ascending order of the pairs, so
     * that equal counts give equal bytes.
     */
    Sections(LinkCounts counts, int sourceWords, int targetWords) {
      int slots = 2 * counts.size() + 1;
      pairs = new long[slots];
      links = new int[slots];
      sourceLinks = new int[sourceWords];
      targetLinks = new int[targetWords];
      for (long pair : counts.sorted()) {
        int count = counts.count(pair);
        int slot = (int) home(pair, slots);
        while (links[slot] != 0) {
          slot = slot + 1 == slots ? 0 : slot + 1;
        }
        pairs[slot] = pair;
        links[slot] = count;
        add(sourceLinks, (int) (pair >>> 32), count);
        add(targetLinks, (int) pair, count);
      }
    }

    private static void add(int[] totals, int word, int count) {
      if (totals[word] > Integer.MAX_VALUE - count) {
        throw new PhraseTextException("a word has 2^31 links or more; split the text");
      }
      totals[word] += count;
    }

    int slots() {
      return links.length;
    }

    /** The bytes of the table, in pieces. */
    void table(Consumer<ByteBuffer> out) {
      Pieces pieces = new Pieces(out);
      for (int slot = 0; slot < links.length; slot++) {
        pieces.putInt((int) (pairs[slot] >>> 32));
        pieces.putInt((int) pairs[slot]);
        pieces.putInt(links[slot]);
        pieces.putInt(0);
      }
      pieces.end();
    }

    int[] sourceLinks() {
      return sourceLinks;
    }

    int[] targetLinks() {
      return targetLinks;
    }
  }
}
