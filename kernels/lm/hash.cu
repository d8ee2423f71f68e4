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
#include "common/fmix64.cuh"
#include "lm/score.cuh"

namespace lat::lm {
namespace {

constexpr unsigned kThreads = 256;
constexpr uint32_t kEmpty = ~0u;

struct HashTrie {
  const uint2 *unigrams;
  const uint4 *table;
  uint32_t words;
  uint32_t buckets;

  __device__ __forceinline__ uint32_t home(uint32_t parent, uint32_t word) const {
    const uint64_t hash = fmix64(static_cast<uint64_t>(parent) << 32 | word);
    return __umulhi(static_cast<uint32_t>(hash >> 32), buckets);
  }
};

/* Each step of the loop reads one bucket, whatever a lane is searching for, so lanes with longer searches or full
 * buckets delay the others as little as possible. */
template <int ORDER>
__device__ __forceinline__ Matches<ORDER> matches_at(const Tokens &tokens, const HashTrie &trie, uint64_t p,
                                                     uint32_t token) {
  Matches<ORDER> matches;
  uint32_t node = tokens.id(token);
  const uint2 unigram = __ldg(trie.unigrams + node);
  matches.found(1, __uint_as_float(unigram.x), __uint_as_float(unigram.y));
  if (ORDER == 1 || (unigram.x & kSign) == 0 || (token & LAT_LM_FIRST) != 0 || p == 0) {
    return matches;
  }
  uint32_t before = tokens.at(p - 1);
  uint32_t word = tokens.id(before);
  uint32_t begin = trie.home(node, word);
  uint32_t bucket = begin;
  while (true) {
    const uint4 a = __ldg(trie.table + 2ull * bucket);
    const uint4 b = __ldg(trie.table + 2ull * bucket + 1);
    const bool in_a = a.x == node && a.y == word;
    if (in_a || (b.x == node && b.y == word)) {
      const uint32_t prob = in_a ? a.z : b.z;
      matches.found(matches.length + 1, __uint_as_float(prob), __uint_as_float(in_a ? a.w : b.w));
      const uint64_t length = static_cast<uint64_t>(matches.length);
      if (length == ORDER || (prob & kSign) == 0 || (before & LAT_LM_FIRST) != 0 || p < length) {
        return matches;
      }
      node = trie.words + 2 * bucket + (in_a ? 0 : 1);
      before = tokens.at(p - length);
      word = tokens.id(before);
      begin = trie.home(node, word);
      bucket = begin;
    } else {
      bucket = bucket + 1 == trie.buckets ? 0 : bucket + 1;
      if (a.y == kEmpty || b.y == kEmpty || bucket == begin) {
        return matches;
      }
    }
  }
}

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
      matches = matches_at<ORDER>(tokens, trie, p, token);
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
