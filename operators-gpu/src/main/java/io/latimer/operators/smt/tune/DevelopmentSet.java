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
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Sentences and a reference translation of each. Immutable. */
public final class DevelopmentSet {
  /** Largest share of the sentences to hold out, in percent. */
  public static final int MOST_HELD_OUT = 50;

  private final List<Pair> pairs;

  /**
   * A sentence and its translation.
   *
   * @param line in the files, from 1
   */
  private record Pair(SentenceWords source, String text, BleuReference reference, int line) {}

  private DevelopmentSet(List<Pair> pairs) {
    this.pairs = List.copyOf(pairs);
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
    List<Pair> pairs = new ArrayList<>();
    try (PairedLines lines = new PairedLines(source, target)) {
      while (lines.next()) {
        String text = text(lines.target());
        pairs.add(
            new Pair(
                new SentenceWords(text(lines.source())),
                text,
                new BleuReference(WordIds.split(text)),
                pairs.size() + 1));
      }
    }
    if (pairs.isEmpty()) {
      throw new OperatorException(source + " is empty; weights are tuned on sentences");
    }
    return new DevelopmentSet(pairs);
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
    return new DevelopmentSet(
        IntStream.range(0, size()).filter(chosen).mapToObj(pairs::get).toList());
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
    return pairs.size();
  }

  /** The sentences from one to before another. */
  List<SentenceWords> sources(int from, int to) {
    return pairs.subList(from, to).stream().map(Pair::source).toList();
  }

  /** The line of a sentence in the files, from 1. */
  int line(int sentence) {
    return pairs.get(sentence).line;
  }

  /** The reference translation of a sentence. */
  BleuReference reference(int sentence) {
    return pairs.get(sentence).reference;
  }

  /** The reference translation of a sentence, as its line has it. */
  String text(int sentence) {
    return pairs.get(sentence).text;
  }
}
