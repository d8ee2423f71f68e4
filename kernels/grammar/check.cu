// Membership of a batch of sentences; what bounds it is said in tile.cuh and diagonal.cuh.
#include "grammar/device.cuh"

using namespace lat;
using namespace lat::grammar;

extern "C" int lat_grammar_divide(const lat_grammar_index *index, const uint32_t *lengths, uint64_t sentences,
                                  uint64_t memory, lat_grammar_plan *plan, uint32_t *order, uint32_t *slots,
                                  uint32_t *parts) {
  LAT_REQUIRE(good(index) && plan != nullptr && parts != nullptr && sentences < 1ull << 31);
  LAT_REQUIRE(sentences == 0 || (lengths != nullptr && order != nullptr && slots != nullptr));
  DeviceLimits limits{};
  LAT_TRY(device_limits(&limits));
  return divide(limits, *index, lengths, sentences, memory, plan, order, slots, parts);
}

extern "C" int lat_grammar_check(const lat_grammar_index *index, const lat_grammar_batch *batch,
                                 const lat_grammar_plan *plan, void *d_scratch, size_t *scratch_bytes,
                                 lat_stream stream) {
  LAT_REQUIRE(good(index, batch, plan, scratch_bytes));
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  OnDevice exec(stream_of(stream), sms);
  return check(exec, *index, *batch, *plan, d_scratch, scratch_bytes);
}
