/**
 * Phrases of sentences that occur in an indexed parallel text, with translations that are extracted
 * on demand (He, Lin and Lopez 2013).
 */
package io.latimer.operators.phrases;
