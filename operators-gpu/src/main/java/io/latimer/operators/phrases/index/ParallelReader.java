package io.latimer.operators.phrases.index;

import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.Closer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads sentence pairs from three files with as many lines: the tokenized source text, the
 * tokenized target text, and the word alignment in Pharaoh's format ({@code 0-0 1-2}: places in the
 * source and in the target sentence, from 0; an empty line if nothing is aligned). Words are
 * separated as by {@link WordIds#split}.
 */
final class ParallelReader implements AutoCloseable {
  private static final byte[] COLUMNS = "|||".getBytes(StandardCharsets.US_ASCII);

  private final TextLines source;
  private final TextLines target;
  private final TextLines alignment;
  private final Words sourceIds;
  private final Words targetIds;
  private final boolean skipBad;
  private final Closer closer = new Closer();
  private final WordRanges sourceWords = new WordRanges();
  private final WordRanges targetWords = new WordRanges();
  private final SentencePair pair = new SentencePair();
  private long skipped;

  /** The ids of words, assigned as they appear. */
  @FunctionalInterface
  interface Words {
    int id(byte[] bytes, int from, int to);
  }

  /**
   * Opens the files.
   *
   * @param skipBad whether to count and skip bad lines; otherwise the first ends the reading
   * @throws PhraseTextException if a file cannot be read
   */
  ParallelReader(PhraseTextFiles files, Words sourceIds, Words targetIds, boolean skipBad) {
    this.sourceIds = sourceIds;
    this.targetIds = targetIds;
    this.skipBad = skipBad;
    try {
      this.source = closer.add(new TextLines(files.source()));
      this.target = closer.add(new TextLines(files.target()));
      this.alignment = closer.add(new TextLines(files.alignment()));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Reads the next pair.
   *
   * @return the pair, reused by the next call; null at the end of the files
   * @throws PhraseTextException if a line is bad, naming file and line
   */
  SentencePair next() {
    while (true) {
      boolean more = source.next();
      boolean moreTarget = target.next();
      boolean moreAlignment = alignment.next();
      if (!more && !moreTarget && !moreAlignment) {
        return null;
      }
      String bad = more && moreTarget && moreAlignment ? parse() : lengths(more, moreTarget);
      if (bad == null) {
        return pair;
      }
      if (!skipBad) {
        throw new PhraseTextException(bad);
      }
      skipped++;
    }
  }

  /** The bad lines skipped so far. */
  long skipped() {
    return skipped;
  }

  /** Bytes of text read so far, unpacked, of all three files. */
  long bytesRead() {
    return source.bytesRead() + target.bytesRead() + alignment.bytesRead();
  }

  private String lengths(boolean source, boolean target) {
    Path ended = (!source ? this.source : !target ? this.target : alignment).file();
    Path longer = (source ? this.source : target ? this.target : alignment).file();
    long line = Math.max(Math.max(this.source.number(), this.target.number()), alignment.number());
    return ended
        + " ends before line "
        + line
        + ", "
        + longer
        + " does not; the three files need one line per sentence pair";
  }

  /** Fills the pair from the three lines; returns what is wrong, or null. */
  private String parse() {
    pair.clear();
    for (TextLines line : new TextLines[] {source, target, alignment}) {
      String tooLong = line.tooLong();
      if (tooLong != null) {
        return tooLong;
      }
    }
    String bad = words(source, sourceWords);
    bad = bad == null ? words(target, targetWords) : bad;
    bad = bad == null ? links() : bad;
    if (bad == null) {
      pair.sortLinks();
      for (int word = 0; word < sourceWords.size(); word++) {
        pair.addSource(sourceIds.id(source.bytes(), sourceWords.from(word), sourceWords.to(word)));
      }
      for (int word = 0; word < targetWords.size(); word++) {
        pair.addTarget(targetIds.id(target.bytes(), targetWords.from(word), targetWords.to(word)));
      }
    }
    return bad;
  }

  private static String words(TextLines line, WordRanges words) {
    String notUtf8 = line.notUtf8();
    if (notUtf8 != null) {
      return notUtf8;
    }
    words.split(line.bytes(), line.length());
    if (words.size() == 0) {
      return line.where() + " is empty; remove the sentence pair from all three files";
    }
    if (words.size() > SentencePair.MAX_WORDS) {
      return line.where()
          + " has "
          + words.size()
          + " words, an index takes "
          + SentencePair.MAX_WORDS
          + "; split the sentence";
    }
    for (int word = 0; word < words.size(); word++) {
      int from = words.from(word);
      if (Arrays.equals(line.bytes(), from, words.to(word), COLUMNS, 0, COLUMNS.length)) {
        return line.where()
            + " word "
            + (word + 1)
            + " is |||, which separates the columns of phrase tables; escape it";
      }
    }
    return null;
  }

  /** Parses the alignment line; returns what is wrong, or null. */
  private String links() {
    String bad =
        AlignmentLine.parse(
            alignment.bytes(), alignment.length(), sourceWords.size(), targetWords.size(), pair);
    return bad == null ? null : alignment.where() + ": " + bad;
  }

  @Override
  public void close() {
    closer.close();
  }
}
