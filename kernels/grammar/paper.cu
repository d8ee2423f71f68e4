// The paper's strategies on a device.
#include "grammar/paper.cuh"

using namespace lat;
using namespace lat::grammar;

namespace {

__global__ __launch_bounds__(kLanes) void words_of(lat_grammar_paper paper) { paper_word(paper, blockIdx.x); }

template <bool TEXTURE>
__global__ __launch_bounds__(1024) void diagonal_of(lat_grammar_paper paper, uint64_t span) {
  extern __shared__ uint8_t flags[];
  paper_derive<TEXTURE>(Block(blockDim.x / kLanes), paper, blockIdx.x, blockIdx.x + span, flags);
}

class OnDevice {
 public:
  explicit OnDevice(cudaStream_t stream) : stream_(stream) {}

  int clear(void *at, uint64_t bytes) { return cudaMemsetAsync(at, 0, bytes, stream_); }
  int paper_words(const lat_grammar_paper &paper) {
    words_of<<<static_cast<unsigned>(paper.length), kLanes, 0, stream_>>>(paper);
    return launched();
  }
  int paper_diagonal(const lat_grammar_paper &paper, uint64_t span) {
    auto *kernel = paper.texture != 0 ? diagonal_of<true> : diagonal_of<false>;
    const size_t bytes = paper_flags(paper);
    LAT_TRY(allow_shared(reinterpret_cast<const void *>(kernel), bytes));
    kernel<<<static_cast<unsigned>(paper.length - span + 1), static_cast<unsigned>(paper.threads), bytes, stream_>>>(
        paper, span);
    return launched();
  }

 private:
  cudaStream_t stream_;
};

}  // namespace

extern "C" int lat_grammar_paper_check(const lat_grammar_paper *paper, lat_stream stream) {
  LAT_REQUIRE(good(paper));
  OnDevice exec(stream_of(stream));
  return paper_check(exec, *paper);
}
