/**
 * Import of models trained by Amun, Nematus and Marian: converts their files and names to one
 * canonical {@link io.latimer.operators.nmt.model.Network}.
 */
package io.latimer.operators.nmt.convert;
