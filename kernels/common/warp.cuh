// Operations of a whole warp. All 32 lanes must take part, in one-dimensional blocks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace lat {

__device__ __forceinline__ uint32_t lane() { return threadIdx.x % 32; }

/* The lanes before this one, one bit each. */
__device__ __forceinline__ uint32_t lanes_below() { return (1u << lane()) - 1; }

template <typename V>
__device__ __forceinline__ V warp_sum(V v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    v += __shfl_xor_sync(~0u, v, d);
  }
  return v;
}

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  }
  return v;
}

}  // namespace lat
