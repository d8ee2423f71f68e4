/**
 * Import of ARPA files: {@link io.latimer.operators.lm.arpa.LmImporter} makes a model file of one.
 */
package io.latimer.operators.lm.arpa;
