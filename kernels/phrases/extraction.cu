// The extraction of a batch's samples; what bounds it is said in extraction.cuh.
#include "phrases/extraction.cuh"

#include "phrases/device.cuh"

using namespace lat::phrases;

extern "C" int lat_phrases_extract(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                   size_t *scratch_bytes, lat_stream stream) {
  return on_device([](auto &...arguments) { return extract_all(arguments...); }, index, batch, d_scratch,
                   scratch_bytes, stream);
}
