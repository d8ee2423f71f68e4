// The division of a batch into groups and tiles; runs on the host.
#pragma once

#include <type_traits>
#include <vector>

#include "common/launch.cuh"
#include "grammar/diagonal.cuh"

namespace lat::grammar {

/* What of a device decides the division. */
struct DeviceLimits {
  uint64_t multiprocessors;
  uint64_t shared_per_block; /* bytes */
  uint64_t shared_per_multiprocessor;
  uint64_t cluster; /* blocks of a cluster; 1 if there are none */
};

constexpr uint32_t kShapeWords[LAT_GRAMMAR_SHAPES] = {8, 4, 2, 1};
constexpr uint64_t kBlocksAtOnce[LAT_GRAMMAR_SHAPES] = {1, 1, 2, 3}; /* on a multiprocessor, if they fit */
constexpr uint64_t kReservedShared = 1024;                        /* of each block, by the driver */
constexpr uint64_t kFewThreads = 512;
constexpr uint64_t kManyThreads = 1024;

/* The smallest shape whose sentences may be this long. */
inline uint32_t shape_for(uint32_t length) {
  uint32_t shape = LAT_GRAMMAR_SHAPES - 1;
  while (shape > 0 && length > 32 * kShapeWords[shape]) {
    shape--;
  }
  return shape;
}

/* The blocks of a tile; 0 if it would take a cluster that there is not. */
inline uint32_t blocks_of(const DeviceLimits &limits, uint32_t shape) {
  return shape > 0 ? 1 : limits.cluster >= kClusterBlocks ? kClusterBlocks : 0;
}

/* The most slots of a tile whose blocks have so many bytes each; 0 if none fits. Places of bit sets take 16 bits
 * there. */
inline uint32_t slots_in(const lat_grammar_index &index, uint32_t shape, uint32_t blocks, uint64_t bytes) {
  if (blocks == 0) {
    return 0;
  }
  const uint32_t words = kShapeWords[shape] / blocks;
  uint32_t fits = 0;
  uint32_t beyond = index.pairs < 1u << 16 ? kMaxSlots + 1 : 1;
  while (beyond - fits > 1) { /* a search: this is a part of the time of a single sentence */
    const uint32_t slots = (fits + beyond) / 2;
    if (TileLayout(index, words, blocks, slots).bytes <= bytes && index.classes * slots <= 1u << 16) {
      fits = slots;
    } else {
      beyond = slots;
    }
  }
  return fits;
}

/* The parts of a group's scratch. */
struct GroupMemory {
  uint64_t chart;
  uint64_t hits;
  uint64_t found;
  uint32_t pair_words;

  GroupMemory(const lat_grammar_index &index, uint64_t words, uint64_t slots, uint64_t cells)
      : chart(words * index.classes * slots), hits(0), found(0), pair_words(0) {
    pair_words = parts_of(static_cast<uint32_t>(index.pairs), kLanes) * kLanes;
    const uint64_t rows = parts_of(cells, static_cast<uint64_t>(kLanes));
    hits = rows * pair_words;
    found = rows * index.classes;
  }
  uint64_t bytes() const { return 4 * (chart + hits + found) + 3 * 256; }
};

/* The division of a batch while it is made. */
struct Division {
  const uint32_t *lengths;
  lat_grammar_plan *plan;
  uint32_t *order;
  uint32_t *slots;
  uint32_t *parts;
  uint64_t part = 0;
  uint64_t number = 0; /* sentences that are in a part */

  uint32_t length(uint64_t n) const { return lengths[order[n]]; }

  /* Orders the sentences, the longest first. */
  int sort(uint64_t sentences) {
    *plan = lat_grammar_plan{};
    uint32_t longest = 0;
    for (uint64_t s = 0; s < sentences; s++) {
      longest = lengths[s] > longest ? lengths[s] : longest;
      plan->sentences += lengths[s] == 0 ? 0 : 1;
    }
    if (longest > LAT_GRAMMAR_MAX_WORDS) {
      return LAT_BAD_ARGUMENT;
    }
    std::vector<uint64_t> starts(longest + 2, 0);
    for (uint64_t s = 0; s < sentences; s++) {
      starts[longest - lengths[s] + 1]++;
    }
    for (size_t i = 1; i < starts.size(); i++) {
      starts[i] += starts[i - 1];
    }
    for (uint64_t s = 0; s < sentences; s++) {
      const uint64_t at = starts[longest - lengths[s]]++;
      order[at] = static_cast<uint32_t>(s);
      slots[at] = 0;
    }
    return LAT_OK;
  }

  /* The sentences whose tiles would take clusters. */
  uint64_t clustered() const {
    uint64_t first = 0;
    while (first < plan->sentences && length(first) > 32 * kShapeWords[0]) {
      first++;
    }
    uint64_t end = first;
    while (end < plan->sentences && shape_for(length(end)) == 0) {
      end++;
    }
    return end - first;
  }

  /* Makes groups of the next sentences. bytes(longest, slots, cells): of a group whose longest sentence has so many
   * words, and so many slots and one-word cells in all. */
  template <typename WANTED, typename BYTES>
  void group(uint64_t memory, const WANTED &wanted, const BYTES &bytes) {
    while (number < plan->sentences && wanted(length(number))) {
      const uint32_t longest = length(number);
      const uint64_t first = number;
      uint64_t used = 0;
      uint64_t taken = 0;
      parts[part++] = static_cast<uint32_t>(number);
      while (number < plan->sentences && wanted(length(number))) {
        const uint32_t n = length(number);
        const uint64_t needed = bytes(longest, used + n + 1, used + n + 1 - (number - first + 1));
        const bool shorter = parts_of(n, 32u) * 2 <= parts_of(longest, 32u); /* its part of the chart would be empty */
        if (number > first && (needed > memory || used + n + 1 >= 1u << 31 || shorter)) {
          break;
        }
        slots[number++] = static_cast<uint32_t>(used);
        used += n + 1;
        taken = needed;
      }
      plan->memory = taken > plan->memory ? taken : plan->memory;
      plan->groups++;
    }
  }
};

/* Calls f(group) for each diagonal of a group from a span on, with span, active and cells set. */
template <typename GROUP, typename F>
int each_diagonal(GROUP &group, uint32_t from, const F &f) {
  const lat_grammar_batch &batch = group.batch;
  const auto length = [&](uint64_t number) { return batch.lengths[batch.order[number]]; };
  group.active = group.last - group.first;
  const uint32_t longest = length(group.first);
  for (group.span = from; group.span <= longest; group.span++) {
    while (length(group.first + group.active - 1) < group.span) {
      group.active--;
    }
    const uint64_t last = group.first + group.active - 1;
    group.cells = batch.slots[last] - (group.active - 1) * group.span + length(last) - group.span + 1;
    LAT_TRY(f());
  }
  return LAT_OK;
}

/* Sets what a group takes from the division. */
inline void begin_group(Diagonal &group, const lat_grammar_batch &batch, uint64_t part) {
  group.batch = batch;
  group.first = batch.parts[part];
  group.last = batch.parts[part + 1];
  group.slots = batch.slots[group.last - 1] + batch.lengths[batch.order[group.last - 1]] + 1;
  group.active = group.last - group.first;
}

/* Fills plan, order, slots and parts. */
inline int divide(DeviceLimits limits, const lat_grammar_index &index, const uint32_t *lengths,
                  uint64_t sentences, uint64_t memory, lat_grammar_plan *plan, uint32_t *order, uint32_t *slots,
                  uint32_t *parts) {
  Division division{lengths, plan, order, slots, parts};
  LAT_TRY(division.sort(sentences));
  if (division.clustered() > limits.multiprocessors) { /* groups are slower for few, and a fifth faster for many */
    limits.cluster = 1;
  }
  uint32_t most[LAT_GRAMMAR_SHAPES];
  uint32_t longest_of_tiles = 0; /* all shorter sentences fit as well */
  for (uint32_t shape = LAT_GRAMMAR_SHAPES; shape-- > 0;) {
    most[shape] = slots_in(index, shape, blocks_of(limits, shape), limits.shared_per_block);
    const uint32_t longest = most[shape] == 0 ? 0 : least(32 * kShapeWords[shape], most[shape] - 1);
    if (longest > longest_of_tiles &&
        longest_of_tiles == (shape + 1 < LAT_GRAMMAR_SHAPES ? 32 * kShapeWords[shape + 1] : 0)) {
      longest_of_tiles = longest;
    }
  }
  division.group(
      memory, [&](uint32_t n) { return n > longest_of_tiles; },
      [&](uint32_t longest, uint64_t used, uint64_t cells) {
        return GroupMemory(index, parts_of(longest, 32u), used, cells).bytes();
      });
  uint64_t &part = division.part;
  uint64_t &number = division.number;
  const auto length = [&](uint64_t n) { return division.length(n); };
  for (uint32_t shape = 0; shape < LAT_GRAMMAR_SHAPES; shape++) {
    uint64_t end = number;
    uint64_t total = 0;
    while (end < plan->sentences && shape_for(length(end)) == shape) {
      total += length(end++) + 1;
    }
    if (end == number) {
      continue;
    }
    const uint32_t needed = length(number) + 1;
    const uint32_t blocks = blocks_of(limits, shape);
    uint64_t at_once = kBlocksAtOnce[shape];
    uint32_t room = 0;
    for (; at_once > 1; at_once--) {
      const uint64_t part_of_it = limits.shared_per_multiprocessor / at_once - kReservedShared;
      room = least(slots_in(index, shape, blocks, part_of_it), most[shape]);
      if (room >= needed) {
        break;
      }
    }
    if (at_once == 1) {
      room = most[shape];
    }
    // A small batch is spread over all multiprocessors.
    const uint64_t spread = parts_of(total, parts_of(limits.multiprocessors * at_once, uint64_t{blocks}));
    room = spread < needed ? needed : static_cast<uint32_t>(least(spread, static_cast<uint64_t>(room)));
    while (number < end) {
      parts[part++] = static_cast<uint32_t>(number);
      plan->tiles[shape]++;
      for (uint32_t used = 0; number < end && used + length(number) + 1 <= room; number++) {
        slots[number] = used;
        used += length(number) + 1;
      }
    }
    plan->blocks[shape] = blocks;
    plan->slots[shape] = room;
    plan->threads[shape] =
        at_once == 1 || plan->tiles[shape] <= limits.multiprocessors ? kManyThreads : kFewThreads;
  }
  parts[part] = static_cast<uint32_t>(plan->sentences);
  return LAT_OK;
}

inline bool good(const lat_grammar_index *index, const lat_grammar_batch *batch, const lat_grammar_plan *plan,
                 const size_t *scratch_bytes) {
  return good(index) && batch != nullptr && plan != nullptr && scratch_bytes != nullptr &&
         batch->sentences < 1ull << 31 && plan->sentences <= batch->sentences;
}

/* Checks a batch. EXEC, of device.cuh or host.cuh:
 *   int clear(void *at, uint64_t bytes)
 *   int warps(uint64_t size, F f)          calls f(0) to f(size - 1), each by a warp, in any order
 *   int tiles<W, BLOCKS>(uint64_t size, uint64_t threads, uint64_t bytes, index, batch, part, slots)
 *                                          BLOCKS blocks for each, which have W words of a bit set */
template <typename EXEC>
int check(EXEC &exec, const lat_grammar_index &index, const lat_grammar_batch &batch, const lat_grammar_plan &plan,
          void *d_scratch, size_t *scratch_bytes) {
  if (d_scratch == nullptr) {
    *scratch_bytes = plan.memory == 0 ? 1 : plan.memory;
    return LAT_OK;
  }
  LAT_REQUIRE(*scratch_bytes >= plan.memory);
  if (plan.sentences < batch.sentences) { /* nothing else writes the results of those without words */
    LAT_TRY(exec.clear(batch.d_results, batch.sentences * LAT_GRAMMAR_RESULTS * 4));
    LAT_TRY(exec.clear(batch.d_roots, batch.sentences * parts_of(index.classes, 32ull) * 4));
  }
  uint64_t part = 0;
  for (; part < plan.groups; part++) {
    Group group{};
    begin_group(group, batch, part);
    group.index = index;
    const uint32_t sentences = group.active;
    group.words = parts_of(batch.lengths[batch.order[group.first]], 32u);
    const GroupMemory sizes(index, group.words, group.slots, group.slots - sentences);
    group.pair_words = sizes.pair_words;
    LAT_REQUIRE(sizes.bytes() <= plan.memory);
    Scratch scratch(d_scratch);
    group.chart = scratch.take<uint32_t>(sizes.chart);
    group.hits = scratch.take<uint32_t>(sizes.hits);
    group.found = scratch.take<uint32_t>(sizes.found);
    LAT_TRY(exec.clear(group.chart, sizes.chart * 4));
    LAT_TRY(exec.clear(group.found, sizes.found * 4));
    LAT_TRY(exec.warps(sentences, FillWords{group}));
    LAT_TRY(each_diagonal(group, 2, [&] {
      const uint64_t rows = parts_of(group.cells, kLanes);
      LAT_TRY(exec.warps(rows * (group.pair_words / kLanes), TestPairs{group}));
      LAT_TRY(exec.warps(rows * index.classes, UniteRules{group}));
      return exec.warps(rows * parts_of(index.classes, 32ull), Scatter{group});
    }));
    LAT_TRY(exec.warps(sentences, Report{group}));
    if (batch.d_chart != nullptr) {
      LAT_TRY(exec.warps(sentences * index.classes, CopyChart{group}));
    }
  }
  const auto tiles = [&](auto words, auto blocks, uint32_t shape) {
    constexpr int kWords = decltype(words)::value;
    constexpr int kBlocks = decltype(blocks)::value;
    const uint64_t first = part;
    part += plan.tiles[shape];
    const auto slots = static_cast<uint32_t>(plan.slots[shape]);
    return plan.tiles[shape] == 0
               ? LAT_OK
               : exec.template tiles<kWords, kBlocks>(plan.tiles[shape], plan.threads[shape],
                                                      TileLayout(index, kWords, kBlocks, slots).bytes, index, batch,
                                                      first, slots);
  };
  const std::integral_constant<int, 1> one;
  LAT_TRY(tiles(one, std::integral_constant<int, kClusterBlocks>(), 0));
  LAT_TRY(tiles(std::integral_constant<int, 4>(), one, 1));
  LAT_TRY(tiles(std::integral_constant<int, 2>(), one, 2));
  return tiles(one, one, 3);
}

}  // namespace lat::grammar
