// Which words of a sentence are translated, and other terms of the search.
#pragma once

#include "common/both.cuh"

namespace lat::smt {

/* Ascending like the numbers. */
LAT_BOTH uint64_t ordered(double value) {
  const uint64_t bits = bits_of(value);
  return (bits >> 63) != 0 ? ~bits : bits | 1ull << 63;
}

LAT_BOTH double number_of(uint64_t ordered) {
  return double_of((ordered >> 63) != 0 ? ordered & ~(1ull << 63) : ~ordered);
}

/* The larger number, and of zeros 0.0, as Java's Math.max. */
LAT_BOTH double larger(double a, double b) { return b > a || (b == a && bits_of(b) == 0) ? b : a; }

/* The mask of some words in a row. Bit i stands for the i-th word from the gap; a mask of words that are translated has
 * 32 bits at most, because a phrase beyond the gap ends within the limit of distortion from it. */
LAT_BOTH uint64_t span(uint32_t offset, uint32_t words) { return ((1ull << words) - 1) << offset; }

LAT_BOTH uint32_t gap_of(uint64_t place) { return static_cast<uint32_t>(place >> 32); }
LAT_BOTH uint32_t mask_of(uint64_t place) { return static_cast<uint32_t>(place); }

/* The place when a gap's mask has the word at the gap, too, or not. */
LAT_BOTH uint64_t place_of(uint32_t gap, uint64_t mask) {
  const uint32_t advance = trailing_zeros(~mask);
  return static_cast<uint64_t>(gap + advance) << 32 | (mask >> advance);
}

LAT_BOTH uint32_t distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

/* The words before one of a choice: those of the choice, then those of the state. */
struct WordsBefore {
  const uint32_t *words; /* of the choice */
  uint32_t at;
  const uint32_t *state;
  uint32_t length;

  LAT_BOTH bool next(uint32_t n, uint32_t *word) const {
    if (n <= at) {
      *word = load(words + at - n);
      return true;
    }
    const uint32_t k = n - at - 1;
    if (k >= length) {
      return false;
    }
    *word = state[k];
    return true;
  }
};

}  // namespace lat::smt
