package io.latimer.operators.glossary.index;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.text.terms.Term;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Makes glossaries, as index files or in memory. Equal terms in the same order give equal bytes.
 * Needs memory for the index, and half as much again while it grows: some 150 MB for a million
 * terms of two words, and never more than 900 MB.
 */
public final class GlossaryBuilder {
  /** What becomes of a source form that has another translation already. */
  public enum Repeated {
    /** The glossary is refused, naming both places. */
    REFUSED,
    /** The last one counts. */
    LAST_COUNTS
  }

  private final String sourceLanguage;
  private final String targetLanguage;
  private final Repeated repeated;
  private final IntFunction<String> where;
  private final TermFolding folding;
  private final ByteColumn sourceText = new ByteColumn(GlossarySections.MAX_TEXT);
  private final ByteColumn sourceOffsets = new ByteColumn(Integer.MAX_VALUE - 8);
  private final ByteColumn targetText = new ByteColumn(GlossarySections.MAX_TEXT);
  private final ByteColumn targetOffsets = new ByteColumn(Integer.MAX_VALUE - 8);
  private final ByteColumn termSources = new ByteColumn(Integer.MAX_VALUE - 8);
  private final ByteColumn termTargets = new ByteColumn(Integer.MAX_VALUE - 8);
  private final ByteColumn rules = new ByteColumn(GlossarySettings.MAX_TERMS);
  private final ByteColumn places = new ByteColumn(4 * GlossarySettings.MAX_TERMS);
  private int terms;
  private int caseSensitiveTerms;
  private int sources;
  private int targets;
  private int words;

  /**
   * Starts a glossary.
   *
   * @param sourceLanguage BCP 47 tag
   * @param targetLanguage BCP 47 tag
   * @param where says where a term stands, such as "terms.tsv line 7", by its place
   */
  public GlossaryBuilder(
      String sourceLanguage, String targetLanguage, Repeated repeated, IntFunction<String> where) {
    this.sourceLanguage = sourceLanguage;
    this.targetLanguage = targetLanguage;
    this.repeated = repeated;
    this.where = where;
    this.folding = TermFolding.of(sourceLanguage);
    sourceOffsets.addInt(0);
    targetOffsets.addInt(0);
    termSources.addInt(0);
    termTargets.addInt(0);
    requireTag(sourceLanguage);
    requireTag(targetLanguage);
  }

  /**
   * Writes an index with the terms of another and more, which count before those of the other with
   * the same source form; of several, the last.
   *
   * @param index the file to add to, which is not changed
   * @param more 1 or more
   * @param out the file to write; may be the same, which is then replaced
   * @throws GlossaryFormatException if the terms do not fit
   * @throws io.latimer.operators.index.CorruptIndexException if the file to add to is damaged
   * @see #write
   */
  public static GlossaryReport append(Path index, List<Term> more, Path out, String version) {
    try (IndexFile file = IndexFile.open(index)) {
      file.verify();
      GlossaryIndex base = GlossaryIndex.open(file);
      GlossaryBuilder builder =
          new GlossaryBuilder(
              base.sourceLanguage(),
              base.targetLanguage(),
              Repeated.LAST_COUNTS,
              place -> "term " + place);
      for (int i = 0; i < base.size(); i++) {
        builder.add(base.term(i), i + 1);
      }
      for (Term term : more) {
        builder.add(term, builder.size() + 1);
      }
      return builder.write(out, version);
    }
  }

  private static void requireTag(String tag) {
    if (tag.isEmpty() || tag.length() > GlossarySettings.MAX_TAG) {
      throw new IllegalArgumentException("not a language tag: \"" + tag + "\"");
    }
  }

  /**
   * Adds a term.
   *
   * @param place its line, or its number, for messages
   * @throws GlossaryFormatException if it has too many words, or the glossary is full
   */
  public void add(Term term, int place) {
    for (String form : term.sources()) {
      words += words(form, place);
      if (words > GlossarySettings.MAX_WORDS) {
        throw full(place, GlossarySettings.MAX_WORDS + " words of source forms");
      }
      addForm(form, sourceText, sourceOffsets, place);
    }
    for (String form : term.targets()) {
      if (targets == GlossarySettings.MAX_WORDS) {
        throw full(place, GlossarySettings.MAX_WORDS + " target forms");
      }
      targets++;
      addForm(form, targetText, targetOffsets, place);
    }
    if (terms == GlossarySettings.MAX_TERMS) {
      throw full(place, GlossarySettings.MAX_TERMS + " terms");
    }
    sources += term.sources().size();
    terms++;
    caseSensitiveTerms += term.caseSensitive() ? 1 : 0;
    termSources.addInt(sources);
    termTargets.addInt(targets);
    rules.add(new byte[] {GlossarySections.bits(term.rule(), term.caseSensitive())});
    places.addInt(place);
  }

  private int words(String form, int place) {
    int size = TermWords.of(form, folding).size();
    if (size == 0 || size > GlossaryIndex.MAX_WORDS) {
      throw new GlossaryFormatException(
          where.apply(place)
              + ": expected a source form of 1 to "
              + GlossaryIndex.MAX_WORDS
              + " words, found "
              + size
              + " in \""
              + form
              + "\"; punctuation marks and Chinese, Japanese, Korean and Thai characters are one"
              + " word each");
    }
    return size;
  }

  private void addForm(String form, ByteColumn text, ByteColumn offsets, int place) {
    if (!text.add(form.getBytes(StandardCharsets.UTF_8))) {
      throw full(place, GlossarySections.MAX_TEXT + " bytes of text");
    }
    offsets.addInt(text.length());
  }

  private GlossaryFormatException full(int place, String what) {
    return new GlossaryFormatException(
        where.apply(place) + ": a glossary takes at most " + what + "; split it");
  }

  /** The number of terms so far. */
  public int size() {
    return terms;
  }

  /**
   * The glossary in memory.
   *
   * @throws GlossaryFormatException if a source form is repeated and must not be
   */
  public GlossaryIndex inMemory() {
    Map<String, ByteBuffer> sections = sections();
    TermTable table = addTable(sections);
    return GlossaryIndex.inMemory(settings(table), sections);
  }

  /**
   * Writes the index.
   *
   * @param out the file to write; replaced if it exists
   * @param version recorded in the file; at most 64 bytes of UTF-8, may be empty
   * @throws GlossaryFormatException if a source form is repeated and must not be
   * @throws io.latimer.operators.index.IndexFormatException if the index cannot be written
   */
  public GlossaryReport write(Path out, String version) {
    Map<String, ByteBuffer> sections = sections();
    GlossarySettings settings = settings(addTable(sections));
    try (IndexFileWriter file = IndexFileWriter.create(out, GlossaryIndex.KIND, version)) {
      file.add(GlossarySections.SETTINGS, SettingsJson.write(settings));
      sections.forEach(file::add);
      file.commit();
    }
    try (IndexFile file = IndexFile.open(out)) {
      return GlossaryReport.of(settings, file.length());
    }
  }

  private TermTable addTable(Map<String, ByteBuffer> sections) {
    TermTable table =
        new TermTableBuilder(
                new TermList(sections), folding, words, repeated == Repeated.LAST_COUNTS)
            .build(term -> where.apply(places.bytes().getInt(4 * term)));
    sections.put(GlossarySections.TABLE, table.bytes());
    return table;
  }

  private GlossarySettings settings(TermTable table) {
    return new GlossarySettings(
        sourceLanguage,
        targetLanguage,
        terms,
        caseSensitiveTerms,
        sources,
        targets,
        table.slots(),
        table.seed());
  }

  /** The sections in the order of the file, but for the table. */
  private Map<String, ByteBuffer> sections() {
    Map<String, ByteBuffer> sections = new LinkedHashMap<>();
    sections.put(GlossarySections.SOURCE_TEXT, sourceText.bytes());
    sections.put(GlossarySections.SOURCE_OFFSETS, sourceOffsets.bytes());
    sections.put(GlossarySections.TARGET_TEXT, targetText.bytes());
    sections.put(GlossarySections.TARGET_OFFSETS, targetOffsets.bytes());
    sections.put(GlossarySections.TERM_SOURCES, termSources.bytes());
    sections.put(GlossarySections.TERM_TARGETS, termTargets.bytes());
    sections.put(GlossarySections.TERM_RULES, rules.bytes());
    return sections;
  }
}
