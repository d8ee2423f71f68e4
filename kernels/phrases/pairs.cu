// The last two steps of a batch; what bounds them is said in pairs.cuh.
#include "phrases/pairs.cuh"

#include "phrases/device.cuh"

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
