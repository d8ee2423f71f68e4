// The operations of parallel.cuh on a device; compiled by nvcc only. Those that do not depend on a type of the caller
// are compiled once, in device.cu.
#pragma once

#include "common/launch.cuh"
#include "phrases/parallel.cuh"

namespace lat::phrases {

constexpr unsigned kThreads = 256;

template <typename F>
__global__ __launch_bounds__(kThreads) void each_of(uint64_t size, F f) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < size; i += stride) {
    f(i);
  }
}

class OnDevice {
 public:
  OnDevice(cudaStream_t stream, int sms) : stream_(stream), sms_(sms) {}

  template <typename F>
  int each(uint64_t size, const F &f) {
    if (size == 0) {
      return LAT_OK;
    }
    each_of<<<blocks_for(size, kThreads, sms_, 64), kThreads, 0, stream_>>>(size, f);
    return launched();
  }
  int clear(void *at, uint64_t bytes) { return bytes == 0 ? LAT_OK : cudaMemsetAsync(at, 0, bytes, stream_); }
  int copy(void *to, const void *from, uint64_t bytes) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_);
  }
  int sum(uint32_t *values, uint64_t size, void *scratch, size_t *bytes);
  int sum(uint64_t *values, uint64_t size, void *scratch, size_t *bytes);
  int latest(uint32_t *values, uint64_t size, void *scratch, size_t *bytes);
  int sort(Twin<uint64_t> *keys, Twin<uint32_t> *values, uint64_t size, int bits, void *scratch, size_t *bytes);
  template <typename KEY, typename LESS>
  int order(KEY *keys, uint64_t size, const LESS &less, void *scratch, size_t *bytes); /* in pairs.cu */

 private:
  cudaStream_t stream_;
  int sms_;
};

/* Makes a function of the C ABI of a step. */
template <typename STEP>
int on_device(STEP step, const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
              size_t *scratch_bytes, lat_stream stream) {
  LAT_REQUIRE(good(index, batch, scratch_bytes));
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  OnDevice exec(stream_of(stream), sms);
  return step(exec, *index, *batch, d_scratch, scratch_bytes);
}

}  // namespace lat::phrases
