package io.latimer.operators.smt.tune;

import io.latimer.operators.OperatorException;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.index.PairedLines;
import io.latimer.operators.phrases.index.TextLines;
import io.latimer.operators.text.bleu.BleuReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Sentences and a reference translation of each. Immutable. */
public final class DevelopmentSet {
  /** Largest share of the sentences to hold out, in percent. */
  public static final int MOST_HELD_OUT = 50;

  private final List<SentenceWords> sources;
  private final List<BleuReference> references;
  private final List<Integer> lines;

  private DevelopmentSet(
      List<SentenceWords> sources, List<BleuReference> references, List<Integer> lines) {
    this.sources = List.copyOf(sources);
    this.references = List.copyOf(references);
    this.lines = List.copyOf(lines);
  }

  /**
   * Reads two files, plain or gzip, with a tokenized sentence per line. Words are separated as by
   * {@link WordIds#split}.
   *
   * @throws io.latimer.operators.phrases.index.PhraseTextException if a file cannot be read, is not
   *     UTF-8 or has lines that the other lacks, naming file and line
   * @throws OperatorException if there are no sentences
   */
  public static DevelopmentSet read(Path source, Path target) {
    List<SentenceWords> sources = new ArrayList<>();
    List<BleuReference> references = new ArrayList<>();
    try (PairedLines lines = new PairedLines(source, target)) {
      while (lines.next()) {
        sources.add(new SentenceWords(text(lines.source())));
        references.add(new BleuReference(WordIds.split(text(lines.target()))));
      }
    }
    if (sources.isEmpty()) {
      throw new OperatorException(source + " is empty; weights are tuned on sentences");
    }
    return new DevelopmentSet(
        sources, references, IntStream.rangeClosed(1, sources.size()).boxed().toList());
  }

  /**
   * Divides it into sentences to tune on and sentences to hold out, which are spread evenly over
   * the files. The same set and share give the same parts.
   *
   * @param percent share of the sentences to hold out, 0 to 50; rounded down to whole sentences
   */
  public Parts divide(int percent) {
    if (percent < 0 || percent > MOST_HELD_OUT) {
      throw new OperatorException(
          "the share to hold out must be from 0 to "
              + MOST_HELD_OUT
              + " percent, found "
              + percent);
    }
    return new Parts(part(i -> !isHeldOut(i, percent)), part(i -> isHeldOut(i, percent)));
  }

  private static boolean isHeldOut(long sentence, int percent) {
    return (sentence + 1) * percent / 100 > sentence * percent / 100;
  }

  private DevelopmentSet part(IntPredicate chosen) {
    int[] numbers = IntStream.range(0, size()).filter(chosen).toArray();
    return new DevelopmentSet(
        Arrays.stream(numbers).mapToObj(sources::get).toList(),
        Arrays.stream(numbers).mapToObj(references::get).toList(),
        Arrays.stream(numbers).mapToObj(lines::get).toList());
  }

  /**
   * Two parts of a set that have no sentence in common.
   *
   * @param tuned what weights are tuned on; never empty
   * @param heldOut what shows whether they suit other text; may be empty
   */
  public record Parts(DevelopmentSet tuned, DevelopmentSet heldOut) {}

  private static String text(TextLines line) {
    return new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8);
  }

  /** The number of sentences, 1 or more; 0 or more held out. */
  public int size() {
    return sources.size();
  }

  /** The sentences. */
  public List<SentenceWords> sources() {
    return sources;
  }

  /** The line of a sentence in the files, from 1. */
  public int line(int sentence) {
    return lines.get(sentence);
  }

  /** The reference translation of a sentence. */
  public BleuReference reference(int sentence) {
    return references.get(sentence);
  }
}
