// Sums of integers over a block, like cub::BlockScan, whose headers take longer to compile than the kernels here.
#pragma once

#include <cstdint>

namespace lat::nmt {

/* The sum of the preceding threads' values, and of the whole block's. */
struct Scanned {
  int32_t before;
  int32_t total;
};

/* Called by all THREADS threads of the block. `scratch` has THREADS / 32 numbers; a barrier must precede its reuse. */
template <int THREADS>
__device__ __forceinline__ Scanned block_scan(int32_t v, int32_t *scratch) {
  constexpr int kWarps = THREADS / 32;
  static_assert(THREADS % 32 == 0 && kWarps <= 32, "one warp has the sums of all");
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int32_t sum = v;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int32_t other = __shfl_up_sync(~0u, sum, d);
    sum += lane >= d ? other : 0;
  }
  if (lane == 31) {
    scratch[warp] = sum;
  }
  __syncthreads();
  const int32_t of_warp = lane < kWarps ? scratch[lane] : 0;
  return {sum - v + __reduce_add_sync(~0u, lane < warp ? of_warp : 0), __reduce_add_sync(~0u, of_warp)};
}

}  // namespace lat::nmt
