package io.latimer.pipelines.stages;

import java.io.Serializable;

/**
 * How much each feature of an alternative counts; 0 for not at all.
 *
 * @param model of the normalized score, a natural logarithm
 * @param language of the log10 probability per word, the end of the sentence counted as one; the
 *     mean over the language models that scored the alternative
 * @param grammar of the share of the grammars that derive the alternative, 0 to 1
 * @param phrase of the share of the words that known phrases cover, 0 to 1
 * @param length of the number of words
 */
record RerankWeights(double model, double language, double grammar, double phrase, double length)
    implements Serializable {}
