/**
 * Import of ARPA files: {@link io.latimer.operators.lm.arpa.LmImporter} converts one to a model
 * file.
 */
package io.latimer.operators.lm.arpa;
