/**
 * Estimation of language models from text, as KenLM's lmplz does it: interpolated modified
 * Kneser-Ney smoothing (Heafield et al., ACL 2013).
 */
package io.latimer.operators.lm.estimate;
