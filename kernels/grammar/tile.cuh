// Short sentences: a block, or a cluster of blocks, checks a tile of them with its chart in shared memory.
//
// The chart is one matrix of bit sets per class: a sentence of n words has slots 0 to n, and bit b - 1 of slot a says
// whether the class is in cell (a, b), if a < b, or in cell (b, a), if a > b. So the left parts of cell (i, j) lie in
// slot i, the right parts in slot j, and a pair of classes derives it if the two have a bit i < k < j in common.
//
// A diagonal takes four phases. Its cells, of all sentences of the tile, are in rows of 32.
//   pairs    a warp tests 32 right-hand sides on a row, or 16; the outcome is one word of 32 cells for each
//   rules    a lane gives the word of a rule's right-hand side to its class
//   pass on  a lane gives the word of a class to a class that derives it
//   scatter  a warp sets the bits of a class in the chart; lanes are cells
// The blocks of a cluster each have a part of the splits, and take these phases with it. Since all of them unite bits,
// each block has a part of what is found, and before it scatters reads those of the others: one wait for the cluster a
// diagonal. It reads no other block's chart.
//
// Bytes: a pair reads 2 bit sets per lane and its two numbers, 2 x 128 W + 4 bytes for W words, so its time is that of
// 2 W + 1 accesses of shared memory. wsj0 (382 pairs, 617 rules), 25 words, 5 sentences to a tile: 59 rows, 12 a
// sentence, and with 3 accesses 14,000 cycles, or about 17 M sentences per second of one H200. It checks 6.2 M, a third:
// issuing instructions bounds it, some 9 per pair and row, and about as many again for rules, ancestors and bits of the
// chart. Nothing but words and results is read or written outside of shared memory after the rules were copied there,
// some 10 KB a tile. A sentence alone takes some 2 us a diagonal, four barriers and the latency of their phases.
// The tiles of all shapes run at once: few long sentences leave most of the device to the many short ones.
#pragma once

#include "grammar/results.cuh"
#include "grammar/tile_layout.cuh"

namespace lat::grammar {

/* One tile, checked by one block or by the blocks of a cluster. Each of these has W words of every bit set. What it
 * derives from its splits is a part of what is derived, which the others read when all have theirs. */
template <int W, int BLOCKS>
struct Tile {
  Block block;
  lat_grammar_index index;
  lat_grammar_batch batch;
  uint32_t first; /* its sentences in d_order */
  uint32_t last;
  uint32_t slots;
  TileLayout at;
  char *const *memory; /* of its blocks; on a device, of this one only */
  uint32_t rank;       /* of the block whose memory the following is */
  Bits<W> *chart;
  uint32_t *hits;
  uint32_t *derived;
  uint32_t *found;
  uint32_t *pairs;
  uint32_t *rules;
  uint32_t *ancestors;
  uint16_t *cells;
  uint32_t *places;
  uint32_t *sizes;
  uint32_t classes;

  /* its_memory: for each block, or on a device for this one, TileLayout.bytes, aligned to 16. */
  LAT_BOTH Tile(Block its_block, const lat_grammar_index &its_index, const lat_grammar_batch &its_batch, uint64_t part,
                uint32_t its_slots, char *const *its_memory, uint32_t its_rank)
      : block(its_block),
        index(its_index),
        batch(its_batch),
        first(load(its_batch.d_parts + part)),
        last(load(its_batch.d_parts + part + 1)),
        slots(its_slots),
        at(its_index, W, BLOCKS, its_slots),
        memory(its_memory),
        classes(static_cast<uint32_t>(its_index.classes)) {
    enter(its_rank, its_memory[0]);
  }

  LAT_BOTH void enter(uint32_t its_rank, char *of_it) {
    rank = its_rank;
    chart = reinterpret_cast<Bits<W> *>(of_it);
    hits = reinterpret_cast<uint32_t *>(of_it + at.hits);
    derived = reinterpret_cast<uint32_t *>(of_it + at.derived);
    found = reinterpret_cast<uint32_t *>(of_it + at.found);
    pairs = reinterpret_cast<uint32_t *>(of_it + at.pairs);
    rules = reinterpret_cast<uint32_t *>(of_it + at.rules);
    ancestors = reinterpret_cast<uint32_t *>(of_it + at.ancestors);
    cells = reinterpret_cast<uint16_t *>(of_it + at.cells);
    places = reinterpret_cast<uint32_t *>(of_it + at.places);
    sizes = reinterpret_cast<uint32_t *>(of_it + at.sizes);
  }

  /* Calls f(warp) for all warps of all blocks, and waits for those of this block. */
  template <typename F>
  LAT_BOTH void phase(F f) {
#ifdef __CUDA_ARCH__
    block.phase(f);
#else
    for (uint32_t b = 0; b < BLOCKS; b++) {
      const uint32_t other = block.turn(b, BLOCKS);
      enter(other, memory[other]);
      block.phase(f);
    }
#endif
  }

  /* Likewise, and waits for all blocks. */
  template <typename F>
  LAT_BOTH void joint_phase(F f) {
#ifdef __CUDA_ARCH__
    if constexpr (BLOCKS > 1) {
      f(threadIdx.x / kLanes);
      await_cluster();
      return;
    }
#endif
    phase(f);
  }

  /* The same place in another block's memory. */
  template <typename T>
  LAT_BOTH const T *in_block(uint32_t other, const T *here) const {
#ifdef __CUDA_ARCH__
    return BLOCKS > 1 ? of_cluster(here, other) : here;
#else
    return reinterpret_cast<const T *>(memory[other] + (reinterpret_cast<const char *>(here) - memory[rank]));
#endif
  }

  LAT_BOTH uint32_t position(uint32_t slot) const { return places[slot] & 0xffff; }
  LAT_BOTH uint32_t words_at(uint32_t slot) const { return places[slot] >> 16; }
  LAT_BOTH uint32_t sentence(uint32_t number) const { return load(batch.d_order + number); }
  LAT_BOTH uint32_t slot_of(uint32_t number) const { return load(batch.d_slots + number); }
  LAT_BOTH uint32_t length(uint32_t number) const {
    const uint32_t s = sentence(number);
    return load(batch.d_word_starts + s + 1) - load(batch.d_word_starts + s);
  }

  LAT_BOTH void run() {
    const uint32_t longest = length(first); /* longer sentences come first */
    phase([&](uint32_t warp) { clear(warp); });
    phase([&](uint32_t warp) { place(warp); });
    phase([&](uint32_t warp) {
      words(warp);
      list(warp, 2);
    });
    for (uint32_t span = 2; span <= longest; span++) {
      phase([&](uint32_t warp) { test_pairs(warp, span); });
      phase([&](uint32_t warp) { derive(warp, span); });
      joint_phase([&](uint32_t warp) { pass_on(warp, span); });
      if (BLOCKS > 1) {
        phase([&](uint32_t warp) { unite(warp, span); });
      }
      phase([&](uint32_t warp) {
        scatter(warp, span);
        list(warp, span + 1);
      });
    }
    if (BLOCKS > 1) {
      joint_phase([](uint32_t) {}); /* all charts are done */
    }
    joint_phase([&](uint32_t warp) { report(warp); }); /* a block that ends takes its chart along */
  }

  LAT_BOTH void clear(uint32_t warp) {
    uint32_t *words_of_chart = reinterpret_cast<uint32_t *>(chart);
    const uint32_t size = classes * slots * W;
    for (uint32_t from = warp * kLanes; from < size; from += block.warps() * kLanes) {
      each_lane([&](uint32_t lane) {
        if (from + lane < size) {
          words_of_chart[from + lane] = 0;
        }
      });
    }
    for (uint32_t from = warp * kLanes; from < at.pair_words; from += block.warps() * kLanes) {
      each_lane([&](uint32_t lane) {
        const uint32_t pair = from + lane < index.pairs ? load(index.d_pairs + from + lane) : 0;
        pairs[from + lane] = (pair & 0xffff) * slots | (pair >> 16) * slots << 16;
      });
    }
    copy(warp, rules, index.d_rule_starts, index.d_rules);
    copy(warp, ancestors, index.d_ancestor_starts, index.d_ancestors);
    for (uint32_t from = warp * kLanes; from < slots; from += block.warps() * kLanes) {
      each_lane([&](uint32_t lane) {
        if (from + lane < slots) {
          places[from + lane] = 0;
        }
      });
    }
  }

  /* Copies numbers of classes into shared memory, each with its class. */
  LAT_BOTH void copy(uint32_t warp, uint32_t *to, const uint32_t *starts, const uint32_t *from) {
    for (uint32_t symbol = warp; symbol < classes; symbol += block.warps()) {
      const uint32_t end = load(starts + symbol + 1);
      for (uint32_t first_of = load(starts + symbol); first_of < end; first_of += kLanes) {
        each_lane([&](uint32_t lane) {
          if (first_of + lane < end) {
            to[first_of + lane] = load(from + first_of + lane) | symbol << 16;
          }
        });
      }
    }
  }

  LAT_BOTH void place(uint32_t warp) {
    for (uint32_t number = first + warp; number < last; number += block.warps()) {
      const uint32_t slot = slot_of(number);
      const uint32_t n = length(number);
      for (uint32_t from = 0; from <= n; from += kLanes) {
        each_lane([&](uint32_t lane) {
          if (from + lane <= n) {
            places[slot + from + lane] = (from + lane) | n << 16;
          }
        });
      }
    }
  }

  /* The block that has a bit. */
  LAT_BOTH static uint32_t owner(uint32_t bit) { return BLOCKS > 1 ? bit / (32 * W) : 0; }

  /* Sets a bit, if it is this block's. */
  LAT_BOTH void set_bit(Bits<W> *of, uint32_t bit) {
    if (BLOCKS == 1 || owner(bit) == rank) {
      or_into(&of->word[bit / 32 - rank * W], 1u << bit % 32);
    }
  }

  /* Sets cell (position, position + span) of the sentence of a slot. */
  LAT_BOTH void set(uint32_t symbol, uint32_t slot, uint32_t place_in_sentence, uint32_t span) {
    Bits<W> *row = chart + static_cast<size_t>(symbol) * slots + slot;
    set_bit(row, place_in_sentence + span - 1);
    if (place_in_sentence > 0) {
      set_bit(row + span, place_in_sentence - 1);
    }
  }

  /* The cells of one word. */
  LAT_BOTH void words(uint32_t warp) {
    for (uint32_t number = first; number < last; number++) {
      const uint32_t slot = slot_of(number);
      const uint32_t start = load(batch.d_word_starts + sentence(number));
      const uint32_t n = length(number);
      for (uint32_t p = warp; p < n; p += block.warps()) {
        const int32_t word = load(batch.d_words + start + p);
        if (word < 0 || static_cast<uint64_t>(word) >= index.words) {
          continue;
        }
        const uint32_t begin = load(index.d_word_starts + word);
        const uint32_t end = load(index.d_word_starts + word + 1);
        for (uint32_t from = begin; from < end; from += kLanes) {
          each_lane([&](uint32_t lane) {
            if (from + lane < end) {
              set(load(index.d_word_classes + from + lane), slot + p, p, 1);
            }
          });
        }
      }
    }
  }

  /* Lists the cells of a diagonal; the last warp does, which has the least of the other work. */
  LAT_BOTH void list(uint32_t warp, uint32_t span) {
    if (warp != block.warps() - 1) {
      return;
    }
    uint16_t *to = cells + span % 2 * slots;
    uint32_t size = 0;
    for (uint32_t from = 0; from < slots; from += kLanes) {
      const auto active = [&](uint32_t lane) {
        const uint32_t slot = from + lane;
        return slot < slots && position(slot) + span <= words_at(slot);
      };
      const uint32_t bits = ballot(active);
      each_lane([&](uint32_t lane) {
        if ((bits >> lane & 1) != 0) {
          to[size + count_bits(bits & ((1u << lane) - 1))] = static_cast<uint16_t>(from + lane);
        }
      });
      size += count_bits(bits);
    }
    each_lane([&](uint32_t lane) {
      if (lane == 0) {
        sizes[span % 2] = size;
      }
    });
  }

  /* Blocks may read what another found on a diagonal until all have their part of the next one. */
  LAT_BOTH uint32_t *found_on(uint32_t span) const {
    return found + (BLOCKS > 1 ? span % 2 * at.rows * classes : 0);
  }

  LAT_BOTH void test_pairs(uint32_t warp, uint32_t span) {
    const uint32_t size = sizes[span % 2];
    const uint16_t *from = cells + span % 2 * slots;
    const uint32_t rows = parts_of(size, kLanes);
    // Few rows are divided among more warps.
    const uint32_t unit_pairs = 2 * rows * at.pair_words <= block.warps() * kLanes ? kLanes / 2 : kLanes;
    const uint32_t units = at.pair_words / unit_pairs;
    uint32_t *its_found = found_on(span);
    for (uint32_t item = warp * kLanes; item < rows * classes; item += block.warps() * kLanes) {
      each_lane([&](uint32_t lane) {
        if (item + lane < rows * classes) {
          derived[item + lane] = 0;
          its_found[item + lane] = 0;
        }
      });
    }
    for (uint32_t item = warp; item < rows * units; item += block.warps()) {
      const uint32_t row = item / units;
      const uint32_t unit = item % units;
      PerLane<const Bits<W> *> start;
      PerLane<const Bits<W> *> end;
      PerLane<Bits<W>> splits;
      each_lane([&](uint32_t lane) {
        const uint32_t cell = row * kLanes + lane;
        const uint32_t slot = from[cell < size ? cell : 0];
        const uint32_t p = position(slot);
        start[lane] = chart + slot;
        end[lane] = chart + slot + span;
        for (uint32_t w = 0; w < W; w++) {
          splits[lane].word[w] = cell < size ? ones(p, p + span - 1, rank * W + w) : 0;
        }
      });
      PerLane<uint32_t> mine;
      if (BLOCKS > 1 && !any_of<W>(splits)) { /* this block has none of the row's splits */
        each_lane([&](uint32_t lane) {
          if (lane < unit_pairs) {
            hits[row * at.pair_words + unit * unit_pairs + lane] = 0;
          }
        });
        continue;
      }
#ifdef __CUDA_ARCH__
#pragma unroll (W == 4 ? 4 : 8)
#endif
      for (uint32_t t = 0; t < unit_pairs; t++) {
        const uint32_t pair = pairs[unit * unit_pairs + t];
        const uint32_t holds = ballot([&](uint32_t lane) {
          const Bits<W> a = start[lane][pair & 0xffff];
          const Bits<W> b = end[lane][pair >> 16];
          uint32_t common = 0;
          for (int w = 0; w < W; w++) {
            common |= a.word[w] & b.word[w] & splits[lane].word[w];
          }
          return common != 0;
        });
        each_lane([&](uint32_t lane) {
          if (lane == t) {
            mine[lane] = holds;
          }
        });
      }
      each_lane([&](uint32_t lane) {
        if (lane < unit_pairs) {
          hits[row * at.pair_words + unit * unit_pairs + lane] = mine[lane];
        }
      });
    }
  }

  /* Calls f(row, i) for all rows of a diagonal and all i below a size. Lanes are far apart in i, because neighbours in
   * a list have one class, where they would get in each other's way. */
  template <typename F>
  LAT_BOTH void each_of_rows(uint32_t warp, uint32_t rows, uint32_t size, F f) {
    const uint32_t share = parts_of(size, kLanes);
    if (share == 0) {
      return;
    }
    uint32_t row = 0;
    for (uint32_t next = warp;; next += block.warps()) {
      for (; next >= share; next -= share) {
        row++;
      }
      if (row >= rows) {
        return;
      }
      each_lane([&](uint32_t lane) {
        const uint32_t i = lane * share + next;
        if (i < size) {
          f(row, i);
        }
      });
    }
  }

  LAT_BOTH uint32_t rows_of(uint32_t span) const { return parts_of(sizes[span % 2], kLanes); }

  LAT_BOTH void derive(uint32_t warp, uint32_t span) {
    each_of_rows(warp, rows_of(span), static_cast<uint32_t>(index.rules), [&](uint32_t row, uint32_t i) {
      const uint32_t rule = rules[i];
      const uint32_t bits = hits[row * at.pair_words + (rule & 0xffff)];
      if (bits != 0) {
        or_into(derived + row * classes + (rule >> 16), bits);
      }
    });
  }

  LAT_BOTH void pass_on(uint32_t warp, uint32_t span) {
    uint32_t *its_found = found_on(span);
    each_of_rows(warp, rows_of(span), static_cast<uint32_t>(index.ancestors), [&](uint32_t row, uint32_t i) {
      const uint32_t ancestor = ancestors[i];
      const uint32_t bits = derived[row * classes + (ancestor >> 16)];
      if (bits != 0) {
        or_into(its_found + row * classes + (ancestor & 0xffff), bits);
      }
    });
  }

  /* Puts together what all blocks have found, where this one derived its part. */
  LAT_BOTH void unite(uint32_t warp, uint32_t span) {
    const uint32_t *its_found = found_on(span);
    const uint32_t size = rows_of(span) * classes;
    for (uint32_t from = warp * kLanes; from < size; from += block.warps() * kLanes) {
      each_lane([&](uint32_t lane) {
        if (from + lane < size) {
          uint32_t bits = 0;
          for (uint32_t other = 0; other < BLOCKS; other++) {
            bits |= *in_block(other, its_found + from + lane);
          }
          derived[from + lane] = bits;
        }
      });
    }
  }

  LAT_BOTH void scatter(uint32_t warp, uint32_t span) {
    const uint32_t *united = BLOCKS > 1 ? derived : found;
    const uint32_t size = sizes[span % 2];
    const uint16_t *from = cells + span % 2 * slots;
    const uint32_t rows = parts_of(size, kLanes);
    PerLane<uint32_t> slot;
    PerLane<uint32_t> start;
    uint32_t row = 0;
    bool known = false;
    for (uint32_t symbol = warp;; symbol += block.warps()) {
      for (; symbol >= classes; symbol -= classes) {
        row++;
        known = false;
      }
      if (row >= rows) {
        return;
      }
      if (!known) {
        known = true;
        each_lane([&](uint32_t lane) {
          slot[lane] = from[least(row * kLanes + lane, size - 1)];
          start[lane] = position(slot[lane]);
        });
      }
      const uint32_t bits = united[row * classes + symbol];
      each_lane([&](uint32_t lane) {
        if ((bits >> lane & 1) != 0) {
          set(symbol, slot[lane], start[lane], span);
        }
      });
    }
  }

  LAT_BOTH void report(uint32_t warp) {
    const uint32_t root_words = parts_of(classes, kLanes);
    for (uint32_t number = first; number < last; number++) {
      const uint32_t s = sentence(number);
      const uint32_t slot = slot_of(number);
      const uint32_t n = length(number);
      if (warp == 0 && rank == 0) {
        const Bits<W> *prefixes = chart + static_cast<uint32_t>(index.start) * slots + slot;
        write_results(batch.d_results + static_cast<uint64_t>(s) * LAT_GRAMMAR_RESULTS, n, W * BLOCKS,
                      [&](uint32_t w) { return in_block(w / W, prefixes)->word[w % W]; });
      }
      for (uint32_t r = warp; r < root_words && owner(n - 1) == rank; r += block.warps()) {
        const uint32_t bits = ballot([&](uint32_t lane) {
          const uint32_t symbol = r * kLanes + lane;
          return symbol < classes &&
                 (chart[symbol * slots + slot].word[(n - 1) / 32 - rank * W] >> (n - 1) % 32 & 1) != 0;
        });
        each_lane([&](uint32_t lane) {
          if (lane == 0) {
            batch.d_roots[static_cast<uint64_t>(s) * root_words + r] = bits;
          }
        });
      }
      if (batch.d_chart != nullptr) {
        const uint32_t chart_words = parts_of(n, 32u);
        uint32_t *to = batch.d_chart + load(batch.d_chart_starts + s);
        const uint32_t size = classes * n * chart_words;
        for (uint32_t from = warp * kLanes; from < size; from += block.warps() * kLanes) {
          each_lane([&](uint32_t lane) {
            const uint32_t item = from + lane;
            const uint32_t w = item % chart_words;
            if (item < size && w / W == rank) {
              const uint32_t i = item / chart_words % n;
              const uint32_t symbol = item / chart_words / n;
              to[item] = chart[symbol * slots + slot + i].word[w % W] & ones(i, n, w);
            }
          });
        }
      }
    }
  }
};

}  // namespace lat::grammar
