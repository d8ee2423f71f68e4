// The last two steps of a batch; what bounds them is said in pairs.cuh.
#include "phrases/pairs.cuh"

#include "phrases/device.cuh"

#include <cub/device/device_merge_sort.cuh>

namespace lat::phrases {

template <typename KEY, typename LESS>
int OnDevice::order(KEY *keys, uint64_t size, const LESS &less, void *scratch, size_t *bytes) {
  if (size == 0) {
    return LAT_OK;
  }
  return cub::DeviceMergeSort::SortKeys(scratch, *bytes, keys, static_cast<int64_t>(size), less, stream_);
}

}  // namespace lat::phrases

using namespace lat::phrases;

extern "C" int lat_phrases_group(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                 size_t *scratch_bytes, lat_stream stream) {
  return on_device([](auto &...arguments) { return group(arguments...); }, index, batch, d_scratch, scratch_bytes,
                   stream);
}

extern "C" int lat_phrases_finish(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                  size_t *scratch_bytes, lat_stream stream) {
  return on_device([](auto &...arguments) { return finish(arguments...); }, index, batch, d_scratch, scratch_bytes,
                   stream);
}
