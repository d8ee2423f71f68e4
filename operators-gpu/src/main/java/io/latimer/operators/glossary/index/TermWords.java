package io.latimer.operators.glossary.index;

import com.ibm.icu.text.Normalizer2;
import io.latimer.operators.text.NormalizedPlaces;
import io.latimer.operators.text.TextSpan;
import java.text.Normalizer;
import java.util.Arrays;

/**
 * The words of a raw text, as terms are compared with it: in NFC, with one kind of apostrophe,
 * quotation mark and hyphen, without soft hyphens. A word is a run of letters, digits, marks and
 * connectors as in UAX 29, except that
 *
 * <ul>
 *   <li>every character of a script that does without spaces, or that adds particles without one,
 *       as Korean does, is a word of its own, with the marks that follow it;
 *   <li>an apostrophe separates words, but not in "n't"; nor does a point between letters, or a
 *       point or comma between digits;
 *   <li>every other character that is not white space is a word of its own.
 * </ul>
 *
 * Used by one thread at a time.
 */
public final class TermWords {
  private final char[] plain;
  private final char[] folded;
  private final int size;
  private final int[] starts; // in the text as given
  private final int[] ends;
  private final int[] offsets; // in plain and folded
  private final byte[] flags;
  private long[] plainHashes; // made when they are needed
  private long[] foldedHashes;

  private TermWords(WordSplitter split, int[] starts, int[] ends) {
    this.plain = split.plain();
    this.folded = split.folded();
    this.size = split.size();
    this.starts = starts;
    this.ends = ends;
    this.offsets = split.offsets();
    this.flags = split.flags();
  }

  /** Splits a text of any length. */
  public static TermWords of(String text, TermFolding folding) {
    if (isNormalized(text)) {
      WordSplitter split = new WordSplitter(text, folding);
      return new TermWords(split, split.starts(), split.ends());
    }
    String normalized = NormalizedPlaces.normalize(text, Normalizer.Form.NFC);
    WordSplitter split = new WordSplitter(normalized, folding);
    NormalizedPlaces places = NormalizedPlaces.of(text, Normalizer.Form.NFC, normalized);
    int[] points = codePoints(normalized);
    int[] characters = characters(text);
    int[] starts = new int[split.size()];
    int[] ends = new int[split.size()];
    for (int i = 0; i < starts.length; i++) {
      TextSpan raw = places.raw(new TextSpan(points[split.starts()[i]], points[split.ends()[i]]));
      starts[i] = characters[raw.start()];
      ends[i] = characters[raw.end()];
    }
    return new TermWords(split, starts, ends);
  }

  private static boolean isNormalized(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x300) { // those below are in NFC, whatever stands beside them
        return Normalizer2.getNFCInstance().isNormalized(text);
      }
    }
    return true;
  }

  /** The number of code points before each character. */
  private static int[] codePoints(String text) {
    int[] points = new int[text.length() + 1];
    int n = 0;
    for (int at = 0; at < text.length(); n++) {
      int end = at + Character.charCount(text.codePointAt(at));
      Arrays.fill(points, at, end, n);
      at = end;
    }
    points[text.length()] = n;
    return points;
  }

  /** The number of characters before each code point. */
  private static int[] characters(String text) {
    int[] characters = new int[text.codePointCount(0, text.length()) + 1];
    for (int i = 1; i < characters.length; i++) {
      characters[i] = text.offsetByCodePoints(characters[i - 1], 1);
    }
    return characters;
  }

  private long[] plainHashes() {
    if (plainHashes == null) {
      plainHashes = hashes(plain);
    }
    return plainHashes;
  }

  private long[] foldedHashes() {
    if (foldedHashes == null) {
      foldedHashes = hashes(folded);
    }
    return foldedHashes;
  }

  private long[] hashes(char[] text) {
    long[] hashes = new long[size];
    for (int i = 0; i < size; i++) {
      hashes[i] = TermHash.word(text, offsets[i], offsets[i + 1]);
    }
    return hashes;
  }

  /** The number of words. */
  public int size() {
    return size;
  }

  /** The first character of a word in the text. */
  public int start(int word) {
    return starts[word];
  }

  /** The character after a word's last. */
  public int end(int word) {
    return ends[word];
  }

  /** Whether a word begins a sentence. */
  public boolean startsSentence(int word) {
    return (flags[word] & WordSplitter.STARTS_SENTENCE) != 0;
  }

  /**
   * The hash of a word, and of the white space before it unless it is the first of a term.
   *
   * @param first whether it is the first of a term
   * @param sensitive whether case counts
   */
  public long hash(int word, boolean first, boolean sensitive) {
    long hash = (sensitive ? plainHashes() : foldedHashes())[word];
    return first || (flags[word] & WordSplitter.SPACED) == 0 ? hash : TermHash.spaced(hash);
  }

  /**
   * Whether all words of a term stand here.
   *
   * @param at the word where the term would begin
   * @param sensitive whether case counts
   */
  public boolean have(int at, TermWords term, boolean sensitive) {
    return has(at, term) && (sensitive ? samePlain(at, term, 0) : sameFolded(at, term));
  }

  /** The same with the case of all characters but the first. */
  public boolean haveButForFirstCase(int at, TermWords term) {
    int first = term.size == 0 ? 0 : Character.charCount(Character.codePointAt(term.plain, 0));
    return has(at, term) && sameFolded(at, term) && samePlain(at, term, first);
  }

  /** Whether there are so many characters and words, and white space where the term has it. */
  private boolean has(int at, TermWords term) {
    if (term.size > size - at) {
      return false;
    }
    for (int i = 0; i < term.size; i++) {
      if (offsets[at + i + 1] - offsets[at] != term.offsets[i + 1]
          || (i > 0 && ((flags[at + i] ^ term.flags[i]) & WordSplitter.SPACED) != 0)) {
        return false;
      }
    }
    return true;
  }

  private boolean samePlain(int at, TermWords term, int from) {
    int start = offsets[at];
    int length = term.offsets[term.size];
    return Arrays.equals(plain, start + from, start + length, term.plain, from, length);
  }

  private boolean sameFolded(int at, TermWords term) {
    int start = offsets[at];
    int length = term.offsets[term.size];
    return Arrays.equals(folded, start, start + length, term.folded, 0, length);
  }
}
