// The output layer in one kernel: product, bias, softmax and k-best (Algorithms 4 to 6 of the Amun paper, one step
// further): logits exist in shared memory only. A block takes some rows and a share of the vocabulary, tile by tile, and
// keeps for every row the running maximum, the sum of exponentials relative to it, and the best k so far; the shares are
// put together by the search. Without scores a beam of one needs the best alone.
#pragma once

#include "nmt/product.cuh"
#include "nmt/values.cuh"

namespace lat::nmt {

enum class Wanted { kBest, kScoredBest, kBeam };

/* What is known of each row and share; [rows][shares], of the best k [rows][shares][k], best first, id -1 behind them. */
struct Shares {
  float *max;
  float *sum;
  float *logit;
  int32_t *id;
};

/* Floats as integers of the same order; what is not a number is larger than all. */
__device__ __forceinline__ uint32_t ordered(float v) {
  const uint32_t bits = __float_as_uint(v);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float unordered(uint32_t v) {
  return __uint_as_float(v & 0x80000000u ? v & 0x7fffffffu : ~v);
}

/* The largest of a warp; `redux` where the hardware has it. */
__device__ __forceinline__ uint32_t warp_largest(uint32_t v) { return __reduce_max_sync(~0u, v); }
__device__ __forceinline__ uint32_t warp_smallest(uint32_t v) { return __reduce_min_sync(~0u, v); }

template <typename T>
struct Output {
  Product<T> product;
  const float *bias;
  Shares shares;
  int k;
  bool allow_unknown;
  bool forbid_end;
};

/* What a block knows of its rows while it goes through its share, in shared memory. */
struct RowState {
  float *max;
  float *sum;
  float *logit; /* [rows][k] */
  int32_t *id;
};

template <typename TILE>
__host__ __device__ constexpr int output_bytes(int k) {
  return TILE::BYTES + TILE::ROWS * (2 + 2 * k) * 4;
}

/* Looks through one row of a tile. The best k of a row are spread over the lanes, two each, when one is put in. */
template <Wanted WANTED, typename TILE>
__device__ __forceinline__ void scan_row(const float *at, const float *__restrict__ bias, int column0, int words, int k,
                                         bool allow_unknown, bool forbid_end, const RowState &state, int r) {
  constexpr int kEach = (TILE::COLUMNS + 31) / 32;
  const int lane = threadIdx.x % 32;
  float v[kEach];
  float best = -INFINITY;
  bool odd = false;
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const int c = lane + i * 32;
    v[i] = -INFINITY;
    if (column0 + c < words) {
      v[i] = at[c] + __ldg(bias + column0 + c);
      odd = odd || !(v[i] < INFINITY);
      best = fmaxf(best, v[i]);
    }
  }
  odd = __any_sync(~0u, odd);
  float top = unordered(warp_largest(ordered(best)));
  if (WANTED == Wanted::kBest) {
    if (lane == 0 && state.max[r] == state.max[r]) {
      state.max[r] = odd ? NAN : fmaxf(state.max[r], top);
    }
  } else {
    const float before = state.max[r];
    const float max = fmaxf(before, top);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      sum += __expf(v[i] - max);
    }
    sum = warp_sum(sum);
    __syncwarp();
    if (lane == 0) {
      state.max[r] = max;
      state.sum[r] = odd ? NAN : state.sum[r] * __expf(before - max) + sum;
    }
  }
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const int c = column0 + lane + i * 32;
    if ((c == 1 && !allow_unknown) || (c == 0 && forbid_end)) {
      v[i] = -INFINITY;
    }
  }
  if (WANTED != Wanted::kBeam) {
    best = -INFINITY;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      best = fmaxf(best, v[i]);
    }
    top = unordered(warp_largest(ordered(best)));
    if (top > state.logit[r]) {
      uint32_t c = ~0u;
#pragma unroll
      for (int i = kEach - 1; i >= 0; i--) {
        c = v[i] == top ? column0 + lane + i * 32 : c;
      }
      c = warp_smallest(c);
      __syncwarp();
      if (lane == 0) {
        state.logit[r] = top;
        state.id[r] = static_cast<int32_t>(c);
      }
    }
    __syncwarp();
    return;
  }
  float *logits = state.logit + r * k;
  int32_t *ids = state.id + r * k;
  float least = logits[k - 1];
  bool loaded = false;
  float l0 = -INFINITY;
  float l1 = -INFINITY;
  int32_t i0 = -1;
  int32_t i1 = -1;
  while (true) {
    best = -INFINITY;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      best = fmaxf(best, v[i]);
    }
    top = unordered(warp_largest(ordered(best)));
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
    if (!loaded) {
      loaded = true;
      if (lane < k) {
        l0 = logits[lane];
        i0 = ids[lane];
      }
      if (lane + 32 < k) {
        l1 = logits[lane + 32];
        i1 = ids[lane + 32];
      }
    }
    // Entries that stay before the new one: larger, or as large with a lower id, which all earlier ones have.
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
    least = k <= 32 ? __shfl_sync(~0u, l0, k - 1) : __shfl_sync(~0u, l1, k - 33);
  }
  if (loaded) {
    if (lane < k) {
      logits[lane] = l0;
      ids[lane] = i0;
    }
    if (lane + 32 < k) {
      logits[lane + 32] = l1;
      ids[lane + 32] = i1;
    }
  }
  __syncwarp();
}

template <typename T, typename TILE, Wanted WANTED>
__global__ void __launch_bounds__(TILE::THREADS) output_kernel(const __grid_constant__ Output<T> output, RowCount count) {
  extern __shared__ __align__(128) char shared[];
  const int rows = count.get();
  const int row0 = blockIdx.y * TILE::ROWS;
  if (row0 >= rows) {
    return;
  }
  const int words = output.product.outputs;
  const int k = output.k;
  RowState state;
  state.max = reinterpret_cast<float *>(shared + TILE::BYTES);
  state.sum = state.max + TILE::ROWS;
  state.logit = state.sum + TILE::ROWS;
  state.id = reinterpret_cast<int32_t *>(state.logit + TILE::ROWS * k);
  for (int i = threadIdx.x; i < TILE::ROWS; i += TILE::THREADS) {
    state.max[i] = -INFINITY;
    state.sum[i] = 0;
  }
  for (int i = threadIdx.x; i < TILE::ROWS * k; i += TILE::THREADS) {
    state.logit[i] = -INFINITY;
    state.id[i] = -1;
  }
  find_rows<T, TILE>(output.product, row0, rows, shared);
  const int tiles = (words + TILE::COLUMNS - 1) / TILE::COLUMNS;
  const int shares = gridDim.x;
  const int from = static_cast<int>(static_cast<int64_t>(tiles) * blockIdx.x / shares);
  const int to = static_cast<int>(static_cast<int64_t>(tiles) * (blockIdx.x + 1) / shares);
  for (int t = from; t < to; t++) {
    const float *tile = product_tile<T, TILE>(output.product, t * TILE::COLUMNS, shared);
    for (int r = threadIdx.x / 32; r < TILE::ROWS && row0 + r < rows; r += TILE::THREADS / 32) {
      scan_row<WANTED, TILE>(tile + r * TILE::STRIDE, output.bias, t * TILE::COLUMNS, words, k, output.allow_unknown,
                             output.forbid_end, state, r);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < TILE::ROWS && row0 + i < rows; i += TILE::THREADS) {
    const int64_t at = static_cast<int64_t>(row0 + i) * shares + blockIdx.x;
    output.shares.max[at] = state.max[i];
    output.shares.sum[at] = state.sum[i];
  }
  for (int i = threadIdx.x; i < TILE::ROWS * k; i += TILE::THREADS) {
    const int row = row0 + i / k;
    if (row < rows) {
      const int64_t at = (static_cast<int64_t>(row) * shares + blockIdx.x) * k + i % k;
      output.shares.logit[at] = state.logit[i];
      output.shares.id[at] = state.id[i];
    }
  }
}

template <typename T, typename TILE>
int launch_output(const Output<T> &output, Wanted wanted, int shares, RowCount count, cudaStream_t stream) {
  const auto kernel = wanted == Wanted::kBest         ? output_kernel<T, TILE, Wanted::kBest>
                      : wanted == Wanted::kScoredBest ? output_kernel<T, TILE, Wanted::kScoredBest>
                                                      : output_kernel<T, TILE, Wanted::kBeam>;
  const int bytes = output_bytes<TILE>(output.k);
  LAT_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 grid(shares, (count.most + TILE::ROWS - 1) / TILE::ROWS);
  kernel<<<grid, TILE::THREADS, bytes, stream>>>(output, count);
  return launched();
}

/* The kind of tile and the number of shares for so many rows: enough blocks for the device, not more heads for the search. */
template <typename T>
struct OutputPlan {
  enum { kFew, kSome, kMany } tile;
  int shares;
};
template <typename T>
OutputPlan<T> plan_output(int most, int words, int k, int multiprocessors) {
  using S = Tiles<T>;
  OutputPlan<T> plan{};
  plan.tile = most <= 32 ? plan.kFew : most < 1024 || k > 16 ? plan.kSome : plan.kMany;
  const int down = plan.tile == plan.kFew ? S::Few::ROWS : plan.tile == plan.kSome ? S::Some::ROWS : S::Many::ROWS;
  const int across =
      plan.tile == plan.kFew ? S::Few::COLUMNS : plan.tile == plan.kSome ? S::Some::COLUMNS : S::Many::COLUMNS;
  const int tiles = (words + across - 1) / across;
  const int blocks = (most + down - 1) / down;
  const int wanted = (2 * multiprocessors + blocks - 1) / blocks;
  const int limit = k == 1 ? 128 : k <= 8 ? 64 : 32;
  plan.shares = wanted < 1 ? 1 : wanted;
  plan.shares = plan.shares > tiles ? tiles : plan.shares;
  plan.shares = plan.shares > limit ? limit : plan.shares;
  return plan;
}
constexpr int kMostShares = 128;

template <typename T>
int output_layer(const Output<T> &output, Wanted wanted, const OutputPlan<T> &plan, RowCount count,
                 cudaStream_t stream) {
  switch (plan.tile) {
    case OutputPlan<T>::kFew:
      return launch_output<T, typename Tiles<T>::Few>(output, wanted, plan.shares, count, stream);
    case OutputPlan<T>::kSome:
      return launch_output<T, typename Tiles<T>::Some>(output, wanted, plan.shares, count, stream);
    default:
      return launch_output<T, typename Tiles<T>::Many>(output, wanted, plan.shares, count, stream);
  }
}

}  // namespace lat::nmt
