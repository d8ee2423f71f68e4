package io.latimer.operators.lm;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Reads an ARPA file, plain or gzip, from its first line to its last, one n-gram at a time. It
 * takes and refuses what KenLM takes and refuses, but for order 1, which it takes, and a line
 * broken in two, which it does not.
 */
final class ArpaReader implements Closeable {
  private static final int MAX_LINE = 1 << 20;
  private static final int BUFFER = 1 << 18;
  private static final int SHOWN = 200;

  /** No format packs better: what deflate makes of zeros. */
  private static final long BEST_COMPRESSION = 1032;

  private final String name;
  private final long length;
  private final boolean packed;
  private final Counting raw;
  private final InputStream in;
  private final DecimalParser numbers = new DecimalParser();

  private byte[] buffer = new byte[BUFFER];
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

  private static final class Counting extends FilterInputStream {
    private long count;

    Counting(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      count += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] bytes, int offset, int size) throws IOException {
      int read = super.read(bytes, offset, size);
      count += Math.max(0, read);
      return read;
    }
  }

  private ArpaReader(String name, long length, boolean packed, Counting raw, InputStream in) {
    this.name = name;
    this.length = length;
    this.packed = packed;
    this.raw = raw;
    this.in = in;
  }

  static ArpaReader open(Path file) throws IOException {
    long length = Files.size(file);
    Counting raw = new Counting(Files.newInputStream(file));
    try {
      BufferedInputStream start = new BufferedInputStream(raw, BUFFER);
      start.mark(2);
      boolean packed = start.read() == 0x1f && start.read() == 0x8b;
      start.reset();
      InputStream in = packed ? new GZIPInputStream(start, BUFFER) : start;
      return new ArpaReader(file.toString(), length, packed, raw, in);
    } catch (IOException | RuntimeException e) {
      raw.close();
      throw e;
    }
  }

  /** How much of the file has been read, in bytes as they lie on the disk. */
  long bytesRead() {
    return raw.count;
  }

  /** The file's size in bytes. */
  long length() {
    return length;
  }

  /** Of the n-gram that was read last: log10 of its probability, 0 or less, may be infinite. */
  float logProb() {
    return logProb;
  }

  /** Of the n-gram that was read last: log10 of its back-off, 0 where there is none. */
  float backoff() {
    return backoff;
  }

  /** Where the word of the unigram lies that was read last. */
  byte[] wordBytes() {
    return buffer;
  }

  int wordFrom() {
    return wordFrom;
  }

  int wordTo() {
    return wordTo;
  }

  /** Reads everything before the first section: how many n-grams of each order there are. */
  long[] readCounts() throws IOException {
    section = "\\data\\";
    do {
      requireLine("\\data\\");
    } while (isBlank() || buffer[from] == '#');
    if (!is("\\data\\")) {
      throw error("expected \\data\\, found \"" + shown() + "\"" + hint());
    }
    List<Long> counts = new ArrayList<>();
    requireLine("the number of n-grams");
    while (!isBlank()) {
      counts.add(readCount(counts.size() + 1));
      requireLine("\\1-grams:");
    }
    if (counts.isEmpty()) {
      throw error("expected \"ngram 1=\" and a number, found nothing");
    }
    requireRoom(counts);
    return counts.stream().mapToLong(Long::longValue).toArray();
  }

  private String hint() {
    if (is("iARPA")) {
      return ", which is IRSTLM's own format; write ARPA with its compile-lm --text=yes";
    }
    return text().startsWith("blmt") || text().startsWith("mmap lm ")
        ? ", which is a compiled model; give the ARPA file that it was made from"
        : "; give an ARPA file, plain or gzip";
  }

  private long readCount(int order) {
    String line = text();
    String wanted = "expected \"ngram " + order + "=\" and a number, found \"" + shown() + "\"";
    int equals = line.indexOf('=');
    if (!line.startsWith("ngram ") || equals < 0) {
      throw error(wanted);
    }
    if (!line.substring(6, equals).strip().equals(Integer.toString(order))) {
      throw error(wanted);
    }
    if (order > LmSections.MAX_ORDER) {
      throw error("the model is of order " + order + " or more; Latimer takes 1 to 8");
    }
    String number = line.substring(equals + 1).strip();
    int digits = 0;
    while (digits < number.length() && Character.digit(number.charAt(digits), 10) >= 0) {
      digits++;
    }
    if (digits == 0 || digits > 18) {
      throw error(wanted);
    }
    return Long.parseLong(number.substring(0, digits));
  }

  /** No memory is taken for n-grams that cannot be there. */
  private void requireRoom(List<Long> counts) {
    long most = packed ? length * BEST_COMPRESSION : length;
    long least = 0;
    for (int n = 1; n <= counts.size(); n++) {
      long bytes = 2 + 2L * n; // "0", a tab or blank before each word, a letter, the line's end
      if (counts.get(n - 1) > (most - least) / bytes) {
        throw error(
            "the file says that it has "
                + counts.get(n - 1)
                + " n-grams of order "
                + n
                + ", but it has no room for as many");
      }
      least += counts.get(n - 1) * bytes;
    }
  }

  /** Reads the heading of a section, which must follow. */
  void beginSection(int order) throws IOException {
    String heading = "\\" + order + "-grams:";
    heading(heading);
    section = heading;
  }

  /** Reads the last line; nothing but blank ones may follow. */
  void end() throws IOException {
    heading("\\end\\");
    section = "\\end\\";
    while (readLine()) {
      if (!isBlank()) {
        throw error("expected nothing behind \\end\\, found \"" + shown() + "\"");
      }
    }
  }

  private void heading(String heading) throws IOException {
    do {
      requireLine(heading);
    } while (isBlank());
    if (!is(heading)) {
      throw error(
          buffer[from] == '\\' || section.equals("\\data\\")
              ? "expected " + heading + ", found \"" + shown() + "\""
              : "expected "
                  + heading
                  + ", found the n-gram \""
                  + shown()
                  + "\": there are more of them than \\data\\ says");
    }
  }

  /** Reads a unigram; its word is {@link #wordBytes}. */
  void readUnigram(boolean highest) throws IOException {
    int at = beginNgram();
    if (at == to || buffer[at] != '\t') {
      throw ngramError("expected a tab behind the log-probability");
    }
    at = readWord(at, 1);
    readBackoff(at, highest);
  }

  /**
   * Reads an n-gram of two or more words.
   *
   * @param words given the ids, first word first
   * @param highest whether it can have no back-off
   */
  void readNgram(int order, boolean highest, LmVocabulary vocabulary, int[] words)
      throws IOException {
    int at = beginNgram();
    if (at == to || !isArpaSpace(buffer[at])) {
      throw ngramError("expected a tab behind the log-probability");
    }
    for (int i = 0; i < order; i++) {
      at = readWord(at, order);
      words[i] = vocabulary.id(buffer, wordFrom, wordTo);
      if (words[i] == LmVocabulary.UNKNOWN
          && !LmVocabularyBuilder.isUnknown(buffer, wordFrom, wordTo)) {
        throw ngramError(
            "the word \""
                + shown(wordFrom, wordTo)
                + "\" is not among the unigrams, which must hold every word");
      }
    }
    readBackoff(at, highest);
  }

  /** Reads the next line that is not blank, and its log-probability; returns the place behind. */
  private int beginNgram() throws IOException {
    do {
      if (!readLine()) {
        throw error("the file ends before the n-grams do that \\data\\ says it has");
      }
    } while (isBlank());
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
  LmFormatException ngramError(String what) {
    return new LmFormatException(
        name + ", " + section + ", line " + lines + ", n-gram \"" + shown() + "\": " + what);
  }

  /** What is wrong where the reader is. */
  LmFormatException error(String what) {
    return new LmFormatException(name + ", " + section + ", line " + lines + ": " + what);
  }

  private void requireLine(String what) throws IOException {
    if (!readLine()) {
      throw error("the file ends where " + what + " was expected");
    }
  }

  /** Finds the next line, without its LF or CR LF; false at the end of the file. */
  private boolean readLine() throws IOException {
    int at = next;
    while (true) {
      while (at < limit && buffer[at] != '\n') {
        at++;
      }
      if (at < limit) {
        break;
      }
      at -= next;
      boolean more = fill();
      at += next;
      if (!more) {
        if (next == limit) {
          return false;
        }
        break;
      }
    }
    from = next;
    to = at > from && buffer[at - 1] == '\r' ? at - 1 : at;
    next = Math.min(limit, at + 1);
    lines++;
    return true;
  }

  /** Moves what is left to the front and reads more behind it. */
  private boolean fill() throws IOException {
    int left = limit - next;
    if (left > MAX_LINE) {
      lines++;
      throw error("the line is longer than " + MAX_LINE + " bytes; this is no ARPA file");
    }
    if (left > buffer.length / 2) {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    System.arraycopy(buffer, next, buffer, 0, left);
    next = 0;
    limit = left;
    int read = in.read(buffer, limit, buffer.length - limit);
    limit += Math.max(0, read);
    return read > 0;
  }

  private boolean isBlank() {
    for (int i = from; i < to; i++) {
      if (!isSpace(buffer[i])) {
        return false;
      }
    }
    return true;
  }

  private boolean is(String line) {
    return new String(buffer, from, to - from, StandardCharsets.ISO_8859_1).equals(line);
  }

  private String text() {
    return new String(buffer, from, Math.min(to - from, SHOWN), StandardCharsets.UTF_8);
  }

  private String shown() {
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

  @Override
  public void close() throws IOException {
    in.close();
  }
}
