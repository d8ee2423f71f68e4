// Strategy "hash": a table in global memory, fed through a small one in each block's shared memory.
//
// Why it wins for n >= 3: V1 and V2 pay one L2 atomic per window, and all multiprocessors contend for the counters of
// frequent n-grams; a sort moves every key some 2n times through memory. Here the text is read once, the frequent
// n-grams are counted in shared memory, and only the rest (1 % of the windows of English text at n = 3, 10 % at 4, 40 %
// at 5, 88 % at 8) costs a look-up and an atomic at L2, spread over many addresses.
// Long texts at n = 7 and 8, where most of the windows are such a rest, are counted in rounds (divided.cuh).
#include <algorithm>

#include "common/launch.cuh"
#include "ngram/counting_block.cuh"
#include "ngram/divided.cuh"

namespace lat::ngram {
namespace {

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
    int sms = 0;
    LAT_TRY(multiprocessors(&sms));
    if (worth_dividing(tiles, sms)) {
      return count_divided<ORDER>(units, tiles, table, limit, sms, stream);
    }
    return run_sized<Units, WideCache<13, 1024>, Units, WideCache<12, 512>>(units, tiles, table, limit, stream);
  }
}

}  // namespace
}  // namespace lat::ngram

using namespace lat;
using namespace lat::ngram;

extern "C" uint64_t lat_ngram_byte_tiles(uint64_t text_bytes) { return tiles_of<ByteUnits<1>>(text_bytes); }

extern "C" uint64_t lat_ngram_word_tiles(uint64_t words) { return tiles_of<WordUnits>(words); }

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
