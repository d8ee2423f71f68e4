package io.latimer.operators.smt;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.PhraseOptions;
import java.util.Optional;

/**
 * How to translate a record by phrases.
 *
 * @param languageModel of the target language, with words as in the phrase index
 * @param languageModelDevice where it works, as for {@link Device#parse(String, Device)}; empty for
 *     the device of the phrases
 * @param text how the index's text was prepared
 * @param weights of the features, and the judge of translations
 * @param search how to search; with {@code nBest} above 1, translations have alternatives
 * @param phrases which phrases are looked up
 * @param scores whether translations have scores, and a quality if the weights have a judge
 * @param alignment whether translations have an alignment
 * @param splitSentences whether a record may hold several sentences; empty for yes
 * @param gpuBytes limit of GPU memory for the phrases of a batch, beside the index
 */
public record TranslateByPhrasesOptions(
    IndexRef languageModel,
    String languageModelDevice,
    PhraseText text,
    FeatureWeights weights,
    SearchOptions search,
    PhraseOptions phrases,
    boolean scores,
    boolean alignment,
    Optional<Boolean> splitSentences,
    long gpuBytes) {}
