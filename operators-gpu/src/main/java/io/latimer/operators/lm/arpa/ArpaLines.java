package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.lm.model.LmVocabulary;
import io.latimer.operators.util.DecimalParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads lines of an ARPA file from bytes, and n-grams from lines. Takes and refuses what KenLM
 * takes and refuses. Used by one thread.
 */
class ArpaLines {
  /** The longest line that is read. */
  static final int MAX_LINE = 1 << 20;

  private static final int SHOWN = 200;

  private final String name;
  private final DecimalParser numbers = new DecimalParser();

  private byte[] buffer = {};
  private int limit;
  private int next; // where the next line begins
  private int from; // the line
  private int to;
  private long lines;
  private String section = "";

  private float logProb;
  private float backoff;
  private int wordFrom;
  private int wordTo;

  /** Words that stood in the same places of an n-gram before, as the next one's often do. */
  private int knownWords;

  private final int[] knownIds = new int[LmSections.MAX_ORDER];
  private final int[] knownFrom = new int[LmSections.MAX_ORDER];
  private final int[] knownTo = new int[LmSections.MAX_ORDER];

  /**
   * Has no lines yet.
   *
   * @param name of the file, for messages
   */
  ArpaLines(String name) {
    this.name = name;
  }

  /** Begins with other bytes, and to count lines. */
  final void begin(byte[] bytes, int start, int end) {
    lines = 0;
    goOn(bytes, start, end);
  }

  /** Goes on with other bytes. */
  final void goOn(byte[] bytes, int start, int end) {
    buffer = bytes;
    next = start;
    limit = end;
    knownWords = 0;
  }

  /**
   * Gets more bytes when there are none left.
   *
   * @return whether there were any
   */
  boolean more() throws IOException {
    return false;
  }

  /** Where the next line begins. */
  final int next() {
    return next;
  }

  /** How many lines were read. */
  final long lines() {
    return lines;
  }

  /** Passes over lines that another has read. */
  final void pass(long count) {
    lines += count;
  }

  final void section(String newSection) {
    section = newSection;
  }

  final String section() {
    return section;
  }

  /** Of the n-gram that was read last: log10 of its probability, 0 or less, may be infinite. */
  final float logProb() {
    return logProb;
  }

  /** Of the n-gram that was read last: log10 of its back-off, 0 where there is none. */
  final float backoff() {
    return backoff;
  }

  /** Where the word of the unigram lies that was read last. */
  final byte[] wordBytes() {
    return buffer;
  }

  final int wordFrom() {
    return wordFrom;
  }

  final int wordTo() {
    return wordTo;
  }

  /** Goes to the next line that is not blank; false if there is none. */
  final boolean skipBlank() throws IOException {
    do {
      if (!readLine()) {
        return false;
      }
    } while (isBlank());
    return true;
  }

  /** Makes a unigram of the line; its word is {@link #wordBytes}. */
  final void unigram(boolean highest) {
    int at = readLogProb();
    if (at == to || buffer[at] != '\t') {
      throw ngramError("expected a tab behind the log-probability");
    }
    at = readWord(at, 1);
    readBackoff(at, highest);
  }

  /**
   * Makes an n-gram of two or more words of the line.
   *
   * @param highest whether it can have no back-off
   * @param words given the ids, first word first, from {@code first} on
   */
  final void ngram(int order, boolean highest, LmVocabulary vocabulary, int[] words, int first) {
    int at = readLogProb();
    if (at == to || !isArpaSpace(buffer[at])) {
      throw ngramError("expected a tab behind the log-probability");
    }
    for (int i = 0; i < order; i++) {
      at = readWord(at, order);
      if (i < knownWords
          && Arrays.equals(buffer, wordFrom, wordTo, buffer, knownFrom[i], knownTo[i])) {
        words[first + i] = knownIds[i];
        continue;
      }
      int id = vocabulary.id(buffer, wordFrom, wordTo);
      if (id == LmVocabulary.UNKNOWN && !LmVocabularyBuilder.isUnknown(buffer, wordFrom, wordTo)) {
        throw ngramError(
            "the word \""
                + shown(wordFrom, wordTo)
                + "\" is not among the unigrams, which must hold every word");
      }
      words[first + i] = id;
      knownIds[i] = id;
      knownFrom[i] = wordFrom;
      knownTo[i] = wordTo;
      knownWords = Math.max(knownWords, i + 1);
    }
    readBackoff(at, highest);
  }

  /** Reads the log-probability at the line's beginning; returns the place behind. */
  private int readLogProb() {
    int at = from;
    while (isSpace(buffer[at])) {
      at++;
    }
    if (buffer[at] == '\\') {
      throw error(
          "found \"" + shown() + "\": there are fewer n-grams in this section than \\data\\ says");
    }
    if (!numbers.parse(buffer, at, to)) {
      throw ngramError("expected a log-probability at the beginning");
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
      throw ngramError("expected a tab or the line's end behind the n-gram");
    }
    at++;
    while (at < to && isSpace(buffer[at])) {
      at++;
    }
    if (!numbers.parse(buffer, at, to) || numbers.end() != to) {
      throw ngramError("expected one number behind the n-gram, its back-off");
    }
    backoff = numbers.value();
    if (Float.isInfinite(backoff)) {
      throw ngramError("the back-off is infinite");
    }
    if (highest && backoff != 0) {
      throw ngramError("an n-gram of the highest order has a back-off of " + backoff);
    }
  }

  /** What is wrong with the n-gram that was read last. */
  final LmFormatException ngramError(String what) {
    return new LmFormatException(
        name + ", " + section + ", line " + lines + ", n-gram \"" + shown() + "\": " + what);
  }

  /** What is wrong where the reader is. */
  final LmFormatException error(String what) {
    return new LmFormatException(name + ", " + section + ", line " + lines + ": " + what);
  }

  /** Finds the next line, without its LF or CR LF; false at the end of the file. */
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
      throw error("the line is longer than " + MAX_LINE + " bytes; this is no ARPA file");
    }
    from = next;
    to = at > from && buffer[at - 1] == '\r' ? at - 1 : at;
    next = Math.min(limit, at + 1);
    return true;
  }

  /** Whether the line has nothing but white space. */
  final boolean isBlank() {
    for (int i = from; i < to; i++) {
      if (!isSpace(buffer[i])) {
        return false;
      }
    }
    return true;
  }

  /** Whether the line begins so. */
  final boolean startsWith(char first) {
    return from < to && buffer[from] == first;
  }

  /** Whether this is the line. */
  final boolean is(String line) {
    return new String(buffer, from, to - from, StandardCharsets.ISO_8859_1).equals(line);
  }

  /** What can be shown of the line, as it is. */
  final String text() {
    return new String(buffer, from, Math.min(to - from, SHOWN), StandardCharsets.UTF_8);
  }

  /** The line as it can stand in a message. */
  final String shown() {
    return shown(from, to);
  }

  /** A part of the line as it can stand in a message. */
  private String shown(int start, int end) {
    String text = new String(buffer, start, Math.min(end - start, SHOWN), StandardCharsets.UTF_8);
    StringBuilder shown = new StringBuilder();
    text.codePoints().forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
    return end - start > SHOWN ? shown + "..." : shown.toString();
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  /** What parts words in an ARPA file for KenLM. */
  private static boolean isArpaSpace(byte b) {
    return b == ' ' || b == '\t' || b == '\r';
  }
}
