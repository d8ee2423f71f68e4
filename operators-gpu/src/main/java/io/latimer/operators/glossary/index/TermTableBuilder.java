package io.latimer.operators.glossary.index;

import io.latimer.operators.text.terms.Term;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;

/**
 * Builds the table of a glossary. A seed under which the hashes of two source forms collide, or too
 * many fall together, is given up for the next; so whatever the terms are, no search takes long.
 */
final class TermTableBuilder {
  private final TermList terms;
  private final TermFolding folding;
  private final boolean lastCounts;
  private final int slots;
  private TermTable table;
  private int conflicts;
  private int first = -1; // the first term with another translation than one before it
  private int other;

  /**
   * Starts a table.
   *
   * @param words of all source forms
   * @param lastCounts whether the last of several translations of a source form counts
   */
  TermTableBuilder(TermList terms, TermFolding folding, int words, boolean lastCounts) {
    this.terms = terms;
    this.folding = folding;
    this.lastCounts = lastCounts;
    this.slots = 2 * words + 1;
  }

  /**
   * Builds it.
   *
   * @param where says where a term stands, by its number
   * @throws GlossaryFormatException if a source form has two translations, of which none counts
   */
  TermTable build(IntFunction<String> where) {
    for (int seed = 0; seed < GlossarySettings.SEEDS; seed++) {
      ByteBuffer bytes =
          ByteBuffer.allocate(GlossarySections.SLOT_BYTES * slots).order(ByteOrder.LITTLE_ENDIAN);
      table = new TermTable(bytes, seed);
      conflicts = 0;
      first = -1;
      if (addAll()) {
        requireNoConflict(where);
        return table;
      }
    }
    throw new GlossaryFormatException(
        "the glossary has source forms that are made to collide; no table takes them");
  }

  private boolean addAll() {
    for (int source = 0; source < terms.sources(); source++) {
      if (!add(source, terms.termOf(source))) {
        return false;
      }
    }
    return true;
  }

  /** Adds a source form and its beginnings; returns false if the seed does not suit it. */
  private boolean add(int source, int term) {
    TermWords words = TermWords.of(terms.source(source), folding);
    boolean sensitive = terms.isSensitive(term);
    int entry = source + GlossarySections.FIRST_SOURCE;
    long hash = TermHash.start(table.seed(), sensitive);
    for (int i = 0; i + 1 < words.size(); i++) {
      hash = TermHash.next(hash, words.hash(i, i == 0, sensitive));
      if (table.entry(hash) == GlossarySections.FREE
          && table.put(hash, GlossarySections.BEGINNING) < 0) {
        return false;
      }
    }
    int last = words.size() - 1;
    hash = TermHash.next(hash, words.hash(last, last == 0, sensitive));
    int found = table.put(hash, entry);
    return found == entry || (found >= 0 && repeat(found, hash, words, entry, term));
  }

  /** Decides between two source forms of the same hash; returns false if they are different. */
  private boolean repeat(int found, long hash, TermWords words, int entry, int term) {
    int earlier = found - GlossarySections.FIRST_SOURCE;
    TermWords before = TermWords.of(terms.source(earlier), folding);
    int earlierTerm = terms.termOf(earlier);
    if (before.size() != words.size() || !words.have(0, before, terms.isSensitive(term))) {
      return false;
    }
    if (lastCounts) {
      table.replace(hash, entry);
      return true;
    }
    Term one = terms.term(earlierTerm);
    Term two = terms.term(term);
    if (!one.targets().equals(two.targets()) || one.rule() != two.rule()) {
      conflicts++;
      if (first < 0) {
        first = term;
        other = earlierTerm;
      }
    }
    return true;
  }

  private void requireNoConflict(IntFunction<String> where) {
    if (conflicts > 0) {
      throw new GlossaryFormatException(
          where.apply(first)
              + ": \""
              + terms.term(first).sources().get(0)
              + "\" has another translation than in "
              + where.apply(other)
              + (conflicts == 1 ? "" : ", and " + (conflicts - 1) + " more such terms")
              + "; remove one, or write all forms in one of them, separated by |");
    }
  }
}
