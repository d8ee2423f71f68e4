// Strategy B: map (one key per window), sort (CUB radix sort), reduce (CUB run-length encoding).
//
// Memory traffic with keys of k bytes, per window: k written by the map, 2k for each 8-bit pass of the sort (k passes
// for byte n-grams of order k, where k is the order rounded up to 1, 2, 4 or 8), k read by the encoding.
#include "common/cub.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cuda/std/tuple>

#include <algorithm>

#include "common/append.cuh"
#include "common/launch.cuh"
#include "ngram/text.cuh"

namespace lat::ngram {
namespace {

constexpr unsigned kThreads = 256;
constexpr int kPerThread = 8;  // windows per thread; a block's append is one global atomic

using Wide = unsigned __int128;

/* Five ids of 32 bits, for vocabularies beyond 2^25 words. */
struct Tuple {
  uint32_t word[5];
  __host__ __device__ bool operator==(const Tuple &other) const {
    bool same = true;
    for (int i = 0; i < 5; i++) {
      same &= word[i] == other.word[i];
    }
    return same;
  }
};

struct Decompose {
  __host__ __device__ cuda::std::tuple<uint32_t &, uint32_t &, uint32_t &, uint32_t &, uint32_t &> operator()(
      Tuple &key) const {
    return {key.word[0], key.word[1], key.word[2], key.word[3], key.word[4]};
  }
};

template <typename KEY>
struct WordWindow {
  const uint32_t *words;
  int order;
  int bits;
  __device__ KEY operator()(uint64_t position) const {
    KEY key = 0;
    for (int i = 0; i < order; i++) {
      const KEY word = __ldg(words + position + i);
      key = i == 0 ? word : key << bits | word;  // shifting by the key's full width is undefined
    }
    return key;
  }
};

template <>
struct WordWindow<Tuple> {
  const uint32_t *words;
  int order;
  int bits;
  __device__ Tuple operator()(uint64_t position) const {
    Tuple key;
    for (int i = 0; i < 5; i++) {
      const int from = i - (5 - order);
      key.word[i] = from < 0 ? 0 : __ldg(words + position + from);
    }
    return key;
  }
};

/* Writes the keys of the windows that count: without a bitmap at their positions, with one appended block by block. */
template <typename KEY, typename WINDOW>
__global__ __launch_bounds__(kThreads) void map_windows(WINDOW window, uint64_t positions,
                                                        const uint32_t *__restrict__ valid, KEY *__restrict__ keys,
                                                        uint64_t capacity, unsigned long long *__restrict__ written) {
  constexpr uint64_t kTile = kThreads * kPerThread;
  __shared__ BlockAppend append;
  for (uint64_t base = blockIdx.x * kTile; base < positions; base += gridDim.x * kTile) {
    if (valid == nullptr) {
#pragma unroll
      for (int i = 0; i < kPerThread; i++) {
        const uint64_t position = base + i * kThreads + threadIdx.x;
        if (position < positions) {
          keys[position] = window(position);
        }
      }
      continue;
    }
    append.begin();
    uint32_t at[kPerThread];
#pragma unroll
    for (int i = 0; i < kPerThread; i++) {
      const uint64_t position = base + i * kThreads + threadIdx.x;
      at[i] = append.add(position < positions && (valid[position / 32] >> (position % 32) & 1));
    }
    const uint64_t first = append.end(written);
#pragma unroll
    for (int i = 0; i < kPerThread; i++) {
      if (at[i] != BlockAppend::kNone && first + at[i] < capacity) {
        keys[first + at[i]] = window(base + i * kThreads + threadIdx.x);
      }
    }
  }
}

/* Widens the runs to the caller's format. */
template <typename KEY>
__global__ __launch_bounds__(kThreads) void write_list(const KEY *__restrict__ unique,
                                                       const uint32_t *__restrict__ runs,
                                                       const uint64_t *__restrict__ size, uint64_t *__restrict__ keys,
                                                       uint64_t *__restrict__ counts, uint64_t capacity) {
  const uint64_t listed = *size < capacity ? *size : capacity;
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < listed; i += stride) {
    keys[i] = unique[i];
    counts[i] = runs[i];
  }
}

template <typename KEY>
__device__ uint32_t word_of(const KEY &key, int from_last, int bits) {
  return static_cast<uint32_t>(key >> (from_last * bits)) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

template <>
__device__ uint32_t word_of(const Tuple &key, int from_last, int) {
  return key.word[4 - from_last];
}

template <typename KEY>
__global__ __launch_bounds__(kThreads) void write_ngrams(const KEY *__restrict__ unique,
                                                         const uint32_t *__restrict__ runs,
                                                         const uint64_t *__restrict__ size, int order, int bits,
                                                         uint32_t *__restrict__ ngrams, uint64_t *__restrict__ counts,
                                                         uint64_t capacity) {
  const uint64_t listed = *size < capacity ? *size : capacity;
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < listed; i += stride) {
    for (int k = 0; k < order; k++) {
      ngrams[i * order + k] = word_of(unique[i], order - 1 - k, bits);
    }
    counts[i] = runs[i];
  }
}

template <typename KEY>
struct Sorter {
  static cudaError_t sort(void *scratch, size_t &bytes, cub::DoubleBuffer<KEY> &keys, int64_t size, int bits,
                          cudaStream_t stream) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, size, 0, bits, stream);
  }
};

template <>
struct Sorter<Tuple> {
  static cudaError_t sort(void *scratch, size_t &bytes, cub::DoubleBuffer<Tuple> &keys, int64_t size, int bits,
                          cudaStream_t stream) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, size, Decompose{}, 0, bits, stream);
  }
};

/* Map, sort and encode; `write` then writes the runs to their destination. */
template <typename KEY, typename WINDOW, typename WRITE>
int map_sort_reduce(WINDOW window, uint64_t positions, const uint32_t *valid, uint64_t windows, int key_bits,
                    uint64_t *size, void *scratch, size_t *scratch_bytes, cudaStream_t stream, WRITE write) {
  Scratch parts(scratch);
  KEY *one = parts.take<KEY>(windows);
  KEY *two = parts.take<KEY>(windows);
  uint32_t *runs = parts.take<uint32_t>(windows);
  auto *written = parts.take<unsigned long long>(1);
  cub::DoubleBuffer<KEY> keys(one, two);
  size_t sorting = 0;
  size_t encoding = 0;
  const auto items = static_cast<int64_t>(windows);
  LAT_TRY(Sorter<KEY>::sort(nullptr, sorting, keys, items, key_bits, stream));
  LAT_TRY(cub::DeviceRunLengthEncode::Encode(nullptr, encoding, one, two, runs, size, items, stream));
  size_t cub_bytes = sorting > encoding ? sorting : encoding;
  void *cub_scratch = parts.take<char>(cub_bytes);
  LAT_SCRATCH(parts, scratch, scratch_bytes);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  LAT_TRY(cudaMemsetAsync(written, 0, sizeof(*written), stream));
  map_windows<<<blocks_for(positions, kThreads * kPerThread, sms, 32), kThreads, 0, stream>>>(window, positions, valid,
                                                                                            one, windows, written);
  LAT_TRY(cudaGetLastError());
  LAT_TRY(Sorter<KEY>::sort(cub_scratch, cub_bytes, keys, items, key_bits, stream));
  LAT_TRY(cub::DeviceRunLengthEncode::Encode(cub_scratch, cub_bytes, keys.Current(), keys.Alternate(), runs, size,
                                             items, stream));
  write(keys.Alternate(), runs, blocks_for(windows, kThreads, sms, 16));
  return launched();
}

template <typename KEY>
int sort_bytes(const uint8_t *text, uint64_t positions, const uint32_t *valid, uint64_t windows, int order,
               uint64_t *list_keys, uint64_t *counts, uint64_t capacity, uint64_t *size, void *scratch,
               size_t *scratch_bytes, cudaStream_t stream) {
  return map_sort_reduce<KEY>(ByteWindow<KEY>{reinterpret_cast<const uint32_t *>(text), order}, positions, valid,
                              windows, 8 * order, size, scratch, scratch_bytes, stream,
                              [&](const KEY *unique, const uint32_t *runs, unsigned blocks) {
                                write_list<<<blocks, kThreads, 0, stream>>>(unique, runs, size, list_keys, counts,
                                                                            capacity);
                              });
}

template <typename KEY>
int sort_words(const uint32_t *words, uint64_t positions, const uint32_t *valid, uint64_t windows, int order,
               int word_bits, int key_bits, uint32_t *ngrams, uint64_t *counts, uint64_t capacity, uint64_t *size,
               void *scratch, size_t *scratch_bytes, cudaStream_t stream) {
  return map_sort_reduce<KEY>(WordWindow<KEY>{words, order, word_bits}, positions, valid, windows, key_bits, size,
                              scratch, scratch_bytes, stream,
                              [&](const KEY *unique, const uint32_t *runs, unsigned blocks) {
                                write_ngrams<<<blocks, kThreads, 0, stream>>>(unique, runs, size, order, word_bits,
                                                                              ngrams, counts, capacity);
                              });
}

constexpr uint64_t kMostWindows = (1ull << 31) - 1;

}  // namespace
}  // namespace lat::ngram

using namespace lat;
using namespace lat::ngram;

extern "C" int lat_ngram_list_sort(const uint64_t *d_keys, const uint64_t *d_counts, uint64_t size, int key_bits,
                                   uint64_t *d_sorted_keys, uint64_t *d_sorted_counts, void *d_scratch,
                                   size_t *scratch_bytes, lat_stream stream) {
  LAT_REQUIRE(scratch_bytes != nullptr && key_bits >= 1 && key_bits <= 64 && size <= 1ull << 40);
  size_t needed = 0;
  const auto items = static_cast<int64_t>(size);
  LAT_TRY(cub::DeviceRadixSort::SortPairs(nullptr, needed, d_keys, d_sorted_keys, d_counts, d_sorted_counts, items, 0,
                                          key_bits, stream_of(stream)));
  Scratch parts(d_scratch);
  void *scratch = parts.take<char>(std::max<size_t>(needed, 1));
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  if (size == 0) {
    return LAT_OK;
  }
  LAT_TRY(cub::DeviceRadixSort::SortPairs(scratch, needed, d_keys, d_sorted_keys, d_counts, d_sorted_counts, items, 0,
                                          key_bits, stream_of(stream)));
  return launched();
}

extern "C" int lat_ngram_sort(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, uint64_t windows,
                              int order, uint64_t *d_keys, uint64_t *d_counts, uint64_t capacity, uint64_t *d_size,
                              void *d_scratch, size_t *scratch_bytes, lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_BYTE_ORDER && scratch_bytes != nullptr);
  LAT_REQUIRE(windows >= 1 && windows <= kMostWindows && text_bytes >= windows + order - 1);
  LAT_REQUIRE(d_valid != nullptr || windows == text_bytes - order + 1);
  const uint64_t positions = text_bytes - order + 1;
  const cudaStream_t s = stream_of(stream);
  switch (order) {
    case 1:
      return sort_bytes<uint8_t>(d_text, positions, d_valid, windows, order, d_keys, d_counts, capacity, d_size,
                                 d_scratch, scratch_bytes, s);
    case 2:
      return sort_bytes<uint16_t>(d_text, positions, d_valid, windows, order, d_keys, d_counts, capacity, d_size,
                                  d_scratch, scratch_bytes, s);
    case 3:
    case 4:
      return sort_bytes<uint32_t>(d_text, positions, d_valid, windows, order, d_keys, d_counts, capacity, d_size,
                                  d_scratch, scratch_bytes, s);
    default:
      return sort_bytes<uint64_t>(d_text, positions, d_valid, windows, order, d_keys, d_counts, capacity, d_size,
                                  d_scratch, scratch_bytes, s);
  }
}

extern "C" int lat_ngram_words_sort(const uint32_t *d_words, uint64_t words, const uint32_t *d_valid, uint64_t windows,
                                    int order, int word_bits, uint32_t *d_ngrams, uint64_t *d_counts,
                                    uint64_t capacity, uint64_t *d_size, void *d_scratch, size_t *scratch_bytes,
                                    lat_stream stream) {
  LAT_REQUIRE(order >= 1 && order <= LAT_NGRAM_MAX_WORD_ORDER && word_bits >= 1 && word_bits <= 32);
  LAT_REQUIRE(scratch_bytes != nullptr && windows >= 1 && windows <= kMostWindows && words >= windows + order - 1);
  LAT_REQUIRE(d_valid != nullptr || windows == words - order + 1);
  const uint64_t positions = words - order + 1;
  const cudaStream_t s = stream_of(stream);
  const int key_bits = order * word_bits;
  if (key_bits <= 32) {
    return sort_words<uint32_t>(d_words, positions, d_valid, windows, order, word_bits, key_bits, d_ngrams, d_counts,
                                capacity, d_size, d_scratch, scratch_bytes, s);
  }
  if (key_bits <= 64) {
    return sort_words<uint64_t>(d_words, positions, d_valid, windows, order, word_bits, key_bits, d_ngrams, d_counts,
                                capacity, d_size, d_scratch, scratch_bytes, s);
  }
  if (key_bits <= 128) {
    return sort_words<Wide>(d_words, positions, d_valid, windows, order, word_bits, key_bits, d_ngrams, d_counts,
                            capacity, d_size, d_scratch, scratch_bytes, s);
  }
  // Tuples store every word in 32 bits.
  return sort_words<Tuple>(d_words, positions, d_valid, windows, order, word_bits, 32 * order, d_ngrams, d_counts,
                           capacity, d_size, d_scratch, scratch_bytes, s);
}
