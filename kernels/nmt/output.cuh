// The output layer in one kernel: product, bias, softmax and k-best (Algorithms 4 to 6 of the Amun paper, one step
// further): logits exist in shared memory only. A block takes some rows and a share of the vocabulary, tile by tile, and
// keeps for every row the running maximum, the sum of exponentials relative to it, and the best k so far; the shares are
// put together by the search. Without scores a beam of one needs the best alone.
//
// How many rows there are decides on tiles and shares, and so on the order of that sum. In 32 bits no result may depend on
// it: each exponential is then a mantissa and a power of two, and the sum has 53 bits (see SumOf).
#pragma once

#include <algorithm>
#include <type_traits>

#include "nmt/layers.cuh"

namespace lat::nmt {

enum class Wanted { kBest, kScoredBest, kBeam };

/* What is known of each row and share; [rows][shares], of the best k [rows][shares][k], best first, id -1 behind them. */
struct Shares {
  float *max;
  double *sum; /* of exponentials, relative to e^max; not of the best alone */
  float *logit;
  int32_t *id;
};

/* What a block keeps a row's sum of exponentials in. */
template <typename T>
using SumOf = std::conditional_t<sizeof(T) == 4, double, float>;

/* Where a row may say some words only: the words that any row may say are columns, rising, and their weights and biases
 * lie side by side. */
struct Columns {
  const int32_t *count = nullptr; /* [1]: how many; null: every row may say every word */
  const int32_t *word = nullptr;  /* of each column; the first two are words 0 and 1 */
  const uint32_t *masks = nullptr; /* [sentences][stride]: a bit a column that it may say, zeros behind the last */
  int stride = 0;
  const int32_t *sentence = nullptr; /* of each row */
};

template <typename T>
struct Output {
  Product<T> product;
  const float *bias;
  Shares shares;
  int k;
  bool allow_unknown;
  bool forbid_end;
  Columns columns; /* product.outputs is then how many there are at most */
};

/* Bytes of shared memory of a block. */
template <typename T, typename TILE>
constexpr int output_bytes(int k, bool columns) {
  return TILE::BYTES + TILE::ROWS * (static_cast<int>(sizeof(SumOf<T>)) + (1 + 2 * k + (columns ? 1 : 0)) * 4);
}

/* What a device has: multiprocessors, and bytes of shared memory for a block that asks for them. */
struct DeviceSizes {
  int multiprocessors;
  int shared;
};

/* The kind of tile and the number of shares for so many rows: enough blocks for the device, not more lists than the
 * search can look through. */
struct OutputPlan {
  TileKind tile;
  int shares;
};
template <typename T>
OutputPlan plan_output(int most, int words, int k, const DeviceSizes &device) {
  // The kinds that are taken where the largest does not fit do so on every card.
  static_assert(output_bytes<T, typename Tiles<T>::Few>(LAT_NMT_MAX_BEAM, true) <= kLeastSharedMemory);
  static_assert(output_bytes<T, typename Tiles<T>::Some>(LAT_NMT_MAX_BEAM, true) <= kLeastSharedMemory);
  static_assert(output_bytes<T, typename Tiles<T>::More>(LAT_NMT_MAX_BEAM, true) <= kLeastSharedMemory);
  OutputPlan plan{};
  const bool many = most >= 256 && k <= 16 && output_bytes<T, typename Tiles<T>::Many>(k, true) <= device.shared;
  plan.tile = many          ? TileKind::kMany
              : most <= 16  ? TileKind::kFew
              : most <= 128 ? TileKind::kSome
                            : TileKind::kMore;
  with_tile<T, false>(plan.tile, [&](auto tile) -> int {
    using TILE = decltype(tile);
    const int tiles = (words + TILE::COLUMNS - 1) / TILE::COLUMNS;
    const int blocks = (most + TILE::ROWS - 1) / TILE::ROWS;
    // As many blocks as there is room for at once: one more would make a second wave.
    const int wanted = device.multiprocessors * (TILE::THREADS >= 256 ? 2 : 3) / blocks;
    const int limit = k == 1 ? 256 : k <= 8 ? 64 : 32;
    plan.shares = std::max(1, std::min(std::min(wanted, tiles), limit));
    return LAT_OK;
  });
  return plan;
}

/* The output layer of rows: what each share of the vocabulary has of them. Compiled once a precision, in output_*.cu. */
template <typename T>
int output_layer(const Output<T> &output, Wanted wanted, const OutputPlan &plan, RowCount count, cudaStream_t stream);

/* The same over logits in memory, [rows][outputs], as a table of the paper compares them: bias, softmax and k-best in one
 * kernel (Algorithm 6), or the softmax and the k-best in kernels of their own. One share. */
template <typename T>
int output_in_memory(const Output<T> &output, float *logits, bool fused, RowCount count, cudaStream_t stream);

}  // namespace lat::nmt
