package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Shortlist;

/**
 * What an import made of a lexical table.
 *
 * @param read pairs of words in the table
 * @param unknown those of them that were left out, for a word that its vocabulary does not hold
 * @param shortlist what the model holds of the others
 */
public record ShortlistReport(long read, long unknown, Shortlist shortlist) {}
