// Appends to a list in global memory with one global atomic per block.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/warp.cuh"

namespace lat {

/*
 * Lives in shared memory; every thread of the block calls the same functions in the same order:
 *
 *   append.begin();
 *   const uint32_t at = append.add(whether this thread has something);   // any number of times
 *   const uint64_t base = append.end(counter);
 *
 * An element for which add() returned a place goes to base + place. Neighbouring elements get neighbouring places.
 */
struct BlockAppend {
  static constexpr uint32_t kNone = ~0u;

  uint32_t count;
  unsigned long long base;

  __device__ __forceinline__ void begin() {
    if (threadIdx.x == 0) {
      count = 0;
    }
    __syncthreads();
  }
  /* A place within the block's range, or kNone. */
  __device__ __forceinline__ uint32_t add(bool present) {
    const uint32_t all = __ballot_sync(~0u, present);
    uint32_t first = 0;
    if (lane() == 0 && all != 0) {
      first = atomicAdd(&count, static_cast<uint32_t>(__popc(all)));
    }
    first = __shfl_sync(~0u, first, 0);
    return present ? first + __popc(all & lanes_below()) : kNone;
  }
  /* Reserves the block's range; returns its start. */
  __device__ __forceinline__ uint64_t end(unsigned long long *counter) {
    __syncthreads();
    if (threadIdx.x == 0 && count != 0) {
      base = atomicAdd(counter, static_cast<unsigned long long>(count));
    }
    __syncthreads();
    return base;
  }
};

}  // namespace lat
