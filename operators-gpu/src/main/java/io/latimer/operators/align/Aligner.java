package io.latimer.operators.align;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.phrases.index.Lexicon;
import io.latimer.operators.phrases.index.PhraseIndex;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Aligns the words of sentence pairs with a model, in both directions, and symmetrizes the two
 * alignments by grow-diag-final-and. The same model and sentences give the same links on every
 * machine. Thread-safe.
 */
public final class Aligner {
  /** Maximum words of a sentence. */
  public static final int MAX_WORDS = PhraseIndex.MAX_SENTENCE_WORDS;

  /** Maximum {@link #cells} of a sentence pair; the largest takes about 0.1 s to align. */
  public static final int MAX_CELLS = 1 << 20;

  /**
   * Tuned, like the constants of {@link LexiconProbabilities}, on held-out lines of three texts.
   */
  private static final DiagonalPrior PRIOR = new DiagonalPrior(6, 0.04);

  private final ToIntFunction<String> sourceIds;
  private final ToIntFunction<String> targetIds;
  private final DirectedAligner targetGivenSource;
  private final DirectedAligner sourceGivenTarget;

  /**
   * Makes an aligner of a model.
   *
   * @param sourceIds the source vocabulary, with {@link TranslationProbabilities#UNKNOWN}
   * @param targetIds the target vocabulary, likewise
   */
  Aligner(
      ToIntFunction<String> sourceIds,
      ToIntFunction<String> targetIds,
      DirectedAligner targetGivenSource,
      DirectedAligner sourceGivenTarget) {
    this.sourceIds = sourceIds;
    this.targetIds = targetIds;
    this.targetGivenSource = targetGivenSource;
    this.sourceGivenTarget = sourceGivenTarget;
  }

  /**
   * An aligner whose model is the lexicon of an index. It uses the index in place, but reads every
   * word's number of links when it is made: make one and share it.
   */
  public static Aligner of(PhraseIndex index) {
    int sourceWords = index.source().size();
    int targetWords = index.target().size();
    Lexicon lexicon = index.lexicon();
    return new Aligner(
        word -> index.source().id(word),
        word -> index.target().id(word),
        new DirectedAligner(LexiconProbabilities.targetGivenSource(lexicon, targetWords), PRIOR),
        new DirectedAligner(LexiconProbabilities.sourceGivenTarget(lexicon, sourceWords), PRIOR));
  }

  /**
   * The number of cells of a sentence pair's alignment matrix. The time to align the pair is
   * proportional to it. A caller that aligns several pairs can bound the sum of their cells.
   *
   * @param sourceWords words of the source sentence, 0 or more
   * @param targetWords words of the target sentence, 0 or more
   * @return their product
   */
  public static long cells(int sourceWords, int targetWords) {
    return (long) sourceWords * targetWords;
  }

  /**
   * Aligns a sentence pair, in time proportional to its {@link #cells}.
   *
   * @param source words, separated as by {@link io.latimer.operators.ngram.WordIds#split}
   * @param target words of the translation, likewise
   * @throws RecordException if a sentence has no words or more than {@link #MAX_WORDS}, or the pair
   *     has more than {@link #MAX_CELLS}
   * @throws OperatorException if the thread is interrupted, which it then still is
   */
  public Alignment align(List<String> source, List<String> target) {
    check("source", source.size());
    check("target", target.size());
    if (cells(source.size(), target.size()) > MAX_CELLS) {
      throw new RecordException(
          "the sentence pair has "
              + source.size()
              + " and "
              + target.size()
              + " words, whose product is above "
              + MAX_CELLS
              + "; split it or give its alignment");
    }
    Map<String, Integer> spellings = new HashMap<>();
    Words sourceWords = Words.of(source, sourceIds, spellings);
    Words targetWords = Words.of(target, targetIds, spellings);
    return Symmetrization.growDiagFinalAnd(
        targetGivenSource.align(sourceWords, targetWords),
        sourceGivenTarget.align(targetWords, sourceWords));
  }

  private static void check(String side, int words) {
    if (words == 0) {
      throw new RecordException("the " + side + " sentence has no words");
    }
    if (words > MAX_WORDS) {
      throw new RecordException(
          "the "
              + side
              + " sentence has "
              + words
              + " words, an aligner takes "
              + MAX_WORDS
              + "; split it");
    }
  }
}
