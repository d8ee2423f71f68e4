package io.latimer.operators.glossary.index;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.text.terms.Term;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The terms of a glossary and the table that finds them, used in place where they are mapped, or in
 * memory. Immutable; shared by threads. Stays usable after the index file is closed.
 *
 * <p>The table has every beginning of a source form, word by word, under a hash of its words. So a
 * search follows the words of a sentence as long as a term may come, and takes no more steps than
 * the longest term has words, whatever the glossary is.
 */
public final class GlossaryIndex implements AutoCloseable {
  /** Files of glossaries, {@code .ltx}. */
  public static final IndexKind KIND =
      new IndexKind(
          "glossary",
          GlossarySections.VERSION,
          GlossarySections.VERSION,
          file -> GlossaryIndex.open(file).close());

  /** Maximum number of words of a source form. */
  public static final int MAX_WORDS = 32;

  /** Maximum number of terms. */
  public static final int MAX_TERMS = GlossarySettings.MAX_TERMS;

  private static final long MAX_JSON = 1L << 16;

  private final String id;
  private final String version;
  private final GlossarySettings settings;
  private final TermFolding folding;
  private final TermList terms;
  private final TermTable table;

  private GlossaryIndex(
      String id, String version, GlossarySettings settings, Map<String, ByteBuffer> sections) {
    this.id = id;
    this.version = version;
    this.settings = settings;
    this.folding = TermFolding.of(settings.sourceLanguage());
    this.terms = new TermList(sections);
    this.table = new TermTable(sections.get(GlossarySections.TABLE), settings.seed());
  }

  /** An index in memory, of what the builder made. */
  static GlossaryIndex inMemory(GlossarySettings settings, Map<String, ByteBuffer> sections) {
    return new GlossaryIndex("", "", settings, sections);
  }

  /**
   * Opens an index without trusting it: every size and every number is checked, but not whether the
   * table has all terms. Where it is wrong terms are not found, but no search leaves the index or
   * loops forever. Nothing is copied into memory.
   *
   * @throws IndexFormatException if it is of another kind or version, or its sections are not those
   *     of its settings
   * @throws GlossaryIndexException if its content is not sound
   */
  public static GlossaryIndex open(IndexFile file) {
    GlossarySettings settings = settings(file);
    Map<String, Long> lengths = GlossarySections.lengths(settings);
    Set<String> names = new HashSet<>(lengths.keySet());
    names.add(GlossarySections.SETTINGS);
    names.addAll(GlossarySections.TEXTS);
    file.requireSections(names);
    lengths.forEach((name, length) -> file.requireLength(name, length, length));
    GlossarySections.TEXTS.forEach(name -> file.requireLength(name, 0, GlossarySections.MAX_TEXT));
    Map<String, ByteBuffer> sections = new HashMap<>();
    lengths.keySet().forEach(name -> sections.put(name, file.section(name)));
    GlossarySections.TEXTS.forEach(name -> sections.put(name, file.section(name)));
    try {
      new GlossaryChecks(settings, sections).check();
    } catch (IndexFormatException e) {
      throw new GlossaryIndexException(file.path() + " is not sound: " + e.getMessage(), e);
    }
    return new GlossaryIndex(file.contentId(), file.version(), settings, sections);
  }

  /**
   * What an index contains, by its settings alone; nothing else is read.
   *
   * @throws IndexFormatException if it is of another kind or version
   * @throws GlossaryIndexException if its settings are not sound
   */
  public static GlossaryReport report(IndexFile file) {
    return GlossaryReport.of(settings(file), file.length());
  }

  private static GlossarySettings settings(IndexFile file) {
    file.expect(KIND);
    file.requireLength(GlossarySections.SETTINGS, 1, MAX_JSON);
    ByteBuffer json = file.section(GlossarySections.SETTINGS);
    byte[] bytes = new byte[json.remaining()];
    json.get(bytes);
    return GlossarySettings.fromJson(file.path().toString(), bytes);
  }

  /** The content id of the index file: 64 hexadecimal digits; empty in memory. */
  public String id() {
    return id;
  }

  /** The producer's version of the index; may be empty. */
  public String version() {
    return version;
  }

  /** BCP 47 tag of the source forms. */
  public String sourceLanguage() {
    return settings.sourceLanguage();
  }

  /** BCP 47 tag of the target forms. */
  public String targetLanguage() {
    return settings.targetLanguage();
  }

  /** The number of terms. */
  public int size() {
    return settings.terms();
  }

  /** How sentences are folded before they are compared with the source forms. */
  public TermFolding folding() {
    return folding;
  }

  /**
   * A term by its number, in the order in which they were added.
   *
   * @throws GlossaryIndexException if the index is damaged and its forms are not sound
   */
  public Term term(int number) {
    return terms.term(Objects.checkIndex(number, size()));
  }

  /**
   * A term that was found.
   *
   * @param words of the source form that stands there
   * @param number of the term, for {@link #term}
   */
  public record Found(int words, int number) {}

  /**
   * The term with the longest source form that stands at a word; of two terms that differ only in
   * whether their case counts, the one whose case does.
   *
   * @param words of a sentence, folded by {@link #folding}
   * @return null if no term stands there
   */
  public Found longest(TermWords words, int at) {
    Found folded =
        settings.caseSensitiveTerms() < settings.terms() ? longest(words, at, false) : null;
    Found plain = settings.caseSensitiveTerms() > 0 ? longest(words, at, true) : null;
    return folded == null || (plain != null && plain.words() >= folded.words()) ? plain : folded;
  }

  private Found longest(TermWords words, int at, boolean sensitive) {
    int longest = 0;
    int found = 0;
    long hash = TermHash.start(settings.seed(), sensitive);
    int end = Math.min(words.size(), at + MAX_WORDS);
    for (int i = at; i < end; i++) {
      hash = TermHash.next(hash, words.hash(i, i == at, sensitive));
      int entry = table.entry(hash);
      if (entry == GlossarySections.FREE) {
        break;
      }
      // compared at once: as many words follow as forms were compared, unless hashes collide
      if (entry != GlossarySections.BEGINNING) {
        int source = entry - GlossarySections.FIRST_SOURCE;
        TermWords form = TermWords.of(terms.source(source), folding);
        if (form.size() == i + 1 - at && words.have(at, form, sensitive)) {
          longest = form.size();
          found = source;
        }
      }
    }
    return longest == 0 ? null : new Found(longest, terms.termOf(found));
  }

  /** Does nothing: the memory belongs to the page cache. */
  @Override
  public void close() {}
}
