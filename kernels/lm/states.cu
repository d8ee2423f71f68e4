// The states after some tokens, such as the last of each sentence: only these are copied to the host.
#include "common/launch.cuh"

namespace lat::lm {
namespace {

constexpr unsigned kThreads = 256;

__global__ __launch_bounds__(kThreads) void pick(const uint32_t *__restrict__ positions, uint64_t size, uint32_t contexts,
                                                 const uint8_t *__restrict__ state_lengths,
                                                 const float *__restrict__ state_backoffs,
                                                 uint8_t *__restrict__ lengths, float *__restrict__ backoffs) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < size * contexts; i += stride) {
    const uint64_t which = i / contexts;
    const uint64_t context = i % contexts;
    const uint64_t position = positions[which];
    backoffs[i] = state_backoffs[position * contexts + context];
    if (context == 0) {
      lengths[which] = state_lengths[position];
    }
  }
}

}  // namespace
}  // namespace lat::lm

using namespace lat;

extern "C" int lat_lm_states(const uint32_t *d_positions, uint64_t positions, int order,
                             const uint8_t *d_state_lengths, const float *d_state_backoffs, uint8_t *d_lengths,
                             float *d_backoffs, lat_stream stream) {
  LAT_REQUIRE(order >= 2 && order <= LAT_LM_MAX_ORDER && positions < 1ull << 32);
  if (positions == 0) {
    return LAT_OK;
  }
  LAT_REQUIRE(d_positions != nullptr && d_state_lengths != nullptr && d_state_backoffs != nullptr);
  LAT_REQUIRE(d_lengths != nullptr && d_backoffs != nullptr);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  const auto contexts = static_cast<uint32_t>(order - 1);
  lat::lm::pick<<<blocks_for(positions * contexts, lat::lm::kThreads, sms, 16), lat::lm::kThreads, 0,
                  stream_of(stream)>>>(d_positions, positions, contexts, d_state_lengths, d_state_backoffs, d_lengths,
                                       d_backoffs);
  return launched();
}
