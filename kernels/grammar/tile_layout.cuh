// What a tile of short sentences has in the shared memory of its blocks; see tile.cuh.
#pragma once

#include "grammar/block.cuh"

namespace lat::grammar {

template <int W>
struct alignas(4 * W) Bits {
  uint32_t word[W];
};

/* Whether a bit of a lane's is set. */
template <int W>
LAT_BOTH bool any_of(const PerLane<Bits<W>> &bits) {
  return ballot([&](uint32_t lane) {
           uint32_t all = 0;
           for (int w = 0; w < W; w++) {
             all |= bits[lane].word[w];
           }
           return all != 0;
         }) != 0;
}

constexpr uint32_t kMaxSlots = 512;

/* The parts of the memory of one of a tile's blocks, in bytes. */
struct TileLayout {
  uint32_t pair_words; /* pairs, rounded up to whole units of 32 */
  uint32_t rows;
  uint64_t hits;      /* [row][pair] cells */
  uint64_t derived;   /* [row][class] cells, by a rule of the class */
  uint64_t found;     /* [row][class] cells, also by other classes; of two diagonals if there are several blocks */
  uint64_t pairs;     /* [pair] the first bit set of the left class | that of the right << 16: there are fewer */
  uint64_t rules;     /* pair | class << 16 */
  uint64_t ancestors; /* ancestor | class << 16 */
  uint64_t cells;     /* [2][slot] slots of a diagonal's cells */
  uint64_t places;    /* [slot] position in the sentence, and its words << 16 */
  uint64_t sizes;     /* [2] cells of a diagonal */
  uint64_t bytes;

  /* words: of a block, for 1 bit per split. */
  LAT_BOTH TileLayout(const lat_grammar_index &index, uint32_t words, uint32_t blocks, uint32_t slots) {
    pair_words = parts_of(static_cast<uint32_t>(index.pairs), kLanes) * kLanes;
    rows = parts_of(slots, kLanes);
    hits = index.classes * slots * 4 * words;
    derived = hits + 4ull * rows * pair_words;
    found = derived + 4 * rows * index.classes;
    pairs = found + (blocks > 1 ? 2 : 1) * 4 * rows * index.classes;
    rules = pairs + 4ull * pair_words;
    ancestors = rules + 4 * index.rules;
    cells = ancestors + 4 * index.ancestors;
    places = cells + 4ull * slots; /* 2 * 2 bytes */
    sizes = places + 4ull * slots;
    bytes = sizes + 8;
  }
};

}  // namespace lat::grammar
