package io.latimer.operators.phrases.index;

import java.util.Arrays;

/**
 * Sentence pairs in memory, as a segment of an index has them: the texts with {@link
 * PhraseSections#END} after each sentence, and for every word the places of the first and the last
 * word that it is linked to (arrays L, R, L' and R' of He, Lin and Lopez 2013, section 4).
 */
final class SegmentText {
  private static final int MAX_LENGTH = Integer.MAX_VALUE - 16;

  /** One side of the text. */
  static final class Half {
    int[] words = new int[1 << 10];
    char[] first = new char[1 << 10];
    char[] last = new char[1 << 10];
    int length;

    void add(int word) {
      if (length == words.length) {
        if (length == MAX_LENGTH) {
          throw new PhraseTextException(
              "a segment of an index takes " + MAX_LENGTH + " words; split the text");
        }
        resize((int) Math.min(MAX_LENGTH, length + length / 2L));
      }
      words[length] = word;
      first[length] = Segment.UNALIGNED;
      last[length] = 0;
      length++;
    }

    void add(int word, long extent) {
      add(word);
      first[length - 1] = (char) Segment.first(extent);
      last[length - 1] = (char) Segment.last(extent);
    }

    void addAll(Half other) {
      for (int i = 0; i < other.length; i++) {
        add(other.words[i]);
        first[length - 1] = other.first[i];
        last[length - 1] = other.last[i];
      }
    }

    void link(int at, int place) {
      first[at] = (char) Math.min(first[at], place);
      last[at] = (char) Math.max(last[at], place);
    }

    private void resize(int size) {
      words = Arrays.copyOf(words, size);
      first = Arrays.copyOf(first, size);
      last = Arrays.copyOf(last, size);
    }

    /** Trims the arrays to their size. */
    void trim() {
      if (length < words.length) {
        resize(length);
      }
    }
  }

  private final Half source = new Half();
  private final Half target = new Half();
  private int sentences;
  private int longest;

  void add(SentencePair pair) {
    int sourceStart = source.length;
    int targetStart = target.length;
    for (int place = 0; place < pair.sourceWords(); place++) {
      source.add(pair.source(place));
    }
    for (int place = 0; place < pair.targetWords(); place++) {
      target.add(pair.target(place));
    }
    for (int link = 0; link < pair.links(); link++) {
      source.link(sourceStart + pair.sourcePlace(link), pair.targetPlace(link));
      target.link(targetStart + pair.targetPlace(link), pair.sourcePlace(link));
    }
    end(pair.sourceWords(), pair.targetWords());
  }

  /** Adds all sentence pairs of a segment. */
  void addAll(Segment segment) {
    int sourceAt = 0;
    int targetAt = 0;
    for (int i = 0; i < segment.settings().sentences(); i++) {
      int sourceStart = sourceAt;
      int targetStart = targetAt;
      for (; segment.source(sourceAt) != PhraseSections.END; sourceAt++) {
        source.add(segment.source(sourceAt), segment.extent(sourceAt));
      }
      for (; segment.target(targetAt) != PhraseSections.END; targetAt++) {
        target.add(segment.target(targetAt), segment.targetExtent(targetAt));
      }
      end(sourceAt++ - sourceStart, targetAt++ - targetStart);
    }
  }

  /** Adds all sentence pairs of another text. */
  void addAll(SegmentText other) {
    source.addAll(other.source);
    target.addAll(other.target);
    sentences += other.sentences;
    longest = Math.max(longest, other.longest);
  }

  private void end(int sourceWords, int targetWords) {
    source.add(PhraseSections.END);
    target.add(PhraseSections.END);
    sentences++;
    longest = Math.max(longest, Math.max(sourceWords, targetWords));
  }

  Half source() {
    return source;
  }

  Half target() {
    return target;
  }

  int sentences() {
    return sentences;
  }

  /** Whether a sentence is too long for places of one byte. */
  boolean isWide() {
    return longest > PhraseSections.NARROW_WORDS;
  }
}
