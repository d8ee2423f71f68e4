/** Files of language models: vocabulary, tries, settings, and the states of queries. */
package io.latimer.operators.lm.model;
