/** Reads grammars from text files. */
package io.latimer.operators.grammar.text;
