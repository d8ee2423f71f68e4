package io.latimer.cli.ngrams;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.WordIds;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Feeds a stream of any length to an n-gram counter, one piece at a time. */
final class NgramInput {
  private static final int BYTES_PIECE = 1 << 24;
  private static final int READ_PIECE = 1 << 16;

  /** Maximum words in a batch, and in a piece of a longer line. */
  private static final int WORDS_PIECE = 1 << 20;

  /** Maximum length of a word in bytes. */
  static final int MAX_WORD = 1 << 20;

  private NgramInput() {}

  /** Counts the n-grams of all bytes; pieces overlap, so the counts are those of one text. */
  static void bytes(InputStream in, CountNgrams<byte[]> counter, ByteProgress progress)
      throws IOException {
    int overlap = counter.options().order() - 1;
    byte[] piece = new byte[overlap + BYTES_PIECE];
    int kept = 0;
    int read;
    while ((read = in.readNBytes(piece, kept, BYTES_PIECE)) > 0) {
      int length = kept + read;
      count(counter, List.of(length == piece.length ? piece : Arrays.copyOf(piece, length)));
      kept = Math.min(overlap, length);
      System.arraycopy(piece, length - kept, piece, 0, kept);
      progress.add(read);
    }
  }

  /**
   * Counts the word n-grams of each line.
   *
   * @param words assigns ids to words
   */
  static void words(
      InputStream in, CountNgrams<int[]> counter, WordIds words, ByteProgress progress)
      throws IOException {
    Lines lines = new Lines(counter, words);
    byte[] piece = new byte[READ_PIECE];
    int read;
    while ((read = in.read(piece)) >= 0) {
      for (int i = 0; i < read; i++) {
        lines.add(piece[i]);
      }
      progress.add(read);
    }
    lines.end();
  }

  private static <T> void count(CountNgrams<T> counter, List<T> batch) {
    for (Result<Long> result : counter.apply(batch)) {
      result.orElseThrow();
    }
  }

  /** Assembles bytes into words, words into lines, and lines into batches. */
  private static final class Lines {
    private final CountNgrams<int[]> counter;
    private final WordIds words;
    private final List<int[]> batch = new ArrayList<>();
    private int batchWords;
    private int[] line = new int[64];
    private int lineWords;
    private byte[] word = new byte[64];
    private int wordBytes;
    private long lineNumber = 1;

    Lines(CountNgrams<int[]> counter, WordIds words) {
      this.counter = counter;
      this.words = words;
    }

    void add(byte b) {
      if (!WordIds.isCountedSpace(b)) {
        addToWord(b);
        return;
      }
      endWord();
      if (b == '\n') {
        endLine(0);
        lineNumber++;
      } else if (lineWords >= WORDS_PIECE) {
        endLine(counter.options().order() - 1);
      }
    }

    void end() {
      endWord();
      endLine(0);
      flush();
    }

    private void addToWord(byte b) {
      if (wordBytes == MAX_WORD) {
        throw new CommandException(
            "line " + lineNumber + " has a word of more than " + MAX_WORD + " bytes; use --bytes");
      }
      if (wordBytes == word.length) {
        word = Arrays.copyOf(word, 2 * wordBytes);
      }
      word[wordBytes++] = b;
    }

    private void endWord() {
      if (wordBytes == 0) {
        return;
      }
      if (lineWords == line.length) {
        line = Arrays.copyOf(line, 2 * lineWords);
      }
      line[lineWords++] = words.id(word, 0, wordBytes);
      wordBytes = 0;
    }

    /**
     * Adds a line, or a piece of one, to the batch.
     *
     * @param overlap number of words that the next piece of the line repeats
     */
    private void endLine(int overlap) {
      if (lineWords >= counter.options().order()) {
        batch.add(Arrays.copyOf(line, lineWords));
        batchWords += lineWords;
        if (batchWords >= WORDS_PIECE) {
          flush();
        }
      }
      System.arraycopy(line, lineWords - overlap, line, 0, overlap);
      lineWords = overlap;
    }

    private void flush() {
      count(counter, batch);
      batch.clear();
      batchWords = 0;
    }
  }
}
