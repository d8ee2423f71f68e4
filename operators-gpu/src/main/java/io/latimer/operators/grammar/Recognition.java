package io.latimer.operators.grammar;

import java.util.BitSet;

/**
 * What a recognizer finds out about a sentence.
 *
 * @param roots the classes that derive the whole sentence
 * @param longestPrefix words of the longest prefix that the start variable derives, 0 if none
 * @param acceptedPrefixes how many prefixes of one word or more it derives
 * @param chart null unless it was asked for
 */
record Recognition(BitSet roots, int longestPrefix, int acceptedPrefixes, ChartSummary chart) {}
