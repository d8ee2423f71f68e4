// The finalizer of MurmurHash3, which determines slots in the tables of index files (docs/formats.md).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace lat {

__host__ __device__ __forceinline__ uint64_t fmix64(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

}  // namespace lat
