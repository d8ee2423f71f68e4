// What a check says about a sentence.
#pragma once

#include "grammar/block.cuh"

namespace lat::grammar {

/* Writes the results of a sentence of n words. prefixes(w): word w of its accepted prefixes, a bit for each. */
template <typename F>
LAT_BOTH void write_results(uint32_t *to, uint32_t n, uint32_t words, F prefixes) {
  each_lane([&](uint32_t lane) {
    if (lane == 0) {
      uint32_t longest = 0;
      uint32_t accepted = 0;
      for (uint32_t w = 0; w < words; w++) {
        const uint32_t some = prefixes(w);
        accepted += count_bits(some);
        longest = some == 0 ? longest : w * 32 + highest_bit(some);
      }
      to[LAT_GRAMMAR_ACCEPTED] = longest == n ? 1 : 0;
      to[LAT_GRAMMAR_LONGEST] = longest;
      to[LAT_GRAMMAR_PREFIXES] = accepted;
    }
  });
}

}  // namespace lat::grammar
