/** Grammars in binary form and their index files, {@code .lgx}; see {@code docs/formats.md}. */
package io.latimer.operators.grammar.index;
