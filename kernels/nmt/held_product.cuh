// Products of at most 16 rows whose weights are read into registers before the rows are there.
#pragma once

#include "nmt/layers.cuh"
#include "nmt/search.cuh"

namespace lat::nmt {

/* The tile of a block: its warps share the depth, chunk by chunk. */
template <int COLUMNS_>
struct HeldTile {
  static constexpr int ROWS = kFewRows;
  static constexpr int COLUMNS = COLUMNS_;
  static constexpr int THREADS = 256;
  static constexpr int WARPS = THREADS / 32;
  static constexpr int STRIDE = COLUMNS + 8;
  static constexpr int BYTES = WARPS * ROWS * STRIDE * 4;
};

static __device__ const uint4 no_row = {}; /* zeros */

/* A product of few rows. A lane reads 16 bytes of a row or of a column at once: the eight elements are those of its
 * fragments of two multiplications, whose order of the depth is then the same for both factors, and any will do. */
template <Weights WEIGHTS, int HELD, typename T, typename TILE>
class HeldProduct {
 public:
  /* Reads weights. `bias`: to add to the thread's columns, which are all threadIdx.x modulo their number. */
  __device__ __forceinline__ HeldProduct(const Product<T> &product, int column0, int outputs, float bias)
      : product_(product), column0_(column0), outputs_(outputs), bias_(bias) {
#pragma unroll
    for (int i = 0; i < HELD; i++) {
      load_weights(chunk(i), held_[i]);
    }
  }

  /* Looks up the rows; their data need not be there. */
  __device__ __forceinline__ void find_rows(int rows) {
#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
      for (int h = 0; h < 2; h++) {
        rows_[i][h] = row_at(chunk(i), h, rows);
      }
    }
  }

  /* The tile of the rows found, in shared memory, of which only the live rows are defined. Other threads' reads of
   * shared memory must have ended. */
  __device__ __forceinline__ float *multiply_rows(int rows, char *shared) {
    const int lane = threadIdx.x % 32;
    const bool both = rows > 8;
    uint4 a[HELD][2];
#pragma unroll
    for (int i = 0; i < HELD; i++) {
      a[i][0] = *rows_[i][0];
      a[i][1] = make_uint4(0, 0, 0, 0);
    }
    if (both) {
#pragma unroll
      for (int i = 0; i < HELD; i++) {
        a[i][1] = *rows_[i][1];
      }
    }
#pragma unroll
    for (int i = 0; i < HELD; i++) {
      add(chunk(i), a[i], held_[i]);
    }
#pragma unroll 1
    for (int i = HELD; chunk(i) < chunks(); i++) {
      uint4 weights[kGroups];
      load_weights(chunk(i), weights);
      const uint4 more[2] = {*row_at(chunk(i), 0, rows), *row_at(chunk(i), 1, rows)};
      add(chunk(i), more, weights);
    }
    float *tile = reinterpret_cast<float *>(shared);
    float *at = tile + (threadIdx.x / 32 * TILE::ROWS + lane / 4) * TILE::STRIDE + lane % 4 * 2;
#pragma unroll
    for (int g = 0; g < TILE::COLUMNS / 8; g++) {
      *reinterpret_cast<float2 *>(at + g * 8) = make_float2(sums_[g][0], sums_[g][1]);
      if (both) {
        *reinterpret_cast<float2 *>(at + 8 * TILE::STRIDE + g * 8) = make_float2(sums_[g][2], sums_[g][3]);
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * TILE::COLUMNS; i += TILE::THREADS) {
      const int place = i / TILE::COLUMNS * TILE::STRIDE + i % TILE::COLUMNS;
      float sum = bias_;
#pragma unroll
      for (int w = 0; w < TILE::WARPS; w++) {
        sum += tile[w * TILE::ROWS * TILE::STRIDE + place];
      }
      tile[place] = sum;
    }
    __syncthreads();
    return tile;
  }

 private:
  static constexpr bool kGru = WEIGHTS == Weights::kGru;
  static constexpr int kGroups = kGru ? 3 : TILE::COLUMNS / 8; /* of eight columns, that a chunk is multiplied with */
  static constexpr int kDepth = 32; /* of a chunk */
  static_assert(line_of<T>() % kDepth == 0, "a chunk is within a part");

  static __device__ __forceinline__ int chunk(int i) { return threadIdx.x / 32 + i * TILE::WARPS; }
  __device__ __forceinline__ int chunks() const { return product_.depth / kDepth; }
  __device__ __forceinline__ bool in_first(int chunk) const { return chunk * kDepth < product_.part[0].width; }

  __device__ __forceinline__ void load_weights(int chunk, uint4 (&to)[kGroups]) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int g = 0; g < kGroups; g++) {
      const int column = column0_ + (kGru && g == 2 && !in_first(chunk) ? 3 : g) * 8 + lane / 4;
      to[g] = make_uint4(0, 0, 0, 0);
      if (chunk < chunks() && column < outputs_) {
        to[g] = *reinterpret_cast<const uint4 *>(product_.w + static_cast<int64_t>(column) * product_.depth +
                                                 chunk * kDepth + lane % 4 * 8);
      }
    }
  }
  /* The lane's part of a chunk of a row in the first or second half of the tile. */
  __device__ __forceinline__ const uint4 *row_at(int chunk, int half, int rows) const {
    const int row = threadIdx.x % 32 / 4 + half * 8;
    int at = chunk * kDepth;
    int part = 0;
    while (part + 1 < kParts && at >= product_.part[part].width) {
      at -= product_.part[part++].width;
    }
    if (row >= rows || chunk >= chunks()) {
      return &no_row;
    }
    const Part<T> &of = product_.part[part];
    const int from = of.index == nullptr ? row : of.index[row];
    const T *found = of.data + from * of.stride + at + threadIdx.x % 4 * 8;
    return from < 0 ? &no_row : reinterpret_cast<const uint4 *>(found);
  }
  __device__ __forceinline__ void add(int chunk, const uint4 (&a)[2], const uint4 (&weights)[kGroups]) {
    const uint32_t low[4] = {a[0].x, a[1].x, a[0].y, a[1].y};
    const uint32_t high[4] = {a[0].z, a[1].z, a[0].w, a[1].w};
    const auto to = [&](int group, const uint4 &w) {
      multiply<T>(sums_[group], low, w.x, w.y);
      multiply<T>(sums_[group], high, w.z, w.w);
    };
#pragma unroll
    for (int g = 0; g < (kGru ? 2 : kGroups); g++) {
      to(g, weights[g]);
    }
    if constexpr (kGru) {
      if (in_first(chunk)) {
        to(2, weights[2]);
      } else {
        to(3, weights[2]);
      }
    }
  }

  const Product<T> &product_;
  int column0_;
  int outputs_;
  float bias_;
  uint4 held_[HELD][kGroups];
  const uint4 *rows_[HELD][2];
  float sums_[TILE::COLUMNS / 8][4] = {};
};

}  // namespace lat::nmt
