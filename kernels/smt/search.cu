// The beam search of sentences: a block per sentence, which goes through all of its steps, so that a step is no launch
// and waits for no other sentence. Blocks take the sentences in order, the longest first, until there are none left.
#include "smt/device.cuh"

namespace lat::smt {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocks = 4; /* per multiprocessor: the registers allow so many */
constexpr uint64_t kSharedBytes = kSharedForAll;

using Team = Block<kThreads>;

__global__ __launch_bounds__(kThreads, kBlocks) void search(const lat_smt_batch batch, char *scratch, uint64_t bytes,
                                                            uint64_t shared_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Team::Shared shared;
  __shared__ Workspace workspace;
  __shared__ Sizes sizes;
  __shared__ uint64_t sentence;
  if (threadIdx.x == 0) {
    sizes = sizes_of(batch);
    Carver carver(memory, shared_bytes, scratch + blockIdx.x * bytes);
    carve(sizes, carver, workspace);
  }
  Team team(shared);
  while (true) {
    __syncthreads(); /* all threads have read the last number */
    if (threadIdx.x == 0) {
      sentence = team.add(batch.d_report, uint64_t{1});
    }
    __syncthreads();
    if (sentence >= batch.sentences) {
      return;
    }
    Search<Team>(team, batch, sizes, workspace, static_cast<uint32_t>(sentence)).run();
  }
}

uint64_t shared_bytes_of(const lat_smt_batch &batch) {
  const uint64_t most = batch.shared_bytes == 0 ? kSharedBytes : batch.shared_bytes;
  return most / 16 * 16;
}

/* The global memory of a block. */
uint64_t bytes_of(const lat_smt_batch &batch, const Sizes &sizes) {
  Carver carver(nullptr, shared_bytes_of(batch), nullptr);
  Workspace workspace;
  carve(sizes, carver, workspace);
  return carver.used() == 0 ? 256 : carver.used();
}

int blocks_of(const lat_smt_batch &batch, uint64_t *blocks) {
  int sms = 0;
  int each = 0;
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(allow_shared(reinterpret_cast<const void *>(search), shared_bytes_of(batch)));
  LAT_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, search, kThreads, shared_bytes_of(batch)));
  *blocks = static_cast<uint64_t>(sms) * static_cast<uint64_t>(each < 1 ? 1 : each);
  return LAT_OK;
}

}  // namespace
}  // namespace lat::smt

using namespace lat;
using namespace lat::smt;

extern "C" int lat_smt_workspace(const lat_smt_batch *batch, uint64_t *partials, uint64_t *bytes, uint64_t *sentences) {
  LAT_REQUIRE(good_options(batch) && partials != nullptr && bytes != nullptr && sentences != nullptr);
  const Sizes sizes = sizes_of(*batch);
  *partials = sizes.partials;
  *bytes = bytes_of(*batch, sizes);
  return blocks_of(*batch, sentences);
}

extern "C" int lat_smt_search(const lat_smt_batch *batch, void *d_scratch, uint64_t scratch_bytes, lat_stream stream) {
  LAT_REQUIRE(good(batch));
  if (batch->sentences == 0) {
    return LAT_OK;
  }
  LAT_REQUIRE(d_scratch != nullptr);
  const Sizes sizes = sizes_of(*batch);
  if (!countable(sizes)) {
    return LAT_UNSUPPORTED;
  }
  const uint64_t bytes = bytes_of(*batch, sizes);
  uint64_t blocks = 0;
  LAT_TRY(blocks_of(*batch, &blocks));
  blocks = blocks < batch->sentences ? blocks : batch->sentences;
  blocks = blocks < scratch_bytes / bytes ? blocks : scratch_bytes / bytes;
  if (blocks == 0) {
    return LAT_SCRATCH_TOO_SMALL;
  }
  LAT_TRY(cudaMemsetAsync(batch->d_report, 0, 2 * sizeof(uint64_t), stream_of(stream)));
  search<<<static_cast<unsigned>(blocks), kThreads, shared_bytes_of(*batch), stream_of(stream)>>>(
      *batch, static_cast<char *>(d_scratch), bytes, shared_bytes_of(*batch));
  return launched();
}
