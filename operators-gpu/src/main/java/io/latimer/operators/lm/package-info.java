/**
 * Back-off n-gram language models: Heafield, "KenLM" (WMT 2011), and Bogoychev and Lopez, "N-gram
 * language models for massively parallel devices" (ACL 2016).
 *
 * <p>{@link io.latimer.operators.lm.arpa.LmImporter} converts an ARPA file to a model file, {@link
 * io.latimer.operators.lm.model.LanguageModel} opens it, {@link io.latimer.operators.lm.ScoreWords}
 * is the operator on ids, and {@link io.latimer.operators.lm.Score} the one on text.
 *
 * <p>{@link io.latimer.operators.lm.estimate.EstimateLm} estimates ARPA files from text, like
 * KenLM's lmplz.
 */
package io.latimer.operators.lm;
