// Codes for the frequent bytes of a text.
//
// Most text mainly uses few byte values: in lower-case English, 32 make up 98 %. A window of such bytes has a short
// code, 5 or 6 bits per byte, which serves as a direct index (n = 3: 15 bits) or as a key for a cache of 32-bit slots
// (n = 5: 30 bits). A sample determines the frequent bytes; a window with any other byte takes the slower path, so the
// sample affects speed only, never a count.
#pragma once

#include <cstdint>

#include "ngram/text.cuh"

namespace lat::ngram {

constexpr uint8_t kNoCode = 0xff;
constexpr int kSymbols = 64;
constexpr unsigned kSampleThreads = 1024;

/* One block: ranks the bytes in a sample of up to 64 KiB, taken from all over the text. */
static __global__ __launch_bounds__(kSampleThreads) void sample_symbols(const uint4 *__restrict__ text, uint64_t bytes,
                                                                        uint8_t *__restrict__ code,
                                                                        uint8_t *__restrict__ symbol) {
  __shared__ uint32_t seen[256];
  if (threadIdx.x < 256) {
    seen[threadIdx.x] = 0;
  }
  __syncthreads();
  const uint64_t chunks = bytes / kChunk;  // only whole ones: bytes after the text do not count
  const uint64_t taken = chunks < 4 * kSampleThreads ? chunks : 4 * kSampleThreads;
  for (uint64_t i = threadIdx.x; i < taken; i += kSampleThreads) {
    const uint4 piece = __ldg(text + i * chunks / taken);
    const uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
    for (int b = 0; b < kChunk; b++) {
      atomicAdd(seen + (words[b / 4] >> (b % 4 * 8) & 0xff), 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x < 256) {
    const uint32_t own = seen[threadIdx.x];
    uint32_t rank = 0;
    for (uint32_t other = 0; other < 256; other++) {
      rank += seen[other] > own || (seen[other] == own && other < threadIdx.x) ? 1 : 0;
    }
    code[threadIdx.x] = rank < kSymbols ? static_cast<uint8_t>(rank) : kNoCode;
    if (rank < kSymbols) {
      symbol[rank] = static_cast<uint8_t>(threadIdx.x);
    }
  }
}

/* The key that a code of ORDER symbols stands for. */
template <int ORDER, int BITS>
__device__ __forceinline__ uint64_t decode(uint32_t code, const uint8_t *symbol) {
  uint64_t key = 0;
#pragma unroll
  for (int i = 0; i < ORDER; i++) {
    key = key << 8 | symbol[code >> ((ORDER - 1 - i) * BITS) & ((1u << BITS) - 1)];
  }
  return key;
}

/* Which windows of a chunk have a code, and the codes. */
template <int ORDER, int BITS>
class ChunkCodes {
 public:
  /* codes: code of each byte, kNoCode if it has none (or one of more than BITS bits); in shared memory. */
  __device__ __forceinline__ void load(const Chunk<ORDER> &chunk, const uint8_t *codes) {
    uint32_t without = 0;
#pragma unroll
    for (int b = 0; b < kChunk + ORDER - 1; b++) {
      code_[b] = codes[chunk.byte(b)];
      without |= code_[b] >> 7 << b;
    }
    coded_ = 0;
#pragma unroll
    for (int k = 0; k < ORDER; k++) {
      coded_ |= without >> k;
    }
    coded_ = ~coded_;
  }
  /* Bit i: whether window i has a code. */
  __device__ __forceinline__ uint32_t coded() const { return coded_; }
  /* The code of window i, if it has one. */
  __device__ __forceinline__ uint32_t code(int i) const {
    uint32_t code = 0;
#pragma unroll
    for (int k = 0; k < ORDER; k++) {
      code = (code << BITS) + code_[i + k];
    }
    return code;
  }

 private:
  uint32_t code_[kChunk + ORDER - 1];
  uint32_t coded_;
};

}  // namespace lat::ngram
