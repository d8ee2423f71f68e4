// The open-addressing table in global memory, and what it needs on a device.
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "latimer_kernels.h"
#include "ngram/mix.cuh"
#include "ngram/text.cuh"

namespace lat::ngram {

constexpr uint64_t kFree = ~0ull;
constexpr int kProbes = 64;  // an entry without a free slot after this many goes to the overflow

constexpr uint32_t kTilePieces = 2048;      // thread-sized pieces of text per tile
constexpr int kQueue = 32 + 4 * 32;         // windows queued for the table, per warp: a remainder plus one group's
constexpr uint64_t kCrowd = 1u << 16;       // overflowed entries after which no more tiles are claimed
constexpr uint32_t kMostSlots = 40u << 10;  // in a block's cache and bins together

using Counter = unsigned long long;

/* A table as seen by kernels. */
struct Table {
  lat_ngram_entry *entries;
  uint64_t mask;  // capacity - 1
  int shift;      // 64 - log2(capacity)
  lat_ngram_progress *progress;
  lat_ngram_entry *overflow;
  uint64_t room;  // capacity of the overflow

  /* Adds to an entry, creating it if missing; returns 1 if it did. */
  __device__ __forceinline__ uint32_t add(uint64_t mixed, uint64_t count) const {
    if (mixed == kFree) {
      atomicAdd(reinterpret_cast<Counter *>(&progress->ones), static_cast<Counter>(count));
      return 0;
    }
    const uint64_t first = mixed >> shift;
#pragma unroll 1
    for (int i = 0; i < kProbes; i++) {
      // Two entries share a 32-byte sector: the other one of the pair is the cheapest to try next.
      const uint64_t slot = ((first & ~1ull) + (i & ~1) + ((first + i) & 1)) & mask;
      lat_ngram_entry *entry = entries + slot;
      uint64_t found = __ldcg(&entry->mixed);
      uint32_t made = 0;
      if (found == kFree) {
        found = atomicCAS(reinterpret_cast<Counter *>(&entry->mixed), static_cast<Counter>(kFree),
                          static_cast<Counter>(mixed));
        if (found == kFree) {
          made = 1;
          found = mixed;
        }
      }
      if (found == mixed) {
        atomicAdd(reinterpret_cast<Counter *>(&entry->count), static_cast<Counter>(count));
        return made;
      }
    }
    const uint64_t at = atomicAdd(reinterpret_cast<Counter *>(&progress->overflow), static_cast<Counter>(1));
    if (at < room) {  // never full when counting; when entries are moved, the caller sees the overflow and starts again
      overflow[at] = {mixed, count};
    }
    return 0;
  }
};

inline bool good_capacity(uint64_t capacity) {
  return capacity >= 1024 && capacity <= 1ull << 40 && (capacity & (capacity - 1)) == 0;
}

inline cudaError_t overflow_entries(uint64_t *entries) {
  int sms = 0;
  const cudaError_t error = multiprocessors(&sms);
  // A block that finds no tile to claim may still count its current tile and the two that it has claimed, and then
  // flushes its cache and bins, its queue, and what it drains (less than another tile).
  const uint64_t tile = static_cast<uint64_t>(kChunk) * kTilePieces;
  *entries = kCrowd + static_cast<uint64_t>(sms) * (4 * tile + kMostSlots + 32 * kQueue);
  return error;
}

inline cudaError_t table_of(lat_ngram_entry *entries, uint64_t capacity, lat_ngram_progress *progress,
                            lat_ngram_entry *overflow, Table *table) {
  int log2 = 0;
  while (1ull << log2 < capacity) {
    log2++;
  }
  *table = {entries, capacity - 1, 64 - log2, progress, overflow, 0};
  return overflow_entries(&table->room);
}

}  // namespace lat::ngram
