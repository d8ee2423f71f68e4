// A block that counts windows in its bins and its cache, and moves the rest to the table.
#pragma once

#include "common/warp.cuh"
#include "ngram/cache.cuh"
#include "ngram/hash.cuh"
#include "ngram/windows.cuh"

namespace lat::ngram {

/* Both slots of a bucket. Volatile and ordered with the additions: cache.cuh relies on it. */
__device__ __forceinline__ uint2 look(const uint32_t *bucket) {
  uint2 pair;
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
               : "=r"(pair.x), "=r"(pair.y)
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(bucket)))
               : "memory");
  return pair;
}

__device__ __forceinline__ ulonglong2 look(const unsigned long long *bucket) {
  ulonglong2 pair;
  asm volatile("ld.volatile.shared.v2.u64 {%0, %1}, [%2];"
               : "=l"(pair.x), "=l"(pair.y)
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(bucket)))
               : "memory");
  return pair;
}

template <typename UNITS, typename CACHE>
struct Block {
  using Word = typename CACHE::Word;

  uint32_t *bins;
  Word *cache;
  uint64_t *queue;        // keys of this warp's windows that are not counted yet
  const uint8_t *symbol;  // byte of each code
  uint32_t queued;        // the same in all lanes
  uint32_t made;          // entries that this thread has created since its last report
  Table table;

  static __device__ __forceinline__ bool holds(Word slot, Word tag) {
    return (slot ^ tag) - 1 < static_cast<Word>(CACHE::kCountMask);  // a taken slot's count is never 0
  }
  static __device__ __forceinline__ uint32_t count(Word slot) {
    return static_cast<uint32_t>(slot) & CACHE::kCountMask;
  }

  /* Adds to a slot, claims a free one, or drains a full one; returns whether the window was counted. */
  __device__ __forceinline__ bool place(Word mixed) {
    const Word tag = CACHE::tag(mixed);
    Word *bucket = cache + 2 * CACHE::bucket(mixed);
#pragma unroll 1
    for (int s = 0; s < 2; s++) {
      Word *slot = bucket + s;
      Word seen = *reinterpret_cast<volatile Word *>(slot);
      if (seen == 0) {
        seen = atomicCAS(slot, Word{0}, static_cast<Word>(tag | 1));
        if (seen == 0) {
          return true;
        }
      }
      while (holds(seen, tag)) {
        if (count(seen) < CACHE::kDrainAt) {
          atomicAdd(count_of(slot), 1u);
          return true;
        }
        // One stays behind, so that a slot never looks free: the drained count plus this window is count(seen).
        const Word found = atomicCAS(slot, seen, static_cast<Word>(tag | 1));
        if (found == seen) {
          made += table.add(CACHE::global(mixed, symbol), count(seen));
          return true;
        }
        seen = found;
      }
    }
    return false;
  }

  /* Moves a key from the queue to the table. */
  __device__ __forceinline__ void deliver(uint64_t key) {
    if constexpr (UNITS::kFirst == First::kBinThenCache) {
      if (place(CACHE::mix(key))) {
        return;
      }
    }
    made += table.add(mix64(key), 1);
  }

  /* Queues the windows of a group that were not counted; full warps of them are flushed at once, so that 32 lanes
   * together probe the table and add to it. */
  __device__ __forceinline__ void pass_on(const UNITS &units, int first, uint32_t missed) {
    if (!__any_sync(~0u, missed != 0)) {
      return;
    }
    const uint32_t below = lanes_below();
#pragma unroll
    for (int j = 0; j < kInFlight; j++) {
      const uint32_t ballot = __ballot_sync(~0u, missed >> j & 1);
      if (missed >> j & 1) {
        queue[queued + __popc(ballot & below)] = units.key(first + j);
      }
      queued += __popc(ballot);
    }
    __syncwarp();
    while (queued >= 32) {
      queued -= 32;
      deliver(queue[queued + threadIdx.x % 32]);
    }
    __syncwarp();
  }

  __device__ __forceinline__ void count_in_bins(const UNITS &units, uint32_t counted) {
    const uint32_t binned = counted & units.coded();
    const uint32_t others = counted & ~units.coded();
#pragma unroll
    for (int first = 0; first < UNITS::kWindows; first += kInFlight) {
#pragma unroll
      for (int j = 0; j < kInFlight; j++) {
        if (binned >> (first + j) & 1) {
          atomicAdd(bins + units.held(first + j), 1u);
        }
      }
      pass_on(units, first, others >> first & ((1u << kInFlight) - 1));
    }
  }

  __device__ __forceinline__ void count_in_cache(const UNITS &units, uint32_t counted) {
    const uint32_t coded = units.coded();
#pragma unroll
    for (int first = 0; first < UNITS::kWindows; first += kInFlight) {
      Word mixed[kInFlight];
      Word *slot[kInFlight];  // where to add one; null if that is not enough
      Word *free[kInFlight];  // where to claim one, if CACHE::kClaims
      bool missed[kInFlight];
#pragma unroll
      for (int j = 0; j < kInFlight; j++) {
        mixed[j] = CACHE::mix(units.held(first + j));
        const Word tag = CACHE::tag(mixed[j]);
        Word *bucket = cache + 2 * CACHE::bucket(mixed[j]);
        const auto pair = look(bucket);
        const bool in_x = holds(pair.x, tag);
        const bool in_y = holds(pair.y, tag);
        const Word held = in_x ? pair.x : pair.y;
        slot[j] = (in_x || in_y) && count(held) < CACHE::kDrainAt ? bucket + (in_x ? 0 : 1) : nullptr;
        if constexpr (CACHE::kClaims) {
          const bool free_slot = !in_x && !in_y && (pair.x == 0 || pair.y == 0);
          free[j] = free_slot ? bucket + (pair.x == 0 ? 0 : 1) : nullptr;
        }
        missed[j] = !(coded >> (first + j) & 1) || (!in_x && !in_y && pair.x != 0 && pair.y != 0);
      }
      uint32_t misses = 0;
      uint32_t slow = 0;
#pragma unroll
      for (int j = 0; j < kInFlight; j++) {
        const bool present = counted >> (first + j) & 1;
        misses |= present && missed[j] ? 1u << j : 0;
        if (present && !missed[j]) {
          if (slot[j] != nullptr) {
            atomicAdd(count_of(slot[j]), 1u);
          } else if (!CACHE::kClaims || free[j] == nullptr ||
                     atomicCAS(free[j], Word{0}, static_cast<Word>(CACHE::tag(mixed[j]) | 1)) != 0) {
            slow |= 1u << j;
          }
        }
      }
      while (slow != 0) {  // few, and not unrolled: the body is long
        const int j = __ffs(slow) - 1;
        slow &= slow - 1;
        const Word chosen = j < 2 ? j == 0 ? mixed[0] : mixed[1] : j == 2 ? mixed[2] : mixed[3];
        misses |= place(chosen) ? 0 : 1u << j;
      }
      __syncwarp();
      pass_on(units, first, misses);
    }
  }

  /* Moves the cache to the table, and empties it. Several look-ups are in flight at a time, and more on their way. */
  __device__ __forceinline__ void empty_cache() {
    constexpr uint32_t kStep = kInFlight * CACHE::kThreads;
    static_assert(2 * CACHE::kBuckets % kStep == 0, "whole steps");
    const auto mixed_at = [&](uint32_t at) { return CACHE::global(CACHE::mixed_of(at / 2, cache[at]), symbol); };
    const auto prefetch = [&](uint32_t first) {
#pragma unroll
      for (int j = 0; j < kInFlight; j++) {
        const uint32_t at = first + j * CACHE::kThreads;
        if (cache[at] != 0) {
          prefetch_l2(table.first(mixed_at(at)));
        }
      }
    };
    prefetch(threadIdx.x);
#pragma unroll 1
    for (uint32_t first = threadIdx.x; first < 2 * CACHE::kBuckets; first += kStep) {
      if (first + kStep < 2 * CACHE::kBuckets) {
        prefetch(first + kStep);
      }
      Word slot[kInFlight];
      uint64_t mixed[kInFlight];
      uint64_t found[kInFlight];
#pragma unroll
      for (int j = 0; j < kInFlight; j++) {
        const uint32_t at = first + j * CACHE::kThreads;
        slot[j] = cache[at];
        mixed[j] = mixed_at(at);
        found[j] = slot[j] != 0 ? __ldcg(&table.first(mixed[j])->mixed) : kFree;
        cache[at] = 0;
      }
#pragma unroll
      for (int j = 0; j < kInFlight; j++) {
        if (slot[j] != 0) {
          if (found[j] == mixed[j] && found[j] != kFree) {
            table.add_to(table.first(mixed[j]), count(slot[j]));
          } else {
            made += table.add(mixed[j], count(slot[j]));
          }
        }
      }
    }
  }
};

}  // namespace lat::ngram
