package io.latimer.operators.lm.arpa;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.util.DecimalParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads lines of an ARPA file from bytes, and n-grams from lines. Accepts and rejects the same
 * input as KenLM. Not thread-safe.
 */
class ArpaLines {
  /** How ARPA files write the unknown word. */
  static final byte[] UNKNOWN = "<unk>".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] UNKNOWN_CAPITAL = "<UNK>".getBytes(StandardCharsets.US_ASCII);

  /** The maximum length of a line. */
  static final int MAX_LINE = 1 << 20;

  private static final int SHOWN = 200;

  private final String name;
  private final DecimalParser numbers = new DecimalParser();

  private byte[] buffer = {};
  private int limit;
  private int next; // start of the next line
  private int from; // start of the line
  private int to;
  private long lines;
  private String section = "";

  private float logProb;
  private float backoff;
  private int wordFrom;
  private int wordTo;

  /** Recently seen words by position in the n-gram, because the next n-gram often repeats them. */
  private int knownWords;

  private final int[] knownIds = new int[LmSections.MAX_ORDER];
  private final int[] knownFrom = new int[LmSections.MAX_ORDER];
  private final int[] knownTo = new int[LmSections.MAX_ORDER];

  /**
   * Makes a reader without lines.
   *
   * @param name of the file, for messages
   */
  ArpaLines(String name) {
    this.name = name;
  }

  /** Whether a word is the unknown word. */
  static boolean isUnknown(byte[] bytes, int from, int to) {
    return Arrays.equals(bytes, from, to, UNKNOWN, 0, UNKNOWN.length)
        || Arrays.equals(bytes, from, to, UNKNOWN_CAPITAL, 0, UNKNOWN_CAPITAL.length);
  }

  /** Replaces the bytes, and restarts the count of lines. */
  final void begin(byte[] bytes, int start, int end) {
    lines = 0;
    goOn(bytes, start, end);
  }

  /** Replaces the bytes, and continues the count of lines. */
  final void goOn(byte[] bytes, int start, int end) {
    buffer = bytes;
    next = start;
    limit = end;
    knownWords = 0;
  }

  /**
   * Fetches more bytes when none are left.
   *
   * @return whether there were any
   */
  boolean more() throws IOException {
    return false;
  }

  /** The start of the next line. */
  final int next() {
    return next;
  }

  /** The number of lines read. */
  final long lines() {
    return lines;
  }

  /** Skips lines that another reader has read. */
  final void pass(long count) {
    lines += count;
  }

  final void section(String newSection) {
    section = newSection;
  }

  final String section() {
    return section;
  }

  /** The last n-gram's log10 probability: 0 or less, possibly infinite. */
  final float logProb() {
    return logProb;
  }

  /** The last n-gram's log10 back-off, 0 if it has none. */
  final float backoff() {
    return backoff;
  }

  /** The bytes of the last unigram's word. */
  final byte[] wordBytes() {
    return buffer;
  }

  final int wordFrom() {
    return wordFrom;
  }

  final int wordTo() {
    return wordTo;
  }

  /** Advances to the next non-blank line; false if there is none. */
  final boolean skipBlank() throws IOException {
    do {
      if (!readLine()) {
        return false;
      }
    } while (isBlank());
    return true;
  }

  /** Parses the line as a unigram; its word is {@link #wordBytes}. */
  final void unigram(boolean highest) {
    int at = readLogProb();
    if (at == to || buffer[at] != '\t') {
      throw ngramError("expected a tab after the log-probability");
    }
    at = readWord(at, 1);
    readBackoff(at, highest);
  }

  /**
   * Parses the line as an n-gram of two or more words.
   *
   * @param highest whether it is of the highest order, which has no back-offs
   * @param words receives the ids, first word first, from {@code first} on
   */
  final void ngram(int order, boolean highest, WordTable vocabulary, int[] words, int first) {
    int at = readLogProb();
    if (at == to || !isArpaSpace(buffer[at])) {
      throw ngramError("expected a tab after the log-probability");
    }
    for (int i = 0; i < order; i++) {
      at = readWord(at, order);
      if (i < knownWords
          && Arrays.equals(buffer, wordFrom, wordTo, buffer, knownFrom[i], knownTo[i])) {
        words[first + i] = knownIds[i];
        continue;
      }
      int id = vocabulary.id(buffer, wordFrom, wordTo);
      if (id == WordTable.UNKNOWN && !isUnknown(buffer, wordFrom, wordTo)) {
        throw ngramError(
            "the word \""
                + shown(wordFrom, wordTo)
                + "\" is not among the unigrams, which must list every word");
      }
      words[first + i] = id;
      knownIds[i] = id;
      knownFrom[i] = wordFrom;
      knownTo[i] = wordTo;
      knownWords = Math.max(knownWords, i + 1);
    }
    readBackoff(at, highest);
  }

  /** Reads the log-probability at the start of the line; returns the position after it. */
  private int readLogProb() {
    int at = from;
    while (isSpace(buffer[at])) {
      at++;
    }
    if (buffer[at] == '\\') {
      throw error(
          "found \"" + shown() + "\": this section has fewer n-grams than \\data\\ declares");
    }
    if (!numbers.parse(buffer, at, to)) {
      throw ngramError("expected a log-probability at the start");
    }
    logProb = numbers.value();
    if (logProb > 0) {
      throw ngramError("the log-probability " + logProb + " is above 0");
    }
    return numbers.end();
  }

  private int readWord(int at, int order) {
    while (at < to && isArpaSpace(buffer[at])) {
      at++;
    }
    wordFrom = at;
    while (at < to && !isArpaSpace(buffer[at])) {
      at++;
    }
    wordTo = at;
    if (wordFrom == wordTo) {
      throw ngramError("expected " + order + (order == 1 ? " word" : " words"));
    }
    return at;
  }

  private void readBackoff(int at, boolean highest) {
    backoff = 0;
    if (at == to) {
      return;
    }
    if (buffer[at] != '\t') {
      throw ngramError("expected a tab or the end of the line after the n-gram");
    }
    at++;
    while (at < to && isSpace(buffer[at])) {
      at++;
    }
    if (!numbers.parse(buffer, at, to) || numbers.end() != to) {
      throw ngramError("expected a single number after the n-gram, its back-off");
    }
    backoff = numbers.value();
    if (Float.isInfinite(backoff)) {
      throw ngramError("the back-off is infinite");
    }
    if (highest && backoff != 0) {
      throw ngramError("an n-gram of the highest order has a back-off of " + backoff);
    }
  }

  /** An error in the last n-gram. */
  final LmFormatException ngramError(String what) {
    return new LmFormatException(
        name + ", " + section + ", line " + lines + ", n-gram \"" + shown() + "\": " + what);
  }

  /** An error at the reader's position. */
  final LmFormatException error(String what) {
    return new LmFormatException(name + ", " + section + ", line " + lines + ": " + what);
  }

  /** Finds the next line, excluding its LF or CR LF; false at the end of the file. */
  final boolean readLine() throws IOException {
    if (next == limit && !more()) {
      return false;
    }
    int at = next;
    while (at < limit && buffer[at] != '\n') {
      at++;
    }
    lines++;
    if (at - next > MAX_LINE) {
      throw error("the line is longer than " + MAX_LINE + " bytes; this is not an ARPA file");
    }
    from = next;
    to = at > from && buffer[at - 1] == '\r' ? at - 1 : at;
    next = Math.min(limit, at + 1);
    return true;
  }

  /** Whether the line is only white space. */
  final boolean isBlank() {
    for (int i = from; i < to; i++) {
      if (!isSpace(buffer[i])) {
        return false;
      }
    }
    return true;
  }

  /** Whether the line starts with a text. */
  final boolean startsWith(char first) {
    return from < to && buffer[from] == first;
  }

  /** Whether the line equals a text. */
  final boolean is(String line) {
    return new String(buffer, from, to - from, StandardCharsets.ISO_8859_1).equals(line);
  }

  /** The line, decoded as far as possible. */
  final String text() {
    return new String(buffer, from, Math.min(to - from, SHOWN), StandardCharsets.UTF_8);
  }

  /** The line, escaped for a message. */
  final String shown() {
    return shown(from, to);
  }

  /** A part of the line, escaped for a message. */
  private String shown(int start, int end) {
    String text = new String(buffer, start, Math.min(end - start, SHOWN), StandardCharsets.UTF_8);
    StringBuilder shown = new StringBuilder();
    text.codePoints().forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
    return end - start > SHOWN ? shown + "..." : shown.toString();
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  /** Characters that separate words in an ARPA file for KenLM. */
  private static boolean isArpaSpace(byte b) {
    return b == ' ' || b == '\t' || b == '\r';
  }
}
