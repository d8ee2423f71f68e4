package io.latimer.operators.smt.tune;

import io.latimer.operators.smt.FeatureWeights;

/**
 * One iteration of tuning, which translates the sentences once.
 *
 * @param number from 1
 * @param weights that it was made with
 * @param bleu of the best translations, see {@link io.latimer.operators.text.bleu.Bleu}
 * @param candidates different translations of all sentences that are known now
 * @param added of these, those that were not known before
 */
public record TuneIteration(
    int number, FeatureWeights weights, double bleu, int candidates, int added) {}
