/** Glossaries in binary form and their index files, {@code .ltx}; see {@code docs/formats.md}. */
package io.latimer.operators.glossary.index;
