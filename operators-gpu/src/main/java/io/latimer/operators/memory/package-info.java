/**
 * Translation memories that learn: the sentences that corrections taught, found by {@link
 * io.latimer.operators.text.SentenceKey} and translated as they were taught, in front of any other
 * memory.
 */
package io.latimer.operators.memory;
