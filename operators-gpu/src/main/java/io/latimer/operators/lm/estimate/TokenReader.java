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
 * Reads a text as word ids, on all cores: pieces of it get ids of their own first, side by side,
 * and then those of the whole text, which are in the order in which words first appear, however the
 * text was cut.
 *
 * <p>A line is a sentence; words are split as {@link WordIds#split} does. A sentence is given as
 * {@link SortedNgrams#BEGIN}, its words, {@link SortedNgrams#END}.
 */
final class TokenReader {
  private static final int LONGEST_LINE = 1 << 30;

  private final InputStream in;
  private final WordIds words;
  private final boolean skipSymbols;
  private final Team team;
  private final int pieceBytes;
  private final LongConsumer progress;
  private byte[] rest = new byte[0]; // the begin of a line whose end is not read yet
  private boolean ended;
  private long sentences;
  private long tokens;

  /**
   * @param words the dictionary, which must be empty
   * @param skipSymbols whether {@code <s>}, {@code </s>} and {@code <unk>} in the text are left
   *     out; else they are refused
   * @param pieceBytes about how much of the text one thread takes at a time
   * @param progress told how many bytes were read
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

  /** Gives the symbols of a model their ids; the dictionary must be empty. */
  static void addSymbols(WordIds words) {
    if (words.id("<unk>") != SortedNgrams.UNKNOWN
        || words.id("<s>") != SortedNgrams.BEGIN
        || words.id("</s>") != SortedNgrams.END) {
      throw new IllegalArgumentException("the dictionary is not empty");
    }
  }

  /** How many sentences were read. */
  long sentences() {
    return sentences;
  }

  /** How many words were read, without begins and ends of sentences. */
  long words() {
    return tokens - 2 * sentences;
  }

  /**
   * Reads on.
   *
   * @return some whole sentences, in order; none when the text has ended
   * @throws OperatorException if a word is refused; it says in which line
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
                + ", which the model uses itself; take it out, or use --skip-symbols to leave it"
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

  /** Reads whole lines; what follows the last line's end stays for the next piece. */
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
            "a line behind line "
                + sentences
                + " is longer than "
                + LONGEST_LINE
                + " bytes; one sentence a line is wanted");
      }
      bytes = Arrays.copyOf(bytes, Math.min(2 * length, LONGEST_LINE));
    }
  }

  /** Some sentences. */
  static final class Tokens {
    private final int[] ids;
    private final int size;

    private Tokens(int[] ids, int size) {
      this.ids = ids;
      this.size = size;
    }

    /** Of which the first {@link #size} count. */
    int[] ids() {
      return ids;
    }

    int size() {
      return size;
    }
  }

  /** A part of the text, which one thread splits. */
  private static final class Piece {
    private byte[] bytes;
    private final int length;
    private final WordIds words = new WordIds();
    private int[] tokens;
    private int size;
    private int sentences;
    private int refusedLine; // from 1 on, in this piece; 0 for none
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
        if (b > ' ' || b < 0 || !WordIds.isSpace(b)) {
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
