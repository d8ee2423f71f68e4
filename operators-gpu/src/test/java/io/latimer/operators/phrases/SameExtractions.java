package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the results of two extractors for a batch, number by number. */
final class SameExtractions {
  /** The logarithms of the CPU and of a GPU differ in their last bits. */
  private static final double TOLERANCE = 1e-12;

  private SameExtractions() {}

  /** Fails unless all columns are equal, and lexical weights are within 1e-12 of each other. */
  static void require(ExtractedPhrases expected, ExtractedPhrases found) {
    assertThat(found.places.starts()).isEqualTo(expected.places.starts());
    assertThat(found.places.from()).isEqualTo(expected.places.from());
    assertThat(found.places.phrase()).isEqualTo(expected.places.phrase());
    assertThat(found.phrases.words()).isEqualTo(expected.phrases.words());
    assertThat(found.phrases.occurrences()).isEqualTo(expected.phrases.occurrences());
    assertThat(found.phrases.samples()).isEqualTo(expected.phrases.samples());
    assertThat(found.phrases.outcomes()).isEqualTo(expected.phrases.outcomes());
    assertThat(found.phrases.pairStarts()).isEqualTo(expected.phrases.pairStarts());
    assertThat(found.pairs.segment()).isEqualTo(expected.pairs.segment());
    assertThat(found.pairs.target()).isEqualTo(expected.pairs.target());
    assertThat(found.pairs.words()).isEqualTo(expected.pairs.words());
    assertThat(found.pairs.count()).isEqualTo(expected.pairs.count());
    requireClose(expected.pairs.targetGivenSource(), found.pairs.targetGivenSource());
    requireClose(expected.pairs.sourceGivenTarget(), found.pairs.sourceGivenTarget());
  }

  private static void requireClose(double[] expected, double[] found) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < expected.length; i++) {
      double difference = Math.abs(found[i] - expected[i]);
      if (!(difference <= TOLERANCE * Math.max(1, expected[i]))) {
        throw new AssertionError("weight " + i + " is " + found[i] + ", not " + expected[i]);
      }
    }
  }
}
