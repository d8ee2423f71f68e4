package io.latimer.operators.nmt.model;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What is measured of the translation of a sentence, to judge whether it is right. Logarithms are
 * natural; tokens of the translation include its end token, those of the source do not.
 */
public enum QualityFeature {
  /** Mean log-probability of the tokens, at most 0. */
  @JsonProperty("mean-log-probability")
  MEAN_LOG_PROBABILITY,
  /** The lowest of them. */
  @JsonProperty("lowest-log-probability")
  LOWEST_LOG_PROBABILITY,
  /** Their standard deviation, 0 or more. */
  @JsonProperty("deviation-of-log-probability")
  DEVIATION_OF_LOG_PROBABILITY,
  /** Mean of the first three of them. */
  @JsonProperty("first-log-probability")
  FIRST_LOG_PROBABILITY,
  /** Mean entropy of the tokens' attention over the source. */
  @JsonProperty("attention-entropy")
  ATTENTION_ENTROPY,
  /** The most attention that the least attended source token gets, 0 to 1. */
  @JsonProperty("least-attended")
  LEAST_ATTENDED,
  /** Logarithm of the ratio of the translation's characters to the source's, each plus one. */
  @JsonProperty("length-ratio")
  LENGTH_RATIO,
  /** Tokens of a word of the source: many where the vocabulary does not have its words. */
  @JsonProperty("source-tokens-per-word")
  SOURCE_TOKENS_PER_WORD,
  /** Tokens of a word of the translation. */
  @JsonProperty("target-tokens-per-word")
  TARGET_TOKENS_PER_WORD,
  /** Logarithm of the translation's number of tokens. */
  @JsonProperty("length")
  LENGTH,
  /** Share of the translation's words that it has already said, 0 to 1. */
  @JsonProperty("repetition")
  REPETITION,
  /** Number of source tokens that the vocabulary does not have. */
  @JsonProperty("unknown-tokens")
  UNKNOWN_TOKENS
}
