package io.latimer.operators.grammar;

import java.util.List;
import java.util.Optional;

/**
 * Whether a grammar derives a sentence, and where the sentence breaks it if not.
 *
 * @param derivable whether the start variable derives the sentence
 * @param words number of words
 * @param longestPrefix words of the longest prefix that the start variable derives, 0 if none: at
 *     most {@code words}
 * @param acceptedPrefixes how many prefixes of one word or more it derives
 * @param roots the variables that derive the whole sentence, in the order of the grammar
 * @param chart present if {@link GrammarOptions#chart} asks for it
 * @param tree present if {@link GrammarOptions#tree} asks for it and there is a derivation; the
 *     empty sentence has none
 */
public record GrammarVerdict(
    boolean derivable,
    int words,
    int longestPrefix,
    int acceptedPrefixes,
    List<String> roots,
    Optional<ChartSummary> chart,
    Optional<BestTree> tree) {
  public GrammarVerdict {
    roots = List.copyOf(roots);
  }
}
