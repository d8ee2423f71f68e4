// The open-addressing table in global memory.
#pragma once

#include <cstdint>

#include "latimer_kernels.h"
#include "ngram/mix.cuh"

namespace lat::ngram {

constexpr uint64_t kFree = ~0ull;
constexpr int kProbes = 64;  // an entry without a free slot after this many goes to the overflow

using Counter = unsigned long long;

/* A table as seen by kernels. */
struct Table {
  lat_ngram_entry *entries;
  uint64_t mask;  // capacity - 1
  int shift;      // 64 - log2(capacity)
  lat_ngram_progress *progress;
  lat_ngram_entry *overflow;
  uint64_t room;  // capacity of the overflow

  /* Adds to an entry, creating it if missing; returns 1 if it did. */
  __device__ __forceinline__ uint32_t add(uint64_t mixed, uint64_t count) const {
    if (mixed == kFree) {
      atomicAdd(reinterpret_cast<Counter *>(&progress->ones), static_cast<Counter>(count));
      return 0;
    }
    const uint64_t first = mixed >> shift;
#pragma unroll 1
    for (int i = 0; i < kProbes; i++) {
      // Two entries share a 32-byte sector: the other one of the pair is the cheapest to try next.
      const uint64_t slot = ((first & ~1ull) + (i & ~1) + ((first + i) & 1)) & mask;
      lat_ngram_entry *entry = entries + slot;
      uint64_t found = __ldcg(&entry->mixed);
      uint32_t made = 0;
      if (found == kFree) {
        found = atomicCAS(reinterpret_cast<Counter *>(&entry->mixed), static_cast<Counter>(kFree),
                          static_cast<Counter>(mixed));
        if (found == kFree) {
          made = 1;
          found = mixed;
        }
      }
      if (found == mixed) {
        atomicAdd(reinterpret_cast<Counter *>(&entry->count), static_cast<Counter>(count));
        return made;
      }
    }
    const uint64_t at = atomicAdd(reinterpret_cast<Counter *>(&progress->overflow), static_cast<Counter>(1));
    if (at < room) {  // never full when counting; when entries are moved, the caller sees the overflow and starts again
      overflow[at] = {mixed, count};
    }
    return 0;
  }
};

}  // namespace lat::ngram
