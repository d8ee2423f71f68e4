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
constexpr uint64_t kTileWindows = static_cast<uint64_t>(kTilePieces) * kChunk;  // of bytes
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

  /* Where an entry is looked for first. */
  __device__ __forceinline__ lat_ngram_entry *first(uint64_t mixed) const { return entries + (mixed >> shift); }

  static __device__ __forceinline__ void add_to(lat_ngram_entry *entry, uint64_t count) {
    atomicAdd(reinterpret_cast<Counter *>(&entry->count), static_cast<Counter>(count));
  }

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
        add_to(entry, count);
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

/* What a round of divided.cuh is about; internal, in device memory after the overflow. */
constexpr int kPartitionBits = 9;
constexpr uint32_t kPartitions = 1u << kPartitionBits;
struct Round {
  uint64_t first;  // its first tile
  uint32_t tiles;
  uint32_t slice;               // the next that a block claims
  uint32_t size[kPartitions];   // windows
  uint32_t taken[kPartitions];  // of them, those that have a place in the queue
};
constexpr uint64_t kRoundEntries = (sizeof(Round) + sizeof(lat_ngram_entry) - 1) / sizeof(lat_ngram_entry);

constexpr uint64_t kRoundTiles = 6;  // a multiprocessor, of bytes

/* Entries of the overflow: those that may come from one call, or a round's and its queue. */
inline cudaError_t overflow_room(uint64_t *entries) {
  int sms = 0;
  const cudaError_t error = multiprocessors(&sms);
  constexpr uint64_t kRound = kRoundTiles * kTileWindows * (sizeof(lat_ngram_entry) + sizeof(uint64_t)) /
                              sizeof(lat_ngram_entry);
  // A block that finds no tile to claim may still count its current tile and the two that it has claimed, and then
  // flushes its cache and bins, its queue, and what it drains (less than another tile).
  constexpr uint64_t kDirect = 4 * kTileWindows + kMostSlots + 32 * kQueue;
  *entries = kCrowd + static_cast<uint64_t>(sms) * (kRound > kDirect ? kRound : kDirect);
  return error;
}

/* How rounds share the overflow: less room for entries, then the queue. */
struct Rounds {
  uint64_t room;  // entries
  uint64_t most_tiles;
  uint64_t *queue;
  Round *round;
};
inline Rounds rounds_in(const Table &table) {
  constexpr uint64_t kTileBytes = kTileWindows * (sizeof(lat_ngram_entry) + sizeof(uint64_t));
  const uint64_t tiles = (table.room - kCrowd) * sizeof(lat_ngram_entry) / kTileBytes;
  const uint64_t room = kCrowd + tiles * kTileWindows;  // each window of a round may overflow
  return {room, tiles, reinterpret_cast<uint64_t *>(table.overflow + room),
          reinterpret_cast<Round *>(table.overflow + table.room)};
}

inline cudaError_t table_of(lat_ngram_entry *entries, uint64_t capacity, lat_ngram_progress *progress,
                            lat_ngram_entry *overflow, Table *table) {
  int log2 = 0;
  while (1ull << log2 < capacity) {
    log2++;
  }
  *table = {entries, capacity - 1, 64 - log2, progress, overflow, 0};
  return overflow_room(&table->room);
}

}  // namespace lat::ngram
