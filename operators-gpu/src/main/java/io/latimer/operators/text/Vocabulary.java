package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tokens of a model and their ids, which are rows of the embedding.
 *
 * <p>Ids 0 and 1 are the end of a sentence and the unknown token, whatever a file calls them. Ids
 * may have gaps. Immutable and thread-safe.
 */
public final class Vocabulary implements TokenIds {
  /** The id that ends a sentence. */
  public static final int END = 0;

  /** The id for tokens that are not in the vocabulary. */
  public static final int UNKNOWN = 1;

  /** A file with more ids counts as corrupt; the largest published vocabularies have 1 M. */
  public static final int MAX_SIZE = 1 << 22;

  private static final int BINARY_VERSION = 1;
  private static final int BINARY_HEADER = 16;

  private final String[] tokens;
  private final Map<String, Integer> ids;

  private Vocabulary(String[] tokens, Map<String, Integer> ids) {
    this.tokens = tokens;
    this.ids = ids;
  }

  /**
   * Reads a vocabulary file. The extension determines the format: {@code .yml} or {@code .yaml} and
   * {@code .json} map token to id, {@code .spm} or {@code .model} is a SentencePiece model whose
   * piece numbers are the ids, any other file has one token per line, in the order of the ids.
   *
   * @throws OperatorException naming the file and the line or key, if it cannot be read, is not
   *     UTF-8, or has a duplicate token or id, or an id below 0 or not below {@link #MAX_SIZE}
   */
  public static Vocabulary load(Path file) {
    return VocabularyFiles.read(file);
  }

  /**
   * Makes a vocabulary from tokens whose positions are their ids.
   *
   * @param tokens at least two; unique; null for an id without a token
   */
  public static Vocabulary of(List<String> tokens) {
    Map<String, Integer> ids = new HashMap<>(tokens.size() * 2);
    for (int id = 0; id < tokens.size(); id++) {
      String token = tokens.get(id);
      if (token != null && ids.put(token, id) != null) {
        throw new OperatorException("duplicate vocabulary token \"" + token + "\"");
      }
    }
    return of(ids, tokens.size());
  }

  /** Takes over validated ids: unique, each from 0 to {@code size - 1}. */
  static Vocabulary of(Map<String, Integer> ids, int size) {
    String[] tokens = new String[Math.max(size, 2)];
    ids.forEach((token, id) -> tokens[id] = token);
    return new Vocabulary(tokens, ids);
  }

  /** The number of ids, including gaps: the largest id plus 1; at least 2. */
  @Override
  public int size() {
    return tokens.length;
  }

  /** Looks up a token; {@link #UNKNOWN} if it is not in the vocabulary. */
  @Override
  public int id(String token) {
    return ids.getOrDefault(token, UNKNOWN);
  }

  /** Whether an id, from 0 to {@code size() - 1}, has a token of its own. */
  public boolean has(int id) {
    return tokens[id] != null;
  }

  /**
   * Returns the token of an id; the unknown token's name for a gap.
   *
   * @param id from 0 to {@code size() - 1}
   */
  @Override
  public String token(int id) {
    String token = tokens[id];
    if (token != null) {
      return token;
    }
    if (id == END) {
      return "</s>";
    }
    return tokens[UNKNOWN] == null ? "<unk>" : tokens[UNKNOWN];
  }

  /**
   * The vocabulary limited to an embedding's rows: tokens with larger ids are unknown.
   *
   * @param rows at least 2
   */
  public Vocabulary limitedTo(int rows) {
    if (rows >= tokens.length) {
      return this;
    }
    if (rows < 2) {
      throw new IllegalArgumentException("an embedding needs at least 2 rows, found " + rows);
    }
    Map<String, Integer> kept = new HashMap<>(rows * 2);
    ids.forEach(
        (token, id) -> {
          if (id < rows) {
            kept.put(token, id);
          }
        });
    return of(kept, rows);
  }

  /**
   * The binary form in a model file, little-endian: u32 format version 1; u32 n = the number of
   * ids; u64 t = the length of the text; (n + 1) u32 offsets into the text, ascending, from 0 to t;
   * (n + 7) / 8 bytes, bit {@code id % 8} of byte {@code id / 8} set if the id has a token; t bytes
   * of UTF-8, the tokens in the order of their ids.
   */
  public byte[] toBytes() {
    int n = tokens.length;
    byte[][] encoded = new byte[n][];
    long text = 0;
    for (int id = 0; id < n; id++) {
      encoded[id] = tokens[id] == null ? new byte[0] : tokens[id].getBytes(StandardCharsets.UTF_8);
      text += encoded[id].length;
    }
    long total = BINARY_HEADER + 4L * (n + 1) + (n + 7) / 8 + text;
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(total)).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(BINARY_VERSION).putInt(n).putLong(text);
    int offset = 0;
    for (byte[] token : encoded) {
      out.putInt(offset);
      offset += token.length;
    }
    out.putInt(offset);
    byte[] present = new byte[(n + 7) / 8];
    for (int id = 0; id < n; id++) {
      if (tokens[id] != null) {
        present[id / 8] |= (byte) (1 << (id % 8));
      }
    }
    out.put(present);
    for (byte[] token : encoded) {
      out.put(token);
    }
    return out.array();
  }

  /**
   * Reads the binary form.
   *
   * @throws OperatorException if the bytes are not exactly one such form; sizes are validated
   *     before memory is allocated
   */
  public static Vocabulary fromBytes(ByteBuffer bytes) {
    ByteBuffer in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    int length = in.remaining();
    check(length >= BINARY_HEADER, "it has " + length + " bytes, fewer than its header");
    int version = in.getInt();
    check(version == BINARY_VERSION, "its format version is " + version + ", not 1");
    int n = in.getInt();
    long text = in.getLong();
    check(n >= 2 && n <= MAX_SIZE, "it claims " + Integer.toUnsignedString(n) + " ids");
    long expected = BINARY_HEADER + 4L * (n + 1) + (n + 7) / 8 + text;
    check(
        text >= 0 && expected == length,
        "it has " + length + " bytes where its header asks for " + expected);
    int bits = BINARY_HEADER + 4 * (n + 1);
    int base = bits + (n + 7) / 8;
    Map<String, Integer> ids = new HashMap<>(n * 2);
    int end = in.getInt(BINARY_HEADER);
    check(end == 0, "its first token starts at " + end);
    for (int id = 0; id < n; id++) {
      int start = end;
      end = in.getInt(BINARY_HEADER + 4 * (id + 1));
      check(end >= start && end <= text, "the token of id " + id + " ends outside the text");
      if ((in.get(bits + id / 8) >> (id % 8) & 1) == 0) {
        check(start == end, "id " + id + " is marked as a gap but has text");
        continue;
      }
      String token = Utf8.decode(in.slice(base + start, end - start));
      check(token != null, "the token of id " + id + " is not UTF-8");
      check(ids.put(token, id) == null, "the token of id " + id + " occurs twice");
    }
    check(end == text, "its last token ends at " + end + " of " + text);
    return of(ids, n);
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new OperatorException(
          "the vocabulary section is corrupt: " + what + "; import the model again");
    }
  }
}
