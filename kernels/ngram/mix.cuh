// The bijective mixes of keys for the hash table and the caches in front of it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace lat::ngram {

// Both mixes are bijective (odd factors, xor with a shift of itself), so the mixed key replaces the key: a table's slot
// is its upper bits, and a cache's tag is the part that is not in its slot.
constexpr uint64_t kFactor1 = 0x9e3779b97f4a7c15ull;
constexpr uint64_t kFactor2 = 0xd6e8feb86659fd93ull;

__host__ __device__ constexpr uint64_t inverse(uint64_t odd) {
  uint64_t x = odd;  // correct in 3 bits; each Newton step doubles them
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

/* The same mix within the lowest BITS bits (an even number up to 32). */
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

}  // namespace lat::ngram
