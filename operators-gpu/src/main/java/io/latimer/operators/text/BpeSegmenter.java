package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.Utf8;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Byte pair encoding with a codes file of subword-nmt (Sennrich et al., 2016), versions 0.1 and
 * 0.2.
 *
 * <p>All pieces of a word except the last end in {@code @@}. In version 0.2 the end of a word is
 * part of its last character, in version 0.1 it is a separate symbol.
 */
public final class BpeSegmenter implements Segmenter {
  private static final String MARKER = "@@";
  private static final String END_OF_WORD = "</w>";
  private static final int MAX_MERGES = 4_000_000;

  private record Pair(String left, String right) {}

  private final Map<Pair, Integer> ranks;
  private final boolean endIsSymbol;
  private final WordCache cache = new WordCache();

  private BpeSegmenter(Map<Pair, Integer> ranks, boolean endIsSymbol) {
    this.ranks = ranks;
    this.endIsSymbol = endIsSymbol;
  }

  /**
   * Reads a codes file: an optional {@code #version: X}, then one merge per line: two symbols
   * separated by a space, most frequent first.
   *
   * @param codes the file's bytes, UTF-8
   * @param name of the file, for messages
   * @throws OperatorException naming the file and the invalid line
   */
  public static BpeSegmenter of(byte[] codes, String name) {
    String text = Utf8.decode(ByteBuffer.wrap(codes));
    if (text == null) {
      throw new OperatorException(name + ": byte " + Utf8.firstError(codes) + " is not UTF-8");
    }
    List<String> lines = text.lines().toList();
    String version = "0.1";
    int first = 0;
    if (!lines.isEmpty() && lines.get(0).startsWith("#version:")) {
      version = lines.get(0).substring("#version:".length()).strip();
      first = 1;
    }
    if (!version.equals("0.1") && !version.equals("0.2")) {
      throw new OperatorException(
          name + ", line 1: codes of version " + version + "; supported are 0.1 and 0.2");
    }
    if (lines.size() > MAX_MERGES) {
      throw new OperatorException(
          name + " has " + lines.size() + " lines; a codes file has at most " + MAX_MERGES);
    }
    Map<Pair, Integer> ranks = new HashMap<>(lines.size() * 2);
    for (int i = first; i < lines.size(); i++) {
      String line = lines.get(i);
      int space = line.indexOf(' ');
      String right = space < 0 ? "" : stripEnd(line.substring(space + 1));
      if (space <= 0 || right.isEmpty() || right.indexOf(' ') >= 0) {
        throw new OperatorException(
            name
                + ", line "
                + (i + 1)
                + ": expected two symbols separated by a space, found \""
                + line
                + "\"");
      }
      ranks.putIfAbsent(new Pair(line.substring(0, space), right), i);
    }
    return new BpeSegmenter(ranks, version.equals("0.1"));
  }

  /** The number of merges. */
  public int merges() {
    return ranks.size();
  }

  /**
   * Counts the merges whose result is a token of a vocabulary, within a word or at its end.
   * Matching codes and vocabulary share most of them; a few merges are only intermediate steps.
   */
  public int mergesIn(Vocabulary vocabulary) {
    int known = 0;
    for (Pair pair : ranks.keySet()) {
      String merged = pair.left() + pair.right();
      String token =
          merged.endsWith(END_OF_WORD)
              ? merged.substring(0, merged.length() - END_OF_WORD.length())
              : merged + MARKER;
      if (vocabulary.id(token) != Vocabulary.UNKNOWN) {
        known++;
      }
    }
    return known;
  }

  private static String stripEnd(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  @Override
  public List<String> segment(String line) {
    List<String> tokens = new ArrayList<>();
    int start = WhitespaceSegmenter.wordStart(line, 0);
    while (start < line.length()) {
      int end = WhitespaceSegmenter.wordEnd(line, start);
      List<String> pieces = cache.get(line, start, end);
      if (pieces == null) {
        String word = line.substring(start, end);
        pieces = pieces(word);
        cache.put(word, pieces);
      }
      tokens.addAll(pieces);
      start = WhitespaceSegmenter.wordStart(line, end);
    }
    return tokens;
  }

  @Override
  public String join(List<String> tokens) {
    String line = String.join(" ", tokens).replace(MARKER + " ", "");
    return line.endsWith(MARKER) ? line.substring(0, line.length() - MARKER.length()) : line;
  }

  @Override
  public List<String> surfaces(List<String> tokens) {
    return tokens.stream()
        .map(t -> t.endsWith(MARKER) ? t.substring(0, t.length() - MARKER.length()) : t)
        .toList();
  }

  @Override
  public boolean startsWord(String before, String token) {
    return before == null || !before.endsWith(MARKER);
  }

  private List<String> pieces(String word) {
    List<String> pieces = new Merging(word).run();
    for (int i = 0; i < pieces.size() - 1; i++) {
      pieces.set(i, pieces.get(i) + MARKER);
    }
    return List.copyOf(pieces);
  }

  /**
   * The merges of one word. Symbols form a linked list and possible merges a queue, so that a word
   * of n characters costs n log n: feeds contain "words" of many thousand characters.
   */
  private final class Merging {
    private record Candidate(int rank, int left, int right, Pair pair)
        implements Comparable<Candidate> {
      @Override
      public int compareTo(Candidate other) {
        int byRank = Integer.compare(rank, other.rank);
        return byRank != 0 ? byRank : Integer.compare(left, other.left);
      }
    }

    private final String[] symbols;
    private final int[] next;
    private final int[] previous;
    private final PriorityQueue<Candidate> queue = new PriorityQueue<>();

    Merging(String word) {
      int[] characters = word.codePoints().toArray();
      int n = characters.length;
      symbols = new String[endIsSymbol ? n + 1 : n];
      for (int i = 0; i < n; i++) {
        symbols[i] = Character.toString(characters[i]);
      }
      if (endIsSymbol) {
        symbols[n] = END_OF_WORD;
      } else {
        symbols[n - 1] += END_OF_WORD;
      }
      next = new int[symbols.length];
      previous = new int[symbols.length];
      for (int i = 0; i < symbols.length; i++) {
        next[i] = i + 1 < symbols.length ? i + 1 : -1;
        previous[i] = i - 1;
      }
      for (int i = 0; i + 1 < symbols.length; i++) {
        offer(i, i + 1, queue);
      }
    }

    private void offer(int left, int right, PriorityQueue<Candidate> to) {
      Pair pair = new Pair(symbols[left], symbols[right]);
      Integer rank = ranks.get(pair);
      if (rank != null) {
        to.add(new Candidate(rank, left, right, pair));
      }
    }

    List<String> run() {
      PriorityQueue<Candidate> made = new PriorityQueue<>();
      while (!queue.isEmpty()) {
        // All occurrences of the best pair are merged before any pair that these merges create.
        int rank = queue.peek().rank();
        while (!queue.isEmpty() && queue.peek().rank() == rank) {
          merge(queue.poll(), made);
        }
        queue.addAll(made);
        made.clear();
      }
      List<String> pieces = new ArrayList<>();
      for (int i = 0; i >= 0; i = next[i]) {
        String symbol = symbols[i];
        if (next[i] < 0 && symbol.endsWith(END_OF_WORD)) {
          symbol = symbol.substring(0, symbol.length() - END_OF_WORD.length());
        }
        if (!symbol.isEmpty()) {
          pieces.add(symbol);
        }
      }
      return pieces;
    }

    private void merge(Candidate candidate, PriorityQueue<Candidate> made) {
      int left = candidate.left();
      int right = candidate.right();
      boolean stale =
          symbols[left] == null
              || next[left] != right
              || !symbols[left].equals(candidate.pair().left())
              || !symbols[right].equals(candidate.pair().right());
      if (stale) {
        return;
      }
      symbols[left] += symbols[right];
      symbols[right] = null;
      next[left] = next[right];
      if (next[left] >= 0) {
        previous[next[left]] = left;
        offer(left, next[left], made);
      }
      if (previous[left] >= 0) {
        offer(previous[left], left, made);
      }
    }
  }
}
