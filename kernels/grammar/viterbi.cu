// The best trees of a batch; what bounds them is said in viterbi.cuh.
#include "grammar/viterbi.cuh"

#include "grammar/device.cuh"

using namespace lat;
using namespace lat::grammar;

extern "C" int lat_grammar_viterbi_divide(const lat_grammar_weights *weights, const uint32_t *lengths,
                                          uint64_t sentences, uint64_t memory, lat_grammar_plan *plan, uint32_t *order,
                                          uint32_t *slots, uint32_t *parts) {
  LAT_REQUIRE(good(weights) && plan != nullptr && parts != nullptr && sentences < 1ull << 31);
  LAT_REQUIRE(sentences == 0 || (lengths != nullptr && order != nullptr && slots != nullptr));
  return viterbi_divide(*weights, lengths, sentences, memory, plan, order, slots, parts);
}

extern "C" int lat_grammar_viterbi(const lat_grammar_weights *weights, const lat_grammar_batch *batch,
                                   const lat_grammar_plan *plan, float *d_scores, uint32_t *d_nodes, void *d_scratch,
                                   size_t *scratch_bytes, lat_stream stream) {
  LAT_REQUIRE(good(weights) && batch != nullptr && plan != nullptr && scratch_bytes != nullptr);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  OnDevice exec(stream_of(stream), sms);
  return viterbi(exec, *weights, *batch, *plan, d_scores, d_nodes, d_scratch, scratch_bytes);
}
