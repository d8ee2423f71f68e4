// The output layer in one kernel: product, bias, softmax and k-best (Algorithms 4 to 6 of the Amun paper, taken one
// step further): logits exist in shared memory only. A block takes some rows and a share of the vocabulary, tile by
// tile, and keeps for every row the running maximum, the sum of exponentials relative to it, and the best k so far; the
// search combines the shares. Without scores, a beam of one needs only the best.
//
// The number of rows determines tiles and shares, and so the order of that sum. In 32 bits no result may depend on it:
// each exponential is then a mantissa and a power of two, and the sum has 53 bits (see SumOf).
#pragma once

#include <algorithm>
#include <type_traits>

#include "nmt/layers.cuh"

namespace lat::nmt {

enum class Wanted { kBest, kScoredBest, kBeam };

/* Results per row and share; [rows][shares], of the best k [rows][shares][k], best first, padded with id -1. */
struct Shares {
  float *max;
  double *sum; /* of all exponentials, relative to e^max; unset if only the best is wanted */
  float *logit;
  int32_t *id;
};

/* The type of a block's running sum of exponentials. */
template <typename T>
using SumOf = std::conditional_t<sizeof(T) == 4, double, float>;

/* Restricts rows to some words: the words that any row allows are columns, ascending, with adjacent weights and biases. */
struct Columns {
  const int32_t *count = nullptr; /* [1]: number of columns; null: every row allows every word */
  const int32_t *word = nullptr;  /* per column; the first two are words 0 and 1 */
  const uint32_t *masks = nullptr; /* [sentences][stride]: one bit per column, set if allowed; zeros after the last */
  int stride = 0;
  const int32_t *sentence = nullptr; /* per row */
};

template <typename T>
struct Output {
  Product<T> product;
  const float *bias;
  Shares shares;
  int k;
  bool allow_unknown;
  bool forbid_end;
  Columns columns; /* with columns, product.outputs is their maximum number */
};

/* Shared memory of a block in bytes. */
template <typename T, typename TILE>
constexpr int output_bytes(int k, bool columns) {
  return TILE::BYTES + TILE::ROWS * (static_cast<int>(sizeof(SumOf<T>)) + (1 + 2 * k + (columns ? 1 : 0)) * 4);
}

/* The kind of tile and the number of shares for a number of rows: enough blocks for the device, but not more lists than
 * the search can look through. */
struct OutputPlan {
  TileKind tile;
  int shares;
};
template <typename T>
OutputPlan plan_output(int most, int words, int k, const DeviceSizes &device) {
  // The kinds used when the largest does not fit do fit on every card.
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
    // As many blocks as fit at once: one more would make a second wave.
    const int wanted = device.multiprocessors * (TILE::THREADS >= 256 ? 2 : 3) / blocks;
    const int limit = k == 1 ? 256 : k <= 8 ? 64 : 32;
    plan.shares = std::max(1, std::min(std::min(wanted, tiles), limit));
    return LAT_OK;
  });
  return plan;
}

/* The output layer: the results of each share of the vocabulary. Compiled once per precision, in output_*.cu. */
template <typename T>
int output_layer(const Output<T> &output, Wanted wanted, const OutputPlan &plan, RowCount count, cudaStream_t stream);

/* The words that rows are given next, and their logits. */
struct GivenWords {
  const int32_t *sentence; /* per row */
  const int32_t *step;     /* per sentence */
  const int32_t *first_token;
  const int32_t *word; /* of step 0 of a sentence at first_token * factor */
  int factor;
  float *logit; /* per row */
};
template <typename T>
int given_layer(const Output<T> &output, const GivenWords &given, RowCount count, cudaStream_t stream);

/* The same from logits in memory, [rows][outputs], for a comparison in a table of the paper: bias, softmax and k-best
 * in one kernel (Algorithm 6), or softmax and k-best in separate kernels. One share. */
template <typename T>
int output_in_memory(const Output<T> &output, float *logits, bool fused, RowCount count, cudaStream_t stream);

}  // namespace lat::nmt
