// Layout "btree", the paper's: a trie of B-trees, read by a warp.
//
// A warp processes a run of consecutive tokens and keeps the contexts of the previous token, so that each n-gram is
// searched once. A node's header and keys are one coalesced read (128 bytes at 31 keys); the lanes compare all keys in
// parallel. In small nodes, which most are, the same read already contains the key's payload.
//
// Each level of the trie costs a tree of 1 to 5 nodes (usually one), and up to 4 sectors per node. The reads of a
// descent depend on each other, so latency bounds it; many warps hide that.
#include "lm/score.cuh"

namespace lat::lm {
namespace {

constexpr unsigned kThreads = 256;
constexpr uint32_t kRun = 32;  // tokens per warp and step
constexpr uint32_t kInner = 0x80000000u;

struct BTrie {
  const uint4 *root;
  const uint32_t *nodes;
  uint64_t size;

  /* A word of the nodes, or 0 if an address of a damaged file is outside of them: such a node has no keys. */
  __device__ __forceinline__ uint32_t word(uint64_t at) const { return at < size ? __ldg(nodes + at) : 0; }

  /* All lanes: finds a word in the B-tree at an address. Payload: {prob, backoff, tree}, as far as present; the tree as
   * an address in d_nodes plus 1, or 0 if there is none. */
  template <bool HIGHEST>
  __device__ __forceinline__ bool find(uint64_t at, uint32_t wanted, uint32_t lane, uint32_t &prob, uint32_t &backoff,
                                       uint64_t &tree) const {
    while (true) {
      const uint32_t first = word(at + lane);
      const uint32_t header = __shfl_sync(~0u, first, 0);
      const uint32_t keys = header & ~kInner;
      if (keys == 0 || keys > LAT_LM_MAX_NODE_KEYS) {
        return false;
      }
      const bool is_key = lane >= 1 && lane <= keys;
      uint32_t equal = __ballot_sync(~0u, is_key && first == wanted);
      uint32_t below = __popc(__ballot_sync(~0u, is_key && first < wanted));
      uint32_t index = __ffs(equal) - 2;  // lane 1 has key 0
      if (keys > 31 && equal == 0) {
        const uint32_t second = word(at + 32 + lane);
        const bool is_key_too = 32 + lane <= keys;
        equal = __ballot_sync(~0u, is_key_too && second == wanted);
        below += __popc(__ballot_sync(~0u, is_key_too && second < wanted));
        index = 31 + __ffs(equal) - 1;
      }
      const bool inner = (header & kInner) != 0;
      if (equal != 0) {
        constexpr uint32_t kPayload = HIGHEST ? 1 : 3;
        const uint32_t payload = 1 + keys + (inner ? keys + 1 : 0) + index * kPayload;
        uint32_t mine = 0;
        if (payload + kPayload <= 32) {
          mine = __shfl_sync(~0u, first, (payload + lane) % 32);
        } else if (lane < kPayload) {
          mine = word(at + payload + lane);
        }
        prob = __shfl_sync(~0u, mine, 0);
        if constexpr (!HIGHEST) {
          backoff = __shfl_sync(~0u, mine, 1);
          const uint32_t relative = __shfl_sync(~0u, mine, 2);
          tree = relative == 0 ? 0 : at + relative + 1;
        }
        return true;
      }
      if (!inner) {
        return false;
      }
      const uint32_t link = 1 + keys + below;
      const uint32_t relative = link < 32 ? __shfl_sync(~0u, first, link) : word(at + link);
      if (relative == 0) {
        return false;  // impossible in a valid file: a descent only goes forward
      }
      at += relative;
    }
  }
};

template <int ORDER, int N>
__device__ __forceinline__ void longer(const Tokens &tokens, const BTrie &trie, uint64_t p, uint32_t lane,
                                       uint64_t tree, Matches<ORDER> &matches) {
  if constexpr (N <= ORDER) {
    if (tree == 0 || p + 1 < N) {
      return;
    }
    const uint32_t before = tokens.at(p + 1 - N);
    uint32_t prob = 0;
    uint32_t backoff = 0;
    uint64_t next = 0;
    if (trie.find<N == ORDER>(tree - 1, tokens.id(before), lane, prob, backoff, next)) {
      matches.found(N, __uint_as_float(prob), __uint_as_float(backoff));
      longer<ORDER, N + 1>(tokens, trie, p, lane, (before & LAT_LM_FIRST) != 0 ? 0 : next, matches);
    }
  }
}

template <int ORDER>
__device__ __forceinline__ Matches<ORDER> matches_at(const Tokens &tokens, const BTrie &trie, uint64_t p,
                                                     uint32_t lane, uint32_t token) {
  Matches<ORDER> matches;
  const uint4 unigram = __ldg(trie.root + tokens.id(token));
  matches.found(1, __uint_as_float(unigram.x), __uint_as_float(unigram.y));
  longer<ORDER, 2>(tokens, trie, p, lane, (token & LAT_LM_FIRST) != 0 ? 0 : unigram.z, matches);
  return matches;
}

template <int ORDER>
__global__ __launch_bounds__(kThreads) void score(Tokens tokens, BTrie trie, Results results) {
  const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (kThreads / 32);
  const uint32_t lane = threadIdx.x % 32;
  for (uint64_t warp = (static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32; warp * kRun < tokens.size;
       warp += warps) {
    const uint64_t start = warp * kRun;
    const uint64_t end = start + kRun < tokens.size ? start + kRun : tokens.size;
    Matches<ORDER> before;
    if (start > 0 && (tokens.at(start) & LAT_LM_FIRST) == 0) {
      before = matches_at<ORDER>(tokens, trie, start - 1, lane, tokens.at(start - 1));
    }
    // Each lane collects the output for one token of the run.
    float log10 = 0;
    uint32_t lengths = 0;
    for (uint64_t p = start; p < end; p++) {
      const uint32_t token = tokens.at(p);
      const Matches<ORDER> matches = matches_at<ORDER>(tokens, trie, p, lane, token);
      const bool scored = (token & LAT_LM_CONTEXT) == 0;
      if (lane == p - start) {
        log10 = scored ? with_backoffs(matches, before.backoff, (token & LAT_LM_FIRST) != 0) : 0;
        lengths = (scored ? matches.length : 0) | matches.state_length() << 8;
      }
      if (results.state_backoffs != nullptr) {
#pragma unroll
        for (int k = 0; k < ORDER - 1; k++) {
          if (lane == k) {
            results.state_backoffs[p * (ORDER - 1) + k] = matches.backoff[k];
          }
        }
      }
      before = matches;
    }
    if (start + lane < end) {
      results.log10[start + lane] = log10;
      results.lengths[start + lane] = static_cast<uint8_t>(lengths);
      if (results.state_lengths != nullptr) {
        results.state_lengths[start + lane] = static_cast<uint8_t>(lengths >> 8);
      }
    }
  }
}

}  // namespace
}  // namespace lat::lm

using namespace lat;
using namespace lat::lm;

extern "C" int lat_lm_btree_score(const uint32_t *d_tokens, uint64_t tokens, int order, const void *d_root,
                                  uint32_t words, const uint32_t *d_nodes, uint64_t node_words, float *d_log10,
                                  uint8_t *d_lengths, uint8_t *d_state_lengths, float *d_state_backoffs,
                                  lat_stream stream) {
  const Tokens text{d_tokens, tokens, words};
  const Results results{d_log10, d_lengths, d_state_lengths, d_state_backoffs};
  LAT_REQUIRE(good(text, order, results) && d_root != nullptr && (d_nodes != nullptr || node_words == 0));
  if (tokens == 0) {
    return LAT_OK;
  }
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  const BTrie trie{static_cast<const uint4 *>(d_root), d_nodes, node_words};
  const unsigned blocks = blocks_for(tokens, kRun * (kThreads / 32), sms, 64);
  return with_number<LAT_LM_MAX_ORDER>(order, [&](auto n) {
    score<n.value><<<blocks, kThreads, 0, stream_of(stream)>>>(text, trie, results);
    return launched();
  });
}
