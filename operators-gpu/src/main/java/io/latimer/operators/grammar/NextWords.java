package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.ngram.WordIds;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds where a sentence leaves a grammar, and the words that could have followed there. Reads the
 * sentence from left to right and keeps only what can be part of a derivation from the start, as
 * Earley's recognizer does, so that after each word it knows whether any derivable sentence has
 * this prefix. Each call reads one sentence on the caller's thread. Thread-safe.
 */
public final class NextWords {
  /** Maximum words of a prefix that is examined; fewer for a large grammar. */
  public static final int MOST_WORDS = 1024;

  /** Maximum of words squared times rules; 64 positions are examined at a time. */
  private static final long MOST_STEPS = 1L << 36;

  /** Maximum of words times classes. */
  private static final long MOST_CELLS = 1L << 22;

  private final GrammarIndex index;
  private final int mostListed;
  private final KnownContinuations known = new KnownContinuations();
  private final SentenceTerminals sentenceTerminals;
  private final int[][] rules; // by parent, as left << 16 | right
  private final int[][] ancestors;
  private final int[][] descendants;
  private final BitSet productive = new BitSet();
  private final int startClass;
  private final int mostWords;
  private final ByteBuffer entryStarts;
  private final ByteBuffer entries;

  /**
   * Prepares a grammar.
   *
   * @param unknown what derives words that are not terminals
   * @param most how many words a {@link Continuation} lists at most
   */
  public NextWords(GrammarIndex index, UnknownWords unknown, int most) {
    this.index = index;
    this.mostListed = most;
    this.sentenceTerminals = new SentenceTerminals(index, unknown);
    this.startClass = index.classOf().getChar(2 * index.start());
    this.rules = rules(index);
    this.ancestors = ancestors(index);
    this.descendants = inverse(ancestors);
    this.entryStarts = index.entryStarts();
    this.entries = index.entries();
    this.mostWords = mostWords();
    findProductive();
  }

  private int mostWords() {
    int words = MOST_WORDS;
    while (words > 1
        && ((long) words * words * index.rules() > MOST_STEPS
            || (long) words * index.classes() > MOST_CELLS)) {
      words /= 2;
    }
    return words;
  }

  /**
   * Where a sentence leaves the grammar.
   *
   * @param viable length in words of the longest prefix that some sentence of the grammar has, too:
   *     at most the words of the sentence
   * @param complete whether this prefix is itself a sentence of the grammar
   * @param words the first of the words that may follow it, in the order of the index
   * @param total how many words may follow it
   */
  public record Continuation(int viable, boolean complete, List<String> words, int total) {
    public Continuation {
      words = List.copyOf(words);
    }
  }

  /**
   * Reads a sentence.
   *
   * @param text its words, separated as by {@link WordIds#split}
   * @return null if it is longer than can be examined and has not left the grammar by then
   */
  public Continuation after(SentenceWords text) {
    int[] sentence = sentenceTerminals.ids(text);
    Continuation found = known.of(sentence);
    if (found == null) {
      found = read(sentence);
      if (found != null) {
        known.add(sentence, found);
      }
    }
    return found;
  }

  private Continuation read(int[] sentence) {
    Reading reading = new Reading(Math.min(sentence.length, mostWords));
    int viable = 0;
    while (viable < reading.words && reading.add(viable, sentence[viable])) {
      viable++;
    }
    if (viable == reading.words && viable < sentence.length) {
      return null;
    }
    BitSet next = reading.predicted[viable];
    boolean complete = viable == 0 ? index.derivesEmpty() : reading.has(0, viable, startClass);
    List<String> words = new ArrayList<>();
    int total = 0;
    WordTable terminals = index.terminals();
    for (int terminal = 1; terminal < terminals.size(); terminal++) {
      if (begins(terminal, next)) {
        total++;
        if (words.size() < mostListed) {
          words.add(terminals.word(terminal));
        }
      }
    }
    return new Continuation(viable, complete, words, total);
  }

  private static int[][] rules(GrammarIndex index) {
    ByteBuffer byParent = index.byParent();
    int[][] rules = new int[index.classes()][];
    int from = 0;
    for (int parent = 0; parent < rules.length; parent++) {
      int to = from;
      while (to < index.rules() && byParent.getChar(6 * to) == parent) {
        to++;
      }
      rules[parent] =
          IntStream.range(from, to)
              .map(r -> byParent.getChar(6 * r + 2) << 16 | byParent.getChar(6 * r + 4))
              .toArray();
      from = to;
    }
    return rules;
  }

  private static int[][] ancestors(GrammarIndex index) {
    ByteBuffer starts = index.ancestorStarts();
    ByteBuffer all = index.ancestors();
    int[][] ancestors = new int[index.classes()][];
    for (int c = 0; c < ancestors.length; c++) {
      ancestors[c] =
          IntStream.range(starts.getInt(4 * c), starts.getInt(4 * c + 4))
              .map(i -> all.getChar(2 * i))
              .toArray();
    }
    return ancestors;
  }

  private static int[][] inverse(int[][] ancestors) {
    int[] counts = new int[ancestors.length];
    for (int[] above : ancestors) {
      for (int c : above) {
        counts[c]++;
      }
    }
    int[][] descendants = new int[ancestors.length][];
    Arrays.setAll(descendants, c -> new int[counts[c]]);
    for (int c = 0; c < ancestors.length; c++) {
      for (int above : ancestors[c]) {
        descendants[above][--counts[above]] = c;
      }
    }
    return descendants;
  }

  /** Finds the classes that derive words; a grammar of rules as read may have others. */
  private void findProductive() {
    for (int terminal = 1; terminal < index.terminals().size(); terminal++) {
      entries(terminal).stream().forEach(this::addProductive);
    }
    // Each rule waits for one of its sides that is not productive, then for the other.
    Map<Integer, List<int[]>> waiting = new HashMap<>();
    Deque<int[]> ready = new ArrayDeque<>();
    for (int parent = 0; parent < rules.length; parent++) {
      for (int rule : rules[parent]) {
        ready.add(new int[] {parent, rule});
      }
    }
    while (!ready.isEmpty()) {
      int[] next = ready.pop();
      int rule = next[1];
      if (!isProductive(rule)) {
        int missing = productive.get(left(rule)) ? right(rule) : left(rule);
        waiting.computeIfAbsent(missing, side -> new ArrayList<>()).add(next);
      } else if (!productive.get(next[0])) {
        BitSet before = (BitSet) productive.clone();
        addProductive(next[0]);
        before.xor(productive);
        before.stream().mapToObj(c -> waiting.getOrDefault(c, List.of())).forEach(ready::addAll);
      }
    }
  }

  private boolean isProductive(int rule) {
    return productive.get(left(rule)) && productive.get(right(rule));
  }

  private void addProductive(int c) {
    addWithAncestors(c, productive);
  }

  private void addWithAncestors(int c, BitSet to) {
    to.set(c);
    for (int ancestor : ancestors[c]) {
      to.set(ancestor);
    }
  }

  private static int left(int rule) {
    return rule >>> 16;
  }

  private static int right(int rule) {
    return rule & 0xFFFF;
  }

  private boolean begins(int terminal, BitSet classes) {
    for (int i = entryStarts.getInt(4 * terminal); i < entryStarts.getInt(4 * terminal + 4); i++) {
      if (classes.get(entries.getChar(2 * i))) {
        return true;
      }
    }
    return false;
  }

  /** The classes with a rule for a terminal; for the number of terminals, those with any rule. */
  private BitSet entries(int terminal) {
    boolean any = terminal == index.terminals().size();
    int from = any ? 0 : entryStarts.getInt(4 * terminal);
    int to = entryStarts.getInt(any ? 4 * terminal : 4 * terminal + 4);
    BitSet classes = new BitSet();
    for (int i = from; i < to; i++) {
      classes.set(entries.getChar(2 * i));
    }
    return classes;
  }

  /**
   * The cells of one sentence, column by column: for each class the positions where it ends, by
   * where it begins, and the reverse. So all split points between two parts are examined at once.
   */
  private final class Reading {
    private final int words;
    private final BitSet[] predicted; // classes that may begin before a word
    private final BitSet[][] ends; // by beginning and class; null for none
    private final BitSet[][] beginnings; // by end and class; null for none

    Reading(int words) {
      this.words = words;
      this.predicted = new BitSet[words + 1];
      this.ends = new BitSet[words + 1][];
      this.beginnings = new BitSet[words + 1][];
      start(0, new BitSet());
      predict(predicted[0], startClass);
    }

    private void start(int at, BitSet next) {
      predicted[at] = next;
      ends[at] = new BitSet[index.classes()];
      beginnings[at] = new BitSet[index.classes()];
    }

    boolean has(int from, int to, int c) {
      return ends[from][c] != null && ends[from][c].get(to);
    }

    /**
     * Adds a word; returns false, with all before it unchanged, if no derivable sentence has this
     * prefix.
     */
    boolean add(int at, int terminal) {
      int end = at + 1;
      BitSet next = new BitSet();
      start(end, next);
      for (int from = at; from >= 0; from--) {
        BitSet cell = cell(from, from == at ? entries(terminal) : combine(from, end));
        for (int c = cell.nextSetBit(0); c >= 0; c = cell.nextSetBit(c + 1)) {
          set(ends[from], c, end);
          set(beginnings[end], c, from);
        }
        follow(from, cell, next);
      }
      return !next.isEmpty() || has(0, end, startClass);
    }

    private static void set(BitSet[] places, int c, int place) {
      if (places[c] == null) {
        places[c] = new BitSet();
      }
      places[c].set(place);
    }

    /** The predicted ones at a position among some classes and their ancestors. */
    private BitSet cell(int from, BitSet classes) {
      BitSet all = new BitSet();
      classes.stream().forEach(c -> addWithAncestors(c, all));
      all.and(predicted[from]);
      return all;
    }

    /** The predicted classes that derive the words from..to - 1 by a binary rule. */
    private BitSet combine(int from, int to) {
      BitSet found = new BitSet();
      predicted[from].stream()
          .filter(c -> derives(c, ends[from], beginnings[to]))
          .forEach(found::set);
      return found;
    }

    private boolean derives(int parent, BitSet[] leftEnds, BitSet[] rightBeginnings) {
      for (int rule : rules[parent]) {
        BitSet left = leftEnds[left(rule)];
        BitSet right = rightBeginnings[right(rule)];
        if (left != null && right != null && left.intersects(right)) {
          return true;
        }
      }
      return false;
    }

    /** Predicts what may follow a cell: the right classes of rules whose left class is in it. */
    private void follow(int from, BitSet cell, BitSet next) {
      if (cell.isEmpty()) {
        return;
      }
      predicted[from].stream()
          .forEach(
              parent -> {
                for (int rule : rules[parent]) {
                  if (cell.get(left(rule)) && !next.get(right(rule)) && isProductive(rule)) {
                    predict(next, right(rule));
                  }
                }
              });
    }

    /** Predicts a class and all classes that can begin it. */
    private void predict(BitSet next, int first) {
      List<Integer> stack = new ArrayList<>();
      push(first, next, stack);
      while (!stack.isEmpty()) {
        int c = stack.remove(stack.size() - 1);
        for (int descendant : descendants[c]) {
          push(descendant, next, stack);
        }
        for (int rule : rules[c]) {
          if (isProductive(rule)) {
            push(left(rule), next, stack);
          }
        }
      }
    }

    private void push(int c, BitSet next, List<Integer> stack) {
      if (productive.get(c) && !next.get(c)) {
        next.set(c);
        stack.add(c);
      }
    }
  }
}
