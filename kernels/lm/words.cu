// Raw text to tokens: finds the words of texts, and looks each up in the vocabulary of a model file, used in file
// format.
//
// The text is read twice, 16 bytes per thread: first, words and ends of texts are counted per tile; then, when a scan
// has determined where each tile's tokens go, a tile's word positions are compacted in shared memory and processed one
// per thread, however far apart they are. A word is hashed from the text (FNV-1a goes byte by byte, and words average
// five) and looked up as on the CPU: slot in the table, bounds of the word found there, its bytes. The vocabulary stays
// in L2.
//
// It must move 5 bytes of text per word and write one token; three dependent reads of L2 per word bound it.
#include "common/cub.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "common/fmix64.cuh"
#include "common/launch.cuh"

namespace lat::lm {
namespace {

constexpr unsigned kThreads = 256;
constexpr uint32_t kUnit = 16;  // bytes per thread
constexpr uint32_t kTile = kThreads * kUnit;
constexpr uint32_t kFree = ~0u;  // id of a free slot

struct Texts {
  const uint8_t *text;
  uint64_t bytes;
  const uint32_t *ends;  // one bit per byte, set where a text ends

  uint64_t tiles() const { return (bytes + kTile - 1) / kTile; }
};

struct Vocabulary {
  const uint8_t *text;
  const uint32_t *starts;
  const uint2 *table;
  uint32_t words;
  uint32_t slots;
  uint32_t longest;
};

__device__ __forceinline__ bool parts_words(uint32_t c) { return c == ' ' || c == 0 || c - '\t' <= '\r' - '\t'; }

/* Four bits: which of four bytes separate words. */
__device__ __forceinline__ uint32_t separators(uint32_t bytes) {
  const uint32_t parting = __vcmpeq4(bytes, 0x20202020u) | __vcmpeq4(bytes, 0) |
                           __vcmpleu4(__vsub4(bytes, 0x09090909u), 0x04040404u);
  return ((parting & 0x08040201u) * 0x01010101u) >> 24;
}

/* Starts and ends in 16 bytes, one bit each. */
struct Unit {
  uint32_t starts;
  uint32_t ends;

  /* Called by all lanes of a warp, which has 32 consecutive units. */
  __device__ __forceinline__ Unit(const Texts &texts, uint64_t at, uint32_t lane) : starts(0), ends(0) {
    uint32_t parting = 0xffff;
    if (at < texts.bytes) {
      const uint4 bytes = __ldg(reinterpret_cast<const uint4 *>(texts.text + at));
      parting = separators(bytes.x) | separators(bytes.y) << 4 | separators(bytes.z) << 8 | separators(bytes.w) << 12;
      ends = texts.ends[at / 32] >> (at % 32) & 0xffff;
      if (texts.bytes - at < kUnit) {
        const uint32_t beyond = 0xffffu << (texts.bytes - at) & 0xffff;
        parting |= beyond;
        ends &= ~beyond;
      }
    }
    uint32_t before = __shfl_up_sync(~0u, parting >> 15, 1);
    if (lane == 0) {
      before = at == 0 || at >= texts.bytes || parts_words(__ldg(texts.text + at - 1));
    }
    starts = ~parting & (parting << 1 | before) & 0xffff;
  }
};

__global__ __launch_bounds__(kThreads) void mark_ends(const uint32_t *__restrict__ ends, uint64_t texts,
                                                      uint64_t bytes, uint32_t *__restrict__ bits) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < texts; i += stride) {
    const uint32_t end = ends[i];
    if (end < bytes) {
      atomicOr(bits + end / 32, 1u << (end % 32));
    }
  }
}

/* Counts of a tile: words in the lower half, ends of texts in the upper half. */
__global__ __launch_bounds__(kThreads) void count(Texts texts, uint64_t tiles, uint64_t *__restrict__ counts) {
  using Reduce = cub::BlockReduce<uint32_t, kThreads>;
  __shared__ typename Reduce::TempStorage memory;
  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Unit unit(texts, tile * kTile + threadIdx.x * kUnit, threadIdx.x % 32);
    const uint32_t sum = Reduce(memory).Sum(__popc(unit.starts) | __popc(unit.ends) << 16);
    if (threadIdx.x == 0) {
      counts[tile] = (sum & 0xffff) | static_cast<uint64_t>(sum >> 16) << 32;
    }
    __syncthreads();
  }
}

__device__ __forceinline__ uint32_t look_up(const Vocabulary &vocabulary, const Texts &texts, uint64_t start) {
  uint64_t hash = 0xcbf29ce484222325ull;
  uint32_t length = 0;
  while (start + length < texts.bytes) {
    const uint32_t c = __ldg(texts.text + start + length);
    if (parts_words(c)) {
      break;
    }
    if (length == vocabulary.longest) {
      return 0;
    }
    hash = (hash ^ c) * 0x100000001b3ull;
    length++;
  }
  hash = fmix64(hash);
  uint32_t slot = __umulhi(static_cast<uint32_t>(hash >> 32), vocabulary.slots);
  for (uint32_t probes = 0; probes < vocabulary.slots; probes++) {
    const uint2 entry = __ldg(vocabulary.table + slot);
    if (entry.y == kFree) {
      return 0;
    }
    if (entry.x == static_cast<uint32_t>(hash) && entry.y < vocabulary.words) {
      const uint32_t word = __ldg(vocabulary.starts + entry.y);
      bool same = __ldg(vocabulary.starts + entry.y + 1) - word == length;
      for (uint32_t i = 0; same && i < length; i++) {
        same = __ldg(vocabulary.text + word + i) == __ldg(texts.text + start + i);
      }
      if (same) {
        return entry.y;
      }
    }
    slot = slot + 1 == vocabulary.slots ? 0 : slot + 1;
  }
  return 0;
}

/* before: number of words and ends before each tile. lead, tail: number of tokens before and after the words of a text. */
__global__ __launch_bounds__(kThreads) void look_up_words(Texts texts, uint64_t tiles, Vocabulary vocabulary,
                                                          const uint64_t *__restrict__ before, uint32_t lead,
                                                          uint32_t tail, uint32_t *__restrict__ tokens,
                                                          uint32_t *__restrict__ offsets) {
  using Scan = cub::BlockScan<uint32_t, kThreads>;
  __shared__ typename Scan::TempStorage memory;
  __shared__ uint32_t slots[kTile / 2];    // index of a word's token, relative to the tile's first
  __shared__ uint16_t places[kTile / 2];  // start of a word
  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint64_t at = tile * kTile;
    const Unit unit(texts, at + threadIdx.x * kUnit, threadIdx.x % 32);
    uint32_t local = 0;
    uint32_t all = 0;
    Scan(memory).ExclusiveSum(__popc(unit.starts) | __popc(unit.ends) << 16, local, all);
    const auto words_before = static_cast<uint32_t>(before[tile]);
    const auto ends_before = static_cast<uint32_t>(before[tile] >> 32);
    uint32_t word = local & 0xffff;
    uint32_t end = local >> 16;
    for (uint32_t open = unit.starts | unit.ends; open != 0; open &= open - 1) {
      const uint32_t bit = __ffs(open) - 1;
      if ((unit.ends >> bit & 1) != 0) {  // a separator byte: no word starts here
        end++;
        offsets[ends_before + end] = words_before + word + (ends_before + end) * (lead + tail);
      } else {
        places[word] = static_cast<uint16_t>(threadIdx.x * kUnit + bit);
        slots[word] = word + end * (lead + tail);
        word++;
      }
    }
    __syncthreads();
    uint32_t *mine = tokens + words_before + static_cast<uint64_t>(ends_before) * (lead + tail) + lead;
    for (uint32_t i = threadIdx.x; i < (all & 0xffff); i += kThreads) {
      mine[slots[i]] = look_up(vocabulary, texts, at + places[i]);
    }
    __syncthreads();
  }
}

/* Writes <s>, </s> and the flag of each text's first token. */
__global__ __launch_bounds__(kThreads) void mark_texts(uint64_t texts, uint32_t begin, uint32_t end,
                                                       uint32_t *__restrict__ tokens,
                                                       uint32_t *__restrict__ offsets) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < texts; i += stride) {
    const uint32_t first = i == 0 ? 0 : offsets[i];
    const uint32_t last = offsets[i + 1];
    if (i == 0) {
      offsets[0] = 0;
    }
    if (end != LAT_LM_NONE) {
      tokens[last - 1] = end;
    }
    if (begin != LAT_LM_NONE) {
      tokens[first] = begin | LAT_LM_FIRST | LAT_LM_CONTEXT;
    } else if (first < last) {
      tokens[first] |= LAT_LM_FIRST;
    }
  }
}

/* One thread per text adds its scores in order: float32 sums depend on the order. */
__global__ __launch_bounds__(kThreads) void sum_texts(const uint32_t *__restrict__ tokens,
                                                      const uint32_t *__restrict__ offsets, uint64_t texts,
                                                      const float *__restrict__ log10, float *__restrict__ totals,
                                                      uint32_t *__restrict__ unknown,
                                                      double *__restrict__ unknown_totals) {
  const uint64_t stride = static_cast<uint64_t>(gridDim.x) * kThreads;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < texts; i += stride) {
    float total = 0;
    uint32_t unknowns = 0;
    double unknown_total = 0;
    for (uint32_t p = offsets[i]; p < offsets[i + 1]; p++) {
      const uint32_t token = tokens[p] & ~LAT_LM_FIRST;
      if ((token & LAT_LM_CONTEXT) == 0) {
        const float score = log10[p];
        total = __fadd_rn(total, score);
        if (token == 0) {
          unknowns++;
          unknown_total = __dadd_rn(unknown_total, score);
        }
      }
    }
    totals[i] = total;
    unknown[i] = unknowns;
    unknown_totals[i] = unknown_total;
  }
}

}  // namespace
}  // namespace lat::lm

using namespace lat;
using namespace lat::lm;

extern "C" int lat_lm_tokens(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_ends, uint64_t texts,
                             const uint8_t *d_word_text, const uint32_t *d_word_starts, uint32_t words,
                             const void *d_word_table, uint32_t word_slots, uint32_t longest_word, uint32_t begin,
                             uint32_t end, uint32_t *d_tokens, uint32_t *d_offsets, void *d_scratch,
                             size_t *scratch_bytes, lat_stream stream) {
  LAT_REQUIRE(text_bytes < 1ull << 31 && texts <= text_bytes && scratch_bytes != nullptr);
  LAT_REQUIRE((texts == 0) == (text_bytes == 0));
  cudaStream_t queue = stream_of(stream);
  Texts text{d_text, text_bytes, nullptr};
  const uint64_t tiles = text.tiles();
  size_t scan_bytes = 0;
  LAT_TRY(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, static_cast<uint64_t *>(nullptr),
                                        static_cast<uint64_t *>(nullptr), static_cast<int64_t>(tiles + 1), queue));
  Scratch parts(d_scratch);
  auto *bits = parts.take<uint32_t>((text_bytes + 31) / 32);
  auto *counts = parts.take<uint64_t>(tiles + 1);
  auto *before = parts.take<uint64_t>(tiles + 1);
  auto *scan = parts.take<char>(scan_bytes);
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  LAT_REQUIRE(d_offsets != nullptr);
  if (texts == 0) {
    LAT_TRY(cudaMemsetAsync(d_offsets, 0, sizeof(uint32_t), queue));
    return LAT_OK;
  }
  LAT_REQUIRE(d_text != nullptr && d_ends != nullptr && d_tokens != nullptr && d_word_starts != nullptr);
  LAT_REQUIRE(d_word_text != nullptr && d_word_table != nullptr && words >= 1 && word_slots >= 1);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  text.ends = bits;
  LAT_TRY(cudaMemsetAsync(bits, 0, (text_bytes + 31) / 32 * sizeof(uint32_t), queue));
  mark_ends<<<blocks_for(texts, kThreads, sms, 16), kThreads, 0, queue>>>(d_ends, texts, text_bytes, bits);
  LAT_TRY(cudaGetLastError());
  const unsigned blocks = blocks_for(tiles, 1, sms, 64);
  count<<<blocks, kThreads, 0, queue>>>(text, tiles, counts);
  LAT_TRY(cudaGetLastError());
  LAT_TRY(cub::DeviceScan::ExclusiveSum(scan, scan_bytes, counts, before, static_cast<int64_t>(tiles), queue));
  const Vocabulary vocabulary{d_word_text,
                              d_word_starts,
                              static_cast<const uint2 *>(d_word_table),
                              words,
                              word_slots,
                              longest_word};
  look_up_words<<<blocks, kThreads, 0, queue>>>(text, tiles, vocabulary, before, begin == LAT_LM_NONE ? 0 : 1,
                                                end == LAT_LM_NONE ? 0 : 1, d_tokens, d_offsets);
  LAT_TRY(cudaGetLastError());
  mark_texts<<<blocks_for(texts, kThreads, sms, 16), kThreads, 0, queue>>>(texts, begin, end, d_tokens, d_offsets);
  return launched();
}

extern "C" int lat_lm_sums(const uint32_t *d_tokens, const uint32_t *d_offsets, uint64_t texts, const float *d_log10,
                           float *d_totals, uint32_t *d_unknown, double *d_unknown_totals, lat_stream stream) {
  LAT_REQUIRE(texts < 1ull << 32);
  if (texts == 0) {
    return LAT_OK;
  }
  LAT_REQUIRE(d_tokens != nullptr && d_offsets != nullptr && d_log10 != nullptr);
  LAT_REQUIRE(d_totals != nullptr && d_unknown != nullptr && d_unknown_totals != nullptr);
  int sms = 0;
  LAT_TRY(multiprocessors(&sms));
  sum_texts<<<blocks_for(texts, kThreads, sms, 16), kThreads, 0, stream_of(stream)>>>(
      d_tokens, d_offsets, texts, d_log10, d_totals, d_unknown, d_unknown_totals);
  return launched();
}
