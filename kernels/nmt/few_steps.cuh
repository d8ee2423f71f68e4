// Steps of few rows in one kernel: see few_steps_kernel.cuh.
#pragma once

#include "nmt/attention.cuh"
#include "nmt/output.cuh"
#include "nmt/search.cuh"

namespace lat::nmt {

/* The parts of a step, in their order. */
enum FewPhase { kCell1, kQuery, kAttention, kCell2, kReadout, kOutput, kChoice, kFewPhases };

/* Counters by which the kernel's blocks meet, each in a line of its own. All are 0 between launches. */
constexpr int kFewCounters = kFewPhases + 2;
constexpr int kCounterStride = 32;

/* The steps of a decoder whose cells are GRUs without normalization. */
template <typename T>
struct FewSteps {
  SearchState state;
  Work<T, CellFinish<T, true>> cell1;
  Work<T, Store<T>> query;
  Attend<T> attention;
  Work<T, CellFinish<T, true>> cell2;
  Work<T, Store<T>> readout;
  Output<T> output;
  Wanted wanted;
  int parts[kFewPhases]; /* of each phase, which blocks do */
  uint32_t *counters; /* [kFewCounters * kCounterStride] */
};

/* Does at least one step, and then more while few rows are live. `shares`: the maximum number of those of the output
 * layer. LAT_UNSUPPORTED if the device cannot, or has too few multiprocessors for so many weights. Compiled once per
 * precision, in few_steps_*.cu. */
template <typename T>
int few_steps(FewSteps<T> work, int shares, cudaStream_t stream);

}  // namespace lat::nmt
