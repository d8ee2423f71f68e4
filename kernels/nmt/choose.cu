// Selection of continuations and the rows of the next step: one warp per sentence, then a compaction of the rows.
//
// It moves little data (a few hundred bytes per sentence); the latency of two small kernels bounds it. With a few rows
// it is one kernel of one block, in which all warps read what the sentences' warps then choose from.
#include "nmt/choose.cuh"
#include "nmt/scan.cuh"

namespace lat::nmt {
namespace {

constexpr int kWarps = 8;
constexpr int kChooseThreads = 32 * kWarps;
constexpr int kCloseThreads = 256;
constexpr int kFewThreads = 32 * kFewRows;
constexpr size_t kMostListBytes = kLeastSharedMemory - 1024; /* the rest is for arrays of a fixed size */

/* The best continuations of each list, read from memory. `log_sum`: of the sentence's rows. */
struct ListsInMemory {
  const SearchState &s;
  int row;
  int shares;
  const double *log_sum;
  uint8_t *taken; /* per list */

  __device__ __forceinline__ Candidate look(int head) const {
    Candidate c{0, 0, -1, head};
    const int t = taken[head];
    if (t < s.candidates) {
      const int r = head / shares;
      const int64_t at = ((static_cast<int64_t>(row + r)) * shares + head % shares) * s.candidates + t;
      c.id = s.shares.id[at];
      c.row = r;
      c.score = s.score[row + r] + (static_cast<double>(s.shares.logit[at]) - log_sum[r]);
    }
    return c;
  }
  __device__ __forceinline__ void take(int head) { taken[head]++; }
};

/* One warp per row; the warp of a sentence's first row processes the sentence. */
template <bool REFILLS, bool ENDS_LOOPS>
__global__ void __launch_bounds__(kChooseThreads) choose_kernel(const __grid_constant__ SearchState s, int shares) {
  extern __shared__ double log_sums[]; /* [kWarps][beam], then one byte per list */
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * kWarps + warp;
  let_next_begin();
  const int rows = load_early(s.live);
  Before before;
  before.look(s, load_early(s.sentence + min(row, s.most_rows - 1)));
  await_previous();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *s.rows_before = rows;
  }
  if (row >= rows) {
    return;
  }
  if (row > 0 && s.sentence[row - 1] == before.sentence) {
    if (lane == 0) {
      s.survivors[row] = 0;
    }
    return;
  }
  const int k = s.beam;
  int n = 0;
  for (int from = 0; from < k; from += 32) {
    const int r = row + from + lane;
    n += __popc(__ballot_sync(~0u, from + lane < k && r < rows && s.sentence[r] == before.sentence));
  }
  double *log_sum = log_sums + warp * k;
  uint8_t *taken = reinterpret_cast<uint8_t *>(log_sums + kWarps * k) + warp * k * shares;
  bool odd = false;
  for (int r = 0; r < n; r++) {
    double sum;
    odd = log_sum_of(s, row + r, shares, &sum) || odd;
    if (lane == 0) {
      log_sum[r] = sum;
    }
  }
  for (int i = lane; i < n * shares; i += 32) {
    taken[i] = 0;
  }
  __syncwarp();
  ListsInMemory lists{s, row, shares, log_sum, taken};
  const int alive = choose_of_sentence<REFILLS, ENDS_LOOPS>(s, lists, row, n, shares, odd, before);
  if (lane == 0) {
    s.survivors[row] = alive;
    s.survivor_sentence[row] = before.sentence;
  }
}

/* Makes the rows of the next step: one thread per row of the previous one, placed after all survivors of preceding
 * rows. It ends a step: it does not let the next kernel start early, and every thread ends with a fence, so that all
 * kernels of the next step may read the rows with load_early() before they await one another. */
__global__ void __launch_bounds__(kCloseThreads) close_up_kernel(SearchState s) {
  __shared__ int32_t before_sums[kCloseThreads / 32];
  __shared__ int32_t sums[kCloseThreads / 32];
  await_previous();
  const int rows = *s.rows_before;
  const int row0 = blockIdx.x * kCloseThreads;
  if (row0 >= rows && blockIdx.x > 0) {
    return;
  }
  int before = 0;
  for (int i = threadIdx.x; i < row0; i += kCloseThreads) {
    before += s.survivors[i];
  }
  const int before_block = block_scan<kCloseThreads>(before, before_sums).total;
  const int row = row0 + threadIdx.x;
  const int mine = row < rows ? s.survivors[row] : 0;
  const Scanned scanned = block_scan<kCloseThreads>(mine, sums);
  if (mine > 0) {
    const int sentence = s.survivor_sentence[row];
    const int to = before_block + scanned.before;
    for (int i = 0; i < mine; i++) {
      const int64_t at = static_cast<int64_t>(sentence) * s.beam + i;
      s.word[to + i] = s.survivor_word[at];
      s.from[to + i] = s.survivor_from[at];
      s.node[to + i] = i;
      s.score[to + i] = s.survivor_score[at];
      s.sentence[to + i] = sentence;
    }
  }
  if (threadIdx.x == 0 && row0 + kCloseThreads >= rows) {
    *s.live = before_block + scanned.total;
    s.report->rows = before_block + scanned.total;
    s.report->ended = *s.ended;
  }
  __threadfence();
}

/* The same and the work of close_up_kernel, for at most kFewRows rows, `most`: one block with a warp per row. It ends a
 * step, but lets the next one's first kernel begin (see RowCount). */
template <bool REFILLS, bool ENDS_LOOPS>
__global__ void __launch_bounds__(kFewThreads)
    choose_few_kernel(const __grid_constant__ SearchState s, int shares, int most) {
  extern __shared__ __align__(16) char lists[];
  let_next_begin();
  const int rows = min(load_early(s.live), most);
  const int live =
      choose_few<kFewThreads, REFILLS, ENDS_LOOPS>(s, shares, rows, most, lists, [] { await_previous(); });
  if (threadIdx.x == 0) {
    report_step(s, live);
  }
  __threadfence();
}

}  // namespace

int choose(const SearchState &state, int shares, int most_rows, cudaStream_t stream) {
  const size_t lists = static_cast<size_t>(most_rows) * shares;
  if (most_rows <= kFewRows && lists * kListBytes <= kMostListBytes) {
    const auto few = state.refills() ? (state.ends_loops() ? choose_few_kernel<true, true> : choose_few_kernel<true, false>)
                                     : (state.ends_loops() ? choose_few_kernel<false, true> : choose_few_kernel<false, false>);
    return launch_early(few, dim3(1), kFewThreads, lists * kListBytes, stream, state, shares, most_rows);
  }
  const size_t bytes = static_cast<size_t>(kWarps) * state.beam * (sizeof(double) + shares);
  const auto kernel = state.refills() ? (state.ends_loops() ? choose_kernel<true, true> : choose_kernel<true, false>)
                                      : (state.ends_loops() ? choose_kernel<false, true> : choose_kernel<false, false>);
  const int status = launch_early(kernel, dim3((most_rows + kWarps - 1) / kWarps), kChooseThreads, bytes, stream,
                                  state, shares);
  if (status != LAT_OK) {
    return status;
  }
  return launch_early(close_up_kernel, dim3((most_rows + kCloseThreads - 1) / kCloseThreads), kCloseThreads, 0, stream,
                      state);
}

}  // namespace lat::nmt
