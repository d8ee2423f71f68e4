package io.latimer.operators.smt;

/**
 * How long the parts of decoding took, in nanoseconds, as in Table 4 of He, Lin and Lopez 2013.
 *
 * @param extraction looking up and extracting the sentences' phrases, and copying them to the host
 * @param choices choosing the best translations of each phrase
 * @param languageModel waiting of the searches for the language model, with no sentence to search;
 *     0 on a GPU, where searches score words themselves
 * @param search the rest of the searches
 */
public record DecodePhrasesTimes(long extraction, long choices, long languageModel, long search) {

  /** All times 0. */
  public static final DecodePhrasesTimes NONE = new DecodePhrasesTimes(0, 0, 0, 0);

  DecodePhrasesTimes plus(long extracting, long choosing, long asking, long searching) {
    return new DecodePhrasesTimes(
        extraction + extracting, choices + choosing, languageModel + asking, search + searching);
  }
}
