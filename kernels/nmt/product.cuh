// Matrix products of the decoder: C = A * W for rows of A that may be gathered, and come in up to three parts side by side.
//
// A product leaves a tile of C in shared memory, in 32 bits; what follows it (a cell, a softmax) reads it there, so that
// only results go to memory. Both factors have their depth side by side: rows of 128 bytes are copied asynchronously,
// some stages ahead, to swizzled shared memory, and go from there to tensor cores (16 bits) or, in 32 bits, to fused
// multiply-adds. The order of the sum over the depth depends on the kind of tile alone, never on other rows; in 32 bits it
// is the same for every kind, so that no batch changes a result.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/launch.cuh"

namespace lat::nmt {

constexpr int kLine = 128; /* bytes of a row of a stage */
constexpr int kChunk = 16; /* bytes of an asynchronous copy */
constexpr int kParts = 3;

/* Elements of a line: widths of factors are padded with zeros to multiples of it. */
template <typename T>
__host__ __device__ constexpr int line_of() {
  return kLine / static_cast<int>(sizeof(T));
}
template <typename T>
__host__ __device__ constexpr int padded(int64_t width) {
  return static_cast<int>((width + line_of<T>() - 1) / line_of<T>() * line_of<T>());
}

/* Rows of a factor: row i is at data + (index ? index[i] : i) * stride; zeros where the index is below 0. */
template <typename T>
struct Part {
  const T *data = nullptr;
  const int32_t *index = nullptr;
  int64_t stride = 0;
  int width = 0; /* padded */
};

/* A factor of some parts, and W as [outputs][depth], depth being the sum of the parts' widths. */
template <typename T>
struct Product {
  Part<T> part[kParts];
  const T *w = nullptr;
  int outputs = 0;
  int depth = 0;
};

/* Rows that a kernel works on: *live of them, at most `most`; `most` where live is null. */
struct RowCount {
  const int32_t *live;
  int most;
  __device__ __forceinline__ int get() const { return live == nullptr ? most : min(*live, most); }
};

/* A kind of tile: its size and how warps share it. WK warps share the depth and add up at the end. */
template <int ROWS_, int COLUMNS_, int WM_, int WN_, int WK_, int STAGES_>
struct Tile {
  static constexpr int ROWS = ROWS_;
  static constexpr int COLUMNS = COLUMNS_;
  static constexpr int WM = WM_;
  static constexpr int WN = WN_;
  static constexpr int WK = WK_;
  static constexpr int STAGES = STAGES_;
  static constexpr int THREADS = 32 * WM * WN * WK;
  static constexpr int STAGE_BYTES = (ROWS + COLUMNS) * kLine;
  static constexpr int STRIDE = COLUMNS + 8; /* of a row of C, in floats: four rows of eight are in different banks */
  static constexpr int SUM_BYTES = ROWS * STRIDE * 4 * WK;
  static constexpr int PIPE_BYTES = STAGES * STAGE_BYTES > SUM_BYTES ? STAGES * STAGE_BYTES : SUM_BYTES;
  static constexpr int INDEX_BYTES = kParts * ROWS * 4;
  static constexpr int BYTES = PIPE_BYTES + INDEX_BYTES; /* of shared memory, before what follows adds its own */
};

__device__ __forceinline__ uint32_t shared_address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void copy_async(uint32_t to, const void *from, bool is_there) {
  const int bytes = is_there ? kChunk : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ __forceinline__ void copies_end() { asm volatile("cp.async.commit_group;\n"); }
template <int N>
__device__ __forceinline__ void copies_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
}

__device__ __forceinline__ void load_matrices(uint32_t address, uint32_t (&r)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

template <typename T>
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1);
template <>
__device__ __forceinline__ void multiply<__half>(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void multiply<__nv_bfloat16>(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                                        uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Where a chunk of a row lies in a stage: rows next to each other use different banks for the same chunk. */
__device__ __forceinline__ int place(int row, int chunk) { return row * kLine + ((chunk ^ (row & 7)) * kChunk); }

/* What a thread has of a tile while the sum grows. */
template <typename T, typename TILE>
struct Sums {
  static constexpr int M = TILE::ROWS / TILE::WM / 16;
  static constexpr int N = TILE::COLUMNS / TILE::WN / 8;
  float c[M][N][4];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
      for (int j = 0; j < N; j++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
          c[i][j][k] = 0;
        }
      }
    }
  }

  /* Adds the products of one stage. */
  __device__ __forceinline__ void add(const char *a, const char *b) {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int wk = warp / (TILE::WM * TILE::WN);
    const int row = warp % TILE::WM * (M * 16);
    const int column = warp / TILE::WM % TILE::WN * (N * 8);
    const uint32_t sa = shared_address(a);
    const uint32_t sb = shared_address(b);
#pragma unroll
    for (int k = wk; k < 4; k += TILE::WK) {
      uint32_t fa[M][4];
#pragma unroll
      for (int i = 0; i < M; i++) {
        load_matrices(sa + place(row + i * 16 + lane % 16, k * 2 + lane / 16), fa[i]);
      }
#pragma unroll
      for (int j = 0; j < N; j += 2) {
        uint32_t fb[4];
        load_matrices(sb + place(column + j * 8 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2), fb);
#pragma unroll
        for (int i = 0; i < M; i++) {
          multiply<T>(c[i][j], fa[i], fb[0], fb[1]);
          multiply<T>(c[i][j + 1], fa[i], fb[2], fb[3]);
        }
      }
    }
  }

  /* Writes the tile of C; with WK > 1 the sums of the warps lie behind each other and must be added. */
  __device__ __forceinline__ void write(float *tile) const {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    tile += warp / (TILE::WM * TILE::WN) * (TILE::ROWS * TILE::STRIDE);
    const int row = warp % TILE::WM * (M * 16) + lane / 4;
    const int column = warp / TILE::WM % TILE::WN * (N * 8) + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
      for (int j = 0; j < N; j++) {
        float *at = tile + (row + i * 16) * TILE::STRIDE + column + j * 8;
        *reinterpret_cast<float2 *>(at) = make_float2(c[i][j][0], c[i][j][1]);
        *reinterpret_cast<float2 *>(at + 8 * TILE::STRIDE) = make_float2(c[i][j][2], c[i][j][3]);
      }
    }
  }
};

/* In 32 bits: threads as 16 (or fewer) times 8 or 16, each with rows and columns that far apart. */
template <typename TILE>
struct Sums<float, TILE> {
  static constexpr int ACROSS = TILE::COLUMNS >= 64 ? 16 : 8;
  static constexpr int DOWN = TILE::THREADS / ACROSS;
  static constexpr int M = TILE::ROWS / DOWN;
  static constexpr int N = TILE::COLUMNS / ACROSS;
  static_assert(TILE::WK == 1 && M >= 1 && N >= 1, "the depth is summed by one thread, in its order");
  float c[M][N];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
      for (int j = 0; j < N; j++) {
        c[i][j] = 0;
      }
    }
  }

  __device__ __forceinline__ void add(const char *a, const char *b) {
    const int down = threadIdx.x / ACROSS;
    const int across = threadIdx.x % ACROSS;
#pragma unroll
    for (int k = 0; k < kLine / kChunk; k++) {
      float4 fb[N];
#pragma unroll
      for (int j = 0; j < N; j++) {
        fb[j] = *reinterpret_cast<const float4 *>(b + place(across + j * ACROSS, k));
      }
#pragma unroll
      for (int i = 0; i < M; i++) {
        const float4 fa = *reinterpret_cast<const float4 *>(a + place(down + i * DOWN, k));
#pragma unroll
        for (int j = 0; j < N; j++) {
          c[i][j] = fmaf(fa.x, fb[j].x, c[i][j]);
          c[i][j] = fmaf(fa.y, fb[j].y, c[i][j]);
          c[i][j] = fmaf(fa.z, fb[j].z, c[i][j]);
          c[i][j] = fmaf(fa.w, fb[j].w, c[i][j]);
        }
      }
    }
  }

  __device__ __forceinline__ void write(float *tile) const {
    const int down = threadIdx.x / ACROSS;
    const int across = threadIdx.x % ACROSS;
#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
      for (int j = 0; j < N; j++) {
        tile[(down + i * DOWN) * TILE::STRIDE + across + j * ACROSS] = c[i][j];
      }
    }
  }
};

/* Looks up, once for all columns, where the rows from row0 on lie; rows from `rows` on are zeros. */
template <typename T, typename TILE>
__device__ __forceinline__ void find_rows(const Product<T> &product, int row0, int rows, char *shared) {
  int32_t *index = reinterpret_cast<int32_t *>(shared + TILE::PIPE_BYTES);
  for (int i = threadIdx.x; i < kParts * TILE::ROWS; i += TILE::THREADS) {
    const int32_t *from = product.part[i / TILE::ROWS].index;
    const int row = row0 + i % TILE::ROWS;
    index[i] = row >= rows ? -1 : from == nullptr ? row : __ldg(from + row);
  }
  __syncthreads();
}

/* Computes a tile; returns it in shared memory, for all threads to read. Before the next tile there must be a barrier. */
template <typename T, typename TILE>
__device__ __forceinline__ float *product_tile(const Product<T> &product, int column0, char *shared) {
  constexpr int kRowsAtOnce = TILE::THREADS / 8;
  const int32_t *index = reinterpret_cast<const int32_t *>(shared + TILE::PIPE_BYTES);
  const int chunk = threadIdx.x % 8;
  const int first = threadIdx.x / 8;
  const int lines = product.depth / line_of<T>();
  const int end0 = product.part[0].width / line_of<T>();
  const int end1 = end0 + product.part[1].width / line_of<T>();

  const auto load = [&](int line) {
    if (line < lines) {
      char *stage = shared + line % TILE::STAGES * TILE::STAGE_BYTES;
      const int p = line < end0 ? 0 : line < end1 ? 1 : 2;
      const Part<T> &part = product.part[p];
      const int64_t at = (line - (p == 0 ? 0 : p == 1 ? end0 : end1)) * line_of<T>() + chunk * (kChunk / sizeof(T));
      const uint32_t a = shared_address(stage);
#pragma unroll
      for (int row = first; row < TILE::ROWS; row += kRowsAtOnce) {
        const int32_t from = index[p * TILE::ROWS + row];
        copy_async(a + place(row, chunk), part.data + (from < 0 ? 0 : from * part.stride) + at, from >= 0);
      }
      const uint32_t b = a + TILE::ROWS * kLine;
      const T *w = product.w + static_cast<int64_t>(line) * line_of<T>() + chunk * (kChunk / sizeof(T));
#pragma unroll
      for (int row = first; row < TILE::COLUMNS; row += kRowsAtOnce) {
        const int column = column0 + row;
        const bool is_there = column < product.outputs;
        copy_async(b + place(row, chunk), w + static_cast<int64_t>(is_there ? column : 0) * product.depth, is_there);
      }
    }
    copies_end();
  };

#pragma unroll
  for (int line = 0; line < TILE::STAGES - 1; line++) {
    load(line);
  }
  Sums<T, TILE> sums;
  sums.clear();
  for (int line = 0; line < lines; line++) {
    copies_wait<TILE::STAGES - 2>();
    __syncthreads();
    load(line + TILE::STAGES - 1);
    const char *stage = shared + line % TILE::STAGES * TILE::STAGE_BYTES;
    sums.add(stage, stage + TILE::ROWS * kLine);
  }
  copies_wait<0>();
  __syncthreads();
  float *tile = reinterpret_cast<float *>(shared);
  sums.write(tile);
  __syncthreads();
  if constexpr (TILE::WK > 1) {
    for (int i = threadIdx.x; i < TILE::ROWS * TILE::STRIDE; i += TILE::THREADS) {
      float sum = tile[i];
#pragma unroll
      for (int k = 1; k < TILE::WK; k++) {
        sum += tile[k * TILE::ROWS * TILE::STRIDE + i];
      }
      tile[i] = sum;
    }
    __syncthreads();
  }
  return tile;
}

/* The kinds of tile: few rows, some rows, many rows. */
template <typename T>
struct Tiles {
  using Few = Tile<16, 32, 1, 1, 4, 6>;
  using Some = Tile<64, 64, 2, 2, 1, 4>;
  using Many = Tile<128, 128, 2, 4, 1, 3>;
};
template <>
struct Tiles<float> {
  using Few = Tile<16, 32, 1, 4, 1, 4>;
  using Some = Tile<64, 64, 2, 4, 1, 3>;
  using Many = Tile<64, 64, 2, 4, 1, 3>;
};

}  // namespace lat::nmt
