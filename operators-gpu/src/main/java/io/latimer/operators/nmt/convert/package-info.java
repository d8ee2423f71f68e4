/**
 * Import of models that Amun, Nematus and Marian trained: their files and names, turned into one
 * canonical {@link io.latimer.operators.nmt.model.Network}.
 */
package io.latimer.operators.nmt.convert;
