// The code around a transformer's products: the epilogue that adds biases, activates and distributes results, and the
// kernel between two blocks: one warp per row adds a block's output to its input, normalizes, and makes the next
// factor.
#pragma once

#include "nmt/heads.cuh"
#include "nmt/layers.cuh"

namespace lat::nmt {

constexpr int kNoActivation = -1;

/* Decides once for all values, so that the code for one of them is not in the way of the others. */
template <typename T, int N>
__device__ __forceinline__ void activate(int activation, float (&v)[N]) {
  const auto each = [&](auto f) {
#pragma unroll
    for (int i = 0; i < N; i++) {
      v[i] = f(v[i]);
    }
  };
  switch (activation) {
    case LAT_NMT_RELU:
      each([](float x) { return x < 0 ? 0 : x; }); /* not fmaxf, which would drop NaN */
      break;
    case LAT_NMT_SWISH:
      each([](float x) { return x * sigmoid_of<T>(x); });
      break;
    case LAT_NMT_GELU:
      each([](float x) { return x * sigmoid_of<T>(1.702f * x); });
      break;
    case LAT_NMT_GELU_ERF:
      each([](float x) { return 0.5f * x * (1 + erff(x * 0.70710678f)); });
      break;
    case LAT_NMT_GELU_TANH:
      each([](float x) { return x * sigmoid_of<T>(1.5957691f * fmaf(0.044715f * x, x * x, x)); });
      break;
    default:
      break;
  }
}

template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T a;
  T b;
};
template <typename T>
__device__ __forceinline__ float2 load_pair(const T *from) {
  const Pair<T> pair = *reinterpret_cast<const Pair<T> *>(from);
  return make_float2(widen(pair.a), widen(pair.b));
}
template <typename T>
__device__ __forceinline__ void store_pair(T *to, float2 v) {
  *reinterpret_cast<Pair<T> *>(to) = {narrow<T>(v.x), narrow<T>(v.y)};
}

/* The second term holds the remainder of the first, at this offset. */
template <typename T>
__device__ __forceinline__ void store_terms(T *to, int64_t apart, float2 v) {
#pragma unroll
  for (int i = 0; i < kTerms<T>; i++) {
    const Pair<T> pair = {narrow<T>(v.x), narrow<T>(v.y)};
    *reinterpret_cast<Pair<T> *>(to + i * apart) = pair;
    v = make_float2(v.x - widen(pair.a), v.y - widen(pair.b));
  }
}
/* N adjacent columns, 2 or 8; 8 columns are read 16 bytes at a time. */
template <int N>
__device__ __forceinline__ void load_columns(const float *from, float (&v)[N]) {
  if constexpr (N == 2) {
    *reinterpret_cast<float2 *>(v) = *reinterpret_cast<const float2 *>(from);
  } else {
#pragma unroll
    for (int i = 0; i < N; i += 4) {
      *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(from + i);
    }
  }
}
/* 1, 2, 4 or 8 adjacent columns, with as few accesses as possible. */
template <typename T, int N>
__device__ __forceinline__ void store_columns(T *to, const float (&v)[N]) {
  if constexpr (N == 1) {
    *to = narrow<T>(v[0]);
  } else if constexpr (N == 2) {
    store_pair(to, make_float2(v[0], v[1]));
  } else if constexpr (N < Pack<T>::SIZE) {
    uint2 half;
    reinterpret_cast<Pair<T> *>(&half)[0] = {narrow<T>(v[0]), narrow<T>(v[1])};
    reinterpret_cast<Pair<T> *>(&half)[1] = {narrow<T>(v[2]), narrow<T>(v[3])};
    *reinterpret_cast<uint2 *>(to) = half;
  } else {
#pragma unroll
    for (int i = 0; i < N; i += Pack<T>::SIZE) {
      Pack<T> pack;
#pragma unroll
      for (int j = 0; j < Pack<T>::SIZE; j++) {
        pack.set(j, v[i + j]);
      }
      pack.store(to + i);
    }
  }
}

/* Adds a bias, activates and stores, in 32 bits or as OUT; columns from `split` on, which is even, go to other rows. If
 * gated, every other column is a gate, by which the one before it is multiplied after the activation; only `to` gets
 * these products, half as many. */
template <typename T, typename OUT = T>
struct Deal {
  static constexpr Weights kWeights = Weights::kAll;
  const float *bias = nullptr;
  int activation = kNoActivation;
  bool gated = false;
  int outputs = 0; /* even if gated */
  int split = 0;
  OUT *to = nullptr;
  int64_t stride = 0; /* even, like all strides */
  OUT *rest = nullptr;
  int64_t rest_stride = 0;
  const int32_t *rest_index = nullptr; /* destination of row i of `rest`; null: row i */
  float *wide = nullptr;
  int64_t wide_stride = 0;

  template <typename TILE>
  __device__ __forceinline__ void finish(const float *tile, int row0, int rows, int column0) const {
    if ((outputs | split | stride | rest_stride | wide_stride) % 8 == 0) {
      deal<TILE, 8>(tile, row0, rows, column0);
    } else {
      deal<TILE, 2>(tile, row0, rows, column0);
    }
  }

 private:
  /* N columns per thread; `outputs` can only cut the last pair. */
  template <typename TILE, int N>
  __device__ __forceinline__ void deal(const float *tile, int row0, int rows, int column0) const {
    constexpr int kAcross = TILE::COLUMNS / N;
    static_assert(TILE::THREADS % kAcross == 0, "a thread keeps its columns");
    const int within = threadIdx.x % kAcross * N;
    const int column = column0 + within;
    if (column >= outputs) {
      return;
    }
    const bool all = column + N <= outputs;
    float b[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
      b[i] = bias != nullptr && column + i < outputs ? __ldg(bias + column + i) : 0;
    }
#pragma unroll 2
    for (int r = threadIdx.x / kAcross; r < TILE::ROWS && row0 + r < rows; r += TILE::THREADS / kAcross) {
      const int row = row0 + r;
      alignas(16) float v[N];
      load_columns(tile + r * TILE::STRIDE + within, v);
#pragma unroll
      for (int i = 0; i < N; i++) {
        v[i] += b[i];
      }
      if (gated) {
        float products[N / 2];
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
          products[i] = v[2 * i];
        }
        activate<T>(activation, products);
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
          products[i] *= v[2 * i + 1];
        }
        store_columns(to + row * stride + column / 2, products);
        continue;
      }
      activate<T>(activation, v);
      if (wide != nullptr) {
        float *at = wide + row * wide_stride + column;
        if (all) {
          store_columns(at, v);
        } else {
          *at = v[0];
        }
      }
      OUT *at = nullptr;
      if (column < split) {
        at = to + row * stride + column;
      } else if (rest != nullptr) {
        at = rest + (rest_index == nullptr ? row : rest_index[row]) * rest_stride + column - split;
      }
      if (at != nullptr) {
        if (all) {
          store_columns(at, v);
        } else {
          *at = narrow<OUT>(v[0]);
        }
      }
    }
  }
};

/* How a row is made. x: the block's input. */
enum class Makes {
  kTokens,  /* embedding and position of a source word */
  kWords,   /* embedding and position of a hypothesis' last word */
  kAdded,   /* x + added */
  kMean,    /* the mean of x and its predecessors; x is unchanged */
  kAverage, /* x + sigmoid(first gates) * x + sigmoid(second gates) * added */
  kSsru,    /* x + max(0, c'), c' from the gates and the previous state */
};

struct Norm {
  const float *gain = nullptr; /* null: no normalization */
  const float *shift = nullptr; /* null: it only divides by the root mean square */
};

template <typename T>
struct RowBlock {
  int width = 0; /* even */
  float *x = nullptr;           /* [rows][width] */
  const float *added = nullptr; /* [rows][width] */
  const float *gates = nullptr; /* [rows][2 * width] */
  Norm after;                   /* applied to the sum */
  T *raw = nullptr;             /* the sum as a factor, [rows][terms][depth], or null */
  Norm before;                  /* makes the next block's input */
  float epsilon = 0;            /* of both */
  T *out = nullptr;             /* that input, [rows][terms][depth] */
  int64_t depth = 0;            /* padded width */

  // states of average attention and SSRU
  const float *state = nullptr; /* [rows][width], rows of the previous step; missing from most_rows on: zeros */
  float *next = nullptr;
  const float *moved_from = nullptr; /* rows to copy back to where the next step reads */
  float *moved_to = nullptr;

  // words
  const T *embedding = nullptr;
  float scale = 1;
  const int32_t *word = nullptr; /* negative: none yet */
  int start = -1;                /* the word before the first; negative: an embedding of zeros */
  const float *positions = nullptr; /* [positions][width]; null: nothing to add */
  const int32_t *position = nullptr; /* kTokens: per row */
  const int32_t *from = nullptr;
  const int32_t *sentence = nullptr;
  const int32_t *step = nullptr; /* per sentence: number of words so far */
  int most_rows = 0;

  // self-attention
  Ancestors ancestors;
  const int32_t *node = nullptr;
  const int32_t *first_token = nullptr;
  int32_t *place = nullptr; /* per row: destination of its keys and values */
};

constexpr int kRowPairs = 8; /* pairs of columns per lane and row */

/* The lanes that share a row: one warp or several. */
struct RowLanes {
  int lane;
  int lanes;
  float *scratch; /* 33 floats if there are several warps, which then form a block */

  __device__ __forceinline__ float sum(float v) const { return lanes == 32 ? warp_sum(v) : block_sum(v, scratch); }
};

/* Weights of a norm, loaded before the values to normalize are known. */
struct NormWeights {
  float2 gain[kRowPairs];
  float2 shift[kRowPairs];

  __device__ __forceinline__ void load(const Norm &norm, int pairs, const RowLanes &at) {
#pragma unroll
    for (int i = 0; i < kRowPairs; i++) {
      const int p = at.lane + i * at.lanes;
      const bool is_there = norm.gain != nullptr && p < pairs;
      gain[i] = is_there ? __ldg(reinterpret_cast<const float2 *>(norm.gain) + p) : make_float2(0, 0);
      const bool shifts = is_there && norm.shift != nullptr;
      shift[i] = shifts ? __ldg(reinterpret_cast<const float2 *>(norm.shift) + p) : make_float2(0, 0);
    }
  }
  /* Pairs beyond the row are zeros. `centers`: whether the mean is subtracted. */
  __device__ __forceinline__ void apply(float2 (&v)[kRowPairs], int pairs, const RowLanes &at, bool centers,
                                        float epsilon) const {
    const float n = 2.0f * static_cast<float>(pairs);
    float mean = 0;
    if (centers) {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kRowPairs; i++) {
        sum += v[i].x + v[i].y;
      }
      mean = at.sum(sum) / n;
    }
    float squares = 0;
#pragma unroll
    for (int i = 0; i < kRowPairs; i++) {
      if (at.lane + i * at.lanes < pairs) {
        const float a = v[i].x - mean;
        const float b = v[i].y - mean;
        squares = fmaf(a, a, fmaf(b, b, squares));
      }
    }
    const float scale = 1 / sqrtf(at.sum(squares) / n + epsilon);
#pragma unroll
    for (int i = 0; i < kRowPairs; i++) {
      v[i] = make_float2(fmaf((v[i].x - mean) * scale, gain[i].x, shift[i].x),
                         fmaf((v[i].y - mean) * scale, gain[i].y, shift[i].y));
    }
  }
};

constexpr int kRowsOfBlock = 4; /* if each row has one warp */

/* A row stays in registers throughout; narrow rows have one warp, wider ones a block. */
template <typename T, Makes MAKES, bool HAS_BLOCK>
__global__ void __launch_bounds__(HAS_BLOCK ? 1024 : kRowsOfBlock * 32)
    row_block_kernel(const __grid_constant__ RowBlock<T> work, RowCount count) {
  __shared__ float scratch[33];
  if (!count.first_of_step) {
    let_next_begin();
  }
  const int pairs = work.width / 2;
  const int lanes = HAS_BLOCK ? static_cast<int>(blockDim.x) : 32;
  const RowLanes at{static_cast<int>(threadIdx.x) % lanes, lanes, scratch};
  const int row = HAS_BLOCK ? static_cast<int>(blockIdx.x)
                            : static_cast<int>(blockIdx.x) * kRowsOfBlock + static_cast<int>(threadIdx.x) / 32;
  const bool has_after = work.after.gain != nullptr;
  const bool has_before = work.before.gain != nullptr;
  NormWeights norm; /* used for both in turn, if there are two */
  norm.load(has_after ? work.after : work.before, pairs, at);
  int rows = count.first_of_step ? 0 : count.get();
  await_previous();
  if (count.first_of_step) {
    let_next_begin();
    rows = count.get();
  }
  if (row >= rows) {
    return;
  }
  const int64_t first = static_cast<int64_t>(row) * pairs;
  float2 *x = reinterpret_cast<float2 *>(work.x) + first;
  float2 v[kRowPairs];
  /* Calls with each pair of the row and its index among the lane's pairs. */
  const auto each = [&](auto call) {
#pragma unroll
    for (int i = 0; i < kRowPairs; i++) {
      const int p = at.lane + i * at.lanes;
      if (p < pairs) {
        call(i, p);
      }
    }
  };
#pragma unroll
  for (int i = 0; i < kRowPairs; i++) {
    v[i] = make_float2(0, 0);
  }

  if constexpr (MAKES == Makes::kTokens || MAKES == Makes::kWords) {
    int position;
    if constexpr (MAKES == Makes::kTokens) {
      position = work.position[row];
    } else {
      const int sentence = work.sentence[row];
      position = work.step[sentence];
      const Ancestors &a = work.ancestors;
      if (a.ranks != nullptr) {
        const int node = work.node[row];
        uint8_t *ranks = a.ranks + static_cast<int64_t>(row) * a.stride;
        if (position > 0) {
          const int64_t from = static_cast<int64_t>(work.from[row]) * a.stride;
          // the last of these words is the one written after them
          for (int i = at.lane; i * 4 < position; i += at.lanes) {
            uint32_t four = reinterpret_cast<const uint32_t *>(a.before + from)[i];
            if (i == (position - 1) / 4) {
              const int shift = (position - 1) % 4 * 8;
              four = (four & ~(0xffu << shift)) | static_cast<uint32_t>(node) << shift;
            }
            reinterpret_cast<uint32_t *>(ranks)[i] = four;
          }
        }
        if (at.lane == 0) {
          work.place[row] = static_cast<int32_t>(a.place(sentence, work.first_token[sentence], position, node));
        }
      }
    }
    const int last = work.word[row];
    const int word = last < 0 ? work.start : last;
    const T *embedding = work.embedding + (word < 0 ? 0 : word) * work.depth;
    const float2 *positions = reinterpret_cast<const float2 *>(work.positions) + static_cast<int64_t>(position) * pairs;
    const float scale = word < 0 ? 0 : work.scale;
    each([&](int i, int p) {
      const float2 e = load_pair(embedding + 2 * p);
      const float2 t = work.positions != nullptr ? positions[p] : make_float2(0, 0);
      v[i] = make_float2(fmaf(e.x, scale, t.x), fmaf(e.y, scale, t.y));
    });
  } else if constexpr (MAKES == Makes::kAdded) {
    const float2 *added = reinterpret_cast<const float2 *>(work.added) + first;
    each([&](int i, int p) {
      const float2 a = x[p];
      const float2 b = added[p];
      v[i] = make_float2(a.x + b.x, a.y + b.y);
    });
  } else if constexpr (MAKES == Makes::kAverage) {
    const float2 *added = reinterpret_cast<const float2 *>(work.added) + first;
    const float2 *gates = reinterpret_cast<const float2 *>(work.gates) + 2 * first;
    each([&](int i, int p) {
      const float2 a = x[p];
      const float2 y = added[p];
      const float2 g = gates[p];
      const float2 f = gates[pairs + p];
      v[i] = make_float2(a.x + fmaf(sigmoid_of<T>(g.x), a.x, sigmoid_of<T>(f.x) * y.x),
                         a.y + fmaf(sigmoid_of<T>(g.y), a.y, sigmoid_of<T>(f.y) * y.y));
    });
  } else {
    const int from = work.from[row];
    const bool begins = from >= work.most_rows;
    const float2 *state = reinterpret_cast<const float2 *>(work.state) + static_cast<int64_t>(begins ? 0 : from) * pairs;
    float2 *next = reinterpret_cast<float2 *>(work.next) + first;
    if constexpr (MAKES == Makes::kMean) {
      const float seen = static_cast<float>(work.step[work.sentence[row]] + 1);
      each([&](int i, int p) {
        const float2 s = begins ? make_float2(0, 0) : state[p];
        const float2 a = x[p];
        const float2 sum = make_float2(s.x + a.x, s.y + a.y);
        next[p] = sum;
        v[i] = make_float2(sum.x / seen, sum.y / seen);
      });
    } else {
      const float2 *gates = reinterpret_cast<const float2 *>(work.gates) + 2 * first;
      each([&](int i, int p) {
        const float2 s = begins ? make_float2(0, 0) : state[p];
        const float2 k = gates[p];
        const float2 z = gates[pairs + p];
        const float2 c =
            make_float2(fmaf(sigmoid_of<T>(z.x), s.x - k.x, k.x), fmaf(sigmoid_of<T>(z.y), s.y - k.y, k.y));
        next[p] = c;
        const float2 a = x[p];
        v[i] = make_float2(a.x + (c.x < 0 ? 0 : c.x), a.y + (c.y < 0 ? 0 : c.y));
      });
    }
  }

  if (has_after) {
    norm.apply(v, pairs, at, work.after.shift != nullptr, work.epsilon);
  }
  if constexpr (MAKES != Makes::kMean) {
    each([&](int i, int p) { x[p] = v[i]; });
  }
  if (work.raw != nullptr) {
    each([&](int i, int p) { store_terms(work.raw + row * kTerms<T> * work.depth + 2 * p, work.depth, v[i]); });
  }
  if (has_before) {
    if (has_after) {
      norm.load(work.before, pairs, at);
    }
    norm.apply(v, pairs, at, work.before.shift != nullptr, work.epsilon);
  }
  each([&](int i, int p) { store_terms(work.out + row * kTerms<T> * work.depth + 2 * p, work.depth, v[i]); });
  if (work.moved_to != nullptr) {
    const float2 *moved = reinterpret_cast<const float2 *>(work.moved_from) + first;
    each([&](int, int p) { reinterpret_cast<float2 *>(work.moved_to)[first + p] = moved[p]; });
  }
}

template <Makes MAKES, typename T>
int row_block(const RowBlock<T> &work, RowCount count, cudaStream_t stream) {
  const int warps = (work.width / 2 + 32 * kRowPairs - 1) / (32 * kRowPairs);
  const int rows = warps == 1 ? kRowsOfBlock : 1;
  const auto kernel = warps == 1 ? row_block_kernel<T, MAKES, false> : row_block_kernel<T, MAKES, true>;
  return launch_early(kernel, dim3((count.most + rows - 1) / rows), warps * rows * 32, 0, stream,
                      work, count);
}

/* Half sines, half cosines, of positions from `first` on: [positions][width]. */
static __global__ void positions_kernel(float *table, int64_t first, int64_t positions, int width) {
  const int half = width / 2;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < positions * half;
       i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int64_t t = i / half;
    const int j = static_cast<int>(i % half);
    const double angle = static_cast<double>(first + t) * pow(10000.0, -static_cast<double>(j) / (half - 1));
    table[t * width + j] = static_cast<float>(sin(angle));
    table[t * width + half + j] = static_cast<float>(cos(angle));
  }
}

}  // namespace lat::nmt
