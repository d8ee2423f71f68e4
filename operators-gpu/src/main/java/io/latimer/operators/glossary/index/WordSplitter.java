package io.latimer.operators.glossary.index;

import java.util.Arrays;

/** Splits a normalized text into the words of {@link TermWords}, in one pass. */
final class WordSplitter {
  /** White space before the word counts. */
  static final int SPACED = 1;

  static final int STARTS_SENTENCE = 2;

  private static final String SENTENCE_ENDS = ".!?:\u2026\u3002\uff01\uff1f\uff1a\u061f\u0964";
  private static final int MIDDLE_DOT = 0xB7;

  private final String text;
  private final TermFolding folding;
  private final char[] plain;
  private final char[] folded;
  private int length;
  private int size;
  private int[] starts;
  private int[] ends;
  private int[] offsets;
  private byte[] flags;

  /** The class of the last character of the word that may go on; null if none may. */
  private WordClass open;

  private boolean space;
  private boolean single;
  private boolean sentenceStart = true;

  WordSplitter(String text, TermFolding folding) {
    this.text = text;
    this.folding = folding;
    this.plain = new char[text.length()];
    this.folded = new char[text.length()];
    int capacity = 8 + text.length() / 4;
    this.starts = new int[capacity];
    this.ends = new int[capacity];
    this.offsets = new int[capacity + 1];
    this.flags = new byte[capacity];
    split();
    offsets[size] = length;
  }

  private void split() {
    for (int at = 0; at < text.length(); ) {
      int c = text.codePointAt(at);
      int next = at + Character.charCount(c);
      WordClass kind = WordClass.of(c);
      switch (kind) {
        case SPACE -> endWord();
        case IGNORED -> {}
        case MARK -> addMark(c, at, next);
        case LETTER, DIGIT -> {
          if (open == null) {
            begin(at, kind);
          }
          append(c, next);
          open = kind;
        }
        case SINGLE -> {
          begin(at, kind);
          append(c, next);
        }
        case SYMBOL -> addSymbol(TermFolding.unified(c), at, next);
      }
      at = next;
    }
  }

  private void endWord() {
    space = true;
    open = null;
  }

  private void addMark(int c, int at, int next) {
    if (size == 0 || space) {
      begin(at, WordClass.LETTER);
      open = WordClass.LETTER;
    }
    append(c, next);
  }

  private void addSymbol(int c, int at, int next) {
    if (joins(c, next)) {
      append(c, next);
      return;
    }
    begin(at, WordClass.SYMBOL);
    append(c, next);
    sentenceStart |= SENTENCE_ENDS.indexOf(c) >= 0;
  }

  /** Whether a symbol inside a word is part of it. */
  private boolean joins(int c, int next) {
    if (open == null || next == text.length()) {
      return false;
    }
    WordClass after = WordClass.of(text.codePointAt(next));
    return switch (c) {
      case '.' -> after == open;
      case ',' -> after == open && open == WordClass.DIGIT;
      case MIDDLE_DOT -> after == open && open == WordClass.LETTER;
      case '\'' -> isNegation(next);
      default -> false;
    };
  }

  /** Whether an apostrophe is that of "n't". */
  private boolean isNegation(int next) {
    return folded[length - 1] == 'n'
        && folding.fold(text.charAt(next)) == 't'
        && (next + 1 == text.length() || !WordClass.of(text.codePointAt(next + 1)).isOfWord());
  }

  private void begin(int at, WordClass kind) {
    if (size == starts.length) {
      int capacity = 2 * size;
      starts = Arrays.copyOf(starts, capacity);
      ends = Arrays.copyOf(ends, capacity);
      offsets = Arrays.copyOf(offsets, capacity + 1);
      flags = Arrays.copyOf(flags, capacity);
    }
    boolean isSingle = kind == WordClass.SINGLE;
    starts[size] = at;
    offsets[size] = length;
    flags[size] =
        (byte)
            ((space && size > 0 && !single && !isSingle ? SPACED : 0)
                | (sentenceStart ? STARTS_SENTENCE : 0));
    size++;
    space = false;
    single = isSingle;
    open = null;
    sentenceStart &= kind == WordClass.SYMBOL;
  }

  /** Adds a character to the last word. */
  private void append(int c, int next) {
    ends[size - 1] = next;
    int point = TermFolding.unified(c);
    if (point < Character.MIN_SUPPLEMENTARY_CODE_POINT) {
      plain[length] = (char) point;
      folded[length++] = (char) folding.fold(point);
      return;
    }
    Character.toChars(point, plain, length);
    Character.toChars(folding.fold(point), folded, length);
    length += 2;
  }

  char[] plain() {
    return plain;
  }

  char[] folded() {
    return folded;
  }

  int size() {
    return size;
  }

  int[] starts() {
    return starts;
  }

  int[] ends() {
    return ends;
  }

  /** The start of each word in {@link #plain} and {@link #folded}, and the end of the last. */
  int[] offsets() {
    return offsets;
  }

  byte[] flags() {
    return flags;
  }
}
