// The windows of a thread's piece of a text, for the hash table's blocks.
#pragma once

#include "latimer_kernels.h"
#include "ngram/symbols.cuh"
#include "ngram/text.cuh"

namespace lat::ngram {

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

}  // namespace lat::ngram
