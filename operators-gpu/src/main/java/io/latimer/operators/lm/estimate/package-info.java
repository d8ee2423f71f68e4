/**
 * Estimation of language models from text, like KenLM's lmplz: interpolated modified Kneser-Ney
 * smoothing (Heafield et al., ACL 2013).
 */
package io.latimer.operators.lm.estimate;
