// Binary search for the suffixes that start with a phrase (Manber and Myers 1993), as PhraseSearch does it on the CPU.
#pragma once

#include "phrases/index.cuh"

namespace lat::phrases {

/* The words of a batch from one of them on; 0 behind the end of its sentence, and for words that the index lacks. */
struct Query {
  const int32_t *words;
  int64_t left;

  LAT_BOTH Query(const int32_t *all, uint64_t size, uint64_t from)
      : words(all + from), left(static_cast<int64_t>(size - from)) {}
  LAT_BOTH int32_t word(int32_t i) const { return i < left ? load(words + i) : kEnd; }
};

struct Bound {
  int32_t rank;    /* of the first suffix that starts with the phrase, or after the last */
  int32_t longest; /* words of the longest start of the phrase that occurs; not if the end was searched for */
};

/* Searches for a phrase: up to `words` words, and not beyond a 0. Its first word must occur in the segment. No word is
 * compared twice: of the bounds and the middle, it is known how many words they share. */
template <typename SEGMENT>
LAT_BOTH Bound search(const SEGMENT &segment, const Query &query, int32_t words, bool end) {
  const int32_t word = query.word(0);
  int32_t low = segment.start(word) - 1;
  int32_t high = segment.start(word + 1);
  int32_t with_low = 1;
  int32_t with_high = 1;
  while (high - low > 1) {
    const auto middle = static_cast<int32_t>((static_cast<uint32_t>(low) + static_cast<uint32_t>(high)) >> 1);
    const uint32_t lengths = segment.prefix(middle);
    const bool by_low = with_low >= with_high;
    const int32_t known = by_low ? with_low : with_high;
    const auto shared = static_cast<int32_t>(by_low ? lengths & 0xffff : lengths >> 16);
    int32_t equal = shared < known ? shared : known;
    bool below = by_low == (shared > known);
    if (shared == known) {
      const int64_t position = segment.suffix(middle);
      // Prefix lengths that are wrong may claim words that the end of the text does not leave.
      const int64_t left = segment.source_length - position;
      equal = known < left ? known : static_cast<int32_t>(left);
      int32_t difference = 0;
      while (equal < words) {
        const int32_t wanted = query.word(equal);
        if (wanted == kEnd) {
          words = equal;
          break;
        }
        difference = segment.source(position + equal) - wanted;
        if (difference != 0) {
          break;
        }
        equal++;
      }
      below = difference < 0 || (difference == 0 && end);
    }
    if (below) {
      low = middle;
      with_low = equal;
    } else {
      high = middle;
      with_high = equal;
    }
  }
  return {high, with_low > with_high ? with_low : with_high};
}

/* The ranks of one phrase, whose first word must occur. */
template <typename SEGMENT>
LAT_BOTH int32_t bound(const SEGMENT &segment, const Query &query, int32_t words, bool end) {
  if (words == 1) {
    return segment.start(query.word(0) + (end ? 1 : 0));
  }
  return search(segment, query, words, end).rank;
}

/* The number of words that occur next to each other, up to `most`, which is 1 or more. */
template <typename SEGMENT>
LAT_BOTH int32_t longest_match(const SEGMENT &segment, const Query &query, int32_t most) {
  if (!segment.has(query.word(0))) {
    return 0;
  }
  return most == 1 ? 1 : search(segment, query, most, false).longest;
}

}  // namespace lat::phrases
