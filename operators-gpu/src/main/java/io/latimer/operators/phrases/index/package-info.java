/** The index of a parallel text: its file, its search and how it is built, extended and merged. */
package io.latimer.operators.phrases.index;
