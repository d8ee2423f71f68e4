package io.latimer.operators.lm.arpa;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.util.Team;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Reads an ARPA file, plain or gzip. Accepts and rejects the same input as KenLM, with two
 * exceptions: it accepts order 1, and rejects a line broken in two.
 *
 * <p>N-grams of two or more words are parsed by several threads, one block of lines each, and
 * handed out in file order. A thread stops at a line that it cannot parse; that line is read again
 * on its own once all lines before it have been handed out.
 */
final class ArpaReader extends ArpaLines implements Closeable {
  /** Blocks that a thread parses between two barriers. */
  private static final int BLOCKS_PER_THREAD = 2;

  /** Receives the n-grams of a section. */
  interface Sink {
    /** Looks up n-grams while none are added. Called by several threads. */
    void resolve(NgramBatch ngrams);

    /**
     * Adds the first n-grams of a batch. Called by one thread at a time.
     *
     * @return the number added; if it is less than the batch, the next one's context is unknown
     */
    int add(NgramBatch ngrams, int count);
  }

  private final ArpaBlocks blocks;
  private final Team team;
  private final Deque<ArpaBlock> ahead = new ArrayDeque<>(); // read ahead of the current one
  private final Deque<ArpaBlock> free = new ArrayDeque<>();
  private ArpaBlock current;

  private ArpaReader(String name, ArpaBlocks blocks, Team team) {
    super(name);
    this.blocks = blocks;
    this.team = team;
  }

  /**
   * Opens a file.
   *
   * @param team threads that parse n-grams
   * @param blockBytes approximate size in bytes of a thread's block
   */
  static ArpaReader open(Path file, Team team, int blockBytes) throws IOException {
    return new ArpaReader(file.toString(), ArpaBlocks.open(file, blockBytes), team);
  }

  @Override
  boolean more() throws IOException {
    ArpaBlock block = ahead.isEmpty() ? blocks.read(free.poll()) : ahead.poll();
    if (block == null) {
      blocks.requireEnd();
      return false;
    }
    if (current != null) {
      free.add(current);
    }
    current = block;
    goOn(block.bytes(), block.from(), block.limit());
    return true;
  }

  /** Reads everything before the first section: the number of n-grams per order. */
  long[] readCounts() throws IOException {
    section("\\data\\");
    do {
      requireLine("\\data\\");
    } while (isBlank() || startsWith('#'));
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
        ? ", which is a compiled model; pass the ARPA file it was made from"
        : "; pass an ARPA file, plain or gzip";
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
      throw error("the model is of order " + order + " or more; Latimer supports 1 to 8");
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

  /** Checks declared numbers against the file's size, before memory is allocated for them. */
  private void requireRoom(List<Long> counts) {
    long most = blocks.mostBytes();
    long least = 0;
    for (int n = 1; n <= counts.size(); n++) {
      long bytes = 2 + 2L * n; // "0", a tab or space before each word, a letter, the line end
      if (counts.get(n - 1) > (most - least) / bytes) {
        throw error(
            "the file declares "
                + counts.get(n - 1)
                + " n-grams of order "
                + n
                + ", but is too small for that many");
      }
      least += counts.get(n - 1) * bytes;
    }
  }

  /** Reads the heading of a section, which must come next. */
  void beginSection(int order) throws IOException {
    String heading = "\\" + order + "-grams:";
    heading(heading);
    section(heading);
  }

  /** Reads the last line; only blank lines may follow. */
  void end() throws IOException {
    heading("\\end\\");
    section("\\end\\");
    while (readLine()) {
      if (!isBlank()) {
        throw error("expected nothing after \\end\\, found \"" + shown() + "\"");
      }
    }
  }

  private void heading(String heading) throws IOException {
    do {
      requireLine(heading);
    } while (isBlank());
    if (!is(heading)) {
      throw error(
          startsWith('\\') || section().equals("\\data\\")
              ? "expected " + heading + ", found \"" + shown() + "\""
              : "expected "
                  + heading
                  + ", found the n-gram \""
                  + shown()
                  + "\": there are more of them than \\data\\ declares");
    }
  }

  private void requireLine(String what) throws IOException {
    if (!readLine()) {
      throw error("the file ends where " + what + " was expected");
    }
  }

  /** Reads a unigram; its word is {@link #wordBytes}. */
  void readUnigram(boolean highest) throws IOException {
    requireNgram();
    unigram(highest);
  }

  private void requireNgram() throws IOException {
    if (!skipBlank()) {
      throw error("the file ends before all n-grams that \\data\\ declares");
    }
  }

  /**
   * Reads the n-grams of a section of order 2 or higher.
   *
   * @param highest whether it is of the highest order, which has no back-offs
   * @throws LmFormatException if there are too few, or one of them is invalid, or its context is
   *     unknown
   */
  void readNgrams(int order, boolean highest, long count, WordTable vocabulary, Sink sink)
      throws IOException {
    Section section = new Section(order, highest, count, vocabulary, sink);
    section.read();
    if (section.left > 0) {
      requireNgram();
      ngram(order, highest, vocabulary, new int[order], 0);
      throw ngramError(
          "its context, the first "
              + (order - 1)
              + " words, is not among the "
              + (order - 1)
              + "-grams; every context must be listed");
    }
  }

  /** The n-grams of one section, read until they end or one is rejected. */
  private final class Section {
    private final int order;
    private final boolean highest;
    private final WordTable vocabulary;
    private final Sink sink;
    private final List<ArpaBlock> used = new ArrayList<>();
    private long left;
    private boolean stopped;
    private int added; // n-grams added of the block where it stopped

    Section(int order, boolean highest, long count, WordTable vocabulary, Sink sink) {
      this.order = order;
      this.highest = highest;
      this.vocabulary = vocabulary;
      this.sink = sink;
      this.left = count;
      this.stopped = count == 0;
    }

    /** While some blocks are added, the next are parsed, and those after them are read. */
    void read() throws IOException {
      if (current != null) {
        current.set(next(), current.limit());
        ahead.addFirst(current);
        current = null;
        goOn(new byte[0], 0, 0);
      }
      Deque<ArpaBlock> adding = new ArrayDeque<>();
      int width = BLOCKS_PER_THREAD * team.size();
      while (!stopped) {
        List<ArpaBlock> parsing = new ArrayList<>();
        while (parsing.size() < width && !ahead.isEmpty()) {
          parsing.add(ahead.poll());
        }
        if (parsing.isEmpty() && adding.isEmpty() && blocks.ended()) {
          return;
        }
        team.run(
            parsing.size() + 2,
            part -> {
              if (part == 0) {
                add(adding);
              } else if (part == 1) {
                readAhead(width);
              } else {
                parsing.get(part - 2).parse(order, highest, vocabulary);
              }
            });
        free.addAll(used);
        used.clear();
        // What follows a line that is not an n-gram may belong to another section.
        int sound = stopped ? 0 : sound(parsing);
        for (int i = parsing.size() - 1; i >= sound; i--) {
          ahead.addFirst(parsing.get(i));
        }
        team.run(sound, i -> sink.resolve(parsing.get(i).ngrams()));
        adding.addAll(parsing.subList(0, sound));
      }
      while (!adding.isEmpty()) {
        ahead.addFirst(adding.pollLast());
      }
      goBehindAdded();
    }

    private int sound(List<ArpaBlock> parsed) {
      for (int i = 0; i < parsed.size(); i++) {
        if (!parsed.get(i).isWhole()) {
          return i + 1;
        }
      }
      return parsed.size();
    }

    private void readAhead(int most) {
      // No other task of the team touches these.
      while (ahead.size() < most) {
        ArpaBlock block = blocks.read(free.poll());
        if (block == null) {
          return;
        }
        ahead.add(block);
      }
    }

    private void add(Deque<ArpaBlock> from) {
      while (!stopped && !from.isEmpty()) {
        ArpaBlock block = from.poll();
        int wanted = (int) Math.min(left, block.ngrams().size());
        added = sink.add(block.ngrams(), wanted);
        left -= added;
        if (left > 0 && added == wanted && block.isWhole()) {
          pass(block.linesToEnd());
          used.add(block);
        } else {
          current = block;
          stopped = true;
        }
      }
    }

    private void goBehindAdded() throws IOException {
      if (current == null) {
        return; // there were none to read
      }
      if (added == current.ngrams().size()) {
        goOn(current.bytes(), current.end(), current.limit());
        pass(current.linesToEnd());
        return;
      }
      goOn(current.bytes(), current.from(), current.limit());
      for (int i = 0; i < added; i++) {
        skipBlank();
      }
    }
  }

  @Override
  public void close() throws IOException {
    blocks.close();
  }
}
