// The first three steps of a batch; what bounds them is said in lookup.cuh.
#include "phrases/lookup.cuh"

#include "phrases/device.cuh"

using namespace lat::phrases;

extern "C" int lat_phrases_match(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                 size_t *scratch_bytes, lat_stream stream) {
  return on_device([](auto &...arguments) { return match(arguments...); }, index, batch, d_scratch, scratch_bytes,
                   stream);
}

extern "C" int lat_phrases_find(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                size_t *scratch_bytes, lat_stream stream) {
  return on_device([](auto &...arguments) { return find(arguments...); }, index, batch, d_scratch, scratch_bytes,
                   stream);
}

extern "C" int lat_phrases_bounds(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                  size_t *scratch_bytes, lat_stream stream) {
  return on_device([](auto &...arguments) { return bounds(arguments...); }, index, batch, d_scratch, scratch_bytes,
                   stream);
}
