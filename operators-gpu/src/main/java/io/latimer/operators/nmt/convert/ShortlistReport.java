package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Shortlist;

/**
 * The result of importing a lexical table.
 *
 * @param read number of pairs in the table
 * @param unknown number of pairs omitted because a word is not in its vocabulary
 * @param shortlist the pairs kept in the model
 */
public record ShortlistReport(long read, long unknown, Shortlist shortlist) {}
