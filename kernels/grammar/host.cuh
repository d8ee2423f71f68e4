// The operations of divide.cuh on the host, for tests: one warp after the other.
#pragma once

#include <cstring>
#include <memory>

#include "grammar/divide.cuh"
#include "grammar/paper.cuh"
#include "grammar/viterbi.cuh"

namespace lat::grammar {

class OnHost {
 public:
  /* backwards: from the last warp and tile to the first, which must not matter. */
  explicit OnHost(bool backwards) : backwards_(backwards) {}

  int clear(void *at, uint64_t bytes) {
    if (bytes != 0) {
      std::memset(at, 0, bytes);
    }
    return LAT_OK;
  }
  template <typename F>
  int warps(uint64_t size, const F &f) {
    for (uint64_t i = 0; i < size; i++) {
      f(backwards_ ? size - 1 - i : i);
    }
    return LAT_OK;
  }
  template <int W, int BLOCKS>
  int tiles(uint64_t size, uint64_t threads, uint64_t bytes, const lat_grammar_index &index,
            const lat_grammar_batch &batch, uint64_t first, uint32_t slots) {
    struct alignas(16) Quad {
      char bytes[16];
    };
    for (uint64_t i = 0; i < size; i++) {
      std::unique_ptr<Quad[]> memory[BLOCKS];
      char *at[BLOCKS];
      for (int block = 0; block < BLOCKS; block++) {
        memory[block].reset(new Quad[(bytes + 15) / 16]);
        at[block] = reinterpret_cast<char *>(memory[block].get());
        std::memset(at[block], 0xab, (bytes + 15) / 16 * 16); /* nothing may rely on zeros */
      }
      Tile<W, BLOCKS>(Block(static_cast<uint32_t>(threads / kLanes), backwards_), index, batch,
                      first + (backwards_ ? size - 1 - i : i), slots, at, 0)
          .run();
    }
    return LAT_OK;
  }
  int paper_words(const PaperCheck &paper) {
    for (uint64_t i = 0; i < paper.length; i++) {
      paper_word(paper, i);
    }
    return LAT_OK;
  }
  int paper_diagonal(const PaperCheck &paper, uint64_t span) {
    for (uint64_t i = 0; i + span <= paper.length; i++) {
      const std::unique_ptr<uint8_t[]> flags(new uint8_t[paper_flags(paper)]);
      std::memset(flags.get(), 0xab, paper_flags(paper));
      const Block block(static_cast<uint32_t>(paper.threads / kLanes), backwards_);
      paper_derive<false>(block, paper, i, i + span, flags.get());
    }
    return LAT_OK;
  }

 private:
  bool backwards_;
};

}  // namespace lat::grammar
