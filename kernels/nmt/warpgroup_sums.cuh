// The sums of a product's tile by Hopper's instruction for four warps, wgmma, which reads both factors from shared
// memory as the tile's copies lay them out: a row's line of 128 bytes with its chunks swizzled (see place()).
//
// It exists in code for sm_90a only, so kernels choose it while they are compiled, and the host need not know. Tiles,
// copies and results are the same as with mma.sync.
//
// A multiprocessor has two blocks of 128 x 128: one multiplies while the other waits for its copies. A line of a tile
// takes 512 clocks, reads 48 KB of shared memory and copies 32 KB into it, 640 clocks at 128 bytes a clock: so 790
// TFLOP/s at most on an H200. Measured: 608 at 4,096 x 4,096 x 3,072, and 365 with mma.sync. Larger tiles leave room
// for one block only and were slower.
#pragma once

#include "nmt/sums.cuh"

namespace lat::nmt {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool kHasWarpgroupSums = true;
#else
constexpr bool kHasWarpgroupSums = false;
#endif

/* Multiplies 64 rows of A and N rows of B, both 16 deep, by four warps; adds to N / 8 groups of sums. */
template <typename T, int N>
__device__ __forceinline__ void multiply_by_warpgroup(float (*c)[4], uint64_t a, uint64_t b);

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define LAT_GROUP(i) "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
#define LAT_GROUPS_4(i) LAT_GROUP(i), LAT_GROUP(i + 1), LAT_GROUP(i + 2), LAT_GROUP(i + 3)
#define LAT_NAMES_0 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define LAT_NAMES_16 LAT_NAMES_0 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define LAT_NAMES_24 LAT_NAMES_16 ",%24,%25,%26,%27,%28,%29,%30,%31"
#define LAT_NAMES_32 LAT_NAMES_24 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define LAT_NAMES_48 \
  LAT_NAMES_32 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define LAT_MULTIPLY(T, NAME, N, NAMES, A, B, ...)                                                                      \
  template <>                                                                                                           \
  __device__ __forceinline__ void multiply_by_warpgroup<T, N>(float (*c)[4], uint64_t a, uint64_t b) {                  \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" NAMES "}, " A ", " B              \
                 ", 1, 1, 1, 0, 0;\n"                                                                                   \
                 : __VA_ARGS__                                                                                          \
                 : "l"(a), "l"(b));                                                                                     \
  }
#define LAT_MULTIPLY_ALL(T, NAME)                                                                                       \
  LAT_MULTIPLY(T, NAME, 48, LAT_NAMES_16, "%24", "%25", LAT_GROUPS_4(0), LAT_GROUP(4), LAT_GROUP(5))                    \
  LAT_MULTIPLY(T, NAME, 64, LAT_NAMES_24, "%32", "%33", LAT_GROUPS_4(0), LAT_GROUPS_4(4))                               \
  LAT_MULTIPLY(T, NAME, 96, LAT_NAMES_32, "%48", "%49", LAT_GROUPS_4(0), LAT_GROUPS_4(4), LAT_GROUPS_4(8))              \
  LAT_MULTIPLY(T, NAME, 128, LAT_NAMES_48, "%64", "%65", LAT_GROUPS_4(0), LAT_GROUPS_4(4), LAT_GROUPS_4(8),             \
               LAT_GROUPS_4(12))
LAT_MULTIPLY_ALL(__half, "f16")
LAT_MULTIPLY_ALL(__nv_bfloat16, "bf16")
#undef LAT_MULTIPLY_ALL
#undef LAT_MULTIPLY
#undef LAT_NAMES_48
#undef LAT_NAMES_32
#undef LAT_NAMES_24
#undef LAT_NAMES_16
#undef LAT_NAMES_0
#undef LAT_GROUPS_4
#undef LAT_GROUP
#endif

/* A thread's part of a tile: its warpgroup has 64 rows, and some adjacent groups of 32 columns. In shared memory, of
 * every four groups of eight outputs, the last but one come first, then the first, second and last ones: so those that
 * are not zeros in a GRU's cell are adjacent for both of its parts (see Weights). */
template <typename T, typename TILE>
struct WarpgroupSums {
  static constexpr int DOWN = TILE::ROWS / 64;
  static constexpr int ACROSS = TILE::THREADS / 128 / DOWN / TILE::WK;
  static constexpr int BLOCKS = TILE::COLUMNS / 32 / ACROSS; /* of 32 columns */
  static_assert(DOWN * ACROSS * TILE::WK * 128 == TILE::THREADS && BLOCKS >= 1, "every warpgroup has a part");
  float c[BLOCKS * 4][4];

  /* The place of a column in shared memory, as a row of B. */
  static __host__ __device__ __forceinline__ constexpr int place_of(int column) {
    const int block = column / 32;
    const int group = column / 8 % 4;
    const int kind = group == 2 ? 0 : group == 3 ? 3 : group + 1;
    return (block / BLOCKS * (BLOCKS * 4) + kind * BLOCKS + block % BLOCKS) * 8 + column % 8;
  }
  /* The group of eight columns at a place. */
  static __device__ __forceinline__ constexpr int column_of(int group) {
    const int kind = group / BLOCKS;
    return group % BLOCKS * 32 + (kind == 0 ? 2 : kind == 3 ? 3 : kind - 1) * 8;
  }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < BLOCKS * 4; i++) {
#pragma unroll
      for (int k = 0; k < 4; k++) {
        c[i][k] = 0;
      }
    }
  }

  /* Starts to add the products of one stage; ZEROS as in Sums. */
  template <int ZEROS>
  __device__ __forceinline__ void start(const char *a, const char *b) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    constexpr int kFrom = ZEROS == 2 ? BLOCKS : 0;
    constexpr int kTo = (ZEROS == 3 ? 3 : 4) * BLOCKS;
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
    const int wk = warpgroup / (DOWN * ACROSS);
    const uint64_t from_a = matrix(a + warpgroup % DOWN * 64 * kLine);
    const uint64_t from_b = matrix(b + (warpgroup / DOWN % ACROSS * BLOCKS * 4 + kFrom) * 8 * kLine);
    hold();
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; k += TILE::WK) { /* 32 bytes deep, of which descriptors count 16 */
      multiply_by_warpgroup<T, (kTo - kFrom) * 8>(c + kFrom, from_a + (k + wk) * 2, from_b + (k + wk) * 2);
    }
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
#endif
  }
  /* Waits for them. */
  __device__ __forceinline__ void wait() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
    hold();
#endif
  }
  /* Makes copies into shared memory that this thread has waited for visible to the multiplications, after a barrier. */
  static __device__ __forceinline__ void show_copies() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
#endif
  }

  __device__ __forceinline__ void write(float *tile) const {
    const int warpgroup = threadIdx.x / 128;
    const int lane = threadIdx.x % 32;
    tile += warpgroup / (DOWN * ACROSS) * (TILE::ROWS * TILE::STRIDE);
    const int row = warpgroup % DOWN * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const int column = warpgroup / DOWN % ACROSS * (BLOCKS * 32) + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < BLOCKS * 4; i++) {
      float *at = tile + row * TILE::STRIDE + column + column_of(i);
      *reinterpret_cast<float2 *>(at) = make_float2(c[i][0], c[i][1]);
      *reinterpret_cast<float2 *>(at + 8 * TILE::STRIDE) = make_float2(c[i][2], c[i][3]);
    }
  }

 private:
  /* Describes lines of 128 swizzled bytes; eight of them, at a multiple of 1,024 bytes, form a group. */
  static __device__ __forceinline__ uint64_t matrix(const char *lines) {
    constexpr uint64_t kSwizzled = uint64_t{1} << 62;
    constexpr uint64_t kGroup = uint64_t{8 * kLine / 16} << 32;
    return kSwizzled | kGroup | uint64_t{1} << 16 | (shared_address(lines) & 0x3ffff) >> 4;
  }
  /* Keeps the compiler from moving uses of the sums across this. */
  __device__ __forceinline__ void hold() {
#pragma unroll
    for (int i = 0; i < BLOCKS * 4; i++) {
#pragma unroll
      for (int k = 0; k < 4; k++) {
        asm volatile("" : "+f"(c[i][k])::"memory");
      }
    }
  }
};

}  // namespace lat::nmt
