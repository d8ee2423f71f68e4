// Matrix products of the decoder: C = A * W for rows of A that may be gathered, and may consist of up to three parts
// side by side.
//
// A product leaves a tile of C in shared memory, in 32 bits; the operation that follows (a cell, a softmax) reads it
// there, so that only results go to memory. Both factors are contiguous in depth: rows of 128 bytes are copied
// asynchronously, some stages ahead, to swizzled shared memory, and go from there to tensor cores (16 bits) or to fused
// multiply-adds (32 bits). The order of the sum over the depth depends only on the kind of tile, never on other rows;
// in 32 bits it is the same for every kind, so that results do not depend on the batch.
#pragma once

#include "common/launch.cuh"
#include "nmt/values.cuh"
#include "nmt/warpgroup_sums.cuh"

namespace lat::nmt {

constexpr int kParts = 3;

/* Elements of a line: widths of factors are zero-padded to multiples of this. */
template <typename T>
__host__ __device__ constexpr int line_of() {
  return kLine / static_cast<int>(sizeof(T));
}
template <typename T>
__host__ __device__ constexpr int padded(int64_t width) {
  return static_cast<int>((width + line_of<T>() - 1) / line_of<T>() * line_of<T>());
}

/* Rows of a factor: row i is at data + (index ? index[i] : i) * stride; zeros if the index is negative. */
template <typename T>
struct Part {
  const T *data = nullptr;
  const int32_t *index = nullptr;
  int64_t stride = 0;
  int width = 0; /* padded */
};

/* A factor that consists of parts, and W as [outputs][depth], where depth is the sum of the parts' widths. If the
 * factor is a sum of terms, its parts are these, each as wide as W is deep. */
template <typename T>
struct Product {
  Part<T> part[kParts];
  const T *w = nullptr;
  int outputs = 0;
  int depth = 0;
  int terms = 1; /* at most kTerms */

  __device__ __forceinline__ int lines() const {
    return (kTerms<T> > 1 ? depth * terms : depth) / line_of<T>();
  }
};

/* Whether all weights are multiplied. Otherwise, with two parts, they are those of a GRU's cell: of every four groups
 * of eight outputs, the last has zeros for the first part, and the one before it for the second (see CellFinish); the
 * zeros are skipped. */
enum class Weights { kAll, kGru };

/* Makes rows of [terms][depth] the factor. */
template <typename T>
void take_terms(Product<T> &product, const T *rows, int terms, int depth) {
  for (int i = 0; i < terms; i++) {
    product.part[i] = {rows + static_cast<int64_t>(i) * depth, nullptr, static_cast<int64_t>(terms) * depth, depth};
  }
  product.depth = depth;
  product.terms = terms;
}

/* The rows that a kernel works on: *live of them, at most `most`; `most` if live is null. */
struct RowCount {
  const int32_t *live; /* written by the kernel that ended the previous step, or by those that add sentences */
  int most;
  /* Whether the kernel that ended the previous step may still run. Then nothing but weights may be read before
   * await_previous(), and the next kernel may only begin after that, so that it sees all of that step. */
  bool first_of_step = false;
  /* May be called before await_previous(), unless first_of_step. */
  __device__ __forceinline__ int get() const { return live == nullptr ? most : min(load_early(live), most); }
};

/* A kind of tile: its size and how warps share it. WK warps share the depth and add up their sums at the end. Tiles with
 * more than one line a bundle are those of few_rows.cuh. */
template <int ROWS_, int COLUMNS_, int WM_, int WN_, int WK_, int STAGES_, int BUNDLE_ = 1>
struct Tile {
  static constexpr int ROWS = ROWS_;
  static constexpr int COLUMNS = COLUMNS_;
  static constexpr int WM = WM_;
  static constexpr int WN = WN_;
  static constexpr int WK = WK_;
  static constexpr int STAGES = STAGES_;
  static constexpr int BUNDLE = BUNDLE_;
  static constexpr int THREADS = 32 * WM * WN * WK;
  static constexpr int STAGE_BYTES = (ROWS + COLUMNS) * kLine;
  static constexpr int STRIDE = COLUMNS + 8; /* of a row of C, in floats: four rows of eight use different banks */
  static constexpr int SUM_BYTES = ROWS * STRIDE * 4 * WK;
  static constexpr int PIPE_BYTES = STAGES * STAGE_BYTES > SUM_BYTES ? STAGES * STAGE_BYTES : SUM_BYTES;
  static constexpr int INDEX_BYTES = kParts * ROWS * 4;
  static constexpr int BYTES = PIPE_BYTES + INDEX_BYTES; /* of shared memory, without that of the following operation */
};

/* Copies the first bytes of a chunk; the rest becomes zeros. */
__device__ __forceinline__ void copy_chunk(uint32_t to, const void *from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ __forceinline__ void copy_async(uint32_t to, const void *from, bool is_there) {
  copy_chunk(to, from, is_there ? kChunk : 0);
}
__device__ __forceinline__ void copies_end() { asm volatile("cp.async.commit_group;\n"); }
template <int N>
__device__ __forceinline__ void copies_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
}

/* How the sums of a kind of tile accumulate. */
template <typename T, typename TILE>
constexpr bool kByWarpgroup = kHasWarpgroupSums && sizeof(T) == 2 && TILE::ROWS % 64 == 0;
template <typename T, typename TILE>
using SumsFor = std::conditional_t<kByWarpgroup<T, TILE>, WarpgroupSums<T, TILE>, Sums<T, TILE>>;

/* Looks up the positions of the rows from row0 on, once for all columns; rows from `rows` on are zeros. */
template <typename T, typename TILE>
__device__ __forceinline__ void find_rows(const Product<T> &product, int row0, int rows, char *shared) {
  int32_t *index = reinterpret_cast<int32_t *>(shared + TILE::PIPE_BYTES);
  for (int i = threadIdx.x; i < kParts * TILE::ROWS; i += TILE::THREADS) {
    const int32_t *from = product.part[i / TILE::ROWS].index;
    const int row = row0 + i % TILE::ROWS;
    index[i] = row >= rows ? -1 : from == nullptr ? row : from[row]; /* no __ldg: a step writes its rows' indices */
  }
  __syncthreads();
}

/* Queues copies of both factors, one line per stage. Each thread has a chunk of some rows of each; its pointers only
 * advance. */
template <typename T, typename TILE>
class Loader {
 public:
  __device__ __forceinline__ Loader(const Product<T> &product, int /* row0 */, char *shared)
      : product_(product), shared_(shared_address(shared)), at_(place(first(), chunk())),
        w_at_(TILE::ROWS * kLine + place(SumsFor<T, TILE>::place_of(first()), chunk())) {
    step_ = static_cast<int64_t>(kAtOnce) * product.depth;
  }

  /* Queues the weights that a tile needs first, before the other factor is known: weights always are (including those
   * gathered for a shortlist, which only change when sentences join). */
  __device__ __forceinline__ void begin(int column0) {
    b_ = product_.w + static_cast<int64_t>(column0 + first()) * product_.depth + chunk() * kElements;
    columns_ = product_.outputs - column0 - first();
    w_left_ = product_.depth;
    part_ = -1;
    left_ = 0;
    const int lines = product_.lines();
#pragma unroll
    for (int line = 0; line < TILE::STAGES - 1; line++) {
      if (line < lines) {
        weights(line);
      }
    }
  }

  /* Looks up the rows from row0 on and queues them for the weights queued by begin(). Returns false, with no copy under
   * way, if there is none below `rows`. */
  __device__ __forceinline__ bool start(int row0, int rows, char *shared) {
    if (row0 >= rows) {
      copies_end();
      copies_wait<0>();
      return false;
    }
    find_rows<T, TILE>(product_, row0, rows, shared);
    fill();
    return true;
  }

  /* Queues the other factor for the weights queued by begin(), after start(). */
  __device__ __forceinline__ void fill() {
    const int lines = product_.lines();
#pragma unroll
    for (int line = 0; line < TILE::STAGES - 1; line++) {
      if (line < lines) {
        rows(line);
      }
      copies_end();
    }
  }
  __device__ __forceinline__ void weights(int stage) {
    const uint32_t to = shared_ + stage * TILE::STAGE_BYTES + w_at_;
#pragma unroll
    for (int i = 0; i < kB; i++) {
      const bool is_there = i * kAtOnce < columns_;
      const int distance = SumsFor<T, TILE>::place_of(i * kAtOnce) - SumsFor<T, TILE>::place_of(0);
      copy_async(to + distance * kLine, is_there ? b_ + i * step_ : product_.w, is_there);
    }
    b_ += line_of<T>();
    if constexpr (kTerms<T> > 1) {
      w_left_ -= line_of<T>();
      if (w_left_ == 0) { /* again, for the next term */
        w_left_ = product_.depth;
        b_ -= product_.depth;
      }
    }
  }
  __device__ __forceinline__ void rows(int stage) {
    if (left_ == 0) {
      next_part();
    }
    left_--;
    const uint32_t to = shared_ + stage * TILE::STAGE_BYTES + at_;
#pragma unroll
    for (int i = 0; i < kA; i++) {
      copy_async(to + i * kAtOnce * kLine, a_[i], (there_ >> i & 1) != 0);
      a_[i] += line_of<T>();
    }
  }

 private:
  static constexpr int kElements = kChunk / static_cast<int>(sizeof(T));
  static constexpr int kAtOnce = TILE::THREADS / 8;
  static constexpr int kA = TILE::ROWS / kAtOnce;
  static constexpr int kB = TILE::COLUMNS / kAtOnce;
  static_assert(kAtOnce % 8 == 0 && kA >= 1 && kB >= 1, "a thread's rows are swizzled alike");
  static_assert(!kByWarpgroup<T, TILE> || kAtOnce == 32, "a thread's columns are at the same place of their blocks");

  static __device__ __forceinline__ int first() { return threadIdx.x / 8; }
  static __device__ __forceinline__ int chunk() { return threadIdx.x % 8; }

  __device__ __forceinline__ void next_part() {
    do {
      part_++;
      left_ = product_.part[part_].width / line_of<T>();
    } while (left_ == 0);
    const Part<T> &part = product_.part[part_];
    uint32_t index = shared_ + TILE::PIPE_BYTES + (part_ * TILE::ROWS + first()) * 4;
    there_ = 0;
#pragma unroll
    for (int i = 0; i < kA; i++) {
      int32_t from;
      asm volatile("ld.shared.b32 %0, [%1];" : "=r"(from) : "r"(index + i * kAtOnce * 4));
      there_ |= from >= 0 ? 1u << i : 0;
      a_[i] = part.data + (from < 0 ? 0 : from * part.stride) + chunk() * kElements;
    }
  }

  const Product<T> &product_;
  uint32_t shared_;
  uint32_t at_;
  uint32_t w_at_;
  const T *b_;
  int64_t step_;
  int columns_;
  int w_left_;
  const T *a_[kA];
  uint32_t there_ = 0;
  int part_ = -1;
  int left_ = 0;
};

/* Adds what all warps along the depth have of a number of a tile. */
template <typename TILE>
__device__ __forceinline__ void sum_of_depth(float *tile, int i) {
  float sum = tile[i];
#pragma unroll
  for (int k = 1; k < TILE::WK; k++) {
    sum += tile[k * TILE::ROWS * TILE::STRIDE + i];
  }
  tile[i] = sum;
}

/* Computes a tile whose first lines a loader has queued; returns it in shared memory, readable by all threads. A
 * barrier must precede the start of the next tile. */
template <Weights WEIGHTS, typename T, typename TILE>
__device__ __forceinline__ float *product_tile(const Product<T> &product, Loader<T, TILE> &loader, char *shared) {
  const int lines = product.lines();
  SumsFor<T, TILE> sums;
  sums.clear();
  int stage = 0;
  int ahead = TILE::STAGES - 1;
  int to_load = lines - (TILE::STAGES - 1);
  const auto add_lines = [&](int left, auto zeros) {
    for (; left > 0; left--) {
      copies_wait<TILE::STAGES - 2>();
      const char *at = shared + stage * TILE::STAGE_BYTES;
      stage = stage + 1 == TILE::STAGES ? 0 : stage + 1;
      if constexpr (kByWarpgroup<T, TILE>) {
        sums.show_copies();
      }
      __syncthreads();
      if constexpr (kByWarpgroup<T, TILE>) {
        sums.template start<decltype(zeros)::value>(at, at + TILE::ROWS * kLine);
      }
      if (to_load > 0) {
        to_load--;
        loader.weights(ahead);
        loader.rows(ahead);
      }
      copies_end();
      ahead = ahead + 1 == TILE::STAGES ? 0 : ahead + 1;
      if constexpr (kByWarpgroup<T, TILE>) {
        sums.wait();
      } else {
        sums.template add<decltype(zeros)::value>(at, at + TILE::ROWS * kLine);
      }
    }
  };
  if constexpr (WEIGHTS == Weights::kGru && sizeof(T) == 2) {
    add_lines(product.part[0].width / line_of<T>(), std::integral_constant<int, 3>());
    add_lines(product.part[1].width / line_of<T>(), std::integral_constant<int, 2>());
  } else {
    add_lines(lines, std::integral_constant<int, -1>());
  }
  copies_wait<0>();
  __syncthreads();
  float *tile = reinterpret_cast<float *>(shared);
  sums.write(tile);
  __syncthreads();
  if constexpr (TILE::WK > 1) {
    for (int i = threadIdx.x; i < TILE::ROWS * TILE::STRIDE; i += TILE::THREADS) {
      sum_of_depth<TILE>(tile, i);
    }
    __syncthreads();
  }
  return tile;
}

/* The kinds of tile, from few rows to many. With few rows, latency matters, so warps share the depth. With many, every
 * block's reads of its factors from L2 bound the product, so tiles are as large as possible while every multiprocessor
 * still gets one. */
template <typename T>
struct Tiles {
  using Few = Tile<16, 32, 1, 1, 4, 12, 4>;
  using Some = Tile<32, 32, 1, 1, 4, 8>;
  using More = Tile<64, 64, 2, 2, 2, 4>;
  using Broad = Tile<64, 128, 2, 4, 1, 4>;
  using Many = Tile<128, 128, 2, 4, 1, 3>;
};
template <>
struct Tiles<float> {
  using Few = Tile<16, 32, 1, 4, 1, 4>;
  using Some = Tile<16, 32, 1, 4, 1, 4>;
  using More = Tile<64, 64, 2, 4, 1, 3>;
  using Broad = More;
  using Many = Tile<64, 64, 2, 4, 1, 3>;
};

/* The kind that suits a number of rows and outputs on a device. */
enum class TileKind { kFew, kSome, kMore, kBroad, kMany };
template <typename T>
TileKind tile_for(int64_t rows, int64_t outputs, int multiprocessors) {
  const auto blocks = [&](auto tile) {
    using TILE = decltype(tile);
    return (rows + TILE::ROWS - 1) / TILE::ROWS * ((outputs + TILE::COLUMNS - 1) / TILE::COLUMNS);
  };
  if (rows <= 16) {
    return TileKind::kFew;
  }
  if (rows <= 128 || blocks(typename Tiles<T>::More()) < share_of_device(64, multiprocessors)) {
    return TileKind::kSome;
  }
  const int64_t large = blocks(typename Tiles<T>::Many());
  return large < share_of_device(96, multiprocessors)    ? TileKind::kMore
         : large < share_of_device(200, multiprocessors) ? TileKind::kBroad
                                                         : TileKind::kMany;
}
/* Calls with the kind as a type. BROAD: whether that kind is included, for which the output layer has no use. */
template <typename T, bool BROAD = true, typename CALL>
int with_tile(TileKind kind, CALL call) {
  switch (kind) {
    case TileKind::kFew:
      return call(typename Tiles<T>::Few());
    case TileKind::kSome:
      return call(typename Tiles<T>::Some());
    case TileKind::kMore:
      return call(typename Tiles<T>::More());
    case TileKind::kBroad:
      if constexpr (BROAD) {
        return call(typename Tiles<T>::Broad());
      } else {
        return LAT_BAD_ARGUMENT;
      }
    default:
      return call(typename Tiles<T>::Many());
  }
}

}  // namespace lat::nmt
