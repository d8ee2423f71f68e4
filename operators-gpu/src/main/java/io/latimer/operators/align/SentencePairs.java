package io.latimer.operators.align;

import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.index.PairedLines;
import io.latimer.operators.phrases.index.PhraseTextException;
import io.latimer.operators.phrases.index.TextLines;
import io.latimer.operators.phrases.index.WordRanges;
import io.latimer.operators.util.BuildProgress;
import java.nio.file.Path;
import java.util.Arrays;

/** A parallel text in memory, as word ids. Id 0 is the null word: it stands for nothing. */
final class SentencePairs {
  private static final int MAX_WORDS = Integer.MAX_VALUE - 8;

  private final Side source = new Side();
  private final Side target = new Side();
  private int size;

  /** One side of the text: its words, concatenated. */
  private static final class Side {
    private final WordIds vocabulary = new WordIds();
    private final WordRanges words = new WordRanges();
    private int[] ids = new int[1 << 16];
    private int[] starts = new int[1 << 12];

    private void add(TextLines line, int number) {
      words.split(line.bytes(), line.length());
      int from = starts[number];
      if (words.size() > MAX_WORDS - from) {
        throw new PhraseTextException(
            line.where() + ": more than " + MAX_WORDS + " words; align the text in parts");
      }
      if (words.size() > ids.length - from) {
        long larger = Math.max(from + (long) words.size(), 2L * ids.length);
        ids = Arrays.copyOf(ids, (int) Math.min(MAX_WORDS, larger));
      }
      for (int i = 0; i < words.size(); i++) {
        ids[from + i] = 1 + vocabulary.id(line.bytes(), words.from(i), words.to(i));
      }
      if (number + 2 > starts.length) {
        starts = Arrays.copyOf(starts, 2 * starts.length);
      }
      starts[number + 1] = from + words.size();
    }

    private int[] sentence(int number) {
      return Arrays.copyOfRange(ids, starts[number], starts[number + 1]);
    }
  }

  private SentencePairs() {}

  /**
   * Reads two files, plain or gzip, with a sentence per line. Words are separated as by {@link
   * WordIds#split}.
   *
   * @throws PhraseTextException if a file cannot be read, is not UTF-8 or has lines that the other
   *     lacks, naming file and line
   */
  static SentencePairs read(Path source, Path target, BuildProgress progress) {
    SentencePairs pairs = new SentencePairs();
    try (PairedLines lines = new PairedLines(source, target)) {
      long read = 0;
      while (lines.next()) {
        pairs.source.add(lines.source(), pairs.size);
        pairs.target.add(lines.target(), pairs.size);
        pairs.size++;
        progress.read(lines.bytesRead() - read);
        read = lines.bytesRead();
      }
    }
    return pairs;
  }

  /** The number of pairs. */
  int size() {
    return size;
  }

  /** The words of a source sentence. */
  int[] source(int pair) {
    return source.sentence(pair);
  }

  /** The words of a target sentence. */
  int[] target(int pair) {
    return target.sentence(pair);
  }

  /** The number of distinct source words, one more for nothing. */
  int sourceVocabulary() {
    return 1 + source.vocabulary.size();
  }

  /** The number of distinct target words, likewise. */
  int targetVocabulary() {
    return 1 + target.vocabulary.size();
  }

  /** Whether a pair can be aligned: both sentences have words, and not too many. */
  boolean isAlignable(int pair) {
    int sourceWords = source.starts[pair + 1] - source.starts[pair];
    int targetWords = target.starts[pair + 1] - target.starts[pair];
    return sourceWords > 0
        && targetWords > 0
        && Aligner.cells(sourceWords, targetWords) <= Aligner.MAX_CELLS;
  }
}
