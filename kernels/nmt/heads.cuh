// Attention of a transformer: one warp per row and head, or per row and several heads. It goes through the positions
// once, several at a time, with a running softmax (maximum, sum, weighted values); groups of lanes share a position's
// columns, and their results are combined at the end.
//
// Adjacent rows share a block: rows of one sentence read the same keys, all but the first from L1. In 32 bits, the
// order of every sum depends only on the number of positions, never on other rows.
#pragma once

#include "nmt/product.cuh"
#include "nmt/values.cuh"

namespace lat::nmt {

constexpr int kHeadWarps = 8;
constexpr int kWidestHead = 1024;
constexpr int kWarpsAtOnce = 3072; /* about the number that a Hopper GPU runs concurrently */

/* What a row attends to: its whole sentence, or the words that led to it. */
enum class Sees { kSentence, kAncestors };

/* What is added to the energies of self-attention: a row at position s adds table[head][middle + t - s] to that of
 * position t. */
struct Biases {
  const float *table = nullptr; /* [heads][stride]; null: nothing. Constant, like weights */
  int stride = 0;
  int middle = 0;
};

/* The bucket of the distance from a word to the one that it attends to, t - s. Equal to Java's
 * RelativePositions.bucket, rounding included. */
__device__ __forceinline__ int bucket_of(int distance, bool both_ways, int buckets, int most) {
  const int size = both_ways ? buckets / 2 : buckets;
  const int first = both_ways && distance > 0 ? size : 0;
  const int apart = both_ways ? abs(distance) : max(0, -distance);
  const int exact = size / 2;
  if (apart < exact) {
    return first + apart;
  }
  const double share = log(static_cast<double>(apart) / exact) / log(static_cast<double>(most) / exact);
  return first + min(size - 1, exact + static_cast<int>(share * (size - exact) + 1e-6));
}
/* Expands trained biases, [buckets][heads], to those of every distance. */
static __global__ void biases_kernel(const float *trained, float *table, int heads, int stride, int middle,
                                     bool both_ways, int buckets, int most) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < stride; i += gridDim.x * blockDim.x) {
    const int bucket = bucket_of(i - middle, both_ways, buckets, most);
    for (int h = 0; h < heads; h++) {
      table[static_cast<int64_t>(h) * stride + i] = trained[static_cast<int64_t>(bucket) * heads + h];
    }
  }
}

/* The words that led to each row. Word i of a row is the node (first_token * factor + i) * beam + ranks[row][i], where
 * its keys and values are stored; those of a sentence's start, before any word, follow all nodes. */
struct Ancestors {
  uint8_t *ranks = nullptr; /* [rows][stride], of this step */
  uint8_t *before = nullptr; /* of the previous step; the first layer stores there what the next step will read */
  int stride = 0;            /* a multiple of 4 */
  const int32_t *step = nullptr; /* per sentence: number of words so far */
  int factor = 0;
  int beam = 0;
  int64_t nodes = 0;

  __device__ __forceinline__ int64_t place(int sentence, int64_t first_token, int words, int rank) const {
    return words == 0 ? nodes + sentence : (first_token * factor + words - 1) * beam + rank;
  }
};

template <typename T>
struct Heads {
  const Kept<T> *query = nullptr; /* [rows][query_stride] */
  int64_t query_stride = 0;
  const Kept<T> *keys = nullptr; /* [places][stride]; values follow at offset `width` */
  int64_t stride = 0;
  int width = 0; /* of all heads, rounded up to an even number */
  int head = 0; /* columns per head */
  int lanes = 0; /* lanes that share a position */
  int together = 1; /* heads per warp */
  bool early = false; /* data known before the step (rows, sentences, source keys) may be read before the wait */
  float scale = 1;
  const int32_t *sentence = nullptr; /* per row */
  const int32_t *first = nullptr;    /* per sentence: place of its first token */
  const int32_t *length = nullptr;
  Ancestors ancestors;
  bool leaves_ancestors = false;
  T *out = nullptr; /* [rows][out_stride] */
  int64_t out_stride = 0;
  float *weights = nullptr; /* of the first heads, [rows][kept_heads][longest], or null */
  int kept_heads = 1;
  int longest = 0;
  int heads = 0;
  Biases biases;
};

template <typename T>
__device__ __forceinline__ float exp_of(float x) {
  if constexpr (sizeof(T) == 4) {
    return expf(x);
  } else {
    return __expf(x);
  }
}

/* A lane's part of a head: EACH packs of SIZE elements, in memory format: with many positions in flight, they take half
 * the registers of 32-bit numbers. */
template <typename T, int SIZE>
struct Elements {
  Pack<T> pack;
  __device__ __forceinline__ void load(const T *from) { pack.load(from); }
  __device__ __forceinline__ void clear() { pack.bits = make_uint4(0, 0, 0, 0); }
  __device__ __forceinline__ float get(int i) const { return pack.get(i); }
};
template <typename T>
struct Elements<T, 1> {
  T value;
  __device__ __forceinline__ void load(const T *from) { value = *from; }
  __device__ __forceinline__ void clear() { value = narrow<T>(0); }
  __device__ __forceinline__ float get(int) const { return widen(value); }
};
template <typename T, int SIZE, int EACH>
struct HeadColumns {
  Elements<T, SIZE> at[EACH];

  __device__ __forceinline__ void load(const T *from, int sub, int lanes, int head) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      const int column = (sub + i * lanes) * SIZE;
      if (column < head) {
        at[i].load(from + column);
      } else {
        at[i].clear();
      }
    }
  }
  __device__ __forceinline__ float get(int i) const { return at[i / SIZE].get(i % SIZE); }
};

/* Writes the lanes' parts of a head, in the precision of factors. */
template <typename T, int SIZE, int EACH>
__device__ __forceinline__ void store_head(T *to, const float (&v)[SIZE * EACH], int sub, int lanes, int head) {
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int column = (sub + i * lanes) * SIZE;
    if (column < head) {
      if constexpr (SIZE == Pack<T>::SIZE) {
        Pack<T> pack;
#pragma unroll
        for (int j = 0; j < SIZE; j++) {
          pack.set(j, v[i * SIZE + j]);
        }
        pack.store(to + column);
      } else {
#pragma unroll
        for (int j = 0; j < SIZE; j++) {
          to[column + j] = narrow<T>(v[i * SIZE + j]);
        }
      }
    }
  }
}

template <typename T, Sees SEES, bool BIASED, int SIZE, int EACH>
__global__ void __launch_bounds__(kHeadWarps * 32, SIZE * EACH <= 8 ? 3 : 1)
    heads_kernel(const __grid_constant__ Heads<T> work, RowCount count) {
  constexpr int N = SIZE * EACH;
  constexpr int kAtOnce = N <= 8 ? 4 : 1; /* positions in flight per group */
  let_next_begin();
  if (!work.early) {
    await_previous();
  }
  const int warps = work.heads / work.together;
  const int row = static_cast<int>(blockIdx.x / warps) * kHeadWarps + threadIdx.x / 32;
  const int rows = count.get();
  const int lane = threadIdx.x % 32;
  const int lanes = work.lanes;
  const int apart = lanes * work.together; /* lanes for all heads of a position */
  const int groups = 32 / apart;
  const int group = lane / apart;
  const int sub = lane % lanes;
  const int head = work.head;
  const int first_head = static_cast<int>(blockIdx.x % warps) * work.together;
  const int h = first_head + lane % apart / lanes;
  const int sentence = load_early(work.sentence + min(row, count.most - 1));
  const int64_t first = load_early(work.first + sentence);
  const Ancestors &ancestors = work.ancestors;
  const uint8_t *ranks = nullptr;
  int n;
  if constexpr (SEES == Sees::kAncestors) {
    const int words = load_early(ancestors.step + sentence);
    n = words + 1;
    ranks = ancestors.ranks + static_cast<int64_t>(row) * ancestors.stride;
  } else {
    n = load_early(work.length + sentence);
  }
  const float *biases = nullptr; /* of position 0 */
  if constexpr (BIASED) {
    const int own = SEES == Sees::kAncestors ? n - 1 : static_cast<int>(min(row, count.most - 1) - first);
    biases = work.biases.table + static_cast<int64_t>(h) * work.biases.stride + (work.biases.middle - own);
  }
  HeadColumns<Kept<T>, SIZE, EACH> key[kAtOnce];
  HeadColumns<Kept<T>, SIZE, EACH> value[kAtOnce];
  const auto read = [&](int t0) {
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
      const Kept<T> *at = work.keys + place * work.stride + h * head;
      key[u].load(at, sub, lanes, t < n ? head : 0);
      value[u].load(at + work.width, sub, lanes, t < n ? head : 0);
    }
  };
  // Source keys and values may be read before the wait, and by plain loads, so that rows of one sentence find them in
  // L1: they were written when the sentence joined, and kernels that were not launched early came in between
  // (add_sentences).
  if constexpr (SEES == Sees::kSentence) {
    read(0);
  }
  if (work.early) {
    await_previous();
  }
  if (row >= rows) {
    return;
  }
  if constexpr (SEES == Sees::kAncestors) {
    if (work.leaves_ancestors && first_head == 0) {
      uint32_t *to = reinterpret_cast<uint32_t *>(ancestors.before + static_cast<int64_t>(row) * ancestors.stride);
      for (int i = lane; i * 4 < n - 1; i += 32) {
        to[i] = reinterpret_cast<const uint32_t *>(ranks)[i];
      }
    }
  }
  float *weights = h < work.kept_heads && work.weights != nullptr
                       ? work.weights + (static_cast<int64_t>(row) * work.kept_heads + h) * work.longest
                       : nullptr;

  HeadColumns<Kept<T>, SIZE, EACH> columns;
  columns.load(work.query + row * work.query_stride + h * head, sub, lanes, head);
  float query[N];
  float total[N];
#pragma unroll
  for (int i = 0; i < N; i++) {
    query[i] = columns.get(i) * work.scale;
    total[i] = 0;
  }
  float max = -INFINITY;
  float sum = 0;
  for (int t0 = 0; t0 < n; t0 += groups * kAtOnce) {
    if (SEES == Sees::kAncestors || t0 > 0) {
      read(t0);
    }
    float energy[kAtOnce];
    float highest = max;
#pragma unroll
    for (int u = 0; u < kAtOnce; u++) {
      float e = 0;
#pragma unroll
      for (int i = 0; i < N; i++) {
        e = fmaf(query[i], key[u].get(i), e);
      }
      for (int d = 1; d < lanes; d *= 2) {
        e += __shfl_xor_sync(~0u, e, d);
      }
      const int t = t0 + u * groups + group;
      if constexpr (BIASED) {
        e += t < n ? __ldg(biases + t) : 0;
      }
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
        total[i] *= keep;
      }
#pragma unroll
      for (int u = 0; u < kAtOnce; u++) {
        const float p = exp_of<T>(energy[u] - highest);
        sum += p;
#pragma unroll
        for (int i = 0; i < N; i++) {
          total[i] = fmaf(p, value[u].get(i), total[i]);
        }
      }
    } else if (t0 + group < n) {
      sum = NAN; /* all energies are NaN */
    }
  }
  float highest = max;
  for (int d = apart; d < 32; d *= 2) {
    highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, d));
  }
  const float keep = max > -INFINITY ? exp_of<T>(max - highest) : 1; /* a group without positions has zeros */
  sum *= keep;
  for (int d = apart; d < 32; d *= 2) {
    sum += __shfl_xor_sync(~0u, sum, d);
  }
  const float scale = 1 / sum;
#pragma unroll
  for (int i = 0; i < N; i++) {
    float v = total[i] * keep;
    for (int d = apart; d < 32; d *= 2) {
      v += __shfl_xor_sync(~0u, v, d);
    }
    total[i] = v * scale;
  }
  if (group == 0) {
    store_head<T, SIZE, EACH>(work.out + row * work.out_stride + h * head, total, sub, lanes, head);
  }
  __syncwarp();
  if (weights != nullptr) {
    for (int t = group * lanes + sub; t < n; t += groups * lanes) {
      weights[t] = exp_of<T>(weights[t] - highest) * scale;
    }
  }
}

/* Heads that consist of whole packs are read as packs, others element by element. */
template <typename T, Sees SEES, bool BIASED>
int launch_heads(Heads<T> work, RowCount count, cudaStream_t stream) {
  constexpr int kPack = Pack<Kept<T>>::SIZE;
  const int heads = work.heads;
  const bool packs = work.head % kPack == 0;
  const int chunks = packs ? work.head / kPack : work.head;
  work.lanes = 1;
  while (work.lanes < chunks && work.lanes < 32) {
    work.lanes *= 2;
  }
  const auto kernel = packs ? (chunks <= 32 ? heads_kernel<T, SEES, BIASED, kPack, 1>
                                            : heads_kernel<T, SEES, BIASED, kPack, kWidestHead / 32 / kPack>)
                            : (chunks <= 32 ? heads_kernel<T, SEES, BIASED, 1, 1>
                                            : heads_kernel<T, SEES, BIASED, 1, kWidestHead / 32>);
  if constexpr (sizeof(T) == 2) {
    // If there are more warps than fit at once, they would queue: then each takes several heads, and fewer positions at
    // a time. In 32 bits, the order of a sum must not depend on the rows.
    int sms = 0;
    LAT_TRY(multiprocessors(&sms));
    while (work.lanes * work.together < 32 && heads % (2 * work.together) == 0 &&
           static_cast<int64_t>(count.most) * heads / work.together > share_of_device(kWarpsAtOnce, sms)) {
      work.together *= 2;
    }
  }
  const dim3 grid((count.most + kHeadWarps - 1) / kHeadWarps * (heads / work.together));
  return launch_early(kernel, grid, kHeadWarps * 32, 0, stream, work, count);
}
template <typename T, Sees SEES>
int attend_heads(const Heads<T> &work, RowCount count, cudaStream_t stream) {
  return work.biases.table == nullptr ? launch_heads<T, SEES, false>(work, count, stream)
                                      : launch_heads<T, SEES, true>(work, count, stream);
}

}  // namespace lat::nmt
