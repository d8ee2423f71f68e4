// Histograms of byte n-grams: V1 (one in global memory), V2 (several, then summed), and in shared memory.
//
// V1 and V2 are the paper's, plus one improvement: the lanes of a warp that hold the same n-gram add once, together.
// Each such group is one 32-bit atomic addition at L2, which reaches some 105 G/s if the touched lines stay in L2 and
// are spread out, and far less if many threads contend for one counter. Text has few and very unequal n-grams, so V1 is
// bound by the hottest counters, and V2 by clearing and summing its copies.
//
// In shared memory, an addition only costs the block's own bank cycles and nothing at L2:
// - n = 1: 256 counters x 32 lanes, one column per lane, so that a warp's 32 additions never conflict in a bank.
// - n = 2: 65,536 counters of 16 bits, 128 KiB. A counter that reaches 2^15 is drained into the global table by the
//   thread that made it reach 2^15. If a block is limited to 99 KiB, two blocks share the counters, by odd and even
//   second bytes, and each reads the text of both: twice the reads, which L2 serves, and the same additions.
#include <algorithm>

#include "common/launch.cuh"
#include "ngram/text.cuh"

namespace lat::ngram {
namespace {

constexpr unsigned kThreads = 256;

/* Adds a window's n-gram once for all lanes with the same n-gram; every lane of the warp must call. */
__device__ __forceinline__ void add_together(uint32_t *counts, uint32_t key, bool present) {
  const uint32_t all = __ballot_sync(~0u, present);
  if (present) {
    const uint32_t same = __match_any_sync(all, key);
    if (threadIdx.x % 32 == __ffs(same) - 1) {
      atomicAdd(counts + key, static_cast<uint32_t>(__popc(same)));
    }
  }
}

// V1 (copies = 1) and V2: block b adds to copy b % copies. There are two ways to read the text, measured on an H200
// with 498 MB of English: 16 windows per thread are faster if warps share many n-grams (V2, and V1 for n <= 2: 34
// against 36 ms at n = 2), one window per thread if they share few (V1 for n >= 3: 15 against 21 ms at n = 3).

template <int ORDER>
__global__ __launch_bounds__(kThreads) void histogram_by_chunks(const uint4 *__restrict__ text, uint64_t windows,
                                                                const uint16_t *__restrict__ valid, uint32_t copies,
                                                                uint32_t *__restrict__ counts) {
  const uint64_t chunks = (windows + kChunk - 1) / kChunk;
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  uint32_t *own = counts + (static_cast<uint64_t>(blockIdx.x % copies) << (8 * ORDER));
  for (uint64_t base = static_cast<uint64_t>(blockIdx.x) * kThreads; base < chunks; base += stride) {
    const uint64_t chunk = base + threadIdx.x;
    Chunk<ORDER> units;
    const uint32_t counted = chunk < chunks ? chunk_windows(chunk, windows, valid) : 0;
    if (counted != 0) {
      units.load(text, chunk);
    }
#pragma unroll
    for (int i = 0; i < kChunk; i++) {
      add_together(own, units.key32(i), counted >> i & 1);
    }
  }
}

template <int ORDER>
__global__ __launch_bounds__(kThreads) void histogram_by_windows(const uint32_t *__restrict__ text, uint64_t windows,
                                                                 const uint32_t *__restrict__ valid,
                                                                 uint32_t *__restrict__ counts) {
  const ByteWindow<uint32_t> window{text, ORDER};
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t base = static_cast<uint64_t>(blockIdx.x) * kThreads; base < windows; base += stride) {
    const uint64_t position = base + threadIdx.x;
    const bool present =
        position < windows && (valid == nullptr || (__ldg(valid + position / 32) >> (position % 32) & 1));
    // Like add_together, but builds the key where it is needed: a select before the match costs a fifth (18 ms).
    const uint32_t all = __ballot_sync(~0u, present);
    if (present) {
      const uint32_t key = window(position);
      const uint32_t same = __match_any_sync(all, key);
      if (threadIdx.x % 32 == __ffs(same) - 1) {
        atomicAdd(counts + key, static_cast<uint32_t>(__popc(same)));
      }
    }
  }
}

__global__ __launch_bounds__(kThreads) void sum_copies(uint4 *__restrict__ copies, uint32_t number, uint64_t vectors) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < vectors; i += stride) {
    uint4 sum = copies[i];
#pragma unroll 8
    for (uint32_t c = 1; c < number; c++) {
      const uint4 more = copies[c * vectors + i];
      sum.x += more.x;
      sum.y += more.y;
      sum.z += more.z;
      sum.w += more.w;
    }
    copies[i] = sum;
  }
}

constexpr unsigned kUnigramThreads = 512;
constexpr int kLanes = 32;

__global__ __launch_bounds__(kUnigramThreads) void shared_unigrams(const uint4 *__restrict__ text, uint64_t windows,
                                                                   const uint16_t *__restrict__ valid,
                                                                   unsigned long long *__restrict__ counts) {
  __shared__ uint32_t bins[256 * kLanes];
  for (unsigned i = threadIdx.x; i < 256 * kLanes; i += kUnigramThreads) {
    bins[i] = 0;
  }
  __syncthreads();
  uint32_t *column = bins + threadIdx.x % kLanes;
  const uint64_t chunks = (windows + kChunk - 1) / kChunk;
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kUnigramThreads;
  for (uint64_t chunk = static_cast<uint64_t>(blockIdx.x) * kUnigramThreads + threadIdx.x; chunk < chunks;
       chunk += stride) {
    Chunk<1> units;
    units.load(text, chunk);
    const uint32_t counted = chunk_windows(chunk, windows, valid);
    if (counted == 0xffff) {
#pragma unroll
      for (int i = 0; i < kChunk; i++) {
        atomicAdd(column + units.key32(i) * kLanes, 1u);
      }
    } else {
      for (int i = 0; i < kChunk; i++) {
        if (counted >> i & 1) {
          atomicAdd(column + units.key32(i) * kLanes, 1u);
        }
      }
    }
  }
  __syncthreads();
  if (threadIdx.x < 256) {
    unsigned long long sum = 0;
    for (int lane = 0; lane < kLanes; lane++) {
      sum += bins[threadIdx.x * kLanes + (lane + threadIdx.x) % kLanes];  // each thread of a warp uses its own bank
    }
    if (sum != 0) {
      atomicAdd(counts + threadIdx.x, sum);
    }
  }
}

constexpr unsigned kBigramThreads = 1024;
constexpr uint32_t kHalfFull = 0x8000;

/* The counters of a block that has one of PARTS shares of all bigrams: keys that are `part` modulo PARTS. */
template <uint32_t PARTS>
struct BigramBins {
  static constexpr uint32_t kKeys = 65536 / PARTS;
  static constexpr uint32_t kWords = kKeys / 2;
  static_assert(PARTS == 1 || PARTS == 2, "neighbours of different first letters spread over banks");

  uint32_t *bins;
  uint32_t part;

  __device__ __forceinline__ bool has(uint32_t key) const { return PARTS == 1 || key % PARTS == part; }
  /* Two counters share a word; those of neighbours with different first letters are spread over banks. */
  static __device__ __forceinline__ uint32_t word(uint32_t key) { return key / PARTS / 2 ^ (key >> 9 & 0x1f); }
  static __device__ __forceinline__ uint32_t shift(uint32_t key) { return key / PARTS % 2 * 16; }

  __device__ __forceinline__ void count(uint32_t key, unsigned long long *counts) const {
    if (!has(key)) {
      return;
    }
    const uint32_t before = atomicAdd(bins + word(key), 1u << shift(key)) >> shift(key) & 0xffff;
    if (before == kHalfFull - 1) {
      atomicSub(bins + word(key), kHalfFull << shift(key));
      atomicAdd(counts + key, static_cast<unsigned long long>(kHalfFull));
    }
  }
  __device__ __forceinline__ uint32_t counted(uint32_t key) const { return bins[word(key)] >> shift(key) & 0xffff; }
};

/*
 * Between two barriers, a block counts at most 1024 threads x 32 windows = 2^15, so a counter below 2^15 at the first
 * barrier stays below 2^16 until the thread that made it reach 2^15 has drained it, which is before the second.
 */
template <uint32_t PARTS>
__global__ __launch_bounds__(kBigramThreads, 1) void shared_bigrams(const uint4 *__restrict__ text, uint64_t windows,
                                                                    const uint16_t *__restrict__ valid,
                                                                    unsigned long long *__restrict__ counts) {
  using Bins = BigramBins<PARTS>;
  extern __shared__ uint32_t shared_bins[];
  const Bins bins{shared_bins, blockIdx.x % PARTS};
  for (unsigned i = threadIdx.x; i < Bins::kWords; i += kBigramThreads) {
    shared_bins[i] = 0;
  }
  __syncthreads();
  const uint64_t chunks = (windows + kChunk - 1) / kChunk;
  const uint64_t stride = static_cast<uint64_t>(gridDim.x / PARTS) * kBigramThreads * 2;
  for (uint64_t base = static_cast<uint64_t>(blockIdx.x / PARTS) * kBigramThreads * 2; base < chunks; base += stride) {
    Chunk<2> units[2];
    uint32_t counted[2];
#pragma unroll
    for (int part = 0; part < 2; part++) {
      const uint64_t chunk = base + part * kBigramThreads + threadIdx.x;
      counted[part] = chunk < chunks ? chunk_windows(chunk, windows, valid) : 0;
      if (counted[part] != 0) {
        units[part].load(text, chunk);
      }
    }
#pragma unroll
    for (int part = 0; part < 2; part++) {
      if (counted[part] == 0xffff) {
#pragma unroll
        for (int i = 0; i < kChunk; i++) {
          bins.count(units[part].key32(i), counts);
        }
      } else {
#pragma unroll
        for (int i = 0; i < kChunk; i++) {
          if (counted[part] >> i & 1) {
            bins.count(units[part].key32(i), counts);
          }
        }
      }
    }
    __syncthreads();
  }
  for (uint32_t i = threadIdx.x; i < Bins::kKeys; i += kBigramThreads) {
    const uint32_t key = i * PARTS + bins.part;
    const uint32_t count = bins.counted(key);
    if (count != 0) {
      atomicAdd(counts + key, static_cast<unsigned long long>(count));
    }
  }
}

/* PARTS blocks per share of the text. */
template <uint32_t PARTS>
int run_bigrams(const uint4 *text, uint64_t windows, const uint16_t *valid, unsigned long long *counts, int sms,
                cudaStream_t stream) {
  constexpr size_t kBytes = BigramBins<PARTS>::kWords * sizeof(uint32_t);
  static_assert(PARTS == 1 || kBytes <= kLeastSharedMemory, "no card counts without it");
  LAT_TRY(allow_shared(reinterpret_cast<const void *>(shared_bigrams<PARTS>), kBytes));
  const uint64_t chunks = (windows + kChunk - 1) / kChunk;
  const unsigned blocks = PARTS * blocks_for(chunks, 2 * kBigramThreads, std::max(1, sms / static_cast<int>(PARTS)), 1);
  shared_bigrams<PARTS><<<blocks, kBigramThreads, kBytes, stream>>>(text, windows, valid, counts);
  return launched();
}

template <typename COUNT>
__global__ __launch_bounds__(kThreads) void list_dense(const COUNT *__restrict__ table, uint64_t size,
                                                       uint64_t *__restrict__ keys, uint64_t *__restrict__ counts,
                                                       uint64_t capacity, unsigned long long *__restrict__ listed) {
  constexpr int kEach = 16 / sizeof(COUNT);
  struct alignas(16) Vector {
    COUNT count[kEach];
  };
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  const uint64_t vectors = size / kEach;
  for (uint64_t v = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; v < vectors; v += stride) {
    const Vector vector = reinterpret_cast<const Vector *>(table)[v];
    int present = 0;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      present += vector.count[i] != 0;
    }
    if (present == 0) {
      continue;
    }
    uint64_t at = atomicAdd(listed, static_cast<unsigned long long>(present));
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      if (vector.count[i] != 0 && at < capacity) {
        keys[at] = v * kEach + i;
        counts[at] = vector.count[i];
        at++;
      }
    }
  }
}

template <int ORDER>
int add_global(const uint8_t *text, uint64_t windows, const uint32_t *valid, uint32_t copies, uint32_t *counts,
               lat_stream stream) {
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  if (ORDER >= 3 && copies == 1) {
    histogram_by_windows<ORDER><<<blocks_for(windows, kThreads, sms, 8), kThreads, 0, stream_of(stream)>>>(
        reinterpret_cast<const uint32_t *>(text), windows, valid, counts);
  } else {
    histogram_by_chunks<ORDER>
        <<<blocks_for((windows + kChunk - 1) / kChunk, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(
            reinterpret_cast<const uint4 *>(text), windows, reinterpret_cast<const uint16_t *>(valid), copies, counts);
  }
  return launched();
}

int global(const uint8_t *text, uint64_t bytes, const uint32_t *valid, int order, uint32_t copies, uint32_t *counts,
           lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_DENSE_ORDER && copies >= 1 && counts != nullptr);
  if (bytes < static_cast<uint64_t>(order)) {
    return LAT_OK;
  }
  LAT_REQUIRE(text != nullptr);
  const uint64_t windows = bytes - order + 1;
  return with_number<LAT_NGRAM_MAX_DENSE_ORDER>(
      order, [&](auto n) { return add_global<n.value>(text, windows, valid, copies, counts, stream); });
}

}  // namespace
}  // namespace lat::ngram

using namespace lat;
using namespace lat::ngram;

extern "C" int lat_ngram_v1(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                            uint32_t *d_counts, lat_stream stream) {
  return global(d_text, text_bytes, d_valid, order, 1, d_counts, stream);
}

extern "C" int lat_ngram_v2(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                            uint32_t copies, uint32_t *d_copies, lat_stream stream) {
  return global(d_text, text_bytes, d_valid, order, copies, d_copies, stream);
}

extern "C" int lat_ngram_v2_reduce(uint32_t *d_copies, uint32_t copies, int order, lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_DENSE_ORDER && copies >= 1 && d_copies != nullptr);
  if (copies == 1) {
    return LAT_OK;
  }
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  const uint64_t size = 1ull << (8 * order);
  sum_copies<<<blocks_for(size / 4, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(
      reinterpret_cast<uint4 *>(d_copies), copies, size / 4);
  LAT_TRY(cudaGetLastError());
  LAT_TRY(cudaMemsetAsync(d_copies + size, 0, (copies - 1) * size * sizeof(uint32_t), stream_of(stream)));
  return LAT_OK;
}

extern "C" int lat_ngram_shared(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                                uint64_t *d_counts, lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_SHARED_ORDER && d_counts != nullptr);
  if (text_bytes < static_cast<uint64_t>(order)) {
    return LAT_OK;
  }
  LAT_REQUIRE(d_text != nullptr);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  const uint64_t windows = text_bytes - order + 1;
  const uint64_t chunks = (windows + kChunk - 1) / kChunk;
  const auto *text = reinterpret_cast<const uint4 *>(d_text);
  const auto *valid = reinterpret_cast<const uint16_t *>(d_valid);
  auto *counts = reinterpret_cast<unsigned long long *>(d_counts);
  if (order == 1) {
    // A column of a block's bins counts at most windows / 32 + 16 windows: below 2^32 for any text below 2^36 bytes.
    LAT_REQUIRE(text_bytes < 1ull << 36);
    shared_unigrams<<<blocks_for(chunks, kUnigramThreads, sms, 4), kUnigramThreads, 0, stream_of(stream)>>>(
        text, windows, valid, counts);
  } else {
    int available = 0;
    LAT_TRY(shared_memory(&available));
    const bool whole = available >= static_cast<int>(BigramBins<1>::kWords * sizeof(uint32_t));
    return whole ? run_bigrams<1>(text, windows, valid, counts, sms, stream_of(stream))
                 : run_bigrams<2>(text, windows, valid, counts, sms, stream_of(stream));
  }
  return launched();
}

extern "C" int lat_ngram_dense_list(const uint32_t *d_counts32, const uint64_t *d_counts64, int order,
                                    uint64_t *d_keys, uint64_t *d_list_counts, uint64_t capacity, uint64_t *d_size,
                                    lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_DENSE_ORDER && d_size != nullptr);
  LAT_REQUIRE((d_counts32 == nullptr) != (d_counts64 == nullptr));
  LAT_REQUIRE(capacity == 0 || (d_keys != nullptr && d_list_counts != nullptr));
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(cudaMemsetAsync(d_size, 0, sizeof(uint64_t), stream_of(stream)));
  auto *size = reinterpret_cast<unsigned long long *>(d_size);
  const uint64_t entries = 1ull << (8 * order);
  const unsigned blocks = blocks_for(entries / 4, kThreads, sms, 16);
  if (d_counts32 != nullptr) {
    list_dense<<<blocks, kThreads, 0, stream_of(stream)>>>(d_counts32, entries, d_keys, d_list_counts, capacity, size);
  } else {
    list_dense<<<blocks, kThreads, 0, stream_of(stream)>>>(d_counts64, entries, d_keys, d_list_counts, capacity, size);
  }
  return launched();
}
