// Products of at most 16 rows in 16 bits, as product.cuh's with other ways to load and wait; the order of every sum is
// the same as with one line at a time.
//
// A block has one warp per scheduler, so what bounds it is the instructions between two multiplications, not the 4 KB of
// weights a line that it reads from L2. Therefore lines come in bundles: the warps wait for one another once a bundle,
// and the copies of a whole bundle have constant distances. A line takes some 30 instructions of each warp instead of
// 120. Rows from the last live one on are neither copied nor added up, and nothing reads what the tile has for them.
#pragma once

#include <type_traits>

#include "nmt/product.cuh"

namespace lat::nmt {

/* Queues copies of both factors, a bundle of lines at a time, like Loader. Each thread has a chunk of one row of one
 * factor, and of two columns of the other. */
template <typename T, typename TILE>
class BundleLoader {
 public:
  static constexpr int kAhead = TILE::STAGES - TILE::BUNDLE; /* lines queued before the first is multiplied */

  __device__ __forceinline__ BundleLoader(const Product<T> &product, int row0, char *shared)
      : product_(product), shared_(shared_address(shared) + place(first(), chunk())) {
#pragma unroll
    for (int p = 0; p < kParts; p++) {
      find(p, row0 + first());
    }
  }

  /* See Loader::begin. */
  __device__ __forceinline__ void begin(int column0) {
#pragma unroll
    for (int i = 0; i < kColumns; i++) {
      const int column = column0 + first() + i * kAtOnce;
      const int last = product_.outputs - 1;
      w_[i] = product_.w + static_cast<int64_t>(column < last ? column : last) * product_.depth + chunk() * kElements;
      w_bytes_[i] = column <= last ? kChunk : 0;
    }
    w_left_ = product_.depth / line_of<T>();
    const int lines = product_.lines();
#pragma unroll 1
    for (int line = 0; line < kAhead; line += TILE::BUNDLE) {
      weights(line, lines - line);
    }
  }

  /* See Loader::start. */
  __device__ __forceinline__ bool start(int row0, int rows, char *) {
    if (row0 >= rows) {
      copies_end();
      copies_wait<0>();
      return false;
    }
    live_ = rows - row0 < TILE::ROWS ? rows - row0 : TILE::ROWS;
    if (is_live()) {
      int from[kParts];
#pragma unroll
      for (int p = 0; p < kParts; p++) { /* no __ldg: a step writes its rows' indices */
        from[p] = product_.part[p].index == nullptr ? 0 : product_.part[p].index[row0 + first()];
      }
#pragma unroll
      for (int p = 0; p < kParts; p++) {
        if (product_.part[p].index != nullptr) {
          find(p, from[p]);
        }
      }
    }
    fill();
    return true;
  }

  /* See Loader::fill. */
  __device__ __forceinline__ void fill() {
    part_ = -1;
    left_ = 0;
    const int lines = product_.lines();
#pragma unroll 1
    for (int line = 0; line < kAhead; line += TILE::BUNDLE) {
      rows(line, lines - line);
      copies_end();
    }
  }

  /* Queues the next bundle, or what is left of it, at a stage. */
  __device__ __forceinline__ void bundle(int stage, int left) {
    weights(stage, left);
    rows(stage, left);
  }

  /* The number of live rows in the tile. */
  __device__ __forceinline__ int live() const { return live_; }

 private:
  static constexpr int kElements = kChunk / static_cast<int>(sizeof(T));
  static constexpr int kAtOnce = TILE::THREADS / 8;
  static constexpr int kColumns = TILE::COLUMNS / kAtOnce;
  static_assert(TILE::ROWS == kAtOnce && kAtOnce % 8 == 0 && kColumns >= 1, "a thread's rows are swizzled alike");
  static_assert(TILE::STAGES % TILE::BUNDLE == 0 && kAhead >= TILE::BUNDLE, "a bundle arrives while one is multiplied");

  static __device__ __forceinline__ int first() { return threadIdx.x / 8; }
  static __device__ __forceinline__ int chunk() { return threadIdx.x % 8; }
  __device__ __forceinline__ bool is_live() const { return first() < live_; }

  /* Sets the thread's chunk of a part to that of a row of its data. */
  __device__ __forceinline__ void find(int part, int row) {
    start_[part] = product_.part[part].data + (row < 0 ? 0 : row * product_.part[part].stride) + chunk() * kElements;
    bytes_[part] = row < 0 ? 0 : kChunk;
  }

  template <int LINES>
  __device__ __forceinline__ void copy_weights(int stage) {
    const uint32_t to = shared_ + stage * TILE::STAGE_BYTES + TILE::ROWS * kLine;
#pragma unroll
    for (int line = 0; line < LINES; line++) {
#pragma unroll
      for (int i = 0; i < kColumns; i++) {
        copy_chunk(to + line * TILE::STAGE_BYTES + i * kAtOnce * kLine, w_[i] + line * line_of<T>(), w_bytes_[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < kColumns; i++) {
      w_[i] += LINES * line_of<T>();
    }
    if constexpr (kTerms<T> > 1) {
      w_left_ -= LINES;
      if (w_left_ == 0) { /* again, for the next term */
        w_left_ = product_.depth / line_of<T>();
#pragma unroll
        for (int i = 0; i < kColumns; i++) {
          w_[i] -= product_.depth;
        }
      }
    }
  }
  __device__ __forceinline__ void weights(int stage, int left) {
    if (left >= TILE::BUNDLE && (kTerms<T> == 1 || w_left_ >= TILE::BUNDLE)) {
      copy_weights<TILE::BUNDLE>(stage);
    } else {
#pragma unroll 1
      for (int line = 0; line < TILE::BUNDLE && line < left; line++) {
        copy_weights<1>(stage + line);
      }
    }
  }

  template <int LINES>
  __device__ __forceinline__ void copy_rows(int stage) {
    if (is_live()) {
      const uint32_t to = shared_ + stage * TILE::STAGE_BYTES;
#pragma unroll
      for (int line = 0; line < LINES; line++) {
        copy_chunk(to + line * TILE::STAGE_BYTES, a_ + line * line_of<T>(), a_bytes_);
      }
      a_ += LINES * line_of<T>();
    }
    left_ -= LINES;
  }
  __device__ __forceinline__ void rows(int stage, int left) {
    if (left > 0 && left_ == 0) {
      next_part();
    }
    if (left >= TILE::BUNDLE && left_ >= TILE::BUNDLE) {
      copy_rows<TILE::BUNDLE>(stage);
    } else {
#pragma unroll 1
      for (int line = 0; line < TILE::BUNDLE && line < left; line++) {
        if (left_ == 0) {
          next_part();
        }
        copy_rows<1>(stage + line);
      }
    }
  }
  __device__ __forceinline__ void next_part() {
    do {
      part_++;
      left_ = product_.part[part_].width / line_of<T>();
    } while (left_ == 0);
    static_assert(kParts == 3, "the choice below has three");
    a_ = part_ == 0 ? start_[0] : part_ == 1 ? start_[1] : start_[2];
    a_bytes_ = part_ == 0 ? bytes_[0] : part_ == 1 ? bytes_[1] : bytes_[2];
  }

  const Product<T> &product_;
  uint32_t shared_;
  int live_ = 0;
  const T *w_[kColumns];
  int w_bytes_[kColumns];
  int w_left_;
  const T *start_[kParts];
  int bytes_[kParts];
  const T *a_ = nullptr;
  int a_bytes_ = 0;
  int part_ = -1;
  int left_ = 0;
};

template <typename T, typename TILE>
using LoaderFor = std::conditional_t<(TILE::BUNDLE > 1), BundleLoader<T, TILE>, Loader<T, TILE>>;

/* The sums of a warp, which takes one of every four chunks of 16 in depth: for all columns of the tile. */
template <typename T, typename TILE>
class BundleSums {
 public:
  /* GRU: whether only one of the third and fourth groups of eight columns is multiplied, see Weights. */
  template <bool GRU, int LINES>
  __device__ __forceinline__ void add(int stage) {
    const uint32_t from = stage * TILE::STAGE_BYTES;
    uint32_t a[LINES][4];
    uint32_t b[LINES][4];
    uint32_t last[LINES][4];
#pragma unroll
    for (int i = 0; i < LINES; i++) {
      load_matrices(a_ + from + i * TILE::STAGE_BYTES, a[i]);
      load_matrices(b_ + from + i * TILE::STAGE_BYTES, b[i]);
      if constexpr (GRU) {
        load_two_matrices(last_ + from + i * TILE::STAGE_BYTES, last[i]);
      } else {
        load_matrices(last_ + from + i * TILE::STAGE_BYTES, last[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < LINES; i++) {
      multiply<T>(sums_.c[0][0], a[i], b[i][0], b[i][1]);
      multiply<T>(sums_.c[0][1], a[i], b[i][2], b[i][3]);
      multiply<T>(sums_.c[0][2], a[i], last[i][0], last[i][1]);
      if constexpr (!GRU) {
        multiply<T>(sums_.c[0][3], a[i], last[i][2], last[i][3]);
      }
    }
  }
  __device__ __forceinline__ explicit BundleSums(const char *shared) {
    sums_.clear();
    const int chunk = threadIdx.x / 32 * 2;
    const int lane = threadIdx.x % 32;
    a_ = shared_address(shared) + place(lane % 16, chunk + lane / 16);
    b_ = shared_address(shared) + TILE::ROWS * kLine + place(lane % 8 + lane / 16 * 8, chunk + lane / 8 % 2);
    last_ = b_ + 16 * kLine; /* with GRU, of the first 16 lanes: those of two matrices */
  }
  /* With GRU: the lines after this are those of the second part, which the fourth group of columns has. */
  __device__ __forceinline__ void second_part() {
    last_ += 8 * kLine;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      sums_.c[0][3][i] = sums_.c[0][2][i]; /* exchanged by write() */
      sums_.c[0][2][i] = 0;
    }
  }
  template <bool GRU>
  __device__ __forceinline__ void write(float *tile) {
    if constexpr (GRU) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float third = sums_.c[0][3][i];
        sums_.c[0][3][i] = sums_.c[0][2][i];
        sums_.c[0][2][i] = third;
      }
    }
    sums_.write(tile);
  }

 private:
  static_assert(TILE::ROWS == 16 && TILE::COLUMNS == 32 && TILE::WM == 1 && TILE::WN == 1 && TILE::WK == 4,
                "a warp has all of the tile");
  Sums<T, TILE> sums_;
  uint32_t a_;
  uint32_t b_;
  uint32_t last_;
};

/* As the other product_tile; only the live rows of the tile are defined. */
template <Weights WEIGHTS, typename T, typename TILE>
__device__ __forceinline__ float *product_tile(const Product<T> &product, BundleLoader<T, TILE> &loader, char *shared) {
  constexpr bool kGru = WEIGHTS == Weights::kGru;
  constexpr int kBundle = TILE::BUNDLE;
  const int lines = product.lines();
  BundleSums<T, TILE> sums(shared);
  int end = kGru ? product.part[0].width / line_of<T>() : lines; /* of the lines that are multiplied alike */
  int stage = 0;
  int ahead = BundleLoader<T, TILE>::kAhead;
#pragma unroll 1
  for (int line = 0; line < lines;) {
    const bool begins = line % kBundle == 0;
    if (begins) {
      copies_wait<TILE::STAGES / kBundle - 2>();
      __syncthreads();
      loader.bundle(ahead, lines - line - BundleLoader<T, TILE>::kAhead); /* in the place of the last one */
      copies_end();
      ahead = ahead + kBundle == TILE::STAGES ? 0 : ahead + kBundle;
    }
    int added = 1; /* where a part ends within a bundle */
    if (begins && line + kBundle <= end) {
      sums.template add<kGru, kBundle>(stage);
      added = kBundle;
    } else {
      sums.template add<kGru, 1>(stage);
    }
    line += added;
    stage = stage + added == TILE::STAGES ? 0 : stage + added;
    if (kGru && line == end && line < lines) { /* both parts have lines */
      sums.second_part();
      end = lines;
    }
  }
  copies_wait<0>();
  __syncthreads();
  float *tile = reinterpret_cast<float *>(shared);
  sums.template write<kGru>(tile);
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < loader.live() * TILE::STRIDE; i += TILE::THREADS) {
    sum_of_depth<TILE>(tile, i);
  }
  __syncthreads();
  return tile;
}

}  // namespace lat::nmt
