// Counting in rounds, for the orders whose table does not fit into L2: the windows of a round are divided by hash.
//
// Most n-grams of 7 or 8 bytes are too rare for a block's cache, so that most windows would cost a look-up and an
// atomic on a table of hundreds of megabytes. Here a round of up to 26 million windows (on an H200) is written to a
// queue, in 512 parts by the upper bits of their mixed keys. A block then counts a part in its cache, which holds most
// n-grams of one part, and adds each of them to the table once.
//
// The floor, for 498 MB of English text at n = 8: the text is read twice (to measure the parts, and to divide it), the
// queue is written and read once (8 bytes a window), and each of 20 rounds reads and writes most lines of a table of
// 256 MB: 1 + 8 + 10 GB, some 5 ms at 4 TB/s. Larger rounds read the table less often, but need more room. Dividing is
// bound by accesses of shared memory, five a window.
#pragma once

#include "common/launch.cuh"
#include "ngram/counting_block.cuh"

namespace lat::ngram {

constexpr unsigned kDivideThreads = kPartitions;  // one a partition, where partitions are added up
constexpr uint32_t kDivideWindows = kDivideThreads * kChunk;
constexpr uint32_t kSlice = 1u << 16;  // windows that a block counts at a time

/* The mixed key as it is queued: the bits that are the same in a partition come last, so that they are not the bucket
 * of the cache. */
__device__ __forceinline__ uint64_t turned(uint64_t mixed) {
  return mixed << kPartitionBits | mixed >> (64 - kPartitionBits);
}
__device__ __forceinline__ uint32_t partition_of(uint64_t turned_key) {
  return static_cast<uint32_t>(turned_key) % kPartitions;
}

/* A cache for turned keys. */
struct PartitionCache : WideCache<12, 512> {
  static constexpr bool kClaims = true;
  static __device__ __forceinline__ Word mix(uint64_t turned_key) { return turned_key; }
  static __device__ __forceinline__ uint64_t global(Word mixed, const uint8_t *) {
    return mixed >> kPartitionBits | mixed << (64 - kPartitionBits);
  }
};

/* What a thread counts of the queue at a time. */
class QueuedUnits {
 public:
  static constexpr First kFirst = First::kCache;
  static constexpr int kWindows = kInFlight;

  /* The keys at a place and at every so many places after it; returns which of them are before the end. */
  __device__ __forceinline__ uint32_t load(const uint64_t *keys, uint32_t at, uint32_t end) {
    uint32_t counted = 0;
#pragma unroll
    for (int i = 0; i < kWindows; i++) {
      const uint32_t place = at + i * PartitionCache::kThreads;
      key_[i] = 0;
      if (place < end) {
        key_[i] = __ldcg(keys + place);
        counted |= 1u << i;
      }
    }
    return counted;
  }
  __device__ __forceinline__ uint64_t key(int i) const { return unmix64(PartitionCache::global(key_[i], nullptr)); }
  __device__ __forceinline__ uint64_t held(int i) const { return key_[i]; }
  __device__ __forceinline__ uint32_t coded() const { return ~0u; }

 private:
  uint64_t key_[kWindows];
};

/* The sum of the values of the threads before this one, in a block of kDivideThreads. All threads take part; another
 * call with the same shared memory needs a barrier in between. */
__device__ __forceinline__ uint32_t sum_before(uint32_t value, uint32_t *warp_sums) {
  uint32_t sum = value;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t below = __shfl_up_sync(~0u, sum, d);
    sum += lane() >= d ? below : 0;
  }
  if (lane() == 31) {
    warp_sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  const uint32_t others = lane() < threadIdx.x / 32 ? warp_sums[lane()] : 0;
  static_assert(kDivideThreads <= 32 * 32, "a lane for each warp");
  return warp_sum(others) + sum - value;
}

/* Begins the next round, if the table has room for it. The caller sees the tiles of a round as counted from here on;
 * the kernels after this one always do so. */
__global__ __launch_bounds__(kDivideThreads) void begin_round(uint64_t tiles, uint32_t most, uint64_t limit,
                                                              lat_ngram_progress *progress, Round *round) {
  await_previous();
  let_next_begin();
  round->size[threadIdx.x] = 0;
  round->taken[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    const uint64_t next = __ldcg(&progress->next);
    const bool counts = next < tiles && __ldcg(&progress->used) < limit && __ldcg(&progress->overflow) < kCrowd;
    const uint64_t here = counts ? min(tiles - next, static_cast<uint64_t>(most)) : 0;
    round->first = next;
    round->tiles = static_cast<uint32_t>(here);
    round->slice = 0;
    progress->next = next + here;
  }
}

/* The number of windows in each partition. */
template <int ORDER>
__global__ __launch_bounds__(kDivideThreads) void measure(typename ByteUnits<ORDER>::Text text, Round *round) {
  __shared__ uint32_t sizes[kPartitions];
  sizes[threadIdx.x] = 0;
  await_previous();
  let_next_begin();
  __syncthreads();
  const uint64_t first = __ldcg(&round->first) * kTilePieces;
  const uint32_t pieces = __ldcg(&round->tiles) * kTilePieces;
#pragma unroll 1
  for (uint32_t i = blockIdx.x * kDivideThreads + threadIdx.x; i < pieces; i += gridDim.x * kDivideThreads) {
    ByteUnits<ORDER> units;
    const uint32_t counted = units.load(text, first + i, nullptr);
#pragma unroll
    for (int w = 0; w < kChunk; w++) {
      if (counted >> w & 1) {
        atomicAdd(sizes + partition_of(turned(mix64(units.key(w)))), 1u);
      }
    }
  }
  __syncthreads();
  if (sizes[threadIdx.x] != 0) {
    atomicAdd(&round->size[threadIdx.x], sizes[threadIdx.x]);
  }
}

/* Writes the windows to the queue. A block first sorts those of kDivideThreads pieces by partition in shared memory, so
 * that neighbouring threads write neighbouring keys. */
template <int ORDER>
__global__ __launch_bounds__(kDivideThreads, 3) void divide(typename ByteUnits<ORDER>::Text text, Round *round,
                                                            uint64_t *queue) {
  extern __shared__ __align__(16) uint64_t sorted[];  // kDivideWindows
  __shared__ uint32_t sizes[kPartitions];
  __shared__ uint32_t starts[kPartitions + 1];  // in `sorted`
  __shared__ uint32_t places[kPartitions];      // of the start in the queue, less the start
  __shared__ uint32_t warp_sums[kDivideThreads / 32];
  sizes[threadIdx.x] = 0;
  await_previous();
  let_next_begin();
  const uint32_t partition_start = sum_before(__ldcg(&round->size[threadIdx.x]), warp_sums);
  const uint64_t first = __ldcg(&round->first) * kTilePieces;
  const uint32_t pieces = __ldcg(&round->tiles) * kTilePieces;
#pragma unroll 1
  for (uint32_t base = blockIdx.x * kDivideThreads; base < pieces; base += gridDim.x * kDivideThreads) {
    ByteUnits<ORDER> units;
    const uint32_t counted = units.load(text, first + base + threadIdx.x, nullptr);
    __syncthreads();  // `sizes` is clear, and `sorted` is written out
    uint32_t rank[kChunk];
#pragma unroll
    for (int w = 0; w < kChunk; w++) {
      rank[w] = 0;
      if (counted >> w & 1) {
        rank[w] = atomicAdd(sizes + partition_of(turned(mix64(units.key(w)))), 1u);
      }
    }
    __syncthreads();
    const uint32_t size = sizes[threadIdx.x];
    sizes[threadIdx.x] = 0;
    const uint32_t place = size == 0 ? 0 : atomicAdd(&round->taken[threadIdx.x], size);
    const uint32_t start = sum_before(size, warp_sums);
    starts[threadIdx.x] = start;
    places[threadIdx.x] = partition_start + place - start;
    if (threadIdx.x == kDivideThreads - 1) {
      starts[kPartitions] = start + size;
    }
    __syncthreads();
#pragma unroll
    for (int w = 0; w < kChunk; w++) {
      if (counted >> w & 1) {
        const uint64_t key = turned(mix64(units.key(w)));
        sorted[starts[partition_of(key)] + rank[w]] = key;
      }
    }
    __syncthreads();
    const uint32_t total = starts[kPartitions];
    for (uint32_t i = threadIdx.x; i < total; i += kDivideThreads) {
      const uint64_t key = sorted[i];
      queue[places[partition_of(key)] + i] = key;
    }
  }
}

/* Counts the queue: blocks claim slices, each within a partition. */
__global__ __launch_bounds__(PartitionCache::kThreads, 2) void count_queue(const uint64_t *queue, Round *round,
                                                                           Table table) {
  static_assert(PartitionCache::kThreads == kDivideThreads, "a thread a partition");
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ uint64_t queues[PartitionCache::kThreads / 32 * kQueue];
  __shared__ uint32_t warp_sums[kDivideThreads / 32];
  __shared__ uint32_t claimed;
  __shared__ uint32_t slice_from;
  __shared__ uint32_t slice_end;
  __shared__ uint32_t block_made;
  Block<QueuedUnits, PartitionCache> block;
  block.bins = nullptr;
  block.cache = reinterpret_cast<PartitionCache::Word *>(shared);
  block.symbol = nullptr;
  block.queue = queues + threadIdx.x / 32 * kQueue;
  block.queued = 0;
  block.made = 0;
  block.table = table;
  for (uint32_t i = threadIdx.x; i < 2 * PartitionCache::kBuckets; i += PartitionCache::kThreads) {
    block.cache[i] = 0;
  }
  await_previous();
  let_next_begin();
  // This thread's partition, in which it finds the slice that the block has claimed.
  const uint32_t size = __ldcg(&round->size[threadIdx.x]);
  const uint32_t start = sum_before(size, warp_sums);
  __syncthreads();
  const uint32_t slices = (size + kSlice - 1) / kSlice;
  const uint32_t first_slice = sum_before(slices, warp_sums);
  while (true) {
    if (threadIdx.x == 0) {
      claimed = atomicAdd(&round->slice, 1u);
      slice_end = 0;
      block_made = 0;
    }
    __syncthreads();
    const uint32_t mine = claimed - first_slice;
    if (mine < slices) {  // false for the partitions after the slice: the difference wraps around
      slice_from = start + mine * kSlice;
      slice_end = start + min(size, (mine + 1) * kSlice);
    }
    __syncthreads();
    const uint32_t end = slice_end;
    if (end == 0) {
      break;
    }
    uint32_t at = slice_from + threadIdx.x;
    constexpr uint32_t kStep = QueuedUnits::kWindows * PartitionCache::kThreads;
    QueuedUnits next;
    uint32_t next_counted = next.load(queue, at, end);
#pragma unroll 1
    for (uint32_t base = slice_from; base < end; base += kStep) {
      const QueuedUnits units = next;
      const uint32_t counted = next_counted;
      at += kStep;
      next_counted = next.load(queue, at, end);
      block.count_in_cache(units, counted);
    }
    __syncthreads();
    block.empty_cache();
  }
  if (threadIdx.x % 32 < block.queued) {
    block.deliver(block.queue[threadIdx.x % 32]);
  }
  if (block.made != 0) {
    atomicAdd(&block_made, block.made);
  }
  __syncthreads();
  if (threadIdx.x == 0 && block_made != 0) {
    atomicAdd(reinterpret_cast<Counter *>(&table.progress->used), static_cast<Counter>(block_made));
  }
}

/* Whether a text of so many tiles is worth a round; a smaller one reads too much of the table for its windows. */
inline bool worth_dividing(uint64_t tiles, int sms) { return tiles >= 4 * static_cast<uint64_t>(sms); }

template <int ORDER>
int count_divided(const typename ByteUnits<ORDER>::Text &text, uint64_t tiles, Table table, uint64_t limit, int sms,
                  cudaStream_t stream) {
  const Rounds rounds = rounds_in(table);
  table.room = rounds.room;
  const uint64_t needed = (tiles + rounds.most_tiles - 1) / rounds.most_tiles;
  const auto most = static_cast<uint32_t>((tiles + needed - 1) / needed);
  const auto blocks = static_cast<unsigned>(2 * sms);
  constexpr size_t kSorted = kDivideWindows * sizeof(uint64_t);
  constexpr size_t kCache = 2 * PartitionCache::kBuckets * sizeof(PartitionCache::Word);
  for (uint64_t i = 0; i < needed; i++) {
    LAT_TRY(launch(begin_round, {dim3(1), kDivideThreads, 0, stream, i > 0}, tiles, most, limit, table.progress,
                   rounds.round));
    LAT_TRY(launch_early(measure<ORDER>, dim3(blocks), kDivideThreads, 0, stream, text, rounds.round));
    LAT_TRY(launch_early(divide<ORDER>, dim3(3 * sms), kDivideThreads, kSorted, stream, text, rounds.round,
                         rounds.queue));
    LAT_TRY(launch_early(count_queue, dim3(blocks), PartitionCache::kThreads, kCache, stream,
                         static_cast<const uint64_t *>(rounds.queue), rounds.round, table));
  }
  return LAT_OK;
}

}  // namespace lat::ngram
