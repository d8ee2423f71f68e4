// What surrounds the products of a transformer: the epilogue that adds biases, activates and deals results out, and the
// kernel between two blocks: a warp a row adds what a block made to its input, normalizes, and makes the next factor.
#pragma once

#include "nmt/heads.cuh"
#include "nmt/layers.cuh"

namespace lat::nmt {

constexpr int kNoActivation = -1;

template <typename T>
__device__ __forceinline__ float activated(int activation, float v) {
  switch (activation) {
    case LAT_NMT_RELU:
      return v < 0 ? 0 : v; /* not fmaxf, which would pass over what is no number */
    case LAT_NMT_SWISH:
      return v * sigmoid_of<T>(v);
    case LAT_NMT_GELU:
      return v * sigmoid_of<T>(1.702f * v);
    default:
      return v;
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

/* Adds a bias, activates, and writes: in 32 bits, or narrow; columns from `split` on, which is even, to rows elsewhere. */
template <typename T>
struct Deal {
  const float *bias = nullptr;
  int activation = kNoActivation;
  int outputs = 0;
  int split = 0;
  T *to = nullptr;
  int64_t stride = 0; /* even, as all of them */
  T *rest = nullptr;
  int64_t rest_stride = 0;
  const int32_t *rest_index = nullptr; /* where row i of `rest` goes; null: to row i */
  float *wide = nullptr;
  int64_t wide_stride = 0;

  template <typename TILE>
  __device__ __forceinline__ void finish(const float *tile, int row0, int rows, int column0) const {
    constexpr int kPairs = TILE::COLUMNS / 2;
    for (int i = threadIdx.x; i < TILE::ROWS * kPairs; i += TILE::THREADS) {
      const int row = row0 + i / kPairs;
      const int column = column0 + i % kPairs * 2;
      if (row >= rows || column >= outputs) {
        continue;
      }
      const bool both = column + 1 < outputs;
      float2 v = *reinterpret_cast<const float2 *>(tile + i / kPairs * TILE::STRIDE + i % kPairs * 2);
      if (bias != nullptr) {
        v.x += __ldg(bias + column);
        v.y += both ? __ldg(bias + column + 1) : 0;
      }
      v.x = activated<T>(activation, v.x);
      v.y = activated<T>(activation, v.y);
      if (wide != nullptr) {
        float *at = wide + row * wide_stride + column;
        if (both) {
          *reinterpret_cast<float2 *>(at) = v;
        } else {
          *at = v.x;
        }
      }
      T *at = nullptr;
      if (column < split) {
        at = to + row * stride + column;
      } else if (rest != nullptr) {
        at = rest + (rest_index == nullptr ? row : __ldg(rest_index + row)) * rest_stride + column - split;
      }
      if (at != nullptr) {
        if (both) {
          store_pair(at, v);
        } else {
          *at = narrow<T>(v.x);
        }
      }
    }
  }
};

/* What makes a row. x: the block's input. */
enum class Makes {
  kTokens,  /* embedding and position of a word of the source */
  kWords,   /* of the last word of a hypothesis */
  kAdded,   /* x + added */
  kMean,    /* the mean of x and those before; x stays as it is */
  kAverage, /* x + sigmoid(gates) * x + sigmoid(gates behind them) * added */
  kSsru,    /* x + max(0, c'), c' of the gates and the state before */
};

struct Norm {
  const float *gain = nullptr; /* null: none */
  const float *shift = nullptr;
};

template <typename T>
struct RowBlock {
  int width = 0; /* even */
  float *x = nullptr;           /* [rows][width] */
  const float *added = nullptr; /* [rows][width] */
  const float *gates = nullptr; /* [rows][2 * width] */
  Norm after;                   /* of the sum */
  T *raw = nullptr;             /* the sum as a factor, or null */
  Norm before;                  /* of the next block's input */
  T *out = nullptr;             /* that input */
  int64_t stride = 0;           /* of raw and out */

  // states of average attention and SSRU
  const float *state = nullptr; /* [rows][width], rows of the step before; from most_rows on there are none: zeros */
  float *next = nullptr;
  const float *moved_from = nullptr; /* rows that go back to where the next step looks */
  float *moved_to = nullptr;

  // words
  const T *embedding = nullptr;
  float scale = 1;
  const int32_t *word = nullptr; /* below 0: none */
  const float *positions = nullptr; /* [positions][width] */
  const int32_t *position = nullptr; /* kTokens: of each row */
  const int32_t *from = nullptr;
  const int32_t *sentence = nullptr;
  const int32_t *step = nullptr; /* of each sentence: its words so far */
  int most_rows = 0;

  // self-attention
  Ancestors ancestors;
  const int32_t *node = nullptr;
  const int32_t *first_token = nullptr;
  int32_t *place = nullptr; /* where keys and values of each row go */
};

__device__ __forceinline__ void normalize(const Norm &norm, float2 *v, int pairs, int lane) {
  if (norm.gain == nullptr) {
    return;
  }
  const float n = 2.0f * static_cast<float>(pairs);
  float sum = 0;
  for (int i = lane; i < pairs; i += 32) {
    sum += v[i].x + v[i].y;
  }
  const float mean = warp_sum(sum) / n;
  float squares = 0;
  for (int i = lane; i < pairs; i += 32) {
    const float a = v[i].x - mean;
    const float b = v[i].y - mean;
    squares = fmaf(a, a, fmaf(b, b, squares));
  }
  const float scale = 1 / sqrtf(warp_sum(squares) / n + 1e-6f);
  const float2 *gain = reinterpret_cast<const float2 *>(norm.gain);
  const float2 *shift = reinterpret_cast<const float2 *>(norm.shift);
  for (int i = lane; i < pairs; i += 32) {
    const float2 g = __ldg(gain + i);
    const float2 s = __ldg(shift + i);
    v[i] = make_float2(fmaf((v[i].x - mean) * scale, g.x, s.x), fmaf((v[i].y - mean) * scale, g.y, s.y));
  }
}

constexpr int kMostRowWarps = 4;

/* Of a row a lane has the same pairs throughout, so that warps need no barriers. */
template <typename T, Makes MAKES>
__global__ void __launch_bounds__(kMostRowWarps * 32)
    row_block_kernel(const __grid_constant__ RowBlock<T> work, RowCount count) {
  extern __shared__ __align__(16) float2 row_pairs[];
  let_next_begin();
  await_previous();
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= count.get()) {
    return;
  }
  const int pairs = work.width / 2;
  float2 *v = row_pairs + threadIdx.x / 32 * pairs;
  const int64_t at = static_cast<int64_t>(row) * pairs;
  float2 *x = reinterpret_cast<float2 *>(work.x) + at;

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
          for (int i = lane; i * 4 < position - 1; i += 32) {
            reinterpret_cast<uint32_t *>(ranks)[i] = reinterpret_cast<const uint32_t *>(a.before + from)[i];
          }
          __syncwarp();
        }
        if (lane == 0) {
          if (position > 0) {
            ranks[position - 1] = static_cast<uint8_t>(node);
          }
          work.place[row] = static_cast<int32_t>(a.place(sentence, work.first_token[sentence], position, node));
        }
      }
    }
    const int word = work.word[row];
    const T *embedding = work.embedding + (word < 0 ? 0 : word) * work.stride;
    const float2 *positions = reinterpret_cast<const float2 *>(work.positions) + static_cast<int64_t>(position) * pairs;
    for (int i = lane; i < pairs; i += 32) {
      const float2 e = load_pair(embedding + 2 * i);
      const float scale = word < 0 ? 0 : work.scale;
      const float2 p = positions[i];
      v[i] = make_float2(fmaf(e.x, scale, p.x), fmaf(e.y, scale, p.y));
    }
  } else if constexpr (MAKES == Makes::kAdded) {
    const float2 *added = reinterpret_cast<const float2 *>(work.added) + at;
    for (int i = lane; i < pairs; i += 32) {
      const float2 a = x[i];
      const float2 b = added[i];
      v[i] = make_float2(a.x + b.x, a.y + b.y);
    }
  } else if constexpr (MAKES == Makes::kAverage) {
    const float2 *added = reinterpret_cast<const float2 *>(work.added) + at;
    const float2 *gates = reinterpret_cast<const float2 *>(work.gates) + 2 * at;
    for (int i = lane; i < pairs; i += 32) {
      const float2 a = x[i];
      const float2 y = added[i];
      const float2 g = gates[i];
      const float2 f = gates[pairs + i];
      v[i] = make_float2(a.x + fmaf(sigmoid_of<T>(g.x), a.x, sigmoid_of<T>(f.x) * y.x),
                         a.y + fmaf(sigmoid_of<T>(g.y), a.y, sigmoid_of<T>(f.y) * y.y));
    }
  } else {
    const int from = work.from[row];
    const bool begins = from >= work.most_rows;
    const float2 *state = reinterpret_cast<const float2 *>(work.state) + static_cast<int64_t>(begins ? 0 : from) * pairs;
    float2 *next = reinterpret_cast<float2 *>(work.next) + at;
    if constexpr (MAKES == Makes::kMean) {
      const float seen = static_cast<float>(work.step[work.sentence[row]] + 1);
      for (int i = lane; i < pairs; i += 32) {
        const float2 s = begins ? make_float2(0, 0) : state[i];
        const float2 a = x[i];
        const float2 sum = make_float2(s.x + a.x, s.y + a.y);
        next[i] = sum;
        v[i] = make_float2(sum.x / seen, sum.y / seen);
      }
    } else {
      const float2 *gates = reinterpret_cast<const float2 *>(work.gates) + 2 * at;
      for (int i = lane; i < pairs; i += 32) {
        const float2 s = begins ? make_float2(0, 0) : state[i];
        const float2 k = gates[i];
        const float2 z = gates[pairs + i];
        const float2 c =
            make_float2(fmaf(sigmoid_of<T>(z.x), s.x - k.x, k.x), fmaf(sigmoid_of<T>(z.y), s.y - k.y, k.y));
        next[i] = c;
        const float2 a = x[i];
        v[i] = make_float2(a.x + (c.x < 0 ? 0 : c.x), a.y + (c.y < 0 ? 0 : c.y));
      }
    }
  }

  normalize(work.after, v, pairs, lane);
  if constexpr (MAKES != Makes::kMean) {
    for (int i = lane; i < pairs; i += 32) {
      x[i] = v[i];
    }
  }
  if (work.raw != nullptr) {
    for (int i = lane; i < pairs; i += 32) {
      store_pair(work.raw + row * work.stride + 2 * i, v[i]);
    }
  }
  normalize(work.before, v, pairs, lane);
  for (int i = lane; i < pairs; i += 32) {
    store_pair(work.out + row * work.stride + 2 * i, v[i]);
  }
  if (work.moved_to != nullptr) {
    const float2 *moved = reinterpret_cast<const float2 *>(work.moved_from) + at;
    for (int i = lane; i < pairs; i += 32) {
      reinterpret_cast<float2 *>(work.moved_to)[at + i] = moved[i];
    }
  }
}

template <Makes MAKES, typename T>
int row_block(const RowBlock<T> &work, RowCount count, cudaStream_t stream) {
  const size_t row_bytes = work.width * sizeof(float);
  const int warps = row_bytes * kMostRowWarps <= 48 * 1024 ? kMostRowWarps : 1;
  const size_t bytes = row_bytes * warps;
  const auto kernel = row_block_kernel<T, MAKES>;
  LAT_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  return launch_early(kernel, dim3((count.most + warps - 1) / warps), warps * 32, bytes, stream, work, count);
}

/* Half sines, half cosines: [positions][width]. */
static __global__ void positions_kernel(float *table, int64_t positions, int width) {
  const int half = width / 2;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < positions * half;
       i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int64_t t = i / half;
    const int j = static_cast<int>(i % half);
    const double angle = static_cast<double>(t) * pow(10000.0, -static_cast<double>(j) / (half - 1));
    table[t * width + j] = static_cast<float>(sin(angle));
    table[t * width + half + j] = static_cast<float>(cos(angle));
  }
}

}  // namespace lat::nmt
