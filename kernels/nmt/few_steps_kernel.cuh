// Some steps of at most 16 rows in one cooperative kernel, with one block per multiprocessor.
//
// A step is a chain of seven phases. Launched one by one, each costs some 4 us, most of which is latency: that of the
// launch, of its first reads, and of a pipeline for the weights. Here the blocks share the parts of all phases, and each
// has two or three. While other phases run, its warps read weights into registers; then they only wait for a counter,
// read the rows, and multiply. No block waits for a block that it does not depend on.
//
// The small model's 13.7 MB of weights need 2.5 us from L2 and overlap with the waits. What bounds a step is 0.4 us per
// wait and 1.5 to 3.5 us per phase: reads that depend on each other, barriers of a block, and the fence before its
// results are counted.
//
// Blocks wait for each other, so all must run at once: a cooperative launch guarantees that. Nothing is overwritten too
// early: whoever reads the results of a phase adds to the counter of a later one, and the choice waits for all of them.
// So it is made after all reads and waits of its step. It resets the counters, then publishes the number of steps done
// and the rows of the next one as one word, from which blocks that had no part in a step may catch up.
#pragma once

#include <algorithm>

#include "nmt/choose.cuh"
#include "nmt/few_steps.cuh"
#include "nmt/held_product.cuh"
#include "nmt/output_kernels.cuh"

namespace lat::nmt {

constexpr int kStepsAtOnce = 8; /* at most, per launch: sentences join in between */
constexpr int kStepThreads = HeldTile<32>::THREADS;
static_assert(kStepThreads == kAttendThreads, "a block has parts of all phases");

/* Counters in global memory. Waiting makes all writes before the additions visible to the block. */
class Counters {
 public:
  __device__ __forceinline__ explicit Counters(uint32_t *base) : base_(base) {}
  /* Called by all threads of the block, after their work. */
  __device__ __forceinline__ void add(int counter) const {
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(at(counter)) : "memory");
    }
  }
  /* Called by one thread: returns the value once it is at least that. */
  __device__ __forceinline__ uint32_t await_value(int counter, uint32_t least) const {
    uint32_t v;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(at(counter)) : "memory");
    } while (v < least);
    return v;
  }
  /* Called by all threads. */
  __device__ __forceinline__ void await(int counter, uint32_t least) const {
    if (threadIdx.x == 0) {
      await_value(counter, least);
    }
    __syncthreads();
  }
  /* Before the next publication, which makes it visible. */
  __device__ __forceinline__ void clear(int counter) const { *at(counter) = 0; }
  __device__ __forceinline__ void publish(int counter, uint32_t value) const {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at(counter)), "r"(value) : "memory");
  }

 private:
  __device__ __forceinline__ uint32_t *at(int counter) const { return base_ + counter * kCounterStride; }
  uint32_t *base_;
};
constexpr int kStarted = kFewPhases; /* blocks that have read the number of rows */
constexpr int kExited = kStarted + 1;

/* Reads what the end of a phase will read, for the L1 cache to have it then. */
template <typename TILE, typename T, bool GRU>
__device__ __forceinline__ float state_of(const CellFinish<T, GRU> &finish, int rows, int column0) {
  const Ports<T> &ports = finish.ports;
  const int row = threadIdx.x / 8;
  const int j = column0 / 4 + threadIdx.x % 8;
  if (row >= rows || j >= ports.state) {
    return 0;
  }
  return ports.h_in[static_cast<int64_t>(ports.from == nullptr ? row : ports.from[row]) * ports.state + j];
}
template <typename TILE, typename T>
__device__ __forceinline__ float state_of(const Store<T> &, int, int) {
  return 0;
}
/* Keeps the compiler from leaving out what was read. */
__device__ __forceinline__ void keep(float v) { asm volatile("" ::"f"(v)); }

/* The tiles of a layer that are of this block, from `first` on. `await` returns whether the rows are there, or no step
 * is left. */
template <int HELD, typename TILE, typename T, typename FINISH, typename AWAIT>
__device__ __forceinline__ void layer_tiles(const Work<T, FINISH> &work, int first, const int &rows, char *shared,
                                            const Counters &counters, int phase, AWAIT await) {
  for (int tile = first; tile * TILE::COLUMNS < work.product.outputs; tile += gridDim.x) {
    const int column0 = tile * TILE::COLUMNS;
    HeldProduct<FINISH::kWeights, HELD, T, TILE> product(
        work.product, column0, work.product.outputs,
        work.finish.bias_of(column0 + static_cast<int>(threadIdx.x % TILE::COLUMNS)));
    if (phase != kCell1) {
      product.find_rows(rows);
    }
    if (!await()) {
      return;
    }
    if (phase == kCell1) { /* only now are the step's rows known */
      product.find_rows(rows);
    }
    const float state = state_of<TILE>(work.finish, rows, column0);
    const float *sums = product.multiply_rows(rows, shared);
    keep(state);
    work.finish.template finish<TILE, true>(sums, 0, rows, column0);
    counters.add(phase);
  }
}

using CellTile = HeldTile<32>;
using QueryTile = HeldTile<32>;
using ReadoutTile = HeldTile<8>;
using OutputTile = HeldTile<64>;
constexpr int kHeldOfCell = 6;
constexpr int kHeldOfQuery = 2;
constexpr int kHeldOfReadout = 7;
constexpr int kHeldOfOutput = 1;

template <Wanted WANTED, typename T>
__device__ __forceinline__ void share_of_output(const FewSteps<T> &work, int share, int rows, char *shared,
                                                const Counters &counters) {
  const int words = words_of(work.output);
  const ShareTiles<OutputTile> tiles(words, share, work.parts[kOutput]);
  using Held = HeldProduct<Weights::kAll, kHeldOfOutput, T, OutputTile>;
  Held first(work.output.product, tiles.from * OutputTile::COLUMNS, words, 0);
  first.find_rows(rows);
  const auto multiply_rows = [&](Held &product, int t) {
    const int column = min(t * OutputTile::COLUMNS + static_cast<int>(threadIdx.x % OutputTile::COLUMNS), words - 1);
    const float bias = work.output.bias[column];
    const float *tile = product.multiply_rows(rows, shared);
    keep(bias);
    return tile;
  };
  say_share<WANTED, OutputTile>(work.output, 0, rows, words, tiles.from, tiles.to, share, work.parts[kOutput],
                                shared + OutputTile::BYTES, [&](int t) -> const float * {
    if (t == tiles.from) {
      counters.await(kReadout, work.parts[kReadout]);
      return multiply_rows(first, t);
    }
    Held next(work.output.product, t * OutputTile::COLUMNS, words, 0);
    next.find_rows(rows);
    return multiply_rows(next, t);
  });
  counters.add(kOutput);
}

template <typename T, typename AWAIT>
__device__ __forceinline__ int choose_next(const FewSteps<T> &work, int rows, char *shared, AWAIT await) {
  const SearchState &s = work.state;
  const int shares = work.parts[kOutput];
  if (s.refills()) {
    return s.ends_loops() ? choose_few<kStepThreads, true, true>(s, shares, rows, kFewRows, shared, await)
                          : choose_few<kStepThreads, true, false>(s, shares, rows, kFewRows, shared, await);
  }
  return s.ends_loops() ? choose_few<kStepThreads, false, true>(s, shares, rows, kFewRows, shared, await)
                        : choose_few<kStepThreads, false, false>(s, shares, rows, kFewRows, shared, await);
}

template <typename T>
__global__ void __launch_bounds__(kStepThreads, 1) few_steps_kernel(const __grid_constant__ FewSteps<T> work) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ uint32_t told;
  const Counters counters(work.counters);
  int first[kFewPhases]; /* part of this block in each phase, if there are so many */
  int before = 0;
#pragma unroll
  for (int phase = 0; phase < kFewPhases; phase++) {
    first[phase] = static_cast<int>((blockIdx.x + gridDim.x - before % gridDim.x) % gridDim.x);
    before += work.parts[phase];
  }
  const bool chooses = first[kChoice] == 0;
  if (threadIdx.x == 0) {
    told = load_early(work.state.live);
  }
  __syncthreads();
  int rows = min(static_cast<int>(told), kFewRows);
  if (rows == 0) {
    return;
  }
  if (!chooses) {
    counters.add(kStarted);
  }
  uint32_t done = 0;   /* steps, as far as this block knows */
  uint32_t needed = 0; /* before this block's next */
  const auto next_step = [&] {
    if (done < needed) {
      if (threadIdx.x == 0) {
        told = counters.await_value(kChoice, needed << 16);
      }
      __syncthreads();
      done = told >> 16;
      rows = static_cast<int>(told & 0xffff);
      __syncthreads(); /* before it is written again */
    }
    return done < kStepsAtOnce && rows > 0 && rows <= kFewRows;
  };
  const auto reached = [&](int phase, int parts) {
    counters.await(phase, parts);
    return true;
  };
  while (true) {
    layer_tiles<kHeldOfCell, CellTile>(work.cell1, first[kCell1], rows, shared, counters, kCell1, next_step);
    if (!next_step()) {
      break;
    }
    layer_tiles<kHeldOfQuery, QueryTile>(work.query, first[kQuery], rows, shared, counters, kQuery,
                                         [&] { return reached(kCell1, work.parts[kCell1]); });
    for (int row = first[kAttention]; row < rows; row += gridDim.x) {
      attend_row<true>(work.attention, row, rows, reinterpret_cast<float *>(shared),
                       [&] { counters.await(kQuery, work.parts[kQuery]); });
      counters.add(kAttention);
    }
    layer_tiles<kHeldOfCell, CellTile>(work.cell2, first[kCell2], rows, shared, counters, kCell2,
                                       [&] { return reached(kAttention, rows); });
    layer_tiles<kHeldOfReadout, ReadoutTile>(work.readout, first[kReadout], rows, shared, counters, kReadout,
                                             [&] { return reached(kCell2, work.parts[kCell2]); });
    for (int share = first[kOutput]; share < work.parts[kOutput]; share += gridDim.x) {
      if (work.wanted == Wanted::kBest) {
        share_of_output<Wanted::kBest>(work, share, rows, shared, counters);
      } else if (work.wanted == Wanted::kScoredBest) {
        share_of_output<Wanted::kScoredBest>(work, share, rows, shared, counters);
      } else {
        share_of_output<Wanted::kBeam>(work, share, rows, shared, counters);
      }
    }
    if (chooses) {
      const int live = choose_next(work, rows, shared, [&] {
        if (done == 0) {
          counters.await(kStarted, gridDim.x - 1);
        }
        counters.await(kOutput, work.parts[kOutput]);
      });
      __syncthreads();
      if (threadIdx.x == 0) {
        for (int phase = 0; phase < kChoice; phase++) {
          counters.clear(phase);
        }
        counters.publish(kChoice, (done + 1) << 16 | min(live, 0xffff));
        report_step(work.state, live);
      }
    }
    needed = done + 1;
  }
  if (!chooses) {
    counters.add(kExited);
  } else if (threadIdx.x == 0) {
    counters.await_value(kExited, gridDim.x - 1);
    for (int counter = kChoice; counter < kFewCounters; counter++) {
      counters.clear(counter);
    }
  }
}

/* Weights of a step per multiprocessor from which on blocks have so many parts that launches one by one are faster:
 * measured with 13.7 and with 75 MB on an H200. */
constexpr int64_t kMostWeights = 128 * 1024;

template <typename T>
int64_t bytes_of(const Product<T> &product) {
  return static_cast<int64_t>(product.outputs) * product.depth * static_cast<int64_t>(sizeof(T));
}

constexpr int tiles_of(int outputs, int columns) { return (outputs + columns - 1) / columns; }

template <typename T>
int few_steps(FewSteps<T> work, int shares, cudaStream_t stream) {
  const auto kernel = few_steps_kernel<T>;
  DeviceSizes device{};
  LAT_TRY(device_sizes(&device));
  const int64_t weights = bytes_of(work.cell1.product) + bytes_of(work.query.product) + bytes_of(work.cell2.product) +
                          bytes_of(work.readout.product) + bytes_of(work.output.product);
  if (weights > kMostWeights * device.multiprocessors) {
    return LAT_UNSUPPORTED;
  }
  // Some multiprocessors stay free for other streams, such as that of the drains.
  const int most = device.multiprocessors - device.multiprocessors / 16;
  work.parts[kCell1] = tiles_of(work.cell1.product.outputs, CellTile::COLUMNS);
  work.parts[kQuery] = tiles_of(work.query.product.outputs, QueryTile::COLUMNS);
  work.parts[kAttention] = kFewRows;
  work.parts[kCell2] = tiles_of(work.cell2.product.outputs, CellTile::COLUMNS);
  work.parts[kReadout] = tiles_of(work.readout.product.outputs, ReadoutTile::COLUMNS);
  work.parts[kOutput] = std::min({shares, tiles_of(work.output.product.outputs, OutputTile::COLUMNS), most});
  work.parts[kChoice] = 1;
  size_t bytes = output_bytes<T, OutputTile>(work.output.k, work.output.columns.count != nullptr);
  bytes = std::max(bytes, attend_bytes(work.attention));
  bytes = std::max(bytes, kFewRows * work.parts[kOutput] * kListBytes);
  const int allowed = allow_shared(reinterpret_cast<const void *>(kernel), bytes);
  if (allowed != LAT_OK) {
    return allowed;
  }
  int device_id = 0;
  int cooperates = 0;
  int resident = 0;
  LAT_TRY(cudaGetDevice(&device_id));
  LAT_TRY(cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, device_id));
  LAT_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kStepThreads, bytes));
  if (cooperates == 0 || resident == 0) {
    return LAT_UNSUPPORTED;
  }
  int parts = 0;
  for (const int of_phase : work.parts) {
    parts += of_phase;
  }
  const unsigned blocks = static_cast<unsigned>(std::min(parts, most));
  void *arguments[] = {&work};
  LAT_TRY(cudaLaunchCooperativeKernel(kernel, blocks, kStepThreads, arguments, bytes, stream));
  return LAT_OK;
}

}  // namespace lat::nmt
