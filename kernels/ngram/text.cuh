// How kernels read the windows of a text: 16 bytes per thread, plus the bytes after them.
#pragma once

#include <cstdint>

namespace lat::ngram {

constexpr int kChunk = 16;  // bytes (and windows) per thread of byte text

/* The window at a position of a byte text. */
template <typename KEY>
struct ByteWindow {
  const uint32_t *text;
  int order;
  __device__ KEY operator()(uint64_t position) const {
    const uint64_t word = position / 4;
    const int shift = position % 4 * 8;
    const uint32_t a = __byte_perm(__ldg(text + word), 0, 0x0123);
    const uint32_t b = __byte_perm(__ldg(text + word + 1), 0, 0x0123);
    const uint32_t high = __funnelshift_l(b, a, shift);
    if (sizeof(KEY) <= 4) {
      return static_cast<KEY>(high >> (32 - 8 * order));
    }
    const uint32_t c = __byte_perm(__ldg(text + word + 2), 0, 0x0123);
    const uint64_t both = static_cast<uint64_t>(high) << 32 | __funnelshift_l(c, b, shift);
    return static_cast<KEY>(both >> (64 - 8 * order));
  }
};

/* 16 windows of a byte text, as big-endian words, so that a shift extracts a window. */
template <int ORDER>
class Chunk {
 public:
  __device__ __forceinline__ void load(const uint4 *__restrict__ text, uint64_t chunk) {
    const uint4 own = __ldg(text + chunk);
    word_[0] = swap(own.x);
    word_[1] = swap(own.y);
    word_[2] = swap(own.z);
    word_[3] = swap(own.w);
    if (ORDER > 5) {
      const uint2 next = __ldg(reinterpret_cast<const uint2 *>(text + chunk + 1));
      word_[4] = swap(next.x);
      word_[5] = swap(next.y);
    } else if (ORDER > 1) {
      word_[4] = swap(__ldg(reinterpret_cast<const uint32_t *>(text + chunk + 1)));
      word_[5] = 0;
    }
  }

  /* The key of window i (a compile-time constant after unrolling), for orders up to 4. */
  __device__ __forceinline__ uint32_t key32(int i) const {
    const int w = i / 4;
    if (ORDER == 1) {
      return word_[w] >> (24 - i % 4 * 8) & 0xff;
    }
    return __funnelshift_l(word_[w + 1], word_[w], i % 4 * 8) >> (32 - 8 * (ORDER < 4 ? ORDER : 4));
  }

  /* Byte i, below 16 + ORDER - 1. */
  __device__ __forceinline__ uint32_t byte(int i) const { return word_[i / 4] >> (24 - i % 4 * 8) & 0xff; }

  /* The key of window i, for any order. */
  __device__ __forceinline__ uint64_t key64(int i) const {
    if (ORDER <= 4) {
      return key32(i);
    }
    const int w = i / 4;
    const int bits = i % 4 * 8;
    const uint32_t high = __funnelshift_l(word_[w + 1], word_[w], bits);
    const uint32_t low = __funnelshift_l(word_[w + 2 < 6 ? w + 2 : 5], word_[w + 1], bits);
    return (static_cast<uint64_t>(high) << 32 | low) >> (64 - 8 * (ORDER > 4 ? ORDER : 8));
  }

 private:
  static __device__ __forceinline__ uint32_t swap(uint32_t word) { return __byte_perm(word, 0, 0x0123); }

  uint32_t word_[6];
};

/* Which of the 16 windows of a chunk count: those that exist and are valid. */
__device__ __forceinline__ uint32_t chunk_windows(uint64_t chunk, uint64_t windows,
                                                  const uint16_t *__restrict__ valid) {
  const uint64_t first = chunk * kChunk;
  if (first >= windows) {
    return 0;
  }
  const uint32_t present = windows - first >= kChunk ? 0xffffu : (1u << (windows - first)) - 1;
  return valid == nullptr ? present : present & __ldg(valid + chunk);
}

}  // namespace lat::ngram
