// Which windows lie within one record.
#include "common/launch.cuh"

namespace lat::ngram {
namespace {

constexpr unsigned kThreads = 256;

/* No window starts at the last order-1 positions of a record. One warp's worth of records per block stride. */
__global__ __launch_bounds__(kThreads) void clear_ends(const uint64_t *__restrict__ ends, uint64_t records, int order,
                                                       uint32_t *__restrict__ valid) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t r = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; r < records; r += stride) {
    const uint64_t end = ends[r];
    const uint64_t start = r == 0 ? 0 : ends[r - 1];
    const uint64_t tail = static_cast<uint64_t>(order) - 1;
    for (uint64_t p = end - start > tail ? end - tail : start; p < end; p++) {
      atomicAnd(valid + p / 32, ~(1u << (p % 32)));
    }
  }
}

}  // namespace
}  // namespace lat::ngram

using namespace lat;

extern "C" uint64_t lat_ngram_valid_bytes(uint64_t units) { return (units + 31) / 32 * 4; }

extern "C" int lat_ngram_valid(const uint64_t *d_ends, uint64_t records, uint64_t units, int order, uint32_t *d_valid,
                               lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_BYTE_ORDER);
  if (units == 0) {
    return LAT_OK;
  }
  LAT_REQUIRE(d_ends != nullptr && d_valid != nullptr && records >= 1);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(cudaMemsetAsync(d_valid, 0xff, lat_ngram_valid_bytes(units), stream_of(stream)));
  if (order > 1) {
    lat::ngram::clear_ends<<<blocks_for(records, lat::ngram::kThreads, sms, 16), lat::ngram::kThreads, 0,
                             stream_of(stream)>>>(d_ends, records, order, d_valid);
  }
  return launched();
}
