// Long sentences and large grammars: the chart is in device memory, and each phase of a diagonal (tile.cuh) is a kernel
// for all sentences of a group.
//
// The chart is the matrix of tile.cuh, as [word][class][slot], so that the cells of a row, which are next to each
// other, read 128 bytes at a time. Of a cell only the words that hold its splits are read.
//
// Bytes of a group: 4 per class, slot and word for the chart; 4 per pair and row of the longest diagonal for its hits.
// A pair and row reads 256 bytes per word from L1 or L2: sm6s (17,580 pairs, 205,497 rules), 25 words: 9.4 rows and 42
// MB a sentence, at 5 TB/s of L2 about 120,000 sentences per second; its rules gather up to 1.9 M words, 150 G/s:
// 78,000. 100 words: 155 rows, 2.5 words on average, 1.7 GB: 2,900 sentences per second.
#pragma once

#include "grammar/results.cuh"
#include "grammar/tile.cuh"

namespace lat::grammar {

/* A group of sentences on one of their diagonals. */
struct Diagonal {
  lat_grammar_batch batch;
  uint32_t first; /* the group's sentences in d_order */
  uint32_t last;
  uint32_t slots;
  uint32_t span;
  uint32_t active; /* sentences of at least span words */
  uint32_t cells;

  LAT_BOTH uint32_t slot_of(uint32_t number) const { return load(batch.d_slots + first + number); }
  LAT_BOTH uint32_t sentence(uint32_t number) const { return load(batch.d_order + first + number); }
  LAT_BOTH uint32_t length(uint32_t number) const {
    const uint32_t s = sentence(number);
    return load(batch.d_word_starts + s + 1) - load(batch.d_word_starts + s);
  }

  /* The first cell of this diagonal that belongs to a sentence: those before it have its slots but span for each. */
  LAT_BOTH uint32_t first_cell(uint32_t number) const { return slot_of(number) - number * span; }

  /* Where a cell starts: its slot, and its position in the sentence. */
  struct Place {
    uint32_t slot;
    uint32_t position;
  };
  LAT_BOTH Place place(uint32_t cell) const {
    uint32_t low = 0;
    uint32_t high = active;
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (first_cell(middle) <= cell) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const uint32_t position = cell - first_cell(low);
    return {slot_of(low) + position, position};
  }

  /* Calls f(i, slot, position) for each word of a sentence and each i from its start to that of the next; lanes are i.
   * Words from `words` on have none. */
  template <typename F>
  LAT_BOTH void each_of_words(uint64_t number, uint64_t words, const uint32_t *starts, F f) const {
    const auto n = static_cast<uint32_t>(number);
    const uint32_t start = load(batch.d_word_starts + sentence(n));
    const uint32_t size = length(n);
    const uint32_t slot = slot_of(n);
    for (uint32_t p = 0; p < size; p++) {
      const int32_t word = load(batch.d_words + start + p);
      if (word < 0 || static_cast<uint64_t>(word) >= words) {
        continue;
      }
      const uint32_t end = load(starts + word + 1);
      for (uint32_t from = load(starts + word); from < end; from += kLanes) {
        each_lane([&](uint32_t lane) {
          if (from + lane < end) {
            f(from + lane, slot + p, p);
          }
        });
      }
    }
  }
};

/* A group and its chart. */
struct Group : Diagonal {
  lat_grammar_index index;
  uint32_t *chart;
  uint32_t *hits;  /* [row][pair_words] */
  uint32_t *found; /* [row][class] */
  uint32_t words;  /* 32-bit words for the splits of the longest */
  uint32_t pair_words;

  LAT_BOTH uint32_t classes() const { return static_cast<uint32_t>(index.classes); }
  LAT_BOTH uint32_t *set_of(uint32_t word, uint32_t symbol) const {
    return chart + (static_cast<uint64_t>(word) * classes() + symbol) * slots;
  }
  LAT_BOTH void set(uint32_t symbol, uint32_t slot, uint32_t position, uint32_t length_of_cell) const {
    const uint32_t end = position + length_of_cell;
    or_into(set_of((end - 1) / 32, symbol) + slot, 1u << (end - 1) % 32);
    if (position > 0) {
      or_into(set_of((position - 1) / 32, symbol) + slot + length_of_cell, 1u << (position - 1) % 32);
    }
  }
};

/* The cells of one word: a warp per sentence. */
struct FillWords {
  Group group;
  LAT_BOTH void operator()(uint64_t number) const {
    group.each_of_words(number, group.index.words, group.index.d_word_starts,
                        [&](uint32_t i, uint32_t slot, uint32_t position) {
                          group.set(load(group.index.d_word_classes + i), slot, position, 1);
                        });
  }
};

/* A warp per row and 32 pairs, eight pairs at a time to have many loads in flight. */
struct TestPairs {
  Group group;
  LAT_BOTH void operator()(uint64_t item) const {
    constexpr uint32_t kAtOnce = 8;
    const uint32_t units = group.pair_words / kLanes;
    const auto row = static_cast<uint32_t>(item / units);
    const auto unit = static_cast<uint32_t>(item % units);
    const uint32_t span = group.span;
    PerLane<uint32_t> slot;
    PerLane<uint32_t> position;
    each_lane([&](uint32_t lane) {
      const uint32_t cell = row * kLanes + lane;
      const Group::Place place = group.place(least(cell, group.cells - 1));
      slot[lane] = place.slot;
      position[lane] = place.position;
    });
    const uint32_t first_word = ~max_of([&](uint32_t lane) { return ~(position[lane] / 32); });
    const uint32_t last_word = max_of([&](uint32_t lane) { return (position[lane] + span - 2) / 32; });
    const uint32_t full = ones(0, group.cells - row * kLanes, 0);
    PerLane<uint32_t> mine;
    each_lane([&](uint32_t lane) { mine[lane] = 0; });
    for (uint32_t t = 0; t < kLanes; t += kAtOnce) {
      uint32_t left[kAtOnce];
      uint32_t right[kAtOnce];
      for (uint32_t u = 0; u < kAtOnce; u++) {
        const uint64_t at = least(static_cast<uint64_t>(unit) * kLanes + t + u, group.index.pairs - 1);
        const uint32_t pair = load(group.index.d_pairs + at);
        left[u] = pair & 0xffff;
        right[u] = pair >> 16;
      }
      PerLane<uint32_t> common[kAtOnce];
      each_lane([&](uint32_t lane) {
        for (uint32_t u = 0; u < kAtOnce; u++) {
          common[u][lane] = 0;
        }
        for (uint32_t w = first_word; w <= last_word; w++) {
          const uint32_t splits = ones(position[lane], position[lane] + span - 1, w);
          const uint32_t *plane = group.set_of(w, 0) + slot[lane];
          for (uint32_t u = 0; u < kAtOnce; u++) {
            common[u][lane] |= plane[static_cast<uint64_t>(left[u]) * group.slots] &
                               plane[static_cast<uint64_t>(right[u]) * group.slots + span] & splits;
          }
        }
      });
      for (uint32_t u = 0; u < kAtOnce; u++) {
        const uint32_t derived = ballot([&](uint32_t lane) { return common[u][lane] != 0; }) & full;
        each_lane([&](uint32_t lane) { mine[lane] = lane == t + u ? derived : mine[lane]; });
      }
    }
    each_lane([&](uint32_t lane) {
      group.hits[static_cast<uint64_t>(row) * group.pair_words + unit * kLanes + lane] = mine[lane];
    });
  }
};

/* Adds the cells of the pairs of a class's rules to the cells of the class and of its ancestors. A warp per row and
 * class. */
struct UniteRules {
  Group group;
  LAT_BOTH void operator()(uint64_t item) const {
    const auto row = static_cast<uint32_t>(item / group.classes());
    const auto symbol = static_cast<uint32_t>(item % group.classes());
    const lat_grammar_index &index = group.index;
    const uint32_t full = ones(0, group.cells - row * kLanes, 0);
    const uint32_t *hits = group.hits + static_cast<uint64_t>(row) * group.pair_words;
    uint32_t *found = group.found + static_cast<uint64_t>(row) * group.classes();
    const uint32_t end = index.d_rule_starts[symbol + 1];
    uint32_t all = 0;
    for (uint32_t from = index.d_rule_starts[symbol]; from < end && all != full; from += 4 * kLanes) {
      all |= or_of([&](uint32_t lane) {
        uint32_t some = 0;
        for (uint32_t r = from + lane; r < least(end, from + 4 * kLanes); r += kLanes) {
          some |= hits[index.d_rules[r]];
        }
        return some;
      });
    }
    if (all == 0) {
      return;
    }
    const uint32_t last_ancestor = index.d_ancestor_starts[symbol + 1];
    for (uint32_t from = index.d_ancestor_starts[symbol]; from < last_ancestor; from += kLanes) {
      each_lane([&](uint32_t lane) {
        if (from + lane < last_ancestor) {
          or_into(found + index.d_ancestors[from + lane], all);
        }
      });
    }
  }
};

/* A warp per row and 32 classes. Leaves zeros for the next diagonal. */
struct Scatter {
  Group group;
  LAT_BOTH void operator()(uint64_t item) const {
    const uint32_t units = parts_of(group.classes(), kLanes);
    const auto row = static_cast<uint32_t>(item / units);
    const uint32_t first = static_cast<uint32_t>(item % units) * kLanes;
    uint32_t *found = group.found + static_cast<uint64_t>(row) * group.classes();
    PerLane<uint32_t> mine;
    const uint32_t some = ballot([&](uint32_t lane) {
      mine[lane] = first + lane < group.classes() ? found[first + lane] : 0;
      return mine[lane] != 0;
    });
    if (some == 0) {
      return;
    }
    PerLane<Group::Place> place;
    each_lane([&](uint32_t lane) {
      if (mine[lane] != 0) {
        found[first + lane] = 0;
      }
      place[lane] = group.place(least(row * kLanes + lane, group.cells - 1));
    });
    for (uint32_t t = 0; t < kLanes; t++) {
      if ((some >> t & 1) == 0) {
        continue;
      }
      const uint32_t bits = from_lane(mine, t);
      each_lane([&](uint32_t lane) {
        if ((bits >> lane & 1) != 0) {
          group.set(first + t, place[lane].slot, place[lane].position, group.span);
        }
      });
    }
  }
};

/* A warp per sentence. */
struct Report {
  Group group;
  LAT_BOTH void operator()(uint64_t number) const {
    const auto n = static_cast<uint32_t>(number);
    const uint32_t length = group.length(n);
    const uint32_t slot = group.slot_of(n);
    const uint64_t sentence = group.sentence(n);
    const auto start = static_cast<uint32_t>(group.index.start);
    write_results(group.batch.d_results + sentence * LAT_GRAMMAR_RESULTS, length, parts_of(length, 32u),
                  [&](uint32_t w) { return group.set_of(w, start)[slot]; });
    const uint32_t root_words = parts_of(group.classes(), kLanes);
    for (uint32_t r = 0; r < root_words; r++) {
      const uint32_t bits = ballot([&](uint32_t lane) {
        const uint32_t symbol = r * kLanes + lane;
        return symbol < group.classes() &&
               (group.set_of((length - 1) / 32, symbol)[slot] >> (length - 1) % 32 & 1) != 0;
      });
      each_lane([&](uint32_t lane) {
        if (lane == 0) {
          group.batch.d_roots[sentence * root_words + r] = bits;
        }
      });
    }
  }
};

/* A warp per sentence and class. */
struct CopyChart {
  Group group;
  LAT_BOTH void operator()(uint64_t item) const {
    const auto number = static_cast<uint32_t>(item / group.classes());
    const auto symbol = static_cast<uint32_t>(item % group.classes());
    const uint32_t length = group.length(number);
    const uint32_t slot = group.slot_of(number);
    const uint32_t words = parts_of(length, 32u);
    const uint32_t size = length * words;
    uint32_t *to = group.batch.d_chart + load(group.batch.d_chart_starts + group.sentence(number)) +
                   static_cast<uint64_t>(symbol) * size;
    for (uint32_t from = 0; from < size; from += kLanes) {
      each_lane([&](uint32_t lane) {
        if (from + lane < size) {
          const uint32_t i = (from + lane) / words;
          const uint32_t w = (from + lane) % words;
          to[from + lane] = group.set_of(w, symbol)[slot + i] & ones(i, length, w);
        }
      });
    }
  }
};

}  // namespace lat::grammar
