// The operations of divide.cuh on a device; compiled by nvcc only.
#pragma once

#include <atomic>

#include "common/launch.cuh"
#include "grammar/divide.cuh"

namespace lat::grammar {

constexpr unsigned kWarpThreads = 256;

template <typename F>
__global__ __launch_bounds__(kWarpThreads) void warps_of(uint64_t size, F f) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * (kWarpThreads / kLanes);
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * (kWarpThreads / kLanes) + threadIdx.x / kLanes; i < size;
       i += stride) {
    f(i);
  }
}

template <int W, int BLOCKS, int THREADS, int AT_ONCE>
__global__ __launch_bounds__(THREADS, AT_ONCE) void tile_of(lat_grammar_index index, lat_grammar_batch batch,
                                                            uint64_t first, uint32_t slots) {
  extern __shared__ __align__(16) char memory[];
  let_next_begin();
  char *here = memory;
  Tile<W, BLOCKS>(Block(THREADS / kLanes), index, batch, first + blockIdx.x / BLOCKS, slots, &here,
                  blockIdx.x % BLOCKS)
      .run();
  if (blockIdx.x == 0) {
    await_previous(); /* so that this kernel ends after the one before it, and with it the batch */
  }
}

class OnDevice {
 public:
  OnDevice(cudaStream_t stream, int sms) : stream_(stream), sms_(sms) {}

  int clear(void *at, uint64_t bytes) { return bytes == 0 ? LAT_OK : cudaMemsetAsync(at, 0, bytes, stream_); }

  template <typename F>
  int warps(uint64_t size, const F &f) {
    if (size == 0) {
      return LAT_OK;
    }
    warps_of<<<blocks_for(size, kWarpThreads / kLanes, sms_, 64), kWarpThreads, 0, stream_>>>(size, f);
    return launched();
  }

  template <int W, int BLOCKS>
  int tiles(uint64_t size, uint64_t threads, uint64_t bytes, const lat_grammar_index &index,
            const lat_grammar_batch &batch, uint64_t first, uint32_t slots) {
    constexpr int kMany = static_cast<int>(kManyThreads);
    auto *kernel = tile_of<W, BLOCKS, kMany, 1>;
    if constexpr (BLOCKS == 1) {
      if (threads == kFewThreads) {
        kernel = tile_of<W, 1, static_cast<int>(kFewThreads), W == 1 ? 3 : 2>;
      }
    }
    const bool early = tiles_;
    tiles_ = true;
    return launch(kernel,
                  {dim3(static_cast<unsigned>(size * BLOCKS)), static_cast<unsigned>(threads), bytes, stream_, early,
                   BLOCKS},
                  index, batch, first, slots);
  }

 private:
  cudaStream_t stream_;
  int sms_;
  bool tiles_ = false; /* whether some run: others need nothing of them, and begin as soon as all of them have begun */
};

/* The blocks of the clusters that check tiles on the current device, or 1 if it cannot have such clusters: before
 * sm_90, or with too few multiprocessors next to each other. */
inline int cluster_blocks(int shared, uint64_t *blocks) {
  auto *kernel = tile_of<1, kClusterBlocks, static_cast<int>(kManyThreads), 1>;
  bool clusters = false;
  LAT_TRY(has_clusters(kernel, kManyThreads, static_cast<size_t>(shared), &clusters));
  *blocks = clusters ? kClusterBlocks : 1;
  return LAT_OK;
}

/* The limits of the current device. */
inline int device_limits(DeviceLimits *limits) {
  int device = 0;
  int sms = 0;
  int block = 0;
  int all = 0;
  uint64_t cluster = 0;
  LAT_TRY(cudaGetDevice(&device));
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(shared_memory(&block));
  LAT_TRY(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  LAT_TRY(cluster_blocks(block, &cluster));
  *limits = {static_cast<uint64_t>(sms), static_cast<uint64_t>(block), static_cast<uint64_t>(all), cluster};
  return LAT_OK;
}

}  // namespace lat::grammar
