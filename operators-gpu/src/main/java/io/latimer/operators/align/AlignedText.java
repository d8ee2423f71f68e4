package io.latimer.operators.align;

import io.latimer.operators.OperatorException;
import io.latimer.operators.phrases.index.PhraseTextException;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A parallel text with the models that were trained on it: the reparameterized IBM model 2 of Dyer,
 * Chahuneau and Smith (2013), which fast_align trains, in both directions. The same text and
 * options give the same alignments whatever the number of threads. Takes about 4 bytes of memory
 * per word, and 50 to 100 per distinct pair of words that co-occur in a sentence pair.
 */
public final class AlignedText {
  /** Lines that are aligned, then written, at a time. */
  private static final int BLOCK = 1 << 14;

  private final SentencePairs text;
  private final Team team;
  private final DirectedTraining targetGivenSource;
  private final DirectedTraining sourceGivenTarget;

  private AlignedText(SentencePairs text, TrainingOptions options, Team team) {
    this.text = text;
    this.team = team;
    WordPairs pairs = WordPairs.of(text);
    this.targetGivenSource = new DirectedTraining(text, pairs, true, options, team);
    this.sourceGivenTarget = new DirectedTraining(text, pairs, false, options, team);
  }

  /**
   * Reads a text and trains its models.
   *
   * @param source file of tokenized sentences, one per line, plain or gzip
   * @param target file of their translations
   * @param threads that work at once, 1 or more
   * @throws PhraseTextException if a file cannot be read, is not UTF-8 or has lines that the other
   *     lacks, naming file and line
   * @throws OperatorException if the text has too many pairs of words
   */
  public static AlignedText train(
      Path source, Path target, TrainingOptions options, int threads, BuildProgress progress) {
    SentencePairs text = SentencePairs.read(source, target, progress);
    progress.step("finding pairs of words");
    AlignedText aligned = new AlignedText(text, options, new Team(threads));
    for (int i = 1; i < options.iterations(); i++) {
      progress.step("training, pass " + i + " of " + options.iterations());
      aligned.targetGivenSource.iterate(i > 1);
      aligned.sourceGivenTarget.iterate(i > 1);
    }
    return aligned;
  }

  /** The number of sentence pairs. */
  public int size() {
    return text.size();
  }

  /**
   * The pairs without links because a sentence has no words, or the product of the numbers of words
   * is above {@link Aligner#MAX_CELLS}.
   */
  public int unalignable() {
    int count = 0;
    for (int i = 0; i < text.size(); i++) {
      count += text.isAlignable(i) ? 0 : 1;
    }
    return count;
  }

  /** The alignment of a pair, symmetrized by grow-diag-final-and; thread-safe. */
  public Alignment alignment(int pair) {
    if (!text.isAlignable(pair)) {
      return new Alignment(List.of());
    }
    Words source = words(text.source(pair));
    Words target = words(text.target(pair));
    return Symmetrization.growDiagFinalAnd(
        targetGivenSource.aligner().align(source, target),
        sourceGivenTarget.aligner().align(target, source));
  }

  private static Words words(int[] ids) {
    return new Words(ids, ids); // the models ignore spellings
  }

  /**
   * Writes all alignments in Pharaoh's format, a line per pair.
   *
   * @throws IOException if writing fails
   */
  public void write(Appendable out) throws IOException {
    for (int from = 0; from < text.size(); from += BLOCK) {
      String[] lines = new String[Math.min(BLOCK, text.size() - from)];
      int first = from;
      team.forEach(lines.length, 64, i -> lines[i] = alignment(first + i).toString());
      for (String line : lines) {
        out.append(line).append('\n');
      }
    }
  }
}
