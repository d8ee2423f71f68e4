/** Says whether a grammar derives sentences: the CYK algorithm on the CPU or a GPU. */
package io.latimer.operators.grammar;
