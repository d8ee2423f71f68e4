// Strategy "hash": a table in global memory, fed through a small one in each block's shared memory.
//
// Why it wins for n >= 3: V1 and V2 pay one L2 atomic per window, and all multiprocessors contend for the counters of
// frequent n-grams; a sort moves every key some 2n times through memory. Here the text is read once, the frequent
// n-grams are counted in shared memory, and only the rest (1 % of the windows of English text at n = 3, 10 % at 4, 40 %
// at 5, 88 % at 8) costs a look-up and an atomic at L2, spread over many addresses.
#include <algorithm>

#include "common/append.cuh"
#include "common/launch.cuh"
#include "common/warp.cuh"
#include "ngram/cache.cuh"
#include "ngram/text.cuh"

namespace lat::ngram {
namespace {

constexpr unsigned kThreads = 256;
constexpr uint32_t kTilePieces = 2048;  // thread-sized pieces of text per tile
constexpr int kQueue = 32 + 4 * 32;     // windows queued for the table, per warp: a remainder plus one group's additions
constexpr uint64_t kCrowd = 1u << 16;   // overflowed entries after which no more tiles are claimed
constexpr uint32_t kMostSlots = 40u << 10;  // in a block's cache and bins together

__device__ __forceinline__ void prefetch_l2(const void *address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/* How a block counts a window before it goes to the table. */
enum class First {
  kCache,        // a slot of the cache, by its key
  kCodedCache,   // a slot of the cache, by its code; without a code it goes to the table
  kBinThenCache  // its own bin, by its code; without a code a slot of the cache
};

/* The windows of a thread's piece of a byte text. */
template <int ORDER>
class ByteUnits {
 public:
  static constexpr First kFirst = First::kCache;
  static constexpr int kWindows = kChunk;
  static constexpr uint32_t kBins = 0;
  struct Text {
    const uint4 *text;
    uint64_t windows;
    const uint16_t *valid;
  };

  __device__ __forceinline__ uint32_t load(const Text &text, uint64_t piece, const uint8_t *) {
    const uint32_t counted = chunk_windows(piece, text.windows, text.valid);
    if (counted != 0) {
      chunk_.load(text.text, piece);
    }
    return counted;
  }
  static __device__ __forceinline__ void prefetch(const Text &text, uint64_t piece) {
    if (piece * kWindows < text.windows) {
      prefetch_l2(text.text + piece);
    }
  }
  __device__ __forceinline__ uint64_t key(int i) const { return chunk_.key64(i); }
  __device__ __forceinline__ uint64_t held(int i) const { return key(i); }
  __device__ __forceinline__ uint32_t coded() const { return ~0u; }

 private:
  Chunk<ORDER> chunk_;
};

/* Likewise, with codes. */
template <int ORDER, int BITS, First FIRST>
class CodedUnits {
 public:
  static constexpr First kFirst = FIRST;
  static constexpr int kWindows = kChunk;
  static constexpr int kBits = BITS;
  static constexpr uint32_t kBins = FIRST == First::kBinThenCache ? 1u << (ORDER * BITS) : 0;
  using Text = typename ByteUnits<ORDER>::Text;

  static __device__ __forceinline__ void prefetch(const Text &text, uint64_t piece) {
    ByteUnits<ORDER>::prefetch(text, piece);
  }
  static __device__ __forceinline__ uint64_t key_of_bin(uint32_t bin, const uint8_t *symbol) {
    return decode<ORDER, BITS>(bin, symbol);
  }
  __device__ __forceinline__ uint32_t load(const Text &text, uint64_t piece, const uint8_t *codes) {
    const uint32_t counted = chunk_windows(piece, text.windows, text.valid);
    if (counted != 0) {
      chunk_.load(text.text, piece);
      codes_.load(chunk_, codes);
    }
    return counted;
  }
  __device__ __forceinline__ uint64_t key(int i) const { return chunk_.key64(i); }
  __device__ __forceinline__ uint32_t held(int i) const { return codes_.code(i); }
  __device__ __forceinline__ uint32_t coded() const { return codes_.coded(); }

 private:
  Chunk<ORDER> chunk_;
  ChunkCodes<ORDER, BITS> codes_;
};

/* The windows of a thread's piece of a text of words. */
class WordUnits {
 public:
  static constexpr First kFirst = First::kCache;
  static constexpr int kWindows = 4;
  static constexpr uint32_t kBins = 0;
  struct Text {
    const uint32_t *words;
    uint64_t windows;
    const uint32_t *valid;
    int order;
    int bits;
  };

  static __device__ __forceinline__ void prefetch(const Text &text, uint64_t piece) {
    if (piece * kWindows < text.windows) {
      prefetch_l2(text.words + piece * kWindows);
    }
  }
  __device__ __forceinline__ uint32_t load(const Text &text, uint64_t piece, const uint8_t *) {
    order_ = text.order;
    bits_ = text.bits;
    const uint64_t first = piece * kWindows;
    if (first >= text.windows) {
      return 0;
    }
    uint32_t counted = text.windows - first >= kWindows ? 0xfu : (1u << (text.windows - first)) - 1;
    if (text.valid != nullptr) {
      counted &= __ldg(text.valid + first / 32) >> (first % 32);
    }
#pragma unroll
    for (int i = 0; i < kWindows + LAT_NGRAM_MAX_WORD_ORDER - 1; i++) {
      // Window w of this piece ends at word first + w + order - 1; the last window of the text ends with the text.
      word_[i] = i < kWindows + order_ - 1 && first + i < text.windows + order_ - 1 ? __ldg(text.words + first + i) : 0;
    }
    return counted;
  }
  __device__ __forceinline__ uint64_t key(int i) const {
    uint64_t key = word_[i];
#pragma unroll
    for (int k = 1; k < LAT_NGRAM_MAX_WORD_ORDER; k++) {
      if (k < order_) {
        key = key << bits_ | word_[i + k];
      }
    }
    return key;
  }
  __device__ __forceinline__ uint64_t held(int i) const { return key(i); }
  __device__ __forceinline__ uint32_t coded() const { return ~0u; }

 private:
  uint32_t word_[kWindows + LAT_NGRAM_MAX_WORD_ORDER - 1];
  int order_;
  int bits_;
};

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
          } else {
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
};

template <typename UNITS, typename CACHE>
__global__ __launch_bounds__(CACHE::kThreads, 1) void count_tiles(typename UNITS::Text text, uint64_t tiles, Table table,
                                                               uint64_t limit) {
  using Word = typename CACHE::Word;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ uint64_t queues[CACHE::kThreads / 32 * kQueue];
  __shared__ uint64_t claimed[3];  // the current tile, the next, and the one after it
  __shared__ uint32_t block_made;
  __shared__ uint8_t code[256];
  __shared__ uint8_t symbol[kSymbols];
  Block<UNITS, CACHE> block;
  block.bins = reinterpret_cast<uint32_t *>(shared);
  block.cache = reinterpret_cast<Word *>(block.bins + UNITS::kBins);
  block.symbol = symbol;
  block.queue = queues + threadIdx.x / 32 * kQueue;
  block.queued = 0;
  block.made = 0;
  block.table = table;
  for (uint32_t i = threadIdx.x; i < 2 * CACHE::kBuckets; i += CACHE::kThreads) {
    block.cache[i] = 0;
  }
  if constexpr (UNITS::kBins > 0) {
    for (uint32_t i = threadIdx.x; i < UNITS::kBins; i += CACHE::kThreads) {
      block.bins[i] = 0;
    }
  }
  if constexpr (UNITS::kFirst != First::kCache) {
    for (uint32_t i = threadIdx.x; i < 256; i += CACHE::kThreads) {
      const uint8_t known = table.progress->code[i];
      code[i] = known < 1u << UNITS::kBits ? known : kNoCode;
    }
    if (threadIdx.x < kSymbols) {
      symbol[threadIdx.x] = table.progress->symbol[threadIdx.x];
    }
  }
  auto *progress_next = reinterpret_cast<Counter *>(&table.progress->next);
  auto *progress_used = reinterpret_cast<Counter *>(&table.progress->used);
  // A claimed tile is always counted. No tile is claimed once the table has reached its fill limit, or once clustering
  // has made many entries overflow before that.
  auto claim = [&]() -> uint64_t {
    if (__ldcg(&table.progress->used) >= limit || __ldcg(&table.progress->overflow) >= kCrowd) {
      return ~0ull;
    }
    return atomicAdd(progress_next, static_cast<Counter>(1));
  };
  if (threadIdx.x == 0) {
    block_made = 0;
    claimed[0] = claim();
    claimed[1] = claim();
  }
  __syncthreads();
  for (int turn = 0;; turn = turn == 2 ? 0 : turn + 1) {
    const uint64_t tile = claimed[turn];
    if (tile >= tiles) {
      break;
    }
    // All warps start a tile together, so its text is prefetched during the previous tile.
    const uint64_t next = claimed[turn == 2 ? 0 : turn + 1] * kTilePieces;
    for (uint32_t piece = threadIdx.x; piece < kTilePieces; piece += CACHE::kThreads) {
      UNITS::prefetch(text, next + piece);
    }
    if (threadIdx.x == 0) {
      const uint32_t made = block_made;
      if (made != 0) {
        atomicAdd(progress_used, static_cast<Counter>(made));
        atomicSub(&block_made, made);
      }
      claimed[turn == 0 ? 2 : turn - 1] = claim();  // ahead of time, so that no warp waits for it
    }
#pragma unroll 1
    for (uint32_t piece = threadIdx.x; piece < kTilePieces; piece += CACHE::kThreads) {
      UNITS units;
      const uint32_t counted = units.load(text, tile * kTilePieces + piece, code);
      if constexpr (UNITS::kFirst == First::kBinThenCache) {
        block.count_in_bins(units, counted);
      } else {
        block.count_in_cache(units, counted);
      }
    }
    if (block.made != 0) {
      atomicAdd(&block_made, block.made);
      block.made = 0;
    }
    __syncthreads();
  }
  // Flushes the queues, the cache and the bins to the table.
  if (threadIdx.x % 32 < block.queued) {
    block.deliver(block.queue[threadIdx.x % 32]);
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < 2 * CACHE::kBuckets; i += CACHE::kThreads) {
    const Word slot = block.cache[i];
    if (slot != 0) {
      block.made += table.add(CACHE::global(CACHE::mixed_of(i / 2, slot), symbol), Block<UNITS, CACHE>::count(slot));
    }
  }
  if constexpr (UNITS::kBins > 0) {
    for (uint32_t i = threadIdx.x; i < UNITS::kBins; i += CACHE::kThreads) {
      if (block.bins[i] != 0) {
        block.made += table.add(mix64(UNITS::key_of_bin(i, symbol)), block.bins[i]);
      }
    }
  }
  if (block.made != 0) {
    atomicAdd(&block_made, block.made);
  }
  __syncthreads();
  if (threadIdx.x == 0 && block_made != 0) {
    atomicAdd(progress_used, static_cast<Counter>(block_made));
  }
}

/* Adds up the entries created by a warp's threads. */
__device__ void say_made(uint32_t made, lat_ngram_progress *progress) {
  made = warp_sum(made);
  if (lane() == 0 && made != 0) {
    atomicAdd(reinterpret_cast<Counter *>(&progress->used), static_cast<Counter>(made));
  }
}

__global__ __launch_bounds__(kThreads) void clear(lat_ngram_entry *__restrict__ table, uint64_t capacity,
                                                  lat_ngram_progress *progress) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < capacity; i += stride) {
    reinterpret_cast<ulonglong2 *>(table)[i] = {kFree, 0};
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *progress = {};
  }
}

__global__ void report_progress(const lat_ngram_progress *progress, volatile uint64_t *report) {
  report[0] = progress->used;
  report[1] = progress->next;
  report[2] = progress->overflow;
  report[3] = progress->ones;
}

__global__ __launch_bounds__(kThreads) void insert(const lat_ngram_entry *__restrict__ entries, uint64_t size,
                                                   Table table) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  uint32_t made = 0;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < size; i += stride) {
    const ulonglong2 entry = __ldg(reinterpret_cast<const ulonglong2 *>(entries) + i);
    if (entry.x != kFree) {
      made += table.add(entry.x, entry.y);
    }
  }
  __syncwarp();
  say_made(made, table.progress);
}

__global__ __launch_bounds__(kThreads) void list(const lat_ngram_entry *__restrict__ table, uint64_t capacity,
                                                 const lat_ngram_progress *__restrict__ progress,
                                                 uint64_t *__restrict__ keys, uint64_t *__restrict__ counts,
                                                 uint64_t list_capacity, Counter *__restrict__ size) {
  __shared__ BlockAppend append;
  // The entry of the mixed key that looks like a free one is listed as if it came after the table.
  for (uint64_t base = static_cast<uint64_t>(blockIdx.x) * kThreads; base <= capacity;
       base += static_cast<uint64_t>(gridDim.x) * kThreads) {
    append.begin();
    const uint64_t i = base + threadIdx.x;
    ulonglong2 entry = {kFree, 0};
    if (i < capacity) {
      entry = __ldg(reinterpret_cast<const ulonglong2 *>(table) + i);
    } else if (i == capacity) {
      entry.y = progress->ones;
    }
    const uint32_t at = append.add(i < capacity ? entry.x != kFree : entry.y != 0);
    const uint64_t first = append.end(size);
    if (at != BlockAppend::kNone && first + at < list_capacity) {
      keys[first + at] = unmix64(entry.x);
      counts[first + at] = entry.y;
    }
  }
}

bool good_capacity(uint64_t capacity) {
  return capacity >= 1024 && capacity <= 1ull << 40 && (capacity & (capacity - 1)) == 0;
}

cudaError_t overflow_entries(uint64_t *entries) {
  int sms = 0;
  const cudaError_t error = multiprocessors(&sms);
  // A block that finds no tile to claim may still count its current tile and the two that it has claimed, and then
  // flushes its cache and bins, its queue, and what it drains (less than another tile).
  const uint64_t tile = static_cast<uint64_t>(kChunk) * kTilePieces;
  *entries = kCrowd + static_cast<uint64_t>(sms) * (4 * tile + kMostSlots + 32 * kQueue);
  return error;
}

cudaError_t table_of(lat_ngram_entry *entries, uint64_t capacity, lat_ngram_progress *progress, lat_ngram_entry *overflow,
                     Table *table) {
  int log2 = 0;
  while (1ull << log2 < capacity) {
    log2++;
  }
  *table = {entries, capacity - 1, 64 - log2, progress, overflow, 0};
  return overflow_entries(&table->room);
}

template <typename UNITS>
uint64_t tiles_of(uint64_t units) {
  const uint64_t tile = static_cast<uint64_t>(UNITS::kWindows) * kTilePieces;
  return (units + tile - 1) / tile;
}

template <typename UNITS, typename CACHE>
int run(const typename UNITS::Text &text, uint64_t tiles, const Table &table, uint64_t limit, cudaStream_t stream) {
  static_assert(2 * CACHE::kBuckets + UNITS::kBins <= kMostSlots, "lat_ngram_hash_overflow counts on it");
  static_assert(kInFlight == 4, "count_windows chooses among four");
  const int bytes = 2 * CACHE::kBuckets * sizeof(typename CACHE::Word) + UNITS::kBins * sizeof(uint32_t);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(allow_shared(reinterpret_cast<const void *>(count_tiles<UNITS, CACHE>), bytes));
  if constexpr (UNITS::kFirst != First::kCache) {
    sample_symbols<<<1, kSampleThreads, 0, stream>>>(text.text, text.windows, table.progress->code,
                                                     table.progress->symbol);
    LAT_TRY(cudaGetLastError());
  }
  const auto blocks = static_cast<unsigned>(std::min<uint64_t>(tiles, sms));
  count_tiles<UNITS, CACHE><<<blocks, CACHE::kThreads, bytes, stream>>>(text, tiles, table, limit);
  return launched();
}

/* The shared memory of a block with this cache. */
template <typename UNITS, typename CACHE>
constexpr int shared_bytes() {
  return 2 * CACHE::kBuckets * sizeof(typename CACHE::Word) + UNITS::kBins * sizeof(uint32_t) +
         CACHE::kThreads / 32 * kQueue * sizeof(uint64_t) + 1024;
}

/* The larger cache of 128 KiB if a block may have that, otherwise the smaller one. */
template <typename UNITS, typename LARGE, typename SMALL_UNITS, typename SMALL>
int run_sized(const typename UNITS::Text &text, uint64_t tiles, const Table &table, uint64_t limit,
              cudaStream_t stream) {
  static_assert(shared_bytes<SMALL_UNITS, SMALL>() <= static_cast<int>(kLeastSharedMemory), "no card counts without it");
  int available = 0;
  LAT_TRY(shared_memory(&available));
  return available >= shared_bytes<UNITS, LARGE>() ? run<UNITS, LARGE>(text, tiles, table, limit, stream)
                                                   : run<SMALL_UNITS, SMALL>(text, tiles, table, limit, stream);
}

template <int ORDER>
int hash_bytes(const uint8_t *text, uint64_t bytes, const uint32_t *valid, const Table &table, uint64_t limit,
               cudaStream_t stream) {
  using Units = ByteUnits<ORDER>;
  const typename Units::Text units{reinterpret_cast<const uint4 *>(text), bytes - ORDER + 1,
                                   reinterpret_cast<const uint16_t *>(valid)};
  const uint64_t tiles = tiles_of<Units>(bytes);
  if constexpr (ORDER <= 2) {
    return run_sized<Units, NarrowCache<24, 14, 1024>, Units, NarrowCache<24, 13, 512>>(units, tiles, table, limit,
                                                                                        stream);
  } else if constexpr (ORDER == 3) {
    return run_sized<CodedUnits<3, 5, First::kBinThenCache>, NarrowCache<24, 12, 1024>, Units,
                     NarrowCache<24, 13, 512>>(units, tiles, table, limit, stream);
  } else if constexpr (ORDER == 4) {
    return run_sized<Units, NarrowCache<32, 14, 1024>, Units, NarrowCache<32, 13, 512>>(units, tiles, table, limit,
                                                                                        stream);
  } else if constexpr (ORDER == 5 || ORDER == 6) {
    return run_sized<CodedUnits<ORDER, 30 / ORDER, First::kCodedCache>,
                     NarrowCache<30, 14, 1024, CodedKey<ORDER, 30 / ORDER>>, Units, WideCache<12, 512>>(
        units, tiles, table, limit, stream);
  } else {
    return run_sized<Units, WideCache<13, 1024>, Units, WideCache<12, 512>>(units, tiles, table, limit, stream);
  }
}

}  // namespace
}  // namespace lat::ngram

using namespace lat;
using namespace lat::ngram;

extern "C" int lat_ngram_hash_overflow(uint64_t *entries) {
  LAT_REQUIRE(entries != nullptr);
  LAT_TRY(overflow_entries(entries));
  return LAT_OK;
}

extern "C" uint64_t lat_ngram_byte_tiles(uint64_t text_bytes) { return tiles_of<ByteUnits<1>>(text_bytes); }

extern "C" uint64_t lat_ngram_word_tiles(uint64_t words) { return tiles_of<WordUnits>(words); }

extern "C" int lat_ngram_hash_clear(lat_ngram_entry *d_table, uint64_t capacity, lat_ngram_progress *d_progress,
                                    lat_stream stream) {
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && good_capacity(capacity));
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  clear<<<blocks_for(capacity, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(d_table, capacity, d_progress);
  return launched();
}

extern "C" int lat_ngram_hash(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                              lat_ngram_entry *d_table, uint64_t capacity, lat_ngram_progress *d_progress,
                              lat_ngram_entry *d_overflow, lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_BYTE_ORDER && good_capacity(capacity));
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && d_overflow != nullptr);
  if (text_bytes < static_cast<uint64_t>(order)) {
    // No windows: already counted, as the caller sees from there being no tile left; an empty text has no tiles.
    const uint64_t tiles = lat_ngram_byte_tiles(text_bytes);
    LAT_TRY(cudaMemsetAsync(&d_progress->next, static_cast<int>(tiles), 1, stream_of(stream)));
    return LAT_OK;
  }
  LAT_REQUIRE(d_text != nullptr && text_bytes < 1ull << 32);
  Table table;
  LAT_TRY(table_of(d_table, capacity, d_progress, d_overflow, &table));
  const uint64_t limit = capacity / 10 * 6;
  const cudaStream_t s = stream_of(stream);
  return with_number<LAT_NGRAM_MAX_BYTE_ORDER>(order, [&](auto n) {
    return hash_bytes<n.value>(d_text, text_bytes, d_valid, table, limit, s);
  });
}

extern "C" int lat_ngram_words_hash(const uint32_t *d_words, uint64_t words, const uint32_t *d_valid, int order,
                                    int word_bits, lat_ngram_entry *d_table, uint64_t capacity,
                                    lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow, lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_WORD_ORDER && word_bits >= 1 && word_bits <= 32);
  LAT_REQUIRE(order * word_bits <= 64 && good_capacity(capacity));
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && d_overflow != nullptr);
  if (words < static_cast<uint64_t>(order)) {
    const uint64_t tiles = lat_ngram_word_tiles(words);
    LAT_TRY(cudaMemsetAsync(&d_progress->next, static_cast<int>(tiles), 1, stream_of(stream)));
    return LAT_OK;
  }
  LAT_REQUIRE(d_words != nullptr);
  const WordUnits::Text units{d_words, words - order + 1, d_valid, order, word_bits};
  Table table;
  LAT_TRY(table_of(d_table, capacity, d_progress, d_overflow, &table));
  return run_sized<WordUnits, WideCache<13, 1024>, WordUnits, WideCache<12, 512>>(
      units, tiles_of<WordUnits>(words), table, capacity / 10 * 6, stream_of(stream));
}

extern "C" int lat_ngram_hash_report(const lat_ngram_progress *d_progress, uint64_t *report, lat_stream stream) {
  LAT_REQUIRE(d_progress != nullptr && report != nullptr);
  report_progress<<<1, 1, 0, stream_of(stream)>>>(d_progress, report);
  return launched();
}

extern "C" int lat_ngram_hash_insert(const lat_ngram_entry *d_entries, uint64_t entries, lat_ngram_entry *d_table,
                                     uint64_t capacity, lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow,
                                     lat_stream stream) {
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && good_capacity(capacity));
  if (entries == 0) {
    return LAT_OK;
  }
  LAT_REQUIRE(d_entries != nullptr);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  Table table;
  LAT_TRY(table_of(d_table, capacity, d_progress, d_overflow, &table));
  table.room = d_overflow == nullptr ? 0 : table.room;
  insert<<<blocks_for(entries, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(d_entries, entries, table);
  return launched();
}

extern "C" int lat_ngram_hash_list(const lat_ngram_entry *d_table, uint64_t capacity,
                                   const lat_ngram_progress *d_progress, uint64_t *d_keys, uint64_t *d_list_counts,
                                   uint64_t list_capacity, uint64_t *d_size, lat_stream stream) {
  LAT_REQUIRE(d_table != nullptr && d_progress != nullptr && d_size != nullptr && good_capacity(capacity));
  LAT_REQUIRE(list_capacity == 0 || (d_keys != nullptr && d_list_counts != nullptr));
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(cudaMemsetAsync(d_size, 0, sizeof(uint64_t), stream_of(stream)));
  list<<<blocks_for(capacity + 1, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(
      d_table, capacity, d_progress, d_keys, d_list_counts, list_capacity, reinterpret_cast<Counter *>(d_size));
  return launched();
}
