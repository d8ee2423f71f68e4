// Attention of a transformer: a warp a row and head. It goes through the positions once, some at a time, with a running
// softmax (maximum, sum, weighted values); groups of lanes share a position's columns and are put together at the end.
//
// Rows side by side are in a block, a head to each: those of one sentence read the same keys, all but the first from L1.
// The order of every sum depends on the number of positions alone, never on other rows.
#pragma once

#include "nmt/product.cuh"
#include "nmt/values.cuh"

namespace lat::nmt {

constexpr int kHeadWarps = 8;
constexpr int kWidestHead = 1024;

/* What a row sees: its whole sentence, or the words that led to it. */
enum class Sees { kSentence, kAncestors };

/* The words that led to each row. Word i of a row is the node (first_token * factor + i) * beam + ranks[row][i], and what
 * it gave as input lies there; the beginning of a sentence, before any word, lies behind all nodes. */
struct Ancestors {
  uint8_t *ranks = nullptr; /* [rows][stride], of this step */
  uint8_t *before = nullptr; /* of the step before; the first layer leaves there what the next step will find */
  int stride = 0;            /* a multiple of 4 */
  const int32_t *step = nullptr; /* words so far, of each sentence */
  int factor = 0;
  int beam = 0;
  int64_t nodes = 0;

  __device__ __forceinline__ int64_t place(int sentence, int64_t first_token, int words, int rank) const {
    return words == 0 ? nodes + sentence : (first_token * factor + words - 1) * beam + rank;
  }
};

template <typename T>
struct Heads {
  const T *query = nullptr; /* [rows][query_stride] */
  int64_t query_stride = 0;
  const T *keys = nullptr; /* [places][stride]; the values `width` behind them */
  int64_t stride = 0;
  int width = 0;
  int head = 0; /* columns of a head */
  int lanes = 0; /* that share a position */
  float scale = 1;
  const int32_t *sentence = nullptr; /* of each row */
  const int32_t *first = nullptr;    /* of each sentence, its first token's place */
  const int32_t *length = nullptr;
  Ancestors ancestors;
  bool leaves_ancestors = false;
  T *out = nullptr; /* [rows][out_stride] */
  int64_t out_stride = 0;
  float *weights = nullptr; /* of the first head, [rows][longest], or null */
  int longest = 0;
};

template <typename T>
__device__ __forceinline__ float exp_of(float x) {
  if constexpr (sizeof(T) == 4) {
    return expf(x);
  } else {
    return __expf(x);
  }
}

/* SIZE elements at once, EACH times a lane. */
template <typename T, int SIZE, int EACH>
struct HeadColumns {
  float v[SIZE * EACH];

  __device__ __forceinline__ void load(const T *from, int sub, int lanes, int head) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      const int at = (sub + i * lanes) * SIZE;
      const bool is_there = at < head;
      if constexpr (SIZE > 1) {
        Pack<T> pack;
        pack.bits = make_uint4(0, 0, 0, 0);
        if (is_there) {
          pack.load(from + at);
        }
#pragma unroll
        for (int j = 0; j < SIZE; j++) {
          v[i * SIZE + j] = pack.get(j);
        }
      } else {
        v[i] = is_there ? widen(from[at]) : 0;
      }
    }
  }
  __device__ __forceinline__ void store(T *to, int sub, int lanes, int head) const {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      const int at = (sub + i * lanes) * SIZE;
      if (at < head) {
        if constexpr (SIZE > 1) {
          Pack<T> pack;
#pragma unroll
          for (int j = 0; j < SIZE; j++) {
            pack.set(j, v[i * SIZE + j]);
          }
          pack.store(to + at);
        } else {
          to[at] = narrow<T>(v[i]);
        }
      }
    }
  }
};

template <typename T, Sees SEES, int SIZE, int EACH>
__global__ void __launch_bounds__(kHeadWarps * 32)
    heads_kernel(const __grid_constant__ Heads<T> work, RowCount count) {
  constexpr int N = SIZE * EACH;
  constexpr int kAtOnce = N <= 8 ? 4 : 1; /* positions that a group has under way */
  let_next_begin();
  await_previous();
  const int row = blockIdx.x * kHeadWarps + threadIdx.x / 32;
  if (row >= count.get()) {
    return;
  }
  const int lane = threadIdx.x % 32;
  const int lanes = work.lanes;
  const int groups = 32 / lanes;
  const int group = lane / lanes;
  const int sub = lane % lanes;
  const int head = work.head;
  const int h = blockIdx.y;
  const int sentence = work.sentence[row];
  const int64_t first = work.first[sentence];
  const Ancestors &ancestors = work.ancestors;
  const uint8_t *ranks = nullptr;
  int n;
  if constexpr (SEES == Sees::kAncestors) {
    const int words = ancestors.step[sentence];
    n = words + 1;
    ranks = ancestors.ranks + static_cast<int64_t>(row) * ancestors.stride;
    if (work.leaves_ancestors && h == 0) {
      uint32_t *to = reinterpret_cast<uint32_t *>(ancestors.before + static_cast<int64_t>(row) * ancestors.stride);
      for (int i = lane; i * 4 < words; i += 32) {
        to[i] = reinterpret_cast<const uint32_t *>(ranks)[i];
      }
    }
  } else {
    n = work.length[sentence];
  }
  float *weights = h == 0 && work.weights != nullptr ? work.weights + static_cast<int64_t>(row) * work.longest : nullptr;

  HeadColumns<T, SIZE, EACH> query;
  query.load(work.query + row * work.query_stride + h * head, sub, lanes, head);
  HeadColumns<T, SIZE, EACH> total;
#pragma unroll
  for (int i = 0; i < N; i++) {
    query.v[i] *= work.scale;
    total.v[i] = 0;
  }
  float max = -INFINITY;
  float sum = 0;
  for (int t0 = 0; t0 < n; t0 += groups * kAtOnce) {
    HeadColumns<T, SIZE, EACH> key[kAtOnce];
    HeadColumns<T, SIZE, EACH> value[kAtOnce];
    float energy[kAtOnce];
#pragma unroll
    for (int u = 0; u < kAtOnce; u++) {
      const int t = t0 + u * groups + group;
      int64_t place = 0;
      if (t < n) {
        if constexpr (SEES == Sees::kAncestors) {
          place = ancestors.place(sentence, first, t, t == 0 ? 0 : ranks[t - 1]);
        } else {
          place = first + t;
        }
      }
      const T *at = work.keys + place * work.stride + h * head;
      key[u].load(at, sub, lanes, t < n ? head : 0);
      value[u].load(at + work.width, sub, lanes, t < n ? head : 0);
    }
    float highest = max;
#pragma unroll
    for (int u = 0; u < kAtOnce; u++) {
      float e = 0;
#pragma unroll
      for (int i = 0; i < N; i++) {
        e = fmaf(query.v[i], key[u].v[i], e);
      }
      for (int d = 1; d < lanes; d *= 2) {
        e += __shfl_xor_sync(~0u, e, d);
      }
      const int t = t0 + u * groups + group;
      energy[u] = t < n ? e : -INFINITY;
      highest = fmaxf(highest, energy[u]);
      if (weights != nullptr && sub == 0 && t < n) {
        weights[t] = e;
      }
    }
    if (highest > -INFINITY) {
      const float keep = exp_of<T>(max - highest);
      max = highest;
      sum *= keep;
#pragma unroll
      for (int i = 0; i < N; i++) {
        total.v[i] *= keep;
      }
#pragma unroll
      for (int u = 0; u < kAtOnce; u++) {
        const float p = exp_of<T>(energy[u] - highest);
        sum += p;
#pragma unroll
        for (int i = 0; i < N; i++) {
          total.v[i] = fmaf(p, value[u].v[i], total.v[i]);
        }
      }
    } else if (t0 + group < n) {
      sum = NAN; /* no energy is a number */
    }
  }
  float highest = max;
  for (int d = lanes; d < 32; d *= 2) {
    highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, d));
  }
  const float keep = max > -INFINITY ? exp_of<T>(max - highest) : 1; /* a group that saw nothing has zeros */
  sum *= keep;
  for (int d = lanes; d < 32; d *= 2) {
    sum += __shfl_xor_sync(~0u, sum, d);
  }
  const float scale = 1 / sum;
#pragma unroll
  for (int i = 0; i < N; i++) {
    float v = total.v[i] * keep;
    for (int d = lanes; d < 32; d *= 2) {
      v += __shfl_xor_sync(~0u, v, d);
    }
    total.v[i] = v * scale;
  }
  if (group == 0) {
    total.store(work.out + row * work.out_stride + h * head, sub, lanes, head);
  }
  if (weights != nullptr) {
    __syncwarp();
    for (int t = lane; t < n; t += 32) {
      weights[t] = exp_of<T>(weights[t] - highest) * scale;
    }
  }
}

/* Heads of whole packs are read as such, others an element at a time. */
template <typename T, Sees SEES>
int attend_heads(Heads<T> work, RowCount count, cudaStream_t stream) {
  constexpr int kPack = Pack<T>::SIZE;
  const bool packs = work.head % kPack == 0;
  const int chunks = packs ? work.head / kPack : work.head;
  work.lanes = 1;
  while (work.lanes < chunks && work.lanes < 32) {
    work.lanes *= 2;
  }
  work.scale = 1 / std::sqrt(static_cast<float>(work.head));
  const auto kernel = packs ? (chunks <= 32 ? heads_kernel<T, SEES, kPack, 1>
                                            : heads_kernel<T, SEES, kPack, kWidestHead / 32 / kPack>)
                            : (chunks <= 32 ? heads_kernel<T, SEES, 1, 1> : heads_kernel<T, SEES, 1, kWidestHead / 32>);
  const dim3 grid((count.most + kHeadWarps - 1) / kHeadWarps, work.width / work.head);
  return launch_early(kernel, grid, kHeadWarps * 32, 0, stream, work, count);
}

}  // namespace lat::nmt
