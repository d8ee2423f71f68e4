// The team of search.cuh on a device: a block. Compiled by nvcc only.
#pragma once

#include "common/launch.cuh"
#include "common/warp.cuh"
#include "smt/search.cuh"

namespace lat::smt {

template <unsigned THREADS>
class Block {
  static constexpr unsigned kWarps = THREADS / 32;

 public:
  /* What the threads share; one per block. */
  struct Shared {
    uint64_t parts[2][kWarps];
  };

  __device__ explicit Block(Shared &shared) : shared_(shared) {}

  template <typename F>
  __device__ __forceinline__ void each(uint32_t size, F f) {
    for (uint32_t i = threadIdx.x; i < size; i += THREADS) {
      f(i);
    }
    __syncthreads();
  }
  template <typename F>
  __device__ __forceinline__ void once(F f) {
    if (threadIdx.x == 0) {
      f();
    }
    __syncthreads();
  }
  template <typename F>
  __device__ __forceinline__ uint64_t sum(uint32_t size, F f) {
    return reduce(size, 0, f, [](uint64_t a, uint64_t b) { return a + b; });
  }
  template <typename F>
  __device__ __forceinline__ uint64_t least(uint32_t size, F f) {
    return reduce(size, ~0ull, f, [](uint64_t a, uint64_t b) { return a < b ? a : b; });
  }
  template <typename F>
  __device__ __forceinline__ uint64_t most(uint32_t size, F f) {
    return reduce(size, 0, f, [](uint64_t a, uint64_t b) { return a < b ? b : a; });
  }

  __device__ uint32_t scan(uint32_t *values, uint32_t size) {
    uint32_t all = 0;
    for (uint32_t first = 0; first < size; first += THREADS) {
      const uint32_t i = first + threadIdx.x;
      const uint32_t value = i < size ? values[i] : 0;
      uint32_t up_to = value;
#pragma unroll
      for (unsigned d = 1; d < 32; d *= 2) {
        const uint32_t before = __shfl_up_sync(~0u, up_to, d);
        up_to += lane() >= d ? before : 0;
      }
      uint64_t *parts = next_parts();
      if (lane() == 31) {
        parts[threadIdx.x / 32] = up_to;
      }
      __syncthreads();
      uint32_t before = 0;
      uint32_t tile = 0;
#pragma unroll
      for (unsigned warp = 0; warp < kWarps; warp++) {
        const auto part = static_cast<uint32_t>(parts[warp]);
        before += warp < threadIdx.x / 32 ? part : 0;
        tile += part;
      }
      if (i < size) {
        values[i] = all + before + up_to - value;
      }
      all += tile;
    }
    __syncthreads();
    return all;
  }

  /* A bitonic sort. */
  __device__ void sort(Item *items, uint32_t size) {
    const auto padded = static_cast<uint32_t>(power_of_two(size));
    for (uint32_t i = size + threadIdx.x; i < padded; i += THREADS) {
      items[i] = {~0ull, ~0ull};
    }
    __syncthreads();
    for (uint32_t run = 2; run <= padded; run *= 2) {
      for (uint32_t apart = run / 2; apart > 0; apart /= 2) {
        for (uint32_t pair = threadIdx.x; pair < padded / 2; pair += THREADS) {
          const uint32_t i = 2 * pair - (pair & (apart - 1));
          const Item x = items[i];
          const Item y = items[i + apart];
          const bool swapped = x.a != y.a ? x.a > y.a : x.b > y.b;
          if (swapped == ((i & run) == 0)) {
            items[i] = y;
            items[i + apart] = x;
          }
        }
        __syncthreads();
      }
    }
  }

  __device__ __forceinline__ uint32_t add(uint32_t *to, uint32_t value) { return atomicAdd(to, value); }
  __device__ __forceinline__ uint64_t add(uint64_t *to, uint64_t value) {
    return atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(value));
  }
  __device__ __forceinline__ uint32_t exchange_if(uint32_t *at, uint32_t expected, uint32_t value) {
    return atomicCAS(at, expected, value);
  }
  __device__ __forceinline__ void raise(uint64_t *at, uint64_t value) {
    atomicMax(reinterpret_cast<unsigned long long *>(at), static_cast<unsigned long long>(value));
  }
  __device__ __forceinline__ void lower(uint32_t *at, uint32_t value) { atomicMin(at, value); }

 private:
  /* Two take turns: who is late in reading one is waited for before it is written again. */
  __device__ __forceinline__ uint64_t *next_parts() {
    turn_ = 1 - turn_;
    return shared_.parts[turn_];
  }

  template <typename F, typename OP>
  __device__ __forceinline__ uint64_t reduce(uint32_t size, uint64_t none, F f, OP op) {
    uint64_t all = none;
    for (uint32_t i = threadIdx.x; i < size; i += THREADS) {
      all = op(all, f(i));
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
      all = op(all, __shfl_xor_sync(~0u, all, d));
    }
    uint64_t *parts = next_parts();
    if (lane() == 0) {
      parts[threadIdx.x / 32] = all;
    }
    __syncthreads();
#pragma unroll
    for (unsigned warp = 0; warp < kWarps; warp++) {
      all = warp == 0 ? parts[0] : op(all, parts[warp]);
    }
    return all;
  }

  Shared &shared_;
  unsigned turn_ = 0;
};

}  // namespace lat::smt
