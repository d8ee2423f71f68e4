// What the steps of a batch are made of: operations on every element of an array, on a device, by a kernel each
// (device.cuh) or all in one (cluster.cuh), or, for tests, on the host (host.cuh).
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

/* Before a function that calls these operations: it compiles for the host and the device, and which of them have the
 * operations depends on EXEC. */
#ifdef __CUDACC__
#define LAT_ANY_EXEC _Pragma("nv_exec_check_disable")
#else
#define LAT_ANY_EXEC
#endif

namespace lat::phrases {

/* An array and another of its size, which a sort may exchange. */
template <typename T>
struct Twin {
  T *now;
  T *other;
};

/* Bits that tell apart 0 to size - 1. */
LAT_BOTH int bits_for(uint64_t size) {
  int bits = 0;
  while (bits < 64 && size > 1ull << bits) {
    bits++;
  }
  return bits;
}

/* The i of starts[i] <= at < starts[i + 1]; starts has size + 1 elements in ascending order. Kernels write it, and the
 * parts below: no load(), which may be of what was there before. */
template <typename T>
LAT_BOTH uint64_t part_of(const T *starts, uint64_t size, uint64_t at) {
  uint64_t low = 0;
  uint64_t high = size;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    if (starts[middle] <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* The same for many values of `at` from 0 to starts[size] - 1. The parts of every 256th are found first, so that the
 * others are searched for between two of them: mostly the same part, or neighbours. */
class Parts {
 public:
  /* Elements of an array that holds the parts of every 256th of a number of values. */
  static LAT_BOTH uint64_t elements(uint64_t values) { return values / kStride + 2; }

  /* found: elements(starts[size]), set by Find. */
  LAT_BOTH Parts(const uint64_t *starts, uint64_t size, uint32_t *found)
      : starts_(starts), size_(size), found_(found) {}

  LAT_BOTH uint64_t of(uint64_t at) const {
    const uint64_t low = found_[at / kStride];
    return low + part_of(starts_ + low, found_[at / kStride + 1] + 1 - low, at);
  }

  /* Finds element i. */
  LAT_BOTH void operator()(uint64_t i) const {
    found_[i] = static_cast<uint32_t>(part_of(starts_, size_, i * kStride));
  }

 private:
  static constexpr uint64_t kStride = 256;

  const uint64_t *starts_;
  uint64_t size_;
  uint32_t *found_;
};

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
         index->d_target_links != nullptr && (index->d_added != nullptr) == (index->added_slots != 0) &&
         index->added_slots < kMost && index->learned <= 1 && index->learned < index->segments &&
         batch->words < kMost && batch->sentences <= batch->words && batch->samples < kMost &&
         batch->max_source < kMost && batch->max_target < kMost && batch->hash_bits <= 64 && batch->entries < kMost &&
         batch->phrases <= batch->entries && batch->pairs < kMost && batch->groups <= batch->pairs;
}

}  // namespace lat::phrases
