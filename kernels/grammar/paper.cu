// The paper's strategies on a device; linked to the test and the bench.
#include "grammar/paper.cuh"

namespace lat::grammar {
namespace {

__global__ __launch_bounds__(kLanes) void words_of(PaperCheck paper) { paper_word(paper, blockIdx.x); }

template <bool TEXTURE>
__global__ __launch_bounds__(1024) void diagonal_of(PaperCheck paper, uint64_t span) {
  extern __shared__ uint8_t flags[];
  paper_derive<TEXTURE>(Block(blockDim.x / kLanes), paper, blockIdx.x, blockIdx.x + span, flags);
}

class OnDevice {
 public:
  int clear(void *at, uint64_t bytes) { return cudaMemsetAsync(at, 0, bytes); }
  int paper_words(const PaperCheck &paper) {
    words_of<<<static_cast<unsigned>(paper.length), kLanes>>>(paper);
    return launched();
  }
  int paper_diagonal(const PaperCheck &paper, uint64_t span) {
    auto *kernel = paper.texture != 0 ? diagonal_of<true> : diagonal_of<false>;
    const size_t bytes = paper_flags(paper);
    LAT_TRY(allow_shared(reinterpret_cast<const void *>(kernel), bytes));
    const auto cells = static_cast<unsigned>(paper.length - span + 1);
    kernel<<<cells, static_cast<unsigned>(paper.threads), bytes>>>(paper, span);
    return launched();
  }
};

}  // namespace

int paper_check(const PaperCheck &paper) {
  OnDevice exec;
  return paper_check(exec, paper);
}

}  // namespace lat::grammar
