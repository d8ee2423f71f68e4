package io.latimer.pipelines.stages;

import java.io.Serializable;

/**
 * The weights of an alternative's features; 0 to ignore a feature.
 *
 * @param model weight of the normalized score, a natural logarithm
 * @param language weight of the log10 probability per word, counting the sentence end as a word;
 *     the mean over the language models that scored the alternative
 * @param grammar weight of the share of the grammars that derive the alternative, 0 to 1
 * @param phrase weight of the share of the words that known phrases cover, 0 to 1
 * @param length weight of the number of words
 */
record RerankWeights(double model, double language, double grammar, double phrase, double length)
    implements Serializable {}
