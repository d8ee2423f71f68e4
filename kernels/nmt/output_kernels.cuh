// The kernels of the output layer and of stored layers, for the sources that compile them: output_*.cu, one per
// precision.
#pragma once

#include "nmt/output.cuh"
#include "nmt/values.cuh"

namespace lat::nmt {

/* Floats as integers of the same order; NaN is larger than all numbers. */
__device__ __forceinline__ uint32_t ordered(float v) {
  const uint32_t bits = __float_as_uint(v);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float unordered(uint32_t v) {
  return __uint_as_float(v & 0x80000000u ? v & 0x7fffffffu : ~v);
}

/* The maximum over a warp; uses `redux` if the hardware has it. */
__device__ __forceinline__ uint32_t warp_largest(uint32_t v) { return __reduce_max_sync(~0u, v); }
__device__ __forceinline__ uint32_t warp_smallest(uint32_t v) { return __reduce_min_sync(~0u, v); }

/* A block's state for its rows while it goes through its share, in shared memory. */
template <typename SUM>
struct RowState {
  SUM *sum; /* relative to e^max; in 64 bits, to 2^power_of(max) */
  float *max;
  float *logit; /* [rows][k] */
  int32_t *id;
  int32_t *sentence; /* if rows are restricted to some words, else null */
};

constexpr int kScanLanes = 8; /* lanes that share a row: a warp processes four rows at a time */

/* Merges a tile's row into the row's best k; one warp per row. The best k are distributed over the lanes, two each.
 * `mask`: the bits of the tile's columns, or null. */
template <typename TILE>
__device__ __forceinline__ void insert_best(const float *at, const float *__restrict__ bias, int column0, int words, int k,
                                            bool allow_unknown, bool forbid_end, const uint32_t *mask, float *logits,
                                            int32_t *ids) {
  constexpr int kEach = (TILE::COLUMNS + 31) / 32;
  const int lane = threadIdx.x % 32;
  float v[kEach];
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const int c = column0 + lane + i * 32;
    const bool out = c >= words || (c == 1 && !allow_unknown) || (c == 0 && forbid_end) ||
                     (mask != nullptr && (mask[i] >> lane & 1) == 0);
    v[i] = out ? -INFINITY : at[lane + i * 32] + __ldg(bias + c);
  }
  float l0 = lane < k ? logits[lane] : -INFINITY;
  float l1 = lane + 32 < k ? logits[lane + 32] : -INFINITY;
  int32_t i0 = lane < k ? ids[lane] : -1;
  int32_t i1 = lane + 32 < k ? ids[lane + 32] : -1;
  while (true) {
    const float least = k <= 32 ? __shfl_sync(~0u, l0, k - 1) : __shfl_sync(~0u, l1, k - 33);
    float best = -INFINITY;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      best = fmaxf(best, v[i]);
    }
    const float top = unordered(warp_largest(ordered(best)));
    if (!(top > least)) {
      break;
    }
    uint32_t c = ~0u;
#pragma unroll
    for (int i = kEach - 1; i >= 0; i--) {
      c = v[i] == top ? column0 + lane + i * 32 : c;
    }
    c = warp_smallest(c);
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      if (column0 + lane + i * 32 == static_cast<int>(c)) {
        v[i] = -INFINITY;
      }
    }
    // Entries that stay ahead of the new one: larger, or equal with a lower id, as all earlier ones have.
    const int p = __popc(__ballot_sync(~0u, l0 >= top && i0 >= 0)) + __popc(__ballot_sync(~0u, l1 >= top && i1 >= 0));
    const float up0 = __shfl_up_sync(~0u, l0, 1);
    const int32_t id0 = __shfl_up_sync(~0u, i0, 1);
    const float last0 = __shfl_sync(~0u, l0, 31);
    const int32_t last_id0 = __shfl_sync(~0u, i0, 31);
    float up1 = __shfl_up_sync(~0u, l1, 1);
    int32_t id1 = __shfl_up_sync(~0u, i1, 1);
    if (lane == 0) {
      up1 = last0;
      id1 = last_id0;
    }
    if (lane >= p) {
      l0 = lane == p ? top : up0;
      i0 = lane == p ? static_cast<int32_t>(c) : id0;
    }
    if (lane + 32 >= p) {
      l1 = lane + 32 == p ? top : up1;
      i1 = lane + 32 == p ? static_cast<int32_t>(c) : id1;
    }
  }
  __syncwarp();
  if (lane < k) {
    logits[lane] = l0;
    ids[lane] = i0;
  }
  if (lane + 32 < k) {
    logits[lane + 32] = l1;
    ids[lane + 32] = i1;
  }
  __syncwarp();
}

/* The maximum, where NaN exceeds all numbers. */
__device__ __forceinline__ float larger(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float v;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
  return v;
#else
  return a != a || a > b ? a : b;
#endif
}

/* Scans a tile: each warp four rows at a time, eight lanes per row. Most tiles contain nothing better than the best so
 * far, so the word itself is searched only if one does. A warp inserts into its rows' lists one after the other; so with a
 * beam, the rows of the smallest tile are dealt out to the warps. */
template <Wanted WANTED, typename TILE, typename SUM>
__device__ __forceinline__ void scan_tile(const float *tile, const float *__restrict__ bias, int column0, int words,
                                          int rows, int k, bool allow_unknown, bool forbid_end, const Columns &columns,
                                          const RowState<SUM> &state) {
  constexpr int kEach = TILE::COLUMNS / kScanLanes;
  constexpr int kRowsAtOnce = TILE::THREADS / kScanLanes;
  const int lane = threadIdx.x % 32;
  const int sub = threadIdx.x % kScanLanes;
  float b[kEach]; /* -inf after the last word */
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const int c = column0 + sub + i * kScanLanes;
    b[i] = c < words ? __ldg(bias + c) : -INFINITY;
  }
  // Words 0 and 1 are in the first tile, in the first element of lanes 0 and 1.
  const bool out = column0 == 0 && ((sub == 1 && !allow_unknown) || (sub == 0 && forbid_end));
  for (int first = 0; first < TILE::ROWS && first < rows; first += kRowsAtOnce) {
    constexpr bool kDealt = WANTED == Wanted::kBeam && TILE::ROWS == 16 && kRowsAtOnce >= 16;
    const int r = first + (kDealt ? lane / kScanLanes * (TILE::THREADS / 32) + static_cast<int>(threadIdx.x) / 32
                                  : static_cast<int>(threadIdx.x) / kScanLanes);
    const bool is_row = r < TILE::ROWS && r < rows;
    const float *at = tile + (is_row ? r : 0) * TILE::STRIDE + sub;
    float v[kEach];
    const uint32_t *mask = nullptr;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      v[i] = at[i * kScanLanes] + b[i];
    }
    if (state.sentence != nullptr) {
      mask = columns.masks + static_cast<int64_t>(state.sentence[is_row ? r : 0]) * columns.stride + column0 / 32;
#pragma unroll
      for (int j = 0; j < TILE::COLUMNS / 32; j++) {
        const uint32_t may = mask[j] >> sub; /* no __ldg: written by the kernel before the step */
#pragma unroll
        for (int i = 0; i < 32 / kScanLanes; i++) {
          if ((may >> i * kScanLanes & 1) == 0) {
            v[j * (32 / kScanLanes) + i] = -INFINITY;
          }
        }
      }
    }
    const float may_be_said = out ? -INFINITY : v[0];
    float top = may_be_said;
#pragma unroll
    for (int i = 1; i < kEach; i++) {
      top = larger(top, v[i]);
    }
#pragma unroll
    for (int d = 1; d < kScanLanes; d *= 2) {
      top = larger(top, __shfl_xor_sync(~0u, top, d));
    }
    if (WANTED != Wanted::kBest) {
      // A forbidden word still counts in the sum; if it is the maximum, it counts for the maximum, too.
      const float highest = fmaxf(top, __shfl_sync(~0u, fmaxf(v[0], __shfl_xor_sync(~0u, v[0], 1)), lane & ~(kScanLanes - 1)));
      const float before = is_row ? state.max[r] : 0;
      const float max = fmaxf(before, column0 == 0 ? highest : top);
      SUM sum = 0;
      SUM scale;
      if constexpr (sizeof(SUM) == 8) {
        const float power = max == -INFINITY ? 0 : power_of(max); /* a row may have no allowed word so far */
#pragma unroll
        for (int i = 0; i < kEach; i++) {
          const float n = power_of(v[i]);
          const float at_power = power_of_two<float>(n - power);
          sum += at_power == 0 ? 0 : mantissa_of(v[i], n) * at_power;
        }
        scale = power_of_two<SUM>(power_of(before) - power);
      } else {
        const float base = max == -INFINITY ? 0 : max;
#pragma unroll
        for (int i = 0; i < kEach; i++) {
          sum += __expf(v[i] - base);
        }
        scale = __expf(before - base);
      }
#pragma unroll
      for (int d = 1; d < kScanLanes; d *= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
      }
      __syncwarp(); /* all lanes of the row have read what is overwritten now */
      if (is_row && sub == 0) {
        state.max[r] = max;
        state.sum[r] = state.sum[r] * scale + sum;
      }
    }
    if (WANTED != Wanted::kBeam) {
      const float before = is_row ? state.logit[r] : 0;
      const bool better = is_row && !(top <= before) && before == before;
      __syncwarp();
      if (__any_sync(~0u, better)) {
        int place = kEach;
#pragma unroll
        for (int i = kEach - 1; i >= 0; i--) {
          const float said = i == 0 ? may_be_said : v[i];
          place = said == top || said != said ? i : place;
        }
        int column = column0 + sub + place * kScanLanes; /* beyond the tile if this lane does not have it */
#pragma unroll
        for (int d = 1; d < kScanLanes; d *= 2) {
          column = min(column, __shfl_xor_sync(~0u, column, d));
        }
        if (better && sub == 0) {
          state.logit[r] = top;
          state.id[r] = column;
          if (WANTED == Wanted::kBest) {
            state.max[r] = top;
          }
        }
      }
    } else {
      uint32_t wanted = __ballot_sync(~0u, is_row && sub == 0 && !(top <= state.logit[(is_row ? r : 0) * k + k - 1]));
      __syncwarp();
      while (wanted != 0) {
        const int from = __ffs(static_cast<int>(wanted)) - 1;
        wanted &= wanted - 1;
        const int row = __shfl_sync(~0u, r, from);
        const int64_t bits = __shfl_sync(~0u, static_cast<int64_t>(reinterpret_cast<intptr_t>(mask)), from);
        insert_best<TILE>(tile + row * TILE::STRIDE, bias, column0, words, k, allow_unknown, forbid_end,
                          reinterpret_cast<const uint32_t *>(bits), state.logit + row * k, state.id + row * k);
      }
    }
  }
}

/* The results of a block's rows, from row0 on, for a share of the vocabulary: tiles `from` to `to` of the first `words`
 * words. `next_tile(t)` returns the products of a tile in shared memory; `memory` is shared, too (see output_bytes). */
template <Wanted WANTED, typename TILE, typename T, typename NEXT>
__device__ __forceinline__ void say_share(const Output<T> &output, int row0, int rows, int words, int from, int to,
                                          int share, int shares, char *memory, NEXT next_tile) {
  const bool has_columns = output.columns.count != nullptr;
  const int k = output.k;
  RowState<SumOf<T>> state;
  state.sum = reinterpret_cast<SumOf<T> *>(memory);
  state.max = reinterpret_cast<float *>(state.sum + TILE::ROWS);
  state.logit = state.max + TILE::ROWS;
  state.id = reinterpret_cast<int32_t *>(state.logit + TILE::ROWS * k);
  state.sentence = has_columns ? state.id + TILE::ROWS * k : nullptr;
  for (int i = threadIdx.x; i < TILE::ROWS; i += TILE::THREADS) {
    state.max[i] = -INFINITY;
    state.sum[i] = 0;
    if (has_columns) {
      state.sentence[i] = row0 + i < rows ? output.columns.sentence[row0 + i] : 0;
    }
  }
  for (int i = threadIdx.x; i < TILE::ROWS * k; i += TILE::THREADS) {
    state.logit[i] = -INFINITY;
    state.id[i] = -1;
  }
  __syncthreads();
  for (int t = from; t < to; t++) {
    const float *tile = next_tile(t);
    scan_tile<WANTED, TILE>(tile, output.bias, t * TILE::COLUMNS, words, rows - row0, k, output.allow_unknown,
                            output.forbid_end, output.columns, state);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < TILE::ROWS && row0 + i < rows; i += TILE::THREADS) {
    const int64_t at = static_cast<int64_t>(row0 + i) * shares + share;
    const float max = state.max[i];
    output.shares.max[at] = max;
    if (WANTED != Wanted::kBest) {
      output.shares.sum[at] =
          sizeof(T) != 4 || max == -INFINITY ? state.sum[i] : state.sum[i] / mantissa_of(max, power_of(max));
    }
  }
  for (int i = threadIdx.x; i < TILE::ROWS * k; i += TILE::THREADS) {
    const int row = row0 + i / k;
    if (row < rows) {
      const int64_t at = (static_cast<int64_t>(row) * shares + share) * k + i % k;
      output.shares.logit[at] = state.logit[i];
      const int32_t id = state.id[i];
      output.shares.id[at] = has_columns && id >= 0 ? output.columns.word[id] : id;
    }
  }
}

/* The tiles of a share of the first `words` words. */
template <typename TILE>
struct ShareTiles {
  int from;
  int to;
  __device__ __forceinline__ ShareTiles(int words, int share, int shares) {
    const int64_t tiles = (words + TILE::COLUMNS - 1) / TILE::COLUMNS;
    from = static_cast<int>(tiles * share / shares);
    to = static_cast<int>(tiles * (share + 1) / shares);
  }
};

/* The number of words that an output layer has. Columns and their weights change only when sentences join, which is
 * between steps (see launch.cuh). */
template <typename T>
__device__ __forceinline__ int words_of(const Output<T> &output) {
  return output.columns.count != nullptr ? min(load_early(output.columns.count), output.product.outputs)
                                         : output.product.outputs;
}

template <typename T, typename TILE, Wanted WANTED>
__global__ void __launch_bounds__(TILE::THREADS) output_kernel(const __grid_constant__ Output<T> output, RowCount count) {
  extern __shared__ __align__(1024) char shared[];
  const int row0 = blockIdx.y * TILE::ROWS;
  const int words = words_of(output);
  const ShareTiles<TILE> tiles(words, blockIdx.x, gridDim.x);
  let_next_begin();
  LoaderFor<T, TILE> loader(output.product, row0, shared);
  loader.begin(tiles.from * TILE::COLUMNS);
  const int rows = count.get();
  await_previous();
  if (!loader.start(row0, rows, shared)) {
    return;
  }
  const auto next_tile = [&](int t) -> const float * {
    if (t > tiles.from) {
      loader.begin(t * TILE::COLUMNS);
      loader.fill();
    }
    return product_tile<Weights::kAll, T, TILE>(output.product, loader, shared);
  };
  say_share<WANTED, TILE>(output, row0, rows, words, tiles.from, tiles.to, blockIdx.x, gridDim.x,
                          shared + TILE::BYTES, next_tile);
  if (tiles.from == tiles.to) { /* fewer tiles of columns than shares: the queued copies have not been awaited */
    copies_wait<0>();
  }
}

template <typename T>
int output_layer(const Output<T> &output, Wanted wanted, const OutputPlan &plan, RowCount count, cudaStream_t stream) {
  return with_tile<T, false>(plan.tile, [&](auto tile) -> int {
    using TILE = decltype(tile);
    const auto kernel = wanted == Wanted::kBest         ? output_kernel<T, TILE, Wanted::kBest>
                        : wanted == Wanted::kScoredBest ? output_kernel<T, TILE, Wanted::kScoredBest>
                                                        : output_kernel<T, TILE, Wanted::kBeam>;
    const int bytes = output_bytes<T, TILE>(output.k, output.columns.count != nullptr);
    const dim3 grid(plan.shares, (count.most + TILE::ROWS - 1) / TILE::ROWS);
    return launch_early(kernel, grid, TILE::THREADS, bytes, stream, output, count);
  });
}

constexpr int kGivenThreads = 256;

/* One warp per row: the product of its readout and one word's weights, and that word's bias. */
template <typename T>
__global__ void __launch_bounds__(kGivenThreads)
    given_kernel(const __grid_constant__ Output<T> output, GivenWords given, RowCount count) {
  let_next_begin();
  await_previous();
  const int row = (blockIdx.x * kGivenThreads + threadIdx.x) / 32;
  if (row >= count.get()) {
    return;
  }
  const int sentence = given.sentence[row];
  const int64_t at = static_cast<int64_t>(given.first_token[sentence]) * given.factor + given.step[sentence];
  const int word = given.word[at];
  const int depth = output.product.depth;
  const T *weights = output.product.w + static_cast<int64_t>(word) * depth;
  float sum = 0;
  for (int term = 0; term < output.product.terms; term++) {
    const Part<T> &part = output.product.part[term];
    const T *readout = part.data + static_cast<int64_t>(row) * part.stride;
    for (int i = threadIdx.x % 32; i < depth; i += 32) {
      sum += static_cast<float>(readout[i]) * static_cast<float>(weights[i]);
    }
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    given.logit[row] = sum + output.bias[word];
  }
}

template <typename T>
int given_layer(const Output<T> &output, const GivenWords &given, RowCount count, cudaStream_t stream) {
  constexpr int kRows = kGivenThreads / 32;
  return launch_early(given_kernel<T>, dim3((count.most + kRows - 1) / kRows), kGivenThreads, 0, stream, output, given,
                      count);
}

template <typename T>
int store_layer(const Product<T> &product, const Store<T> &store, RowCount count, cudaStream_t stream) {
  return layer(product, store, count, stream);
}

/* ---- the same over logits in memory, for a comparison in a table of the paper ---- */

constexpr int kInMemoryThreads = 256;

/* The maximum over a block, returned to all threads. `scratch` has 32 elements. */
__device__ __forceinline__ float block_max(float v, float *scratch) {
  v = warp_max(v);
  if (threadIdx.x % 32 == 0) {
    scratch[threadIdx.x / 32] = v;
  }
  __syncthreads();
  return warp_max(threadIdx.x % 32 < blockDim.x / 32 ? scratch[threadIdx.x % 32] : -INFINITY);
}

/* Bias and softmax: turns logits into log-probabilities. One block per row. */
static __global__ void __launch_bounds__(kInMemoryThreads)
    softmax_kernel(float *logits, const float *__restrict__ bias, int words, RowCount count) {
  __shared__ float scratch[33];
  __shared__ float tops[32];
  let_next_begin();
  await_previous();
  const int row = blockIdx.x;
  if (row >= count.get()) {
    return;
  }
  float *at = logits + static_cast<int64_t>(row) * words;
  float max = -INFINITY;
  for (int i = threadIdx.x; i < words; i += kInMemoryThreads) {
    const float v = at[i] + bias[i];
    at[i] = v;
    max = fmaxf(max, v);
  }
  max = block_max(max, tops);
  float sum = 0;
  for (int i = threadIdx.x; i < words; i += kInMemoryThreads) {
    sum += __expf(at[i] - max);
  }
  const float log_sum = max + __logf(block_sum(sum, scratch));
  for (int i = threadIdx.x; i < words; i += kInMemoryThreads) {
    at[i] -= log_sum;
  }
}

/* The best k of a row: k times the maximum, where each thread tracks that of its own words. With a bias, the input is
 * raw logits of the product, read once for both the softmax and the first of the best, like the paper's kernel. */
static __global__ void __launch_bounds__(kInMemoryThreads)
    best_kernel(float *logits, const float *__restrict__ bias, int words, int k, bool allow_unknown, bool forbid_end,
                Shares shares, RowCount count) {
  __shared__ unsigned long long tops[32];
  __shared__ float scratch[33];
  let_next_begin();
  await_previous();
  const int row = blockIdx.x;
  if (row >= count.get()) {
    return;
  }
  float *at = logits + static_cast<int64_t>(row) * words;
  float max = -INFINITY; /* and the running sum relative to it */
  float sum = 0;
  const auto look = [&](bool adds_up) {
    unsigned long long best = 0;
    for (int i = threadIdx.x; i < words; i += kInMemoryThreads) {
      const float v = bias == nullptr ? at[i] : at[i] + bias[i];
      if (adds_up) {
        const float higher = fmaxf(max, v);
        sum = higher == -INFINITY && v == v ? 0 : sum * __expf(max - higher) + __expf(v - higher);
        max = higher;
      }
      const bool out = (i == 1 && !allow_unknown) || (i == 0 && forbid_end) || v == -INFINITY;
      const unsigned long long key = out ? 0 : static_cast<unsigned long long>(ordered(v)) << 32 | ~static_cast<uint32_t>(i);
      best = key > best ? key : best;
    }
    return best;
  };
  unsigned long long mine = look(bias != nullptr);
  if (bias != nullptr) {
    const float highest = block_max(max, scratch);
    __syncthreads();
    sum = block_sum(max == -INFINITY && sum == sum ? 0 : sum * __expf(max - highest), scratch);
    max = highest;
  } else { /* log-probabilities are normalized */
    max = 0;
    sum = 1;
  }
  for (int n = 0; n < k; n++) {
    unsigned long long best = mine;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
      const unsigned long long other = __shfl_xor_sync(~0u, best, d);
      best = other > best ? other : best;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
      tops[threadIdx.x / 32] = best;
    }
    __syncthreads();
    for (int w = 0; w < kInMemoryThreads / 32; w++) {
      best = tops[w] > best ? tops[w] : best;
    }
    const int id = best == 0 ? -1 : static_cast<int>(~static_cast<uint32_t>(best));
    if (n == 0 && best != 0 && isnan(unordered(best >> 32))) { /* log-probabilities show it nowhere else */
      sum = NAN;
    }
    if (threadIdx.x == 0) {
      shares.logit[static_cast<int64_t>(row) * k + n] = best == 0 ? -INFINITY : unordered(best >> 32);
      shares.id[static_cast<int64_t>(row) * k + n] = id;
    }
    if (id >= 0 && id % kInMemoryThreads == static_cast<int>(threadIdx.x)) {
      at[id] = -INFINITY;
      mine = look(false);
    }
  }
  if (threadIdx.x == 0) {
    shares.max[row] = max;
    shares.sum[row] = sum;
  }
}

template <typename T>
int output_in_memory(const Output<T> &output, float *logits, bool fused, RowCount count, cudaStream_t stream) {
  Store<T> store;
  store.outputs = output.product.outputs;
  store.results.wide = logits;
  store.results.wide_stride = output.product.outputs;
  int status = store_layer(output.product, store, count, stream);
  if (status == LAT_OK && !fused) {
    status = launch_early(softmax_kernel, dim3(count.most), kInMemoryThreads, 0, stream, logits, output.bias,
                          output.product.outputs, count);
  }
  if (status == LAT_OK) {
    status = launch_early(best_kernel, dim3(count.most), kInMemoryThreads, 0, stream, logits, fused ? output.bias : nullptr,
                          output.product.outputs, output.k, output.allow_unknown, output.forbid_end, output.shares, count);
  }
  return status;
}

}  // namespace lat::nmt
