// Layers of the decoder: a product and the operations on it in one kernel, so that sums never go to memory.
#pragma once

#include "nmt/few_rows.cuh"
#include "nmt/values.cuh"

namespace lat::nmt {

enum class Cell : int { kGru = LAT_NMT_GRU, kLstm = LAT_NMT_LSTM, kMlstm = LAT_NMT_MLSTM };

/* Gate j of block b is output (j / 8) * 32 + b * 8 + j % 8, so that every tile contains all blocks of some gates. */
__host__ __device__ constexpr int gates_of(int state) { return (state + 7) / 8 * 32; }

/* Where the results of rows go, in 32 bits, narrow, or both; optionally through tanh. */
template <typename T>
struct RowResults {
  bool tanh = false;
  float *wide = nullptr;
  int64_t wide_stride = 0;
  T *narrow_out = nullptr;
  int64_t narrow_stride = 0;
  const int32_t *index = nullptr; /* destination of row i; null: row i */

  __device__ __forceinline__ int64_t place(int row) const { return index == nullptr ? row : index[row]; }
  __device__ __forceinline__ void put(int64_t place, int column, float v) const {
    if (wide != nullptr) {
      wide[place * wide_stride + column] = v;
    }
    if (narrow_out != nullptr) {
      narrow_out[place * narrow_stride + column] = narrow<T>(v);
    }
  }
};

/* Adds up to three biases to a product and stores it. */
template <typename T>
struct Store {
  static constexpr Weights kWeights = Weights::kAll;
  const float *bias[kParts] = {};
  int outputs = 0;
  RowResults<T> results;

  /* The sum of a column's biases. */
  __device__ __forceinline__ float bias_of(int column) const {
    float v = 0;
#pragma unroll
    for (int k = 0; k < kParts; k++) {
      v += bias[k] != nullptr && column < outputs ? __ldg(bias[k] + column) : 0;
    }
    return v;
  }

  /* BIASED: whether the tile has the biases already. */
  template <typename TILE, bool BIASED = false>
  __device__ __forceinline__ void finish(const float *tile, int row0, int rows, int column0) const {
    static_assert(TILE::THREADS % TILE::COLUMNS == 0, "a thread keeps its column");
    constexpr int kDown = TILE::THREADS / TILE::COLUMNS;
    constexpr int kAtOnce = 4; /* rows whose places are read together */
    const int within = threadIdx.x % TILE::COLUMNS;
    const int column = column0 + within;
    if (column >= outputs) {
      return;
    }
    float b[kParts];
#pragma unroll
    for (int k = 0; k < kParts; k++) {
      b[k] = BIASED || bias[k] == nullptr ? 0 : __ldg(bias[k] + column);
    }
    const int end = rows - row0 < TILE::ROWS ? rows - row0 : TILE::ROWS;
    for (int first = threadIdx.x / TILE::COLUMNS; first < end; first += kDown * kAtOnce) {
      int64_t place[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; i++) {
        const int r = first + i * kDown;
        place[i] = r < end ? results.place(row0 + r) : 0;
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; i++) {
        const int r = first + i * kDown;
        if (r < end) {
          float v = tile[r * TILE::STRIDE + within];
#pragma unroll
          for (int k = 0; k < kParts; k++) {
            v += b[k];
          }
          results.put(place[i], column, results.tanh ? tanh_of<T>(v) : v);
        }
      }
    }
  }
};

/* Where a cell reads and writes its states. A row of a state is `state` wide. */
template <typename T>
struct Ports {
  int state = 0;
  const float *h_in = nullptr; /* null: zeros */
  const float *c_in = nullptr; /* null: zeros, if the cell has a cell state */
  const int32_t *from = nullptr; /* row of h_in and c_in; null: the same */
  float *h_out = nullptr;
  float *c_out = nullptr; /* null: no cell state is carried; a GRU passes it through */
  T *factor = nullptr;    /* h as a factor of products */
  int64_t factor_stride = 0;
  const int32_t *to = nullptr; /* row of factor; null: the same */

  /* Of one element, what a cell reads. */
  struct Before {
    float h = 0;
    float c = 0;
  };
  /* Row of h_in and c_in. */
  __device__ __forceinline__ int row_before(int row) const { return from == nullptr ? row : from[row]; }
  __device__ __forceinline__ Before before(Cell cell, int row_before, int j) const {
    const int64_t in = static_cast<int64_t>(row_before) * state + j;
    Before before;
    if (cell == Cell::kGru && h_in != nullptr) {
      before.h = h_in[in];
    }
    if (c_in != nullptr && c_out != nullptr) {
      before.c = c_in[in];
    }
    return before;
  }

  /* x, y: input and recurrent sums of the blocks. */
  __device__ __forceinline__ void put(Cell cell, int row, int j, const Before &before, const float (&x)[4],
                                      const float (&y)[4]) const {
    const int64_t out = static_cast<int64_t>(row) * state + j;
    float h;
    if (cell == Cell::kGru) {
      const float r = sigmoid_of<T>(x[0] + y[0]);
      const float u = sigmoid_of<T>(x[1] + y[1]);
      const float n = tanh_of<T>(fmaf(r, y[2], x[2]));
      h = fmaf(u, before.h - n, n);
      if (c_out != nullptr) {
        c_out[out] = before.c;
      }
    } else {
      const float f = sigmoid_of<T>(x[0] + y[0]);
      const float i = sigmoid_of<T>(x[1] + y[1]);
      const float o = sigmoid_of<T>(x[2] + y[2]);
      const float k = tanh_of<T>(x[3] + y[3]);
      const float c = fmaf(f, before.c, i * k);
      c_out[out] = c;
      h = o * tanh_of<T>(c);
    }
    h_out[out] = h;
    const int64_t row_to = to == nullptr ? row : to[row];
    factor[row_to * factor_stride + j] = narrow<T>(h);
  }
};

/* A cell without normalization, from a product with the blocks r, u, n of the input, n of the state (GRU) or f, i, o,
 * k. */
template <typename T, bool GRU>
struct CellFinish {
  static constexpr Weights kWeights = GRU ? Weights::kGru : Weights::kAll;
  const float *x_bias = nullptr; /* [blocks][state] */
  const float *h_bias = nullptr;
  Ports<T> ports;

  /* The biases of a column, of a GRU. */
  __device__ __forceinline__ float bias_of(int column) const {
    const int j = column / 32 * 8 + column % 8;
    const int block = column % 32 / 8;
    const int at = min(block, 2) * ports.state + j;
    return j >= ports.state ? 0 : (block < 3 ? __ldg(x_bias + at) : 0) + (block != 2 ? __ldg(h_bias + at) : 0);
  }

  /* See Store. */
  template <typename TILE, bool BIASED = false>
  __device__ __forceinline__ void finish(const float *tile, int row0, int rows, int column0) const {
    constexpr Cell kCell = GRU ? Cell::kGru : Cell::kLstm;
    constexpr int kDown = TILE::THREADS / 8;
    constexpr int kRows = (TILE::ROWS + kDown - 1) / kDown; /* of a thread: its reads of them are in flight together */
    const int state = ports.state;
    const int first = threadIdx.x / 8;
    const int end = rows - row0 < TILE::ROWS ? rows - row0 : TILE::ROWS;
    int from[kRows];
#pragma unroll
    for (int k = 0; k < kRows; k++) {
      const int r = first + k * kDown;
      from[k] = r < end ? ports.row_before(row0 + r) : 0;
    }
#pragma unroll 1
    for (int group = 0; group < TILE::COLUMNS / 32; group++) {
      const int j = (column0 / 32 + group) * 8 + threadIdx.x % 8;
      if (j >= state) {
        return;
      }
      typename Ports<T>::Before before[kRows];
#pragma unroll
      for (int k = 0; k < kRows; k++) {
        if (first + k * kDown < end) {
          before[k] = ports.before(kCell, from[k], j);
        }
      }
      float x_biases[4];
      float h_biases[4];
#pragma unroll
      for (int b = 0; b < (GRU ? 3 : 4); b++) {
        x_biases[b] = BIASED ? 0 : __ldg(x_bias + b * state + j);
        h_biases[b] = BIASED ? 0 : __ldg(h_bias + b * state + j);
      }
#pragma unroll
      for (int k = 0; k < kRows; k++) {
        const int r = first + k * kDown;
        if (r < end) {
          const float *at = tile + r * TILE::STRIDE + group * 32 + threadIdx.x % 8;
          float x[4] = {};
          float y[4] = {};
#pragma unroll
          for (int b = 0; b < (GRU ? 2 : 4); b++) {
            x[b] = at[b * 8] + x_biases[b] + h_biases[b];
          }
          if constexpr (GRU) {
            x[2] = at[16] + x_biases[2];
            y[2] = at[24] + h_biases[2];
          }
          ports.put(kCell, row0 + r, j, before[k], x, y);
        }
      }
    }
  }
};

/* The replacement of the state in a multiplicative cell without normalization, from a product with the blocks of the
 * input and of the state. */
template <typename T>
struct MultiplyFinish {
  static constexpr Weights kWeights = Weights::kAll;
  const float *x_bias = nullptr;
  const float *h_bias = nullptr;
  T *out = nullptr;
  int64_t stride = 0;
  int state = 0;

  template <typename TILE>
  __device__ __forceinline__ void finish(const float *tile, int row0, int rows, int column0) const {
    for (int i = threadIdx.x; i < TILE::ROWS * TILE::COLUMNS / 2; i += TILE::THREADS) {
      const int r = i / 8 % TILE::ROWS;
      const int group = i / 8 / TILE::ROWS;
      const int row = row0 + r;
      const int j = (column0 / 16 + group) * 8 + i % 8;
      if (row < rows && j < state) {
        const float *at = tile + r * TILE::STRIDE + group * 16 + i % 8;
        out[row * stride + j] = narrow<T>((at[0] + __ldg(x_bias + j)) * (at[8] + __ldg(h_bias + j)));
      }
    }
  }
};

/* The same work for one or both directions. */
template <typename T, typename FINISH>
struct Work {
  Product<T> product;
  FINISH finish;
};
template <typename T, typename FINISH>
struct Works {
  Work<T, FINISH> of[2];
};

template <typename T, typename TILE, typename FINISH>
__global__ void __launch_bounds__(TILE::THREADS)
    layer_kernel(const __grid_constant__ Works<T, FINISH> works, RowCount count) {
  extern __shared__ __align__(1024) char shared[];
  const Work<T, FINISH> &work = works.of[blockIdx.z];
  const int row0 = blockIdx.y * TILE::ROWS;
  const int column0 = blockIdx.x * TILE::COLUMNS;
  if (!count.first_of_step) {
    let_next_begin();
  }
  LoaderFor<T, TILE> loader(work.product, row0, shared);
  loader.begin(column0);
  int rows = count.first_of_step ? 0 : count.get();
  await_previous();
  if (count.first_of_step) {
    let_next_begin();
    rows = count.get();
  }
  if (!loader.start(row0, rows, shared)) {
    return;
  }
  const float *tile = product_tile<FINISH::kWeights, T, TILE>(work.product, loader, shared);
  work.finish.template finish<TILE>(tile, row0, rows, column0);
}

/* Computes a layer with the tile that suits the number of rows. */
template <typename T, typename FINISH>
int layer(const Works<T, FINISH> &works, int directions, RowCount count, cudaStream_t stream) {
  const int outputs = works.of[0].product.outputs;
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  return with_tile<T>(tile_for<T>(count.most, static_cast<int64_t>(outputs) * directions, sms), [&](auto tile) -> int {
    using TILE = decltype(tile);
    static_assert(TILE::BYTES <= kLeastSharedMemory, "every card has room for it");
    const auto kernel = layer_kernel<T, TILE, FINISH>;
    const dim3 grid((outputs + TILE::COLUMNS - 1) / TILE::COLUMNS, (count.most + TILE::ROWS - 1) / TILE::ROWS, directions);
    return launch_early(kernel, grid, TILE::THREADS, TILE::BYTES, stream, works, count);
  });
}
template <typename T, typename FINISH>
int layer(const Product<T> &product, const FINISH &finish, RowCount count, cudaStream_t stream) {
  Works<T, FINISH> works{};
  works.of[0] = {product, finish};
  return layer(works, 1, count, stream);
}

/* A stored layer. Compiled once per precision, in output_*.cu. */
template <typename T>
int store_layer(const Product<T> &product, const Store<T> &store, RowCount count, cudaStream_t stream);

/* ---- code that needs whole rows: normalized layers, multiplicative cells, transitions ---- */

constexpr int kRowThreads = 256;
constexpr int kWidestRow = 3 << 12; /* two of them fit into a block's shared memory */
static_assert((2 * kWidestRow + 33) * sizeof(float) <= kLeastSharedMemory, "every card has room for them");

/* Sums of up to three products with their sides; one block per row. */
template <typename T>
struct RowSums {
  const float *sum[kParts] = {};
  Side side[kParts];
  RowResults<T> results;
};
template <typename T>
__global__ void __launch_bounds__(kRowThreads) row_sums_kernel(const __grid_constant__ RowSums<T> work, RowCount count) {
  extern __shared__ float row_values[];
  __shared__ float scratch[33];
  let_next_begin();
  await_previous();
  const int row = blockIdx.x;
  if (row >= count.get()) {
    return;
  }
  const int width = work.side[0].width;
  float *total = row_values + width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    total[i] = 0;
  }
#pragma unroll
  for (int k = 0; k < kParts; k++) {
    if (work.sum[k] != nullptr) {
      for (int i = threadIdx.x; i < width; i += blockDim.x) {
        row_values[i] = work.sum[k][static_cast<int64_t>(row) * width + i];
      }
      __syncthreads();
      apply(work.side[k], row_values, scratch);
      for (int i = threadIdx.x; i < width; i += blockDim.x) {
        total[i] += row_values[i];
      }
      __syncthreads();
    }
  }
  const int64_t to = work.results.place(row);
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    work.results.put(to, i, work.results.tanh ? tanh_of<T>(total[i]) : total[i]);
  }
}

/* Two sums of equal width whose sides are still to be applied. x null: only the bias of x_side. */
struct RowPair {
  const float *x;
  const float *y;
  Side x_side;
  Side y_side;

  /* Loads those of a row and applies their sides: x in shared memory, y after it. All threads of the block take part. */
  __device__ __forceinline__ void load(int row, float *values, float *scratch) const {
    const int width = x_side.width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      values[i] = x == nullptr ? 0 : x[static_cast<int64_t>(row) * width + i];
      values[width + i] = y[static_cast<int64_t>(row) * width + i];
    }
    __syncthreads();
    apply(x_side, values, scratch);
    apply(y_side, values + width, scratch);
  }
};

/* m = side(x) * side(y), the input of a multiplicative LSTM. */
template <typename T>
struct RowProducts {
  RowPair pair;
  T *out;
  int64_t stride;
};
template <typename T>
__global__ void __launch_bounds__(kRowThreads)
    row_products_kernel(const __grid_constant__ RowProducts<T> work, RowCount count) {
  extern __shared__ float row_values[];
  __shared__ float scratch[33];
  let_next_begin();
  await_previous();
  const int row = blockIdx.x;
  if (row >= count.get()) {
    return;
  }
  work.pair.load(row, row_values, scratch);
  const int width = work.pair.x_side.width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    work.out[row * work.stride + i] = narrow<T>(row_values[i] * row_values[width + i]);
  }
}

/* A cell from sums whose sides are still to be applied; a transition has no input. */
template <typename T>
struct RowCell {
  Cell cell;
  RowPair pair;
  Ports<T> ports;
};
template <typename T>
__global__ void __launch_bounds__(kRowThreads) row_cell_kernel(const __grid_constant__ RowCell<T> work, RowCount count) {
  extern __shared__ float row_values[];
  __shared__ float scratch[33];
  let_next_begin();
  await_previous();
  const int row = blockIdx.x;
  if (row >= count.get()) {
    return;
  }
  work.pair.load(row, row_values, scratch);
  const int width = work.pair.x_side.width;
  const int state = work.ports.state;
  const int row_before = work.ports.row_before(row);
  const float *x = row_values;
  const float *y = row_values + width;
  for (int j = threadIdx.x; j < state; j += blockDim.x) {
    float a[4];
    float b[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      a[k] = k * state + j < width ? x[k * state + j] : 0;
      b[k] = k * state + j < width ? y[k * state + j] : 0;
    }
    work.ports.put(work.cell, row, j, work.ports.before(work.cell, row_before, j), a, b);
  }
}

template <typename WORK>
int launch_rows(void (*kernel)(WORK, RowCount), const WORK &work, int width, RowCount count, cudaStream_t stream) {
  const size_t bytes = 2ull * width * sizeof(float);
  return launch_early(kernel, dim3(count.most), kRowThreads, bytes, stream, work, count);
}

}  // namespace lat::nmt
