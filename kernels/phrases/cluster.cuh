// The operations of parallel.cuh inside one kernel: the blocks of a cluster, or one block where there are no clusters,
// go through all of them and wait for each other after each. Made for thousands of elements, for which launching a
// kernel takes longer than running it; compiled by nvcc only.
//
// What an operation reads may have been written by another block just before: nothing here is read by load(), and the
// wait for the cluster makes it visible.
#pragma once

#include "common/launch.cuh"
#include "phrases/parallel.cuh"

namespace lat::phrases {

constexpr unsigned kClusterThreads = 512; /* of a block */

class InCluster {
 public:
  static constexpr uint32_t kWarps = kClusterThreads / 32;
  static constexpr uint32_t kDigits = 256;

  /* What a block shares. */
  struct Memory {
    uint32_t counts[kWarps][kDigits]; /* by warp and digit */
    uint64_t sums[kWarps];
  };

  __device__ InCluster(Memory *memory) : memory_(memory) {}

  template <typename F>
  __device__ int each(uint64_t size, const F &f) {
    // Neighbouring warps are in different blocks, so that few elements use all multiprocessors.
    for (uint64_t i = (warp() * gridDim.x + blockIdx.x) * 32 + lane(); i < size; i += gridDim.x * kClusterThreads) {
      f(i);
    }
    together();
    return LAT_OK;
  }
  /* bytes: a multiple of 4. */
  __device__ int clear(void *at, uint64_t bytes) {
    return each(bytes / sizeof(uint32_t), [=](uint64_t i) { static_cast<uint32_t *>(at)[i] = 0; });
  }
  __device__ int copy(void *to, const void *from, uint64_t bytes) {
    return each(bytes / sizeof(uint32_t),
                [=](uint64_t i) { static_cast<uint32_t *>(to)[i] = static_cast<const uint32_t *>(from)[i]; });
  }
  template <typename T>
  __device__ int sum(T *values, uint64_t size, void *scratch, size_t *bytes) {
    if (sized(scratch, bytes, 0)) {
      scan<true>(values, size, [](T a, T b) { return a + b; });
    }
    return LAT_OK;
  }
  __device__ int latest(uint32_t *values, uint64_t size, void *scratch, size_t *bytes) {
    if (sized(scratch, bytes, 0)) {
      scan<false>(values, size, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
    }
    return LAT_OK;
  }
  __device__ int sort(Twin<uint64_t> *keys, Twin<uint32_t> *values, uint64_t size, int bits, void *scratch,
                      size_t *bytes) {
    if (!sized(scratch, bytes, kDigits * gridDim.x * sizeof(uint32_t))) {
      return LAT_OK;
    }
    if (size <= kFew) {
      const uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
      each(size, [&](uint64_t i) {
        const uint64_t to = rank_in(keys->now, 0, size, i,
                                    [=](uint64_t a, uint64_t b) { return (a & mask) < (b & mask); });
        keys->other[to] = keys->now[i];
        values->other[to] = values->now[i];
      });
      exchange(keys);
      exchange(values);
      return LAT_OK;
    }
    for (int shift = 0; shift < bits; shift += 8) {
      const uint32_t digits = (1u << (bits - shift < 8 ? bits - shift : 8)) - 1;
      sort_by_digit(*keys, *values, size, shift, digits, static_cast<uint32_t *>(scratch));
      exchange(keys);
      exchange(values);
    }
    return LAT_OK;
  }
  template <typename KEY, typename LESS>
  __device__ int order(KEY *keys, uint64_t size, const LESS &less, void *scratch, size_t *bytes) {
    if (!sized(scratch, bytes, size * sizeof(KEY))) {
      return LAT_OK;
    }
    Twin<KEY> turns{keys, static_cast<KEY *>(scratch)};
    each(size, [&](uint64_t i) {
      const uint64_t from = i / kRun * kRun;
      turns.other[rank_in(turns.now, from, from + kRun < size ? from + kRun : size, i, less)] = turns.now[i];
    });
    exchange(&turns);
    for (uint64_t run = kRun; run < size; run *= 2) {
      each(size, [&](uint64_t i) { turns.other[merged(turns.now, size, run, i, less)] = turns.now[i]; });
      exchange(&turns);
    }
    if (turns.now != keys) {
      each(size, [&](uint64_t i) { keys[i] = turns.now[i]; });
    }
    return LAT_OK;
  }

  /* Waits for all threads; sees what they wrote. */
  __device__ void together() const {
    if (gridDim.x > 1) {
      await_cluster();
    } else {
      __syncthreads();
    }
  }

 private:
  static constexpr uint64_t kFew = 512; /* elements that are sorted by counting the lower ones */
  static constexpr uint64_t kRun = 32;  /* the same, to be merged then */
  static constexpr uint32_t kItems = 8; /* of a thread, in a tile of a scan */

  static __device__ uint32_t lane() { return threadIdx.x % 32; }
  static __device__ uint32_t warp() { return threadIdx.x / 32; }

  static __device__ bool sized(const void *scratch, size_t *bytes, size_t needed) {
    *bytes = scratch == nullptr ? needed : *bytes;
    return scratch != nullptr;
  }
  template <typename T>
  static __device__ void exchange(Twin<T> *twin) {
    T *before = twin->now;
    twin->now = twin->other;
    twin->other = before;
  }

  /* Where an element belongs among those of a range, equal ones in their order. */
  template <typename KEY, typename LESS>
  static __device__ uint64_t rank_in(const KEY *keys, uint64_t from, uint64_t end, uint64_t i, const LESS &less) {
    const KEY own = keys[i];
    uint64_t rank = from;
    for (uint64_t k = from; k < i; k++) {
      rank += less(own, keys[k]) ? 0 : 1;
    }
    for (uint64_t k = i + 1; k < end; k++) {
      rank += less(keys[k], own) ? 1 : 0;
    }
    return rank;
  }

  /* Where an element belongs when its sorted run is merged with the one beside it. */
  template <typename KEY, typename LESS>
  static __device__ uint64_t merged(const KEY *keys, uint64_t size, uint64_t run, uint64_t i, const LESS &less) {
    const KEY own = keys[i];
    const uint64_t pair = i / (2 * run) * (2 * run);
    const bool first = i < pair + run;
    const uint64_t other = first ? pair + run : pair;
    const uint64_t other_end = other + run < size ? other + run : size;
    uint64_t low = other < size ? other : size;
    uint64_t high = other_end;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (first ? less(keys[middle], own) : !less(own, keys[middle])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // Before it: those of its own run, and those found lower in the other.
    return first ? i + low - (other < size ? other : size) : pair + (i - pair - run) + (low - other);
  }

  /* Sorts by some bits of the keys, equal ones in their order: every warp has the elements next to those of the one
   * before it, and counts its digits. */
  __device__ void sort_by_digit(const Twin<uint64_t> &keys, const Twin<uint32_t> &values, uint64_t size, int shift,
                                uint32_t digits, uint32_t *totals) {
    uint32_t *mine = memory_->counts[warp()];
    const uint64_t warps = gridDim.x * kWarps;
    const uint64_t share = (size + warps * 32 - 1) / (warps * 32) * 32;
    const uint64_t from = (blockIdx.x * kWarps + warp()) * share;
    const uint64_t end = from + share < size ? from + share : size;
    for (uint32_t digit = lane(); digit < kDigits; digit += 32) {
      mine[digit] = 0;
    }
    __syncwarp();
    for (uint64_t row = from; row < end; row += 32) {
      const Row at(keys.now, row + lane(), end, shift, digits);
      if (at.leads) {
        mine[at.digit] += at.equal;
      }
      __syncwarp();
    }
    __syncthreads();
    // The digits of the block, and of the warps before each.
    if (threadIdx.x < kDigits) {
      uint32_t sum = 0;
      for (uint32_t w = 0; w < kWarps; w++) {
        const uint32_t count = memory_->counts[w][threadIdx.x];
        memory_->counts[w][threadIdx.x] = sum;
        sum += count;
      }
      totals[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }
    together();
    uint32_t all = 0;
    uint32_t before = 0;
    if (threadIdx.x < kDigits) {
      for (uint32_t block = 0; block < gridDim.x; block++) {
        const uint32_t count = totals[threadIdx.x * gridDim.x + block];
        before += block < blockIdx.x ? count : 0;
        all += count;
      }
    }
    before += exclusive(all, [](uint32_t a, uint32_t b) { return a + b; });
    for (uint32_t w = 0; w < kWarps && threadIdx.x < kDigits; w++) {
      memory_->counts[w][threadIdx.x] += before;
    }
    __syncthreads();
    for (uint64_t row = from; row < end; row += 32) {
      const Row at(keys.now, row + lane(), end, shift, digits);
      const uint32_t to = at.here ? mine[at.digit] + at.lower : 0;
      __syncwarp();
      if (at.here) {
        keys.other[to] = at.key;
        values.other[to] = values.now[row + lane()];
      }
      if (at.leads) {
        mine[at.digit] += at.equal;
      }
      __syncwarp();
    }
    together();
  }

  /* 32 elements, one a lane. */
  struct Row {
    uint64_t key = 0;
    uint32_t digit = kDigits; /* of none */
    bool here;
    bool leads;     /* whether it is the first of those with its digit */
    uint32_t equal; /* lanes with its digit */
    uint32_t lower; /* those of them before it */

    __device__ Row(const uint64_t *keys, uint64_t i, uint64_t end, int shift, uint32_t digits) : here(i < end) {
      if (here) {
        key = keys[i];
        digit = static_cast<uint32_t>(key >> shift) & digits;
      }
      const unsigned same = __match_any_sync(~0u, digit);
      const unsigned below = same & ((1u << lane()) - 1);
      equal = static_cast<uint32_t>(__popc(same));
      lower = static_cast<uint32_t>(__popc(below));
      leads = here && below == 0;
    }
  };

  /* What the threads of the block before this one have together. Waits for the block at its beginning and its end. */
  template <typename T, typename PLUS>
  __device__ T exclusive(T own, const PLUS &plus, T *all = nullptr) {
    T sum = own;
    for (uint32_t step = 1; step < 32; step *= 2) {
      const T left = __shfl_up_sync(~0u, sum, step);
      sum = lane() >= step ? plus(left, sum) : sum;
    }
    T before = __shfl_up_sync(~0u, sum, 1);
    before = lane() == 0 ? T{0} : before;
    if (lane() == 31) {
      memory_->sums[warp()] = sum;
    }
    __syncthreads();
    T warps = 0;
    T total = 0;
    for (uint32_t w = 0; w < kWarps; w++) {
      const auto one = static_cast<T>(memory_->sums[w]);
      warps = w < warp() ? plus(warps, one) : warps;
      total = plus(total, one);
    }
    if (all != nullptr) {
      *all = total;
    }
    __syncthreads();
    return plus(warps, before);
  }

  /* By the first block. 0 must change nothing. */
  template <bool EXCLUSIVE, typename T, typename PLUS>
  __device__ void scan(T *values, uint64_t size, const PLUS &plus) {
    T before = 0;
    for (uint64_t tile = 0; blockIdx.x == 0 && tile < size; tile += kClusterThreads * kItems) {
      const uint64_t at = tile + threadIdx.x * kItems;
      T own[kItems];
      T sum = 0;
#pragma unroll
      for (uint32_t k = 0; k < kItems; k++) {
        own[k] = at + k < size ? values[at + k] : T{0};
        sum = plus(sum, own[k]);
      }
      T all = 0;
      T running = plus(before, exclusive(sum, plus, &all));
#pragma unroll
      for (uint32_t k = 0; k < kItems; k++) {
        const T next = plus(running, own[k]);
        if (at + k < size) {
          values[at + k] = EXCLUSIVE ? running : next;
        }
        running = next;
      }
      before = plus(before, all);
    }
    together();
  }

  Memory *memory_;
};

}  // namespace lat::phrases
