// Layout "hash": an exact table of (longer match, word before it), two entries per 32-byte sector.
//
// A thread finds the n-grams that end in its token, shortest first: each is one sector, whose address depends on the
// one before. The back-offs for its score belong to the contexts that end in the previous token, which the previous
// lane finds concurrently, so nothing is looked up twice. A warp processes 31 tokens; its first lane only finds the
// contexts of the token before them.
//
// A token is 4 bytes in and 5 out, and costs one read of the unigrams, which stay in L2, and one random sector per
// n-gram searched (2.7 in English text with a model of 27.5 million): 43 G sectors/s allow 16 G tokens/s if the table
// does not fit into L2; benchmarks/results has the measured rates. Latency bounds it: a loop that finishes one n-gram
// before the next kept 8 of 32 lanes busy (7.5 G tokens/s), one bucket per step keeps 11 (10.4); reading the second
// entry only if the first does not match (10.0), or bypassing L1 (6.5), is slower.
#include "lm/hash.cuh"

namespace lat::lm {
namespace {

constexpr unsigned kThreads = 256;

/* The words before a token: those of its text. */
struct WordsBefore {
  const Tokens &tokens;
  uint64_t p;
  uint32_t token; /* the last one read */

  /* Reads the word so many places before; false if there is none. */
  __device__ __forceinline__ bool next(uint32_t words, uint32_t *word) {
    if ((token & LAT_LM_FIRST) != 0 || p < words) {
      return false;
    }
    token = tokens.at(p - words);
    *word = tokens.id(token);
    return true;
  }
};

template <int ORDER>
__global__ __launch_bounds__(kThreads) void score(Tokens tokens, HashTrie trie, Results results) {
  const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (kThreads / 32);
  const uint32_t lane = threadIdx.x % 32;
  for (uint64_t warp = (static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32; warp * 31 < tokens.size;
       warp += warps) {
    const uint64_t p = warp * 31 + lane - 1;  // wraps beyond any size if there is none before the first
    const bool here = p < tokens.size;
    const uint32_t token = here ? tokens.at(p) : LAT_LM_FIRST;
    Matches<ORDER> matches;
    if (here) {
      matches = matches_of<ORDER>(trie, ORDER, tokens.id(token), WordsBefore{tokens, p, token});
    }
    float before[Matches<ORDER>::kContexts];
#pragma unroll
    for (int k = 0; k < ORDER - 1; k++) {
      before[k] = __shfl_up_sync(~0u, matches.backoff[k], 1);
    }
    if (here && lane > 0) {
      const bool scored = (token & LAT_LM_CONTEXT) == 0;
      results.log10[p] = scored ? with_backoffs(matches, before, (token & LAT_LM_FIRST) != 0) : 0;
      results.lengths[p] = static_cast<uint8_t>(scored ? matches.length : 0);
      if (results.state_lengths != nullptr) {
        results.state_lengths[p] = static_cast<uint8_t>(matches.state_length());
      }
      if (results.state_backoffs != nullptr) {
#pragma unroll
        for (int k = 0; k < ORDER - 1; k++) {
          results.state_backoffs[p * (ORDER - 1) + k] = matches.backoff[k];
        }
      }
    }
  }
}

}  // namespace
}  // namespace lat::lm

using namespace lat;
using namespace lat::lm;

extern "C" int lat_lm_hash_score(const uint32_t *d_tokens, uint64_t tokens, int order, const void *d_unigrams,
                                 uint32_t words, const void *d_table, uint64_t buckets, float *d_log10,
                                 uint8_t *d_lengths, uint8_t *d_state_lengths, float *d_state_backoffs,
                                 lat_stream stream) {
  const Tokens text{d_tokens, tokens, words};
  const Results results{d_log10, d_lengths, d_state_lengths, d_state_backoffs};
  LAT_REQUIRE(good(text, order, results) && d_unigrams != nullptr && d_table != nullptr);
  LAT_REQUIRE(buckets >= 1 && buckets < 1ull << 31);
  if (tokens == 0) {
    return LAT_OK;
  }
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  const HashTrie trie{static_cast<const uint2 *>(d_unigrams), static_cast<const uint4 *>(d_table), words,
                      static_cast<uint32_t>(buckets)};
  const unsigned blocks = blocks_for(tokens, 31 * (kThreads / 32), sms, 64);
  return with_number<LAT_LM_MAX_ORDER>(order, [&](auto n) {
    score<n.value><<<blocks, kThreads, 0, stream_of(stream)>>>(text, trie, results);
    return launched();
  });
}
