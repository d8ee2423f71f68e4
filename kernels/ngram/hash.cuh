// The open-addressing table in global memory, and the bijective mixes that its keys go through.
#pragma once

#include <cstdint>

#include "latimer_kernels.h"

namespace lat::ngram {

constexpr uint64_t kFree = ~0ull;
constexpr int kProbes = 64;  // an entry that finds no room within so many goes to the overflow

// Both mixes are bijective (odd factors, xor with a shift of itself), so the mixed key stands for the key and needs no
// other copy: a table's slot is its upper bits, and a cache's tag what its slot leaves out.
constexpr uint64_t kFactor1 = 0x9e3779b97f4a7c15ull;
constexpr uint64_t kFactor2 = 0xd6e8feb86659fd93ull;

__host__ __device__ constexpr uint64_t inverse(uint64_t odd) {
  uint64_t x = odd;  // right in 3 bits; each step of Newton's doubles them
  for (int i = 0; i < 5; i++) {
    x *= 2 - odd * x;
  }
  return x;
}
static_assert(kFactor1 * inverse(kFactor1) == 1 && kFactor2 * inverse(kFactor2) == 1, "inverse");

__host__ __device__ __forceinline__ uint64_t mix64(uint64_t key) {
  uint64_t x = key * kFactor1;
  x ^= x >> 32;
  return x * kFactor2;
}

__host__ __device__ __forceinline__ uint64_t unmix64(uint64_t mixed) {
  constexpr uint64_t back1 = inverse(kFactor1);
  constexpr uint64_t back2 = inverse(kFactor2);
  uint64_t x = mixed * back2;
  x ^= x >> 32;
  return x * back1;
}

/* The same within the lowest BITS bits (an even number up to 32). */
template <int BITS>
struct Mix32 {
  static constexpr uint32_t kMask = BITS == 32 ? ~0u : (1u << BITS) - 1;
  static constexpr uint32_t kOdd1 = 0x7feb352du;
  static constexpr uint32_t kOdd2 = 0x846ca68bu;

  static __host__ __device__ __forceinline__ uint32_t mix(uint32_t key) {
    uint32_t x = key * kOdd1 & kMask;
    x ^= x >> (BITS / 2);
    return x * kOdd2 & kMask;
  }
  static __host__ __device__ __forceinline__ uint32_t unmix(uint32_t mixed) {
    constexpr uint32_t back1 = static_cast<uint32_t>(inverse(kOdd1));
    constexpr uint32_t back2 = static_cast<uint32_t>(inverse(kOdd2));
    uint32_t x = mixed * back2 & kMask;
    x ^= x >> (BITS / 2);
    return x * back1 & kMask;
  }
};

using Counter = unsigned long long;

/* A table as kernels see it. */
struct Table {
  lat_ngram_entry *entries;
  uint64_t mask;  // capacity - 1
  int shift;      // 64 - log2(capacity)
  lat_ngram_progress *progress;
  lat_ngram_entry *overflow;
  uint64_t room;  // entries that the overflow holds

  /* Adds to an entry, making it where there is none; returns 1 where it did. */
  __device__ __forceinline__ uint32_t add(uint64_t mixed, uint64_t count) const {
    if (mixed == kFree) {
      atomicAdd(reinterpret_cast<Counter *>(&progress->ones), static_cast<Counter>(count));
      return 0;
    }
    const uint64_t first = mixed >> shift;
#pragma unroll 1
    for (int i = 0; i < kProbes; i++) {
      // Two entries share a 32-byte sector: the other one of a pair is the cheapest place to look next.
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
    if (at < room) {  // counting never gets there; who moves entries sees that not all had room, and begins anew
      overflow[at] = {mixed, count};
    }
    return 0;
  }
};

}  // namespace lat::ngram
