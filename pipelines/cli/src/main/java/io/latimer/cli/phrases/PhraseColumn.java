package io.latimer.cli.phrases;

import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.SourcePhrase;
import java.util.List;

/** A column of a phrase table, after the source phrase f and the target phrase e. */
enum PhraseColumn {
  /** The number of samples of f that gave e: c(e,f). */
  COUNT,
  /** The sum of c(e,f) over all e: c(f). */
  SOURCE_COUNT,
  /** Occurrences of f in the index: occ(f). */
  OCCURRENCES,
  /** p(e|f) = c(e,f) / c(f). */
  PROBABILITY,
  /** The share of the samples of f that gave a translation. */
  COHERENCE,
  /** Lexical weight of e given f: a sum of -log10. */
  LEX_EF,
  /** Lexical weight of f given e: a sum of -log10. */
  LEX_FE,
  /** Samples of f. */
  SAMPLES,
  /** 1 if c(f) is 1, or else 0. */
  SINGLETON_F,
  /** 1 if c(e,f) is 1, or else 0. */
  SINGLETON_FE;

  /** The columns that are printed by default. */
  static final List<PhraseColumn> DEFAULT =
      List.of(COUNT, SOURCE_COUNT, OCCURRENCES, PROBABILITY, COHERENCE, LEX_EF, LEX_FE);

  /** The feature in the column. */
  PhraseFeature feature() {
    return switch (this) {
      case COUNT -> PhraseFeature.ofPair(PhrasePair::count);
      case SOURCE_COUNT -> PhraseFeature.ofSource(SourcePhrase::extractions);
      case OCCURRENCES -> PhraseFeature.ofSource(SourcePhrase::occurrences);
      case PROBABILITY -> PhraseFeature.ofPair(PhrasePair::probability);
      case COHERENCE -> PhraseFeature.ofSource(SourcePhrase::coherence);
      case LEX_EF -> PhraseFeature.ofPair(PhrasePair::lexicalTargetGivenSource);
      case LEX_FE -> PhraseFeature.ofPair(PhrasePair::lexicalSourceGivenTarget);
      case SAMPLES -> PhraseFeature.ofSource(SourcePhrase::samples);
      case SINGLETON_F -> PhraseFeature.ofSource(phrase -> phrase.extractions() == 1 ? 1 : 0);
      case SINGLETON_FE -> PhraseFeature.ofPair(pair -> pair.count() == 1 ? 1 : 0);
    };
  }
}
