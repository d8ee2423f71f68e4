// What the steps of a batch are made of: operations on every element of an array, on a device (device.cuh) or, for
// tests, on the host (host.cuh).
//
//   int each(uint64_t size, F f)                 calls f(0) to f(size - 1), in any order
//   int clear(void *at, uint64_t bytes)
//   int copy(void *to, const void *from, uint64_t bytes)
//   int sum(T *values, uint64_t size, ...)       each value becomes the sum of those before it
//   int latest(uint32_t *values, uint64_t size)  each value becomes the highest up to it
//   int sort(keys, values, size, bits, ...)      stable, by the lowest bits of the keys
//   int order(KEY *keys, uint64_t size, LESS, ...)
//
// The last four take scratch: first without memory, to learn its size.
#pragma once

#include "common/cub.cuh"
#include "phrases/index.cuh"

namespace lat::phrases {

/* An array and another of its size, which a sort may exchange. */
template <typename T>
struct Twin {
  T *now;
  T *other;
};

/* Bits that tell apart 0 to size - 1. */
inline int bits_for(uint64_t size) {
  int bits = 0;
  while (bits < 64 && size > 1ull << bits) {
    bits++;
  }
  return bits;
}

/* The i of starts[i] <= at < starts[i + 1]; starts has size + 1 elements in ascending order. */
template <typename T>
LAT_BOTH uint64_t part_of(const T *starts, uint64_t size, uint64_t at) {
  uint64_t low = 0;
  uint64_t high = size;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    if (load(starts + middle) <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Adds one to a counter; lanes that add to the same one do it together. */
LAT_BOTH void count_one(uint32_t *counters, uint64_t at) {
#ifdef __CUDA_ARCH__
  const unsigned same = __match_any_sync(__activemask(), static_cast<unsigned long long>(at));
  if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1) {
    atomicAdd(counters + at, static_cast<unsigned>(__popc(same)));
  }
#else
  counters[at]++;
#endif
}

/* What all of these functions check. */
inline bool good(const lat_phrases_index *index, const lat_phrases_batch *batch, const size_t *scratch_bytes) {
  constexpr uint64_t kMost = 1ull << 31;
  return index != nullptr && batch != nullptr && scratch_bytes != nullptr && index->d_segments != nullptr &&
         index->segments >= 1 && index->segments <= LAT_PHRASES_MAX_SEGMENTS && index->d_lexicon != nullptr &&
         index->lexicon_slots >= 1 && index->lexicon_slots < kMost && index->d_source_links != nullptr &&
         index->d_target_links != nullptr && batch->words < kMost && batch->sentences <= batch->words &&
         batch->samples < kMost && batch->max_source < kMost && batch->max_target < kMost && batch->hash_bits <= 64 &&
         batch->entries < kMost && batch->phrases <= batch->entries && batch->pairs < kMost &&
         batch->groups <= batch->pairs;
}

}  // namespace lat::phrases
