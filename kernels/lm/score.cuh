// Shared by both layouts: tokens, back-offs, results.
#pragma once

#include <cstdint>

#include "common/both.cuh"
#include "common/launch.cuh"

namespace lat::lm {

constexpr uint32_t kIdMask = ~(LAT_LM_FIRST | LAT_LM_CONTEXT);
constexpr uint32_t kSign = 0x80000000u;

struct Results {
  float *log10;
  uint8_t *lengths;
  uint8_t *state_lengths;
  float *state_backoffs;
};

struct Tokens {
  const uint32_t *tokens;
  uint64_t size;
  uint32_t words;

  LAT_BOTH uint32_t at(uint64_t p) const { return load(tokens + p); }
  /* An id outside the vocabulary counts as the unknown word. */
  LAT_BOTH uint32_t id(uint32_t token) const {
    const uint32_t id = token & kIdMask;
    return id < words ? id : 0;
  }
};

/* The n-grams that end in one token, from one word up to the longest match. */
template <int ORDER>
struct Matches {
  static constexpr int kContexts = ORDER > 1 ? ORDER - 1 : 1;
  float log10 = 0;
  int length = 0;
  float backoff[kContexts];  // of the n-gram of k + 1 words; -0.0, which adds nothing, if there is none

  LAT_BOTH Matches() {
    LAT_UNROLL
    for (int k = 0; k < kContexts; k++) {
      backoff[k] = -0.0f;
    }
  }

  /* Words of the state: the longest context that starts a longer n-gram, or whose back-off is not 0. */
  LAT_BOTH int state_length() const {
    int longest = 0;
    LAT_UNROLL
    for (int k = 0; k < ORDER - 1; k++) {
      longest = bits_of(backoff[k]) != kSign ? k + 1 : longest;
    }
    return longest;
  }

  LAT_BOTH void found(int words, float prob, float context_backoff) {
    length = words;
    log10 = float_of(bits_of(prob) | kSign);
    LAT_UNROLL
    for (int k = 0; k < ORDER - 1; k++) {
      backoff[k] = k == words - 1 ? context_backoff : backoff[k];  // indexing would move the array out of registers
    }
  }
};

/* The score of a token, given the contexts that end in the previous token. */
template <int ORDER>
LAT_BOTH float with_backoffs(const Matches<ORDER> &matches, const float *before, bool first) {
  float sum = matches.log10;
  LAT_UNROLL
  for (int k = 1; k < ORDER; k++) {
    sum = k >= matches.length && !first ? add(sum, before[k - 1]) : sum;
  }
  return sum;
}

/* Argument checks of both layouts. */
inline bool good(const Tokens &tokens, int order, const Results &results) {
  return order >= 1 && order <= LAT_LM_MAX_ORDER && tokens.words >= 1 && tokens.size < 1ull << 32 &&
         (tokens.size == 0 || (tokens.tokens != nullptr && results.log10 != nullptr && results.lengths != nullptr));
}

}  // namespace lat::lm
