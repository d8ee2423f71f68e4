// Algorithm 2 of He, Lin and Lopez 2013: the translation of one occurrence of a phrase, as PhraseOccurrence does it on
// the CPU.
#pragma once

#include "phrases/index.cuh"

namespace lat::phrases {

/* What became of an occurrence, in the order of lat_phrases_batch.d_outcomes. */
enum Outcome { kExtracted, kUnalignedPhrase, kLoose, kInconsistent, kTooLong, kOutcomes };
constexpr int kCorrupt = -1;

/* The limits of target phrases. */
struct Limits {
  int64_t max_target; /* 0 for none */
  bool loose;

  LAT_BOTH bool too_long(int64_t words) const { return max_target > 0 && words > max_target; }
  /* Words by which a target phrase that is not too long can be extended. */
  LAT_BOTH int64_t extension(int64_t words) const { return max_target == 0 ? INT32_MAX : max_target - words; }
};

/* A target phrase: segment << 47 | words << 31 | position. */
struct Target {
  uint64_t packed;

  static LAT_BOTH Target of(uint32_t segment, int64_t words, int64_t position) {
    return {static_cast<uint64_t>(segment) << 47 | static_cast<uint64_t>(words) << 31 |
            static_cast<uint64_t>(position)};
  }
  LAT_BOTH uint32_t segment() const { return static_cast<uint32_t>(packed >> 47); }
  LAT_BOTH int32_t words() const { return static_cast<int32_t>(packed >> 31 & 0xffff); }
  LAT_BOTH int32_t position() const { return static_cast<int32_t>(packed & 0x7fffffff); }
};
constexpr uint64_t kNoTarget = ~0ull;

/* Projects a phrase to the target side and back.
 *
 * position: of its first word, below the length of the source text; words: 1 or more.
 * target, target_words: set if it is extracted. Returns an Outcome, or kCorrupt if it is not in one sentence. */
template <typename SEGMENT>
LAT_BOTH int extract(const SEGMENT &segment, int64_t position, int32_t words, const Limits &limits, int64_t *target,
                     int32_t *target_words) {
  if (words > segment.source_length - position) {
    return kCorrupt;
  }
  const Extent begin = segment.extent(position);
  const Extent end = words == 1 ? begin : segment.extent(position + words - 1);
  if (end.end || end.place - begin.place != words - 1) {
    return kCorrupt;
  }
  int first = begin.first < end.first ? begin.first : end.first;
  int last = begin.last > end.last ? begin.last : end.last;
  for (int32_t i = 1; i < words - 1; i++) {
    const Extent extent = segment.extent(position + i);
    first = extent.first < first ? extent.first : first;
    last = extent.last > last ? extent.last : last;
  }
  if (first > last) {
    return kUnalignedPhrase;
  }
  const int place = begin.place;
  const int32_t span = last - first + 1;
  const int64_t from = position < place ? segment.target_length : segment.target_start(position - place) + first;
  if (from + span > segment.target_length) {
    return kCorrupt;
  }
  int back_first = INT32_MAX;
  int back_last = 0;
  for (int32_t i = 0; i < span; i++) {
    const Extent extent = segment.target_extent(from + i);
    back_first = extent.first < back_first ? extent.first : back_first;
    back_last = extent.last > back_last ? extent.last : back_last;
    if (back_first < place || back_last >= place + words) {
      return kInconsistent;
    }
  }
  if (!limits.loose && (back_first != place || back_last != place + words - 1)) {
    return kLoose;
  }
  if (limits.too_long(span)) {
    return kTooLong;
  }
  *target = from;
  *target_words = span;
  return kExtracted;
}

template <typename SEGMENT>
LAT_BOTH bool is_unaligned_word(const SEGMENT &segment, int64_t position) {
  return segment.target(position) != kEnd && segment.target_extent(position).first == kUnaligned;
}

/* Unaligned words by which a target phrase can be extended to the left. */
template <typename SEGMENT>
LAT_BOTH int64_t unaligned_before(const SEGMENT &segment, const Limits &limits, int64_t target, int32_t words) {
  const int64_t most = limits.extension(words);
  int64_t size = 0;
  while (size < most && size < target && is_unaligned_word(segment, target - size - 1)) {
    size++;
  }
  return size;
}

/* The same to the right. */
template <typename SEGMENT>
LAT_BOTH int64_t unaligned_after(const SEGMENT &segment, const Limits &limits, int64_t target, int32_t words) {
  const int64_t most = limits.extension(words);
  int64_t size = 0;
  while (size < most && target + words + size < segment.target_length &&
         is_unaligned_word(segment, target + words + size)) {
    size++;
  }
  return size;
}

/* Calls a function with the position and the words of each extension of a target phrase, also of none, in the CPU's
 * order: by the words before it, then by those after it. */
template <typename SEGMENT, typename CALL>
LAT_BOTH void for_each_extension(const SEGMENT &segment, const Limits &limits, int64_t target, int32_t words,
                                 CALL call) {
  const int64_t before = limits.loose ? unaligned_before(segment, limits, target, words) : 0;
  const int64_t after = limits.loose ? unaligned_after(segment, limits, target, words) : 0;
  for (int64_t left = 0; left <= before; left++) {
    const int64_t extension = limits.extension(words + left);
    const int64_t most = after < extension ? after : extension;
    for (int64_t right = 0; right <= most; right++) {
      call(target - left, static_cast<int32_t>(words + left + right));
    }
  }
}

/* The number of these calls. */
template <typename SEGMENT>
LAT_BOTH uint64_t extensions(const SEGMENT &segment, const Limits &limits, int64_t target, int32_t words) {
  if (!limits.loose) {
    return 1;
  }
  const int64_t before = unaligned_before(segment, limits, target, words);
  const int64_t after = unaligned_after(segment, limits, target, words);
  uint64_t sum = 0;
  for (int64_t left = 0; left <= before; left++) {
    const int64_t extension = limits.extension(words + left);
    sum += static_cast<uint64_t>(after < extension ? after : extension) + 1;
  }
  return sum;
}

/* Target words of different length or content mostly have different hashes. */
template <typename SEGMENT>
LAT_BOTH uint64_t hash_target(const SEGMENT &segment, int64_t position, int32_t words) {
  uint64_t hash = static_cast<uint64_t>(words);
  for (int32_t i = 0; i < words; i++) {
    hash = (hash + static_cast<uint32_t>(segment.target(position + i))) * 0x9e3779b97f4a7c15ull;
  }
  return fmix64(hash);
}

/* The order of the words of two target phrases: below 0, 0 or above 0. */
LAT_BOTH int compare_targets(const lat_phrases_segment *segments, Target a, Target b, int32_t from) {
  if (a.packed == b.packed) {
    return 0;
  }
  const Segment in_a(segments + a.segment());
  const Segment in_b(segments + b.segment());
  const int32_t shorter = a.words() < b.words() ? a.words() : b.words();
  for (int32_t i = from; i < shorter; i++) {
    const int32_t difference =
        in_a.target(static_cast<int64_t>(a.position()) + i) - in_b.target(static_cast<int64_t>(b.position()) + i);
    if (difference != 0) {
      return difference;
    }
  }
  return a.words() - b.words();
}

}  // namespace lat::phrases
