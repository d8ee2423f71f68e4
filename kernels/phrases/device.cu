// Sorts and sums of whole arrays, by CUB.
#include "phrases/device.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace lat::phrases {
namespace {

struct Highest {
  __host__ __device__ __forceinline__ uint32_t operator()(uint32_t a, uint32_t b) const { return a > b ? a : b; }
};

}  // namespace

int OnDevice::sum(uint32_t *values, uint64_t size, void *scratch, size_t *bytes) {
  return cub::DeviceScan::ExclusiveSum(scratch, *bytes, values, values, static_cast<int64_t>(size), stream_);
}

int OnDevice::sum(uint64_t *values, uint64_t size, void *scratch, size_t *bytes) {
  return cub::DeviceScan::ExclusiveSum(scratch, *bytes, values, values, static_cast<int64_t>(size), stream_);
}

int OnDevice::latest(uint32_t *values, uint64_t size, void *scratch, size_t *bytes) {
  if (size == 0) {
    return LAT_OK;
  }
  return cub::DeviceScan::InclusiveScan(scratch, *bytes, values, values, Highest(), static_cast<int64_t>(size),
                                        stream_);
}

int OnDevice::sort(Twin<uint64_t> *keys, Twin<uint32_t> *values, uint64_t size, int bits, void *scratch,
                   size_t *bytes) {
  if (size == 0) {
    return LAT_OK;
  }
  cub::DoubleBuffer<uint64_t> sorted_keys(keys->now, keys->other);
  cub::DoubleBuffer<uint32_t> sorted_values(values->now, values->other);
  const cudaError_t error = cub::DeviceRadixSort::SortPairs(scratch, *bytes, sorted_keys, sorted_values,
                                                            static_cast<int64_t>(size), 0, bits, stream_);
  if (scratch != nullptr) {
    *keys = {sorted_keys.Current(), sorted_keys.Alternate()};
    *values = {sorted_values.Current(), sorted_values.Alternate()};
  }
  return error;
}

}  // namespace lat::phrases
