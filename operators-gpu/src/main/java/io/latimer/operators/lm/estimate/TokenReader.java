package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Reads a text as word ids, on all cores: pieces are first converted concurrently to ids of their
 * own, then to ids of the whole text in order of first appearance, however the text was split.
 *
 * <p>Each line is a sentence, its words separated by {@link WordIds#isCountedSpace}. A sentence is
 * returned as {@link SortedNgrams#BEGIN}, its words, {@link SortedNgrams#END}.
 */
final class TokenReader {
  private static final int LONGEST_LINE = 1 << 30;

  private final InputStream in;
  private final WordIds words;
  private final boolean skipSymbols;
  private final Team team;
  private final int pieceBytes;
  private final LongConsumer progress;
  private byte[] rest = new byte[0]; // beginning of a line whose end is not yet read
  private boolean ended;
  private long sentences;
  private long tokens;

  /**
   * @param words the dictionary, which must be empty
   * @param skipSymbols whether to skip {@code <s>}, {@code </s>} and {@code <unk>} in the text;
   *     otherwise they are rejected
   * @param pieceBytes approximate size in bytes of a thread's piece of the text
   * @param progress receives the number of bytes read
   */
  TokenReader(
      InputStream in,
      WordIds words,
      boolean skipSymbols,
      Team team,
      int pieceBytes,
      LongConsumer progress) {
    this.in = in;
    this.words = words;
    this.skipSymbols = skipSymbols;
    this.team = team;
    this.pieceBytes = pieceBytes;
    this.progress = progress;
    addSymbols(words);
  }

  /** Assigns the ids of a model's symbols; the dictionary must be empty. */
  static void addSymbols(WordIds words) {
    if (words.id("<unk>") != SortedNgrams.UNKNOWN
        || words.id("<s>") != SortedNgrams.BEGIN
        || words.id("</s>") != SortedNgrams.END) {
      throw new IllegalArgumentException("the dictionary is not empty");
    }
  }

  /** The number of sentences read. */
  long sentences() {
    return sentences;
  }

  /** The number of words read, without sentence marks. */
  long words() {
    return tokens - 2 * sentences;
  }

  /**
   * Reads the next sentences.
   *
   * @return whole sentences, in order; empty at the end of the text
   * @throws OperatorException if a word is rejected; the message names the line
   */
  List<Tokens> read() throws IOException {
    List<Piece> pieces = new ArrayList<>();
    long bytes = 0;
    while (!ended && pieces.size() < team.size()) {
      Piece piece = readPiece();
      if (piece.length > 0) {
        pieces.add(piece);
        bytes += piece.length;
      }
    }
    team.run(pieces.size(), i -> pieces.get(i).split(skipSymbols));
    int[][] ids = new int[pieces.size()][];
    for (int i = 0; i < ids.length; i++) {
      Piece piece = pieces.get(i);
      if (piece.refusedLine > 0) {
        throw new OperatorException(
            "line "
                + (sentences + piece.refusedLine)
                + " has the word "
                + words.word(piece.refusedWord)
                + ", which is reserved for the model; remove it, or use --skip-symbols to leave it"
                + " out");
      }
      sentences += piece.sentences;
      ids[i] = new int[piece.words.size()];
      for (int id = 0; id < ids[i].length; id++) {
        byte[] word = piece.words.bytes(id);
        ids[i][id] = words.id(word, 0, word.length);
      }
    }
    team.run(pieces.size(), i -> pieces.get(i).translate(ids[i]));
    List<Tokens> out = new ArrayList<>();
    for (Piece piece : pieces) {
      out.add(new Tokens(piece.tokens, piece.size));
      tokens += piece.size;
    }
    progress.accept(bytes);
    return out;
  }

  /** Reads whole lines; the rest after the last line end stays for the next piece. */
  private Piece readPiece() throws IOException {
    byte[] bytes = Arrays.copyOf(rest, Math.max(pieceBytes, 2 * rest.length));
    int length = rest.length;
    while (true) {
      int read = in.readNBytes(bytes, length, bytes.length - length);
      length += read;
      if (length < bytes.length) {
        ended = true;
        rest = new byte[0];
        return new Piece(bytes, length);
      }
      int end = length;
      while (end > 0 && bytes[end - 1] != '\n') {
        end--;
      }
      if (end > 0) {
        rest = Arrays.copyOfRange(bytes, end, length);
        return new Piece(bytes, end);
      }
      if (length >= LONGEST_LINE) {
        throw new OperatorException(
            "a line after line "
                + sentences
                + " is longer than "
                + LONGEST_LINE
                + " bytes; the input must have one sentence per line");
      }
      bytes = Arrays.copyOf(bytes, Math.min(2 * length, LONGEST_LINE));
    }
  }

  /**
   * Some sentences.
   *
   * @param ids only the first {@code size} count
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Tokens(int[] ids, int size) {}

  /** A piece of the text that one thread splits. */
  private static final class Piece {
    private byte[] bytes;
    private final int length;
    private final WordIds words = new WordIds();
    private int[] tokens;
    private int size;
    private int sentences;
    private int refusedLine; // 1-based line in this piece; 0 for none
    private int refusedWord;

    Piece(byte[] bytes, int length) {
      this.bytes = bytes;
      this.length = length;
      addSymbols(words);
    }

    void split(boolean skipSymbols) {
      tokens = new int[length / 4 + 16];
      add(SortedNgrams.BEGIN);
      int start = -1;
      for (int i = 0; i < length; i++) {
        byte b = bytes[i];
        if (b > ' ' || b < 0 || !WordIds.isCountedSpace(b)) {
          if (start < 0) {
            start = i;
          }
          continue;
        }
        if (start >= 0) {
          word(start, i, skipSymbols);
          start = -1;
        }
        if (b == '\n') {
          add(SortedNgrams.END);
          sentences++;
          add(SortedNgrams.BEGIN);
        }
      }
      if (start >= 0) {
        word(start, length, skipSymbols);
      }
      if (bytes[length - 1] == '\n') {
        size--;
      } else {
        add(SortedNgrams.END);
        sentences++;
      }
      bytes = null;
    }

    private void word(int from, int to, boolean skipSymbols) {
      int id = words.id(bytes, from, to);
      if (id > SortedNgrams.END) {
        add(id);
      } else if (!skipSymbols && refusedLine == 0) {
        refusedLine = sentences + 1;
        refusedWord = id;
      }
    }

    private void add(int token) {
      if (size == tokens.length) {
        tokens = Arrays.copyOf(tokens, (int) Math.min(2L * size, Integer.MAX_VALUE - 8));
      }
      tokens[size++] = token;
    }

    void translate(int[] ids) {
      for (int i = 0; i < size; i++) {
        tokens[i] = ids[tokens[i]];
      }
    }
  }
}
