/** Formats of glossaries: TSV, CSV, TBX, and the terms that a record brings with it. */
package io.latimer.operators.glossary.text;
