// Builds the columns for the words that live sentences allow, whenever sentences join.
//
// Bound by the masks: one bit per live sentence and column, some 40 million for 8,192 sentences and 5,000 columns.
#include "nmt/shortlist.cuh"

#include "nmt/scan.cuh"

namespace lat::nmt {
namespace {

constexpr int kThreads = 256;
constexpr int kScanThreads = 1024;
constexpr int kWidestTile = 128; /* columns of the widest tile of the output layer */
constexpr int kMostSlices = 512;
constexpr int kMostBlocks = 4096;

__device__ __forceinline__ bool begins_sentence(const SearchState &state, int row) {
  return row == 0 || state.sentence[row - 1] != state.sentence[row];
}

/* One block per joining sentence, one warp per source word. */
__global__ void __launch_bounds__(kThreads)
    said_kernel(ShortlistState s, const lat_nmt_sentence *sentences, const int32_t *ids, const int32_t *offset) {
  const lat_nmt_sentence joins = sentences[blockIdx.x];
  uint32_t *said = s.said + static_cast<int64_t>(joins.place) * s.stride;
  for (int i = threadIdx.x; i < s.stride; i += kThreads) {
    const int left = s.table.first - i * 32;
    said[i] = left >= 32 ? ~0u : left > 0 ? (1u << left) - 1 : 0;
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const auto add = [&](int word) {
    if (word >= 0 && word < s.words) {
      atomicOr(said + word / 32, 1u << word % 32);
    }
  };
  for (int t = threadIdx.x / 32; t < joins.length; t += kThreads / 32) {
    const int source = ids[offset[blockIdx.x] + t];
    const int to = s.table.starts[source + 1];
    for (int i = s.table.starts[source] + lane; i < to; i += 32) {
      add(s.table.words[i]);
    }
    if (s.table.own_words && lane == 0) {
      add(source);
    }
  }
}

/* One thread per 32 words; each block row of the grid takes some of the rows. */
__global__ void __launch_bounds__(kThreads) all_kernel(ShortlistState s, SearchState state) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= s.stride) {
    return;
  }
  const int rows = *state.live;
  uint32_t all = 0;
  for (int row = blockIdx.y; row < rows; row += gridDim.y) {
    if (begins_sentence(state, row)) {
      all |= s.said[static_cast<int64_t>(state.sentence[row]) * s.stride + i];
    }
  }
  if (all != 0) {
    atomicOr(s.all + i, all);
  }
}

/* One block: numbers the words that any sentence allows. */
__global__ void __launch_bounds__(kScanThreads) columns_kernel(ShortlistState s) {
  __shared__ int32_t sums[kScanThreads / 32];
  int base = 0;
  for (int from = 0; from < s.stride; from += kScanThreads) {
    const int i = from + threadIdx.x;
    uint32_t bits = i < s.stride ? s.all[i] : 0;
    const Scanned scanned = block_scan<kScanThreads>(__popc(bits), sums);
    __syncthreads();
    int column = base + scanned.before;
    for (; bits != 0; bits &= bits - 1) {
      s.word[column++] = i * 32 + __ffs(static_cast<int>(bits)) - 1;
    }
    base += scanned.total;
  }
  if (threadIdx.x == 0) {
    *s.columns = base;
  }
}

/* One warp per column: its weights and bias. */
__global__ void __launch_bounds__(kThreads) gather_kernel(ShortlistState s) {
  const int columns = *s.columns;
  const int lane = threadIdx.x % 32;
  const int chunks = s.row_bytes / 16;
  for (int c = (blockIdx.x * kThreads + threadIdx.x) / 32; c < columns; c += gridDim.x * (kThreads / 32)) {
    const int word = s.word[c];
    const uint4 *from = reinterpret_cast<const uint4 *>(s.from_weights + static_cast<int64_t>(word) * s.row_bytes);
    uint4 *to = reinterpret_cast<uint4 *>(s.weights + static_cast<int64_t>(c) * s.row_bytes);
    for (int i = lane; i < chunks; i += 32) {
      to[i] = from[i];
    }
    if (lane == 0) {
      s.bias[c] = s.from_bias[word];
    }
  }
}

/* One block per live sentence, one warp per 32 columns; zeros after the last column, up to the end of its tile. */
__global__ void __launch_bounds__(kThreads) masks_kernel(ShortlistState s, SearchState state) {
  const int rows = *state.live;
  const int columns = *s.columns;
  const int whole = (columns + kWidestTile - 1) / kWidestTile * kWidestTile;
  const int lane = threadIdx.x % 32;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    if (!begins_sentence(state, row)) {
      continue;
    }
    const int64_t at = static_cast<int64_t>(state.sentence[row]) * s.stride;
    for (int from = threadIdx.x / 32 * 32; from < whole; from += kThreads) {
      const int c = from + lane;
      const int word = c < columns ? s.word[c] : 0;
      const bool may = c < columns && (s.said[at + word / 32] >> word % 32 & 1) != 0;
      const uint32_t bits = __ballot_sync(~0u, may);
      if (lane == 0) {
        s.masks[at + from / 32] = bits;
      }
    }
  }
  __threadfence();
}

}  // namespace

void lay_out(ShortlistState &s, const lat_nmt_options &o, Scratch &memory) {
  s.stride = (s.words + kWidestTile - 1) / kWidestTile * (kWidestTile / 32);
  const uint64_t bitmaps = static_cast<uint64_t>(o.sentences) * s.stride;
  s.said = memory.take<uint32_t>(bitmaps);
  s.all = memory.take<uint32_t>(s.stride);
  s.columns = memory.take<int32_t>(1);
  s.word = memory.take<int32_t>(s.words);
  s.masks = memory.take<uint32_t>(bitmaps);
  s.weights = memory.take<char>(static_cast<uint64_t>(s.words) * s.row_bytes);
  s.bias = memory.take<float>(s.words);
}

int add_shortlists(const ShortlistState &s, const SearchState &state, const lat_nmt_sentence *d_sentences, int count,
                   const int32_t *ids, const int32_t *offset, cudaStream_t stream) {
  LAT_TRY(cudaMemsetAsync(s.all, 0, s.stride * sizeof(uint32_t), stream));
  said_kernel<<<count, kThreads, 0, stream>>>(s, d_sentences, ids, offset);
  const int slices = state.most_rows < kMostSlices ? state.most_rows : kMostSlices;
  all_kernel<<<dim3((s.stride + kThreads - 1) / kThreads, slices), kThreads, 0, stream>>>(s, state);
  columns_kernel<<<1, kScanThreads, 0, stream>>>(s);
  gather_kernel<<<1024, kThreads, 0, stream>>>(s);
  masks_kernel<<<state.most_rows < kMostBlocks ? state.most_rows : kMostBlocks, kThreads, 0, stream>>>(s, state);
  return launched();
}

}  // namespace lat::nmt
