// The small table in a block's shared memory that absorbs the frequent n-grams before they reach the table in global
// memory.
//
// A slot is one word: a tag and a count. The mixed key is split into a bucket (its upper bits) and the tag (the rest),
// so a 32-bit slot holds keys of up to 32 bits exactly, and a 64-bit slot any key. A bucket has two slots, read
// together. First come, first served: text is so skewed that the first n-grams of a block's part are the frequent ones.
//
// A count cannot overflow into its tag: a thread reads the slot before it adds, and has at most kInFlight additions
// pending after a read. A thread that sees a count of kDrainAt or more drains it first. So a count stays below kDrainAt
// + threads * kInFlight, which the static_assert compares with a slot's capacity.
#pragma once

#include <cstdint>

#include "ngram/hash.cuh"
#include "ngram/symbols.cuh"

namespace lat::ngram {

constexpr int kInFlight = 4;

/* The cache holds the key itself. */
struct PlainKey {
  static __device__ __forceinline__ uint64_t key(uint32_t held, const uint8_t *) { return held; }
};

/* The cache holds a code of BITS bits per byte (symbols.cuh). */
template <int ORDER, int BITS>
struct CodedKey {
  static __device__ __forceinline__ uint64_t key(uint32_t held, const uint8_t *symbol) {
    return decode<ORDER, BITS>(held, symbol);
  }
};

/* Keys, or codes of keys, of up to MIX_BITS bits (an even number up to 32): slots of 32 bits. */
template <int MIX_BITS, int BUCKET_BITS, int THREADS, typename HELD = PlainKey>
struct NarrowCache {
  static constexpr unsigned kThreads = THREADS;
  static constexpr uint32_t kDrainAt = 2 * THREADS;
  static constexpr bool kClaims = false;
  using Word = uint32_t;
  using Pair = uint2;
  static constexpr int kTagBits = MIX_BITS - BUCKET_BITS;
  static constexpr int kCountBits = 32 - kTagBits;
  static constexpr uint32_t kBuckets = 1u << BUCKET_BITS;
  static constexpr uint32_t kCountMask = (1u << kCountBits) - 1;
  static_assert(kDrainAt + THREADS * kInFlight <= kCountMask, "a count would run into its tag");

  static __device__ __forceinline__ Word mix(uint64_t held) { return Mix32<MIX_BITS>::mix(static_cast<uint32_t>(held)); }
  static __device__ __forceinline__ uint32_t bucket(Word mixed) { return mixed >> kTagBits; }
  static __device__ __forceinline__ Word tag(Word mixed) { return mixed << kCountBits; }
  /* The table's mix of the key. */
  static __device__ __forceinline__ uint64_t global(Word mixed, const uint8_t *symbol) {
    return mix64(HELD::key(Mix32<MIX_BITS>::unmix(mixed), symbol));
  }
  static __device__ __forceinline__ Word mixed_of(uint32_t bucket, Word slot) {
    return bucket << kTagBits | slot >> kCountBits;
  }
};

/* Any key: slots of 64 bits. Uses the table's own mix. */
template <int BUCKET_BITS, int THREADS>
struct WideCache {
  static constexpr unsigned kThreads = THREADS;
  static constexpr uint32_t kDrainAt = 2 * THREADS;
  static constexpr bool kClaims = false;
  using Word = unsigned long long;
  using Pair = ulonglong2;
  static constexpr int kTagBits = 64 - BUCKET_BITS;
  static constexpr int kCountBits = 64 - kTagBits;
  static constexpr uint32_t kBuckets = 1u << BUCKET_BITS;
  static constexpr uint32_t kCountMask = (1u << kCountBits) - 1;
  static_assert(kDrainAt + THREADS * kInFlight <= kCountMask, "a count would run into its tag");

  static __device__ __forceinline__ Word mix(uint64_t key) { return mix64(key); }
  static __device__ __forceinline__ uint32_t bucket(Word mixed) { return static_cast<uint32_t>(mixed >> kTagBits); }
  static __device__ __forceinline__ Word tag(Word mixed) { return mixed << kCountBits; }
  static __device__ __forceinline__ uint64_t global(Word mixed, const uint8_t *) { return mixed; }
  static __device__ __forceinline__ Word mixed_of(uint32_t bucket, Word slot) {
    return static_cast<Word>(bucket) << kTagBits | slot >> kCountBits;
  }
};

/* The part of a slot that contains the count, for additions that leave the tag alone.
 *
 * Of a 64-bit slot this is a half, to which 32 bits are added while other threads compare and swap the whole. CUDA's
 * memory model leaves open what accesses of two sizes to one place do at once. It works because each is one instruction
 * of the multiprocessor's shared memory, which executes one at a time for a bank. An addition of 64 bits would be a
 * loop of compare-and-swap there, for the most contended words of all. */
__device__ __forceinline__ uint32_t *count_of(uint32_t *slot) { return slot; }
__device__ __forceinline__ uint32_t *count_of(unsigned long long *slot) { return reinterpret_cast<uint32_t *>(slot); }

}  // namespace lat::ngram
