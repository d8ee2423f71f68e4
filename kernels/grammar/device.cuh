// The operations of divide.cuh on a device; compiled by nvcc only.
#pragma once

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

template <int W, int THREADS, int BLOCKS>
__global__ __launch_bounds__(THREADS, BLOCKS) void tile_of(lat_grammar_index index, lat_grammar_batch batch,
                                                           uint64_t first, uint32_t slots) {
  extern __shared__ __align__(16) char memory[];
  Tile<W>(Block(THREADS / kLanes), index, batch, first + blockIdx.x, slots, memory).run();
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

  template <int W>
  int tiles(uint64_t size, uint64_t threads, uint64_t bytes, const lat_grammar_index &index,
            const lat_grammar_batch &batch, uint64_t first, uint32_t slots) {
    constexpr int kFew = static_cast<int>(kFewThreads);
    constexpr int kMany = static_cast<int>(kManyThreads);
    auto *kernel = threads == kFewThreads ? tile_of<W, kFew, W == 1 ? 3 : 2> : tile_of<W, kMany, 1>;
    LAT_TRY(allow_shared(reinterpret_cast<const void *>(kernel), bytes));
    kernel<<<static_cast<unsigned>(size), static_cast<unsigned>(threads), bytes, stream_>>>(index, batch, first, slots);
    return launched();
  }

 private:
  cudaStream_t stream_;
  int sms_;
};

/* The limits of the current device. */
inline int device_limits(DeviceLimits *limits) {
  int device = 0;
  int sms = 0;
  int block = 0;
  int all = 0;
  LAT_TRY(cudaGetDevice(&device));
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(shared_memory(&block));
  LAT_TRY(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  *limits = {static_cast<uint64_t>(sms), static_cast<uint64_t>(block), static_cast<uint64_t>(all)};
  return LAT_OK;
}

}  // namespace lat::grammar
