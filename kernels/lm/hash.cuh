// Layout "hash": the n-grams that end in a word. Also compiles for the CPU.
#pragma once

#include "common/fmix64.cuh"
#include "lm/score.cuh"

namespace lat::lm {

struct HashTrie {
  static constexpr uint32_t kEmpty = ~0u;

  const uint2 *unigrams;
  const uint4 *table;
  uint32_t words;
  uint32_t buckets;

  LAT_BOTH uint32_t home(uint32_t parent, uint32_t word) const {
    const uint64_t hash = fmix64(static_cast<uint64_t>(parent) << 32 | word);
    return multiply_high(static_cast<uint32_t>(hash >> 32), buckets);
  }
};

/* The n-grams of a model of an order, ORDER or lower, that end in a word.
 *
 * Each step of the loop reads one bucket, whatever a lane is searching for, so lanes with longer searches or full
 * buckets delay the others as little as possible.
 *
 * before: next(n, &id) gives the word n places before the first one; false if there is none. Called with 1, 2 and so
 * on. */
template <int ORDER, typename BEFORE>
LAT_BOTH Matches<ORDER> matches_of(const HashTrie &trie, int order, uint32_t first, BEFORE before) {
  Matches<ORDER> matches;
  uint32_t node = first;
  const uint2 unigram = load(trie.unigrams + node);
  matches.found(1, float_of(unigram.x), order > 1 ? float_of(unigram.y) : -0.0f);
  uint32_t word = 0;
  if (order == 1 || (unigram.x & kSign) == 0 || !before.next(1, &word)) {
    return matches;
  }
  uint32_t begin = trie.home(node, word);
  uint32_t bucket = begin;
  while (true) {
    const uint4 a = load(trie.table + 2ull * bucket);
    const uint4 b = load(trie.table + 2ull * bucket + 1);
    const bool in_a = a.x == node && a.y == word;
    if (in_a || (b.x == node && b.y == word)) {
      const uint32_t prob = in_a ? a.z : b.z;
      const uint32_t backoff = matches.length + 1 < order ? (in_a ? a.w : b.w) : kSign;
      matches.found(matches.length + 1, float_of(prob), float_of(backoff));
      if (matches.length == order || (prob & kSign) == 0 ||
          !before.next(static_cast<uint32_t>(matches.length), &word)) {
        return matches;
      }
      node = trie.words + 2 * bucket + (in_a ? 0 : 1);
      begin = trie.home(node, word);
      bucket = begin;
    } else {
      bucket = bucket + 1 == trie.buckets ? 0 : bucket + 1;
      if (a.y == HashTrie::kEmpty || b.y == HashTrie::kEmpty || bucket == begin) {
        return matches;
      }
    }
  }
}

}  // namespace lat::lm
