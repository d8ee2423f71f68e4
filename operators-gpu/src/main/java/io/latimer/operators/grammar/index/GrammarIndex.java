package io.latimer.operators.grammar.index;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.util.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A grammar ready to recognize sentences, used in place where it is mapped: the rules as read, and
 * the tables that make a recognizer fast. Immutable; shared by threads. Stays usable after the
 * index file is closed. All numbers in the sections are little-endian and unsigned.
 *
 * <p>A recognizer works on classes, not on variables. A class is a set of variables that derive
 * each other by unary rules, so that they derive the same strings ({@link #classOf}). If a class
 * derives another by unary rules it is an ancestor of it and has the higher number ({@link
 * #ancestors}): a cell of the chart that has a class has its ancestors, too. A cell of one word has
 * the classes of the terminal ({@link #entries}) and their ancestors. A cell of more words has,
 * beside ancestors, a class A where there is a rule A &rarr; B C in {@link #byLeft} and a split
 * with B on its left and C on its right. Rules that the ancestors make redundant are left out,
 * which changes no cell.
 */
public final class GrammarIndex implements AutoCloseable {
  /** Files of grammars, {@code .lgx}. */
  public static final IndexKind KIND =
      new IndexKind(
          "grammar",
          GrammarSections.VERSION,
          GrammarSections.VERSION,
          file -> GrammarIndex.open(file).close());

  private static final long MAX_JSON = 1L << 16;
  private static final long MAX_TEXT = Integer.MAX_VALUE;

  private final String id;
  private final String version;
  private final GrammarSettings settings;
  private final List<String> variables;
  private final WordTable terminals;
  private final Map<String, ByteBuffer> sections;

  private GrammarIndex(
      IndexFile file,
      GrammarSettings settings,
      List<String> variables,
      WordTable terminals,
      Map<String, ByteBuffer> sections) {
    this.id = file.contentId();
    this.version = file.version();
    this.settings = settings;
    this.variables = variables;
    this.terminals = terminals;
    this.sections = sections;
  }

  /**
   * Opens an index without trusting it: every size and every number is checked, but not whether
   * classes and their rules follow from the grammar as read. Where these are wrong, verdicts are
   * wrong, but no search leaves the index or loops forever.
   *
   * @throws IndexFormatException if it is of another kind or version, or its sections are not those
   *     of its settings
   * @throws GrammarIndexException if its content is not sound
   */
  public static GrammarIndex open(IndexFile file) {
    GrammarSettings settings = settings(file);
    Map<String, Long> lengths = GrammarSections.lengths(settings);
    Set<String> names = new HashSet<>(lengths.keySet());
    names.add(GrammarSections.SETTINGS);
    names.add(GrammarSections.VARIABLES + GrammarSections.TEXT);
    names.add(GrammarSections.TERMINALS + GrammarSections.TEXT);
    file.requireSections(names);
    lengths.forEach((name, length) -> file.requireLength(name, length, length));
    file.requireLength(GrammarSections.VARIABLES + GrammarSections.TEXT, 0, MAX_TEXT);
    file.requireLength(GrammarSections.TERMINALS + GrammarSections.TEXT, 0, MAX_TEXT);
    Map<String, ByteBuffer> sections = new HashMap<>();
    lengths.keySet().forEach(name -> sections.put(name, file.section(name)));
    try {
      new GrammarChecks(settings, sections).check();
      return new GrammarIndex(
          file, settings, variables(file, settings), terminals(file, settings), sections);
    } catch (IndexFormatException e) {
      throw new GrammarIndexException(file.path() + " is not sound: " + e.getMessage(), e);
    }
  }

  /**
   * What an index contains, by its settings alone; nothing else is read.
   *
   * @throws IndexFormatException if it is of another kind or version
   * @throws GrammarIndexException if its settings are not sound
   */
  public static GrammarIndexReport report(IndexFile file) {
    return GrammarIndexReport.of(settings(file), file.length());
  }

  private static GrammarSettings settings(IndexFile file) {
    file.expect(KIND);
    file.requireLength(GrammarSections.SETTINGS, 1, MAX_JSON);
    ByteBuffer json = file.section(GrammarSections.SETTINGS);
    byte[] bytes = new byte[json.remaining()];
    json.get(bytes);
    return GrammarSettings.fromJson(file.path().toString(), bytes);
  }

  private static List<String> variables(IndexFile file, GrammarSettings settings) {
    ByteBuffer text = file.section(GrammarSections.VARIABLES + GrammarSections.TEXT);
    ByteBuffer offsets = file.section(GrammarSections.VARIABLES + GrammarSections.OFFSETS);
    List<String> names = new ArrayList<>(settings.variables());
    int from = offsets.getInt(0);
    for (int v = 0; v < settings.variables(); v++) {
      int to = offsets.getInt(4 * v + 4);
      String name =
          to > from && from >= 0 && to <= text.limit()
              ? Utf8.decode(text.slice(from, to - from))
              : null;
      if (name == null || (v == 0 && from != 0)) {
        throw new GrammarIndexException("the name of variable " + v + " is empty or not text");
      }
      names.add(name);
      from = to;
    }
    if (from != text.limit()) {
      throw new GrammarIndexException(
          "the names of the variables end at " + from + ", their text at " + text.limit());
    }
    return List.copyOf(names);
  }

  private static WordTable terminals(IndexFile file, GrammarSettings settings) {
    WordTable table =
        new WordTable(
            settings.terminals(),
            file.section(GrammarSections.TERMINALS + GrammarSections.TEXT),
            file.section(GrammarSections.TERMINALS + GrammarSections.OFFSETS),
            file.section(GrammarSections.TERMINALS + GrammarSections.TABLE));
    int length = table.bytes(WordTable.UNKNOWN).length;
    if (length > 0) {
      throw new GrammarIndexException(
          "terminal 0, which stands for unknown words, has " + length + " bytes");
    }
    return table;
  }

  /** The content id of the index file: 64 hexadecimal digits. */
  public String id() {
    return id;
  }

  /** The producer's version of the index; may be empty. */
  public String version() {
    return version;
  }

  /** The names of the variables by their ids. */
  public List<String> variables() {
    return variables;
  }

  /** The id of the start variable. */
  public int start() {
    return settings.start();
  }

  /** Whether the empty sentence is in the language. */
  public boolean derivesEmpty() {
    return settings.derivesEmpty();
  }

  /** Whether the rules have probabilities. */
  public boolean weighted() {
    return settings.weighted();
  }

  /** The terminals; {@link WordTable#UNKNOWN} is none. */
  public WordTable terminals() {
    return terminals;
  }

  /** The number of classes of variables. */
  public int classes() {
    return settings.classes();
  }

  /** The class of each variable: u16 each. */
  public ByteBuffer classOf() {
    return section(GrammarSections.CLASS_OF);
  }

  /** Start of each class's ancestors in {@link #ancestors}: u32, classes + 1 of them. */
  public ByteBuffer ancestorStarts() {
    return section(GrammarSections.ANCESTOR_STARTS);
  }

  /**
   * The classes that derive a class by one or more unary rules, without itself: u16 each, ascending
   * for each class, all higher than it.
   */
  public ByteBuffer ancestors() {
    return section(GrammarSections.ANCESTORS);
  }

  /** The number of binary rules between classes. */
  public int rules() {
    return settings.classRules();
  }

  /** The rules {u16 parent, u16 left, u16 right}, sorted by parent, left and right class. */
  public ByteBuffer byParent() {
    return section(GrammarSections.BY_PARENT);
  }

  /** The rules {u16 parent, u16 left, u16 right}, sorted by left, right and parent class. */
  public ByteBuffer byLeft() {
    return section(GrammarSections.BY_LEFT);
  }

  /** The number of distinct right-hand sides of the rules. */
  public int sides() {
    return settings.sides();
  }

  /**
   * Start of each right-hand side's rules in {@link #byLeft}: u32, sides + 1 of them. Among the
   * parents of a side's rules, none is an ancestor of another.
   */
  public ByteBuffer sideStarts() {
    return section(GrammarSections.SIDE_STARTS);
  }

  /** Start of each terminal's classes in {@link #entries}: u32, terminals + 1 of them. */
  public ByteBuffer entryStarts() {
    return section(GrammarSections.ENTRY_STARTS);
  }

  /** The classes with a lexical rule for a terminal: u16 each, ascending for each terminal. */
  public ByteBuffer entries() {
    return section(GrammarSections.ENTRIES);
  }

  /** The number of binary rules as read. */
  public int binaryRules() {
    return settings.binaryRules();
  }

  /** The binary rules as read, {u16 parent, u16 left, u16 right}: variables, not classes. */
  public ByteBuffer binary() {
    return section(GrammarSections.BINARY);
  }

  /** The number of unary rules as read. */
  public int unaryRules() {
    return settings.unaryRules();
  }

  /** The number of lexical rules as read. */
  public int lexicalRules() {
    return settings.lexicalRules();
  }

  /** The lexical rules as read, {u32 variable, u32 terminal}. */
  public ByteBuffer lexical() {
    return section(GrammarSections.LEXICAL);
  }

  /** Natural logarithm of each binary rule's probability, f32; of weighted grammars only. */
  public ByteBuffer binaryWeights() {
    return section(GrammarSections.BINARY_WEIGHTS);
  }

  /** Natural logarithm of each lexical rule's probability, f32; of weighted grammars only. */
  public ByteBuffer lexicalWeights() {
    return section(GrammarSections.LEXICAL_WEIGHTS);
  }

  /**
   * Start of the unary paths to each variable in {@link #pathParents}: u32, variables + 1; of
   * weighted grammars only. A path is the most probable chain of unary rules from one variable to
   * another.
   */
  public ByteBuffer pathStarts() {
    return section(GrammarSections.PATH_STARTS);
  }

  /** The variable where a path begins, u16, ascending for each child. */
  public ByteBuffer pathParents() {
    return section(GrammarSections.PATH_PARENTS);
  }

  /** The variable that follows the first on a path, u16; the child itself at the end. */
  public ByteBuffer pathNext() {
    return section(GrammarSections.PATH_NEXT);
  }

  /** Natural logarithm of a path's probability, f32. */
  public ByteBuffer pathWeights() {
    return section(GrammarSections.PATH_WEIGHTS);
  }

  private ByteBuffer section(String name) {
    ByteBuffer section = sections.get(name);
    if (section == null) {
      throw new IllegalStateException("the grammar has no probabilities");
    }
    return section.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Does nothing: the memory belongs to the page cache. */
  @Override
  public void close() {}
}
