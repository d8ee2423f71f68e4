// The code of a warp and of a block, on a device or, for tests, on the host: there, a loop over lanes or warps.
#pragma once

#include <cstddef>

#include "common/both.cuh"
#include "latimer_grammar.h"

namespace lat::grammar {

constexpr uint32_t kLanes = 32;

LAT_BOTH uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
LAT_BOTH uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
LAT_BOTH uint32_t parts_of(uint32_t size, uint32_t of) { return (size + of - 1) / of; }
LAT_BOTH uint64_t parts_of(uint64_t size, uint64_t of) { return (size + of - 1) / of; }

LAT_BOTH uint32_t count_bits(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__popc(bits));
#else
  return static_cast<uint32_t>(__builtin_popcount(bits));
#endif
}

/* The number of the highest bit that is set, from 1; 0 if none. */
LAT_BOTH uint32_t highest_bit(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return 32 - static_cast<uint32_t>(__clz(static_cast<int>(bits)));
#else
  return bits == 0 ? 0 : 32 - static_cast<uint32_t>(__builtin_clz(bits));
#endif
}

/* The number of the lowest bit that is set, from 0. */
LAT_BOTH uint32_t lowest_bit(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__ffs(static_cast<int>(bits))) - 1;
#else
  return static_cast<uint32_t>(__builtin_ctz(bits));
#endif
}

/* The bits from <= b < to of word number `word` of a bit set. */
LAT_BOTH uint32_t ones(uint32_t from, uint32_t to, uint32_t word) {
  const uint32_t begin = word * 32;
  const uint32_t end = begin + 32;
  if (from >= end || to <= begin || from >= to) {
    return 0;
  }
  const uint32_t low = from <= begin ? ~0u : ~0u << (from - begin);
  const uint32_t high = to >= end ? ~0u : (1u << (to - begin)) - 1;
  return low & high;
}

/* Sets bits that other warps may set at the same time. */
LAT_BOTH void or_into(uint32_t *at, uint32_t bits) {
#ifdef __CUDA_ARCH__
  atomicOr(at, bits);
#else
  *at |= bits;
#endif
}

/* Floats as numbers that compare as they do; 0 is below all of them. */
LAT_BOTH uint32_t ordered(float value) {
  const uint32_t bits = bits_of(value);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
LAT_BOTH float from_ordered(uint32_t number) {
  return float_of((number >> 31) != 0 ? number & 0x7fffffffu : ~number);
}

/* Raises a number that other warps may raise at the same time. */
LAT_BOTH void raise(uint32_t *at, uint32_t number) {
#ifdef __CUDA_ARCH__
  atomicMax(at, number);
#else
  *at = number > *at ? number : *at;
#endif
}

/* A value of each lane. */
template <typename T>
struct PerLane {
#ifdef __CUDA_ARCH__
  T value;
  LAT_BOTH T &operator[](uint32_t) { return value; }
  LAT_BOTH const T &operator[](uint32_t) const { return value; }
#else
  T values[kLanes];
  T &operator[](uint32_t lane) { return values[lane]; }
  const T &operator[](uint32_t lane) const { return values[lane]; }
#endif
};

/* Calls f(lane) for all lanes of the warp. */
template <typename F>
LAT_BOTH void each_lane(F f) {
#ifdef __CUDA_ARCH__
  f(threadIdx.x % kLanes);
#else
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    f(lane);
  }
#endif
}

/* Lets the lanes see what the others have written. */
LAT_BOTH void together() {
#ifdef __CUDA_ARCH__
  __syncwarp();
#endif
}

/* The lanes where f(lane) holds, one bit each. */
template <typename F>
LAT_BOTH uint32_t ballot(F f) {
#ifdef __CUDA_ARCH__
  return __ballot_sync(~0u, f(threadIdx.x % kLanes));
#else
  uint32_t bits = 0;
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    bits |= f(lane) ? 1u << lane : 0;
  }
  return bits;
#endif
}

/* The bits of f(lane) of all lanes together. */
template <typename F>
LAT_BOTH uint32_t or_of(F f) {
#ifdef __CUDA_ARCH__
  return __reduce_or_sync(~0u, f(threadIdx.x % kLanes));
#else
  uint32_t bits = 0;
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    bits |= f(lane);
  }
  return bits;
#endif
}

template <typename F>
LAT_BOTH uint32_t max_of(F f) {
#ifdef __CUDA_ARCH__
  return __reduce_max_sync(~0u, f(threadIdx.x % kLanes));
#else
  uint32_t most = 0;
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    const uint32_t value = f(lane);
    most = value > most ? value : most;
  }
  return most;
#endif
}

/* The value of one lane. */
template <typename T>
LAT_BOTH T from_lane(const PerLane<T> &values, uint32_t lane) {
#ifdef __CUDA_ARCH__
  return __shfl_sync(~0u, values.value, static_cast<int>(lane));
#else
  return values[lane];
#endif
}

/* A block, whose code is a sequence of phases. */
class Block {
 public:
  /* backwards: on the host, from the last warp to the first, which must not matter. */
  LAT_BOTH explicit Block(uint32_t warps, bool backwards = false) : warps_(warps), backwards_(backwards) {}

  LAT_BOTH uint32_t warps() const { return warps_; }

  /* Which of a number of warps or blocks is next, on the host. */
  LAT_BOTH uint32_t turn(uint32_t i, uint32_t of) const { return backwards_ ? of - 1 - i : i; }

  /* Calls f(warp) for all warps, and waits for them. */
  template <typename F>
  LAT_BOTH void phase(F f) {
#ifdef __CUDA_ARCH__
    f(threadIdx.x / kLanes);
    __syncthreads();
#else
    for (uint32_t warp = 0; warp < warps_; warp++) {
      f(turn(warp, warps_));
    }
#endif
  }

 private:
  uint32_t warps_;
  bool backwards_;
};

#ifdef __CUDA_ARCH__
/* The same place in the shared memory of another block of the cluster. */
template <typename T>
__device__ __forceinline__ const T *of_cluster(const T *here, uint32_t rank) {
#if __CUDA_ARCH__ >= 900
  return static_cast<const T *>(__cluster_map_shared_rank(here, rank));
#else
  return here;
#endif
}
#endif

/* What is wrong with a grammar or a batch is the caller's bug; only what costs nothing is checked. */
inline bool good(const lat_grammar_index *index) {
  constexpr uint64_t kMost = 1ull << 31;
  return index != nullptr && index->classes >= 1 && index->classes <= LAT_GRAMMAR_MAX_CLASSES &&
         index->start < index->classes && index->pairs < kMost && index->rules < kMost && index->ancestors < kMost &&
         index->words < kMost;
}

}  // namespace lat::grammar
