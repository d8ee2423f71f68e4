package io.latimer.operators.grammar.index;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.index.WordTableBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/** Makes index files of grammars. Equal grammars give equal bytes. */
public final class GrammarIndexBuilder {
  private final BinaryGrammar grammar;
  private final ClassRules rules;
  private final WordTable terminals;
  private final long[] entries; // terminal << 16 | class, sorted
  private final UnaryPaths paths; // null unless the grammar is weighted

  private GrammarIndexBuilder(BinaryGrammar grammar) {
    this.grammar = grammar;
    this.rules = new ClassRules(grammar);
    this.terminals = table(grammar.terminals());
    this.entries = entries(grammar, rules.classOf());
    this.paths = grammar.weighted() ? new UnaryPaths(grammar) : null;
  }

  /**
   * Writes the index of a grammar.
   *
   * @param out the file to write; replaced if it exists
   * @param version recorded in the file; at most 64 bytes of UTF-8, may be empty
   * @throws GrammarFormatException if the grammar is too large
   * @throws io.latimer.operators.index.IndexFormatException if the index cannot be written
   */
  public static GrammarIndexReport build(BinaryGrammar grammar, Path out, String version) {
    GrammarIndexBuilder builder = new GrammarIndexBuilder(grammar);
    GrammarSettings settings = builder.settings();
    try (IndexFileWriter file = IndexFileWriter.create(out, GrammarIndex.KIND, version)) {
      file.add(GrammarSections.SETTINGS, SettingsJson.write(settings));
      builder.writeGrammar(file);
      builder.writeClasses(file);
      builder.writePaths(file);
      file.commit();
    }
    try (IndexFile file = IndexFile.open(out)) {
      return GrammarIndexReport.of(settings, file.length());
    }
  }

  private GrammarSettings settings() {
    return new GrammarSettings(
        grammar.variables().size(),
        grammar.start(),
        terminals.size(),
        terminals.slots(),
        grammar.derivesEmpty(),
        grammar.weighted(),
        grammar.binaryRules(),
        grammar.unaryRules(),
        grammar.lexicalRules(),
        rules.classes(),
        rules.ancestors().length,
        rules.rules().length,
        ClassRules.sideStarts(rules.rules()).length - 1,
        entries.length,
        paths == null ? 0 : paths.starts()[grammar.variables().size()]);
  }

  private static WordTable table(List<String> terminals) {
    WordTableBuilder words = new WordTableBuilder(new byte[0]);
    for (String terminal : terminals) {
      byte[] word = terminal.getBytes(StandardCharsets.UTF_8);
      if (words.add(word, 0, word.length) < 0) {
        throw new GrammarFormatException(
            "the grammar has too many terminals: the limits are "
                + WordTable.MAX_WORDS
                + " distinct ones and 2 GB of them");
      }
    }
    return words.build();
  }

  private static long[] entries(BinaryGrammar grammar, int[] classOf) {
    return IntStream.range(0, grammar.lexicalRules())
        .mapToLong(r -> (grammar.terminal(r) + 1L) << 16 | classOf[grammar.lexicalParent(r)])
        .sorted()
        .distinct()
        .toArray();
  }

  private void writeGrammar(IndexFileWriter file) {
    byte[][] names =
        grammar.variables().stream()
            .map(name -> name.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    file.add(
        GrammarSections.VARIABLES + GrammarSections.TEXT,
        to -> Arrays.stream(names).map(ByteBuffer::wrap).forEach(to));
    int[] starts = new int[names.length + 1];
    for (int i = 0; i < names.length; i++) {
      starts[i + 1] = Math.addExact(starts[i], names[i].length);
    }
    ints(file, GrammarSections.VARIABLES + GrammarSections.OFFSETS, starts);
    file.add(GrammarSections.TERMINALS + GrammarSections.TEXT, terminals.text());
    file.add(GrammarSections.TERMINALS + GrammarSections.OFFSETS, terminals.starts());
    file.add(GrammarSections.TERMINALS + GrammarSections.TABLE, terminals.table());
    triples(
        file,
        GrammarSections.BINARY,
        grammar.binaryRules(),
        r -> triple(grammar.parent(r), grammar.left(r), grammar.right(r)));
    shorts(
        file,
        GrammarSections.UNARY,
        2 * grammar.unaryRules(),
        i -> i % 2 == 0 ? grammar.unaryParent(i / 2) : grammar.unaryChild(i / 2));
    ints(
        file,
        GrammarSections.LEXICAL,
        2 * grammar.lexicalRules(),
        i -> i % 2 == 0 ? grammar.lexicalParent(i / 2) : grammar.terminal(i / 2) + 1);
    if (grammar.weighted()) {
      floats(file, GrammarSections.BINARY_WEIGHTS, grammar.binaryRules(), grammar::binaryWeight);
      floats(file, GrammarSections.UNARY_WEIGHTS, grammar.unaryRules(), grammar::unaryWeight);
      floats(file, GrammarSections.LEXICAL_WEIGHTS, grammar.lexicalRules(), grammar::lexicalWeight);
    }
  }

  private void writeClasses(IndexFileWriter file) {
    int[] classOf = rules.classOf();
    shorts(file, GrammarSections.CLASS_OF, classOf.length, v -> classOf[v]);
    ints(file, GrammarSections.ANCESTOR_STARTS, rules.ancestorStarts());
    int[] ancestors = rules.ancestors();
    shorts(file, GrammarSections.ANCESTORS, ancestors.length, i -> ancestors[i]);
    long[] byLeft = rules.rules();
    long[] byParent =
        sorted(
            byLeft,
            rule -> triple(ClassRules.parent(rule), ClassRules.left(rule), ClassRules.right(rule)));
    triples(file, GrammarSections.BY_PARENT, byParent.length, r -> byParent[r]);
    triples(
        file,
        GrammarSections.BY_LEFT,
        byLeft.length,
        r ->
            triple(
                ClassRules.parent(byLeft[r]),
                ClassRules.left(byLeft[r]),
                ClassRules.right(byLeft[r])));
    // Sorted as {right, left, parent}.
    long[] byRight =
        sorted(
            byLeft,
            rule -> triple(ClassRules.right(rule), ClassRules.left(rule), ClassRules.parent(rule)));
    triples(
        file,
        GrammarSections.BY_RIGHT,
        byRight.length,
        r ->
            triple(
                (int) byRight[r] & 0xFFFF,
                (int) (byRight[r] >>> 16) & 0xFFFF,
                (int) (byRight[r] >>> 32)));
    ints(file, GrammarSections.SIDE_STARTS, ClassRules.sideStarts(byLeft));
    int[] starts = new int[terminals.size() + 1];
    for (long entry : entries) {
      starts[(int) (entry >>> 16) + 1]++;
    }
    for (int t = 0; t < terminals.size(); t++) {
      starts[t + 1] += starts[t];
    }
    ints(file, GrammarSections.ENTRY_STARTS, starts);
    shorts(file, GrammarSections.ENTRIES, entries.length, i -> (int) entries[i] & 0xFFFF);
  }

  private void writePaths(IndexFileWriter file) {
    if (paths == null) {
      return;
    }
    int[] parents = paths.parents();
    int[] next = paths.next();
    float[] weights = paths.weights();
    ints(file, GrammarSections.PATH_STARTS, paths.starts());
    shorts(file, GrammarSections.PATH_PARENTS, parents.length, i -> parents[i]);
    shorts(file, GrammarSections.PATH_NEXT, next.length, i -> next[i]);
    floats(file, GrammarSections.PATH_WEIGHTS, weights.length, i -> weights[i]);
  }

  private static long triple(int first, int second, int third) {
    return (long) first << 32 | (long) second << 16 | third;
  }

  private static long[] sorted(long[] rules, LongUnaryOperator key) {
    return Arrays.stream(rules).map(key).sorted().toArray();
  }

  private static void triples(
      IndexFileWriter file, String name, int size, IntToLongFunction value) {
    shorts(file, name, 3 * size, i -> (int) (value.applyAsLong(i / 3) >>> (32 - 16 * (i % 3))));
  }

  private static void shorts(IndexFileWriter file, String name, int size, IntUnaryOperator value) {
    write(file, name, size, 2, (buffer, i) -> buffer.putShort((short) value.applyAsInt(i)));
  }

  private static void ints(IndexFileWriter file, String name, int[] values) {
    ints(file, name, values.length, i -> values[i]);
  }

  private static void ints(IndexFileWriter file, String name, int size, IntUnaryOperator value) {
    write(file, name, size, 4, (buffer, i) -> buffer.putInt(value.applyAsInt(i)));
  }

  private interface Weight {
    float of(int rule);
  }

  private static void floats(IndexFileWriter file, String name, int size, Weight value) {
    write(file, name, size, 4, (buffer, i) -> buffer.putFloat(value.of(i)));
  }

  private interface Put {
    void value(ByteBuffer buffer, int number);
  }

  private static void write(IndexFileWriter file, String name, int size, int bytes, Put put) {
    ByteBuffer piece = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    file.add(
        name,
        to -> {
          for (int i = 0; i < size; i++) {
            if (piece.remaining() < bytes) {
              to.accept(piece.flip());
              piece.clear();
            }
            put.value(piece, i);
          }
          to.accept(piece.flip());
        });
  }
}
