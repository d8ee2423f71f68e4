/**
 * N-gram language models: their files, made of ARPA files, and the operators that score words and
 * sentences by them, as KenLM does.
 */
package io.latimer.operators.lm;
