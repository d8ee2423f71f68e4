// The sums of a product's tile, in registers while they accumulate: on tensor cores (16 bits) or by fused multiply-adds
// (32 bits).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace lat::nmt {

constexpr int kLine = 128; /* bytes per row of a stage */
constexpr int kChunk = 16; /* bytes per asynchronous copy */

__device__ __forceinline__ uint32_t shared_address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

/* The position of a row's chunk in a stage: adjacent rows use different banks for the same chunk. */
__device__ __forceinline__ int place(int row, int chunk) { return row * kLine + ((chunk ^ (row & 7)) * kChunk); }

__device__ __forceinline__ void load_matrices(uint32_t address, uint32_t (&r)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
/* The first two of four: of the addresses of the first 16 lanes. */
__device__ __forceinline__ void load_two_matrices(uint32_t address, uint32_t (&r)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n" : "=r"(r[0]), "=r"(r[1]) : "r"(address));
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

/* A thread's part of a tile while the sum accumulates. */
template <typename T, typename TILE>
struct Sums {
  static constexpr int M = TILE::ROWS / TILE::WM / 16;
  static constexpr int N = TILE::COLUMNS / TILE::WN / 8;
  static_assert(N % 4 == 0, "groups of four blocks of eight stay within a warp");
  float c[M][N][4];

  /* The place of a column in shared memory, as a row of B. */
  static __host__ __device__ __forceinline__ constexpr int place_of(int column) { return column; }

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

  /* Adds the products of one stage. ZEROS: which of every four groups of eight outputs is skipped, or -1. */
  template <int ZEROS>
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
          if (j % 4 != ZEROS) {
            multiply<T>(c[i][j], fa[i], fb[0], fb[1]);
          }
          if ((j + 1) % 4 != ZEROS) {
            multiply<T>(c[i][j + 1], fa[i], fb[2], fb[3]);
          }
        }
      }
    }
  }

  /* Writes the tile of C; with WK > 1, the warps' sums are stored one after the other and still have to be added. */
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

/* In 32 bits: threads form a grid of 16 (or fewer) by 8 or 16, each with rows and columns at that stride. */
template <typename TILE>
struct Sums<float, TILE> {
  static constexpr int ACROSS = TILE::COLUMNS >= 64 ? 16 : 8;
  static constexpr int DOWN = TILE::THREADS / ACROSS;
  static constexpr int M = TILE::ROWS / DOWN;
  static constexpr int N = TILE::COLUMNS / ACROSS;
  static_assert(TILE::WK == 1 && M >= 1 && N >= 1, "the depth is summed by one thread, in its order");
  float c[M][N];

  static __host__ __device__ __forceinline__ constexpr int place_of(int column) { return column; }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
      for (int j = 0; j < N; j++) {
        c[i][j] = 0;
      }
    }
  }

  template <int ZEROS> /* in 32 bits, zeros are multiplied, too */
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

}  // namespace lat::nmt
