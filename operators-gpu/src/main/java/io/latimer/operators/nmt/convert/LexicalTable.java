package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.text.Vocabulary;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.PackedFile;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Reads a lexical table in the format of Marian's {@code --shortlist}: one pair per line, {@code
 * target source probability}, plain or gzip. Pairs with the word {@code NULL} are skipped; the last
 * of duplicate pairs counts. Marian maps words outside the vocabulary to the unknown word; this
 * class omits and counts their pairs instead.
 */
final class LexicalTable {
  private static final String NOTHING = "NULL";
  private static final int MAX_LINE = 1 << 16;
  private static final int SHOWN = 80;

  /** Target words of one source word, in file order. */
  private static final class Row {
    private int[] words = new int[4];
    private float[] probabilities = new float[4];
    private int size;

    void add(int word, float probability) {
      if (size == words.length) {
        words = Arrays.copyOf(words, 2 * size);
        probabilities = Arrays.copyOf(probabilities, 2 * size);
      }
      words[size] = word;
      probabilities[size++] = probability;
    }

    /** Drops all but the last of duplicate pairs. */
    List<Scored> scored() {
      long[] places = new long[size];
      for (int i = 0; i < size; i++) {
        places[i] = (long) words[i] << 32 | i;
      }
      Arrays.sort(places);
      List<Scored> scored = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        int word = (int) (places[i] >> 32);
        if (i + 1 == size || (int) (places[i + 1] >> 32) != word) {
          scored.add(new Scored(probabilities[(int) places[i]], word));
        }
      }
      return scored;
    }
  }

  private record Scored(float probability, int word) {}

  /** Most probable first; ties go to the higher id, as in Marian. */
  private static final Comparator<Scored> BEST_FIRST =
      Comparator.comparingDouble(Scored::probability).thenComparingInt(Scored::word).reversed();

  private final Path file;
  private final Vocabulary source;
  private final Vocabulary target;
  private final Row[] rows;
  private long line;
  private long pairs;
  private long unknown;

  private LexicalTable(Path file, Vocabulary source, Vocabulary target) {
    this.file = file;
    this.source = source;
    this.target = target;
    this.rows = new Row[source.size()];
  }

  /**
   * Reads a table.
   *
   * @throws ModelFormatException naming file and line, if the file cannot be read or a line is not
   *     such a triple
   */
  static LexicalTable read(Path file, Vocabulary source, Vocabulary target) {
    LexicalTable table = new LexicalTable(file, source, target);
    try (Lines lines = new Lines(file)) {
      for (byte[] bytes = lines.next(); bytes != null; bytes = lines.next()) {
        table.line++;
        table.add(bytes);
      }
    } catch (IOException e) {
      throw new ModelFormatException(
          file
              + " cannot be read"
              + (table.line == 0 ? "" : " after line " + table.line)
              + ": "
              + FileErrors.reason(e),
          e);
    }
    if (table.pairs == table.unknown) {
      throw new ModelFormatException(
          String.format(
              "%s: none of its %d pairs has words of both vocabularies; expected lines of a target"
                  + " word, a source word and a probability (lex.s2t), made with this model's"
                  + " segmentation",
              file, table.pairs));
    }
    return table;
  }

  private void add(byte[] bytes) {
    String text = text(bytes).strip();
    if (text.isEmpty()) {
      return;
    }
    String[] fields = text.split("[ \t\u000b\f\r]+", -1);
    if (fields.length != 3) {
      throw refuse("a target word, a source word and a probability", text);
    }
    float probability = probability(fields[2], text);
    if (fields[0].equals(NOTHING) || fields[1].equals(NOTHING)) {
      return;
    }
    pairs++;
    if (!holds(target, fields[0]) || !holds(source, fields[1])) {
      unknown++;
      return;
    }
    int id = source.id(fields[1]);
    if (rows[id] == null) {
      rows[id] = new Row();
    }
    rows[id].add(target.id(fields[0]), probability);
  }

  private static boolean holds(Vocabulary vocabulary, String word) {
    int id = vocabulary.id(word);
    return id != Vocabulary.UNKNOWN || word.equals(vocabulary.token(id));
  }

  private float probability(String field, String text) {
    float value;
    try {
      value = Float.parseFloat(field);
    } catch (NumberFormatException e) {
      value = Float.NaN;
    }
    if (!(value >= 0 && value <= 1)) {
      throw refuse("a probability from 0 to 1 as third field", text);
    }
    return value;
  }

  private String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new ModelFormatException(
          file + " line " + line + " is not UTF-8; convert the table to UTF-8", e);
    }
  }

  private ModelFormatException refuse(String expected, String found) {
    String shown = found.length() > SHOWN ? found.substring(0, SHOWN) + "..." : found;
    return new ModelFormatException(
        file + " line " + line + ": expected " + expected + ", found \"" + shown + "\"");
  }

  /** The number of pairs of two words read. */
  long pairs() {
    return pairs;
  }

  /** The number of those with a word outside its vocabulary. */
  long unknown() {
    return unknown;
  }

  /**
   * Keeps the most probable target words of each source word.
   *
   * @param settings how many words to keep; a limit above the vocabulary's size means all
   * @param sourceWords rows of the source embedding, no fewer than ids
   * @param targetWords rows of the target embedding, no fewer than ids
   */
  Shortlist shortlist(ShortlistSettings settings, int sourceWords, int targetWords) {
    int first = Math.min(settings.first(), targetWords);
    int[] starts = new int[sourceWords + 1];
    int[][] kept = new int[rows.length][];
    long all = 0;
    for (int id = 0; id < sourceWords; id++) {
      if (id < rows.length && rows[id] != null) {
        kept[id] = best(rows[id], settings, first);
        all += kept[id].length;
      }
      if (all > Integer.MAX_VALUE / 8) {
        throw new ModelFormatException(
            file + " has too many pairs for a model file; keep fewer with --shortlist-best");
      }
      starts[id + 1] = (int) all;
    }
    int[] words = new int[(int) all];
    for (int id = 0; id < kept.length; id++) {
      if (kept[id] != null) {
        System.arraycopy(kept[id], 0, words, starts[id], kept[id].length);
      }
    }
    boolean ownWords =
        sourceWords == targetWords && Arrays.equals(source.toBytes(), target.toBytes());
    return Shortlist.of(first, ownWords, targetWords, starts, words);
  }

  private static int[] best(Row row, ShortlistSettings settings, int first) {
    return row.scored().stream()
        .filter(scored -> scored.probability > settings.threshold())
        .sorted(BEST_FIRST)
        .limit(settings.best())
        .mapToInt(Scored::word)
        .filter(id -> id >= first)
        .sorted()
        .toArray();
  }

  /** Lines of a file, plain or gzip. */
  private static final class Lines implements Closeable {
    private static final int BUFFER = 1 << 16;

    private final InputStream in;
    private byte[] line = new byte[256];

    Lines(Path file) throws IOException {
      InputStream bytes = PackedFile.open(file, BUFFER);
      in = bytes instanceof GZIPInputStream ? new BufferedInputStream(bytes, BUFFER) : bytes;
    }

    /** The next line without its line end, or null at the end. */
    byte[] next() throws IOException {
      int length = 0;
      int b = in.read();
      if (b < 0) {
        return null;
      }
      for (; b >= 0 && b != '\n'; b = in.read()) {
        if (length == MAX_LINE) {
          throw new IOException("the next line has more than " + MAX_LINE + " bytes");
        }
        if (length == line.length) {
          line = Arrays.copyOf(line, 2 * length);
        }
        line[length++] = (byte) b;
      }
      return Arrays.copyOf(line, length);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
