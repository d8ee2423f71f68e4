// The best trees of weighted grammars: forward over the diagonals of a group, two kernels each, then back from the top.
//
// best and base are [span - 1][variable][slot], so that lanes, which are the cells of a diagonal, read neighbours.
// Maxima do not depend on the order, so nothing but the values is kept: going back, a warp looks for the split and the
// rule that give the value, which are few tests beside the forward ones.
//
// Bytes: a right-hand side and split of 32 cells reads 256 bytes from L1 or L2. wsj0, 25 words: 2,600 splits x 1,751
// right-hand sides, 36 MB a sentence, at 5 TB/s of L2 about 140,000 sentences per second. Memory of a group: 8 bytes
// per variable, slot and word of the longest sentence.
#pragma once

#include "grammar/divide.cuh"

namespace lat::grammar {

struct ViterbiGroup : Diagonal {
  lat_grammar_weights weights;
  float *d_scores;
  uint32_t *d_nodes;
  float *best;
  uint32_t *base;  /* as ordered() numbers; 0: not derived */
  uint32_t *stack; /* [slot][2] */

  LAT_BOTH uint32_t variables() const { return static_cast<uint32_t>(weights.variables); }
  LAT_BOTH uint64_t at(uint32_t length_of_cell, uint32_t variable, uint32_t slot) const {
    return (static_cast<uint64_t>(length_of_cell - 1) * variables() + variable) * slots + slot;
  }
};

/* Minus infinity. */
LAT_BOTH float impossible() { return float_of(0xff800000u); }

/* The best derivations of one word without unary rules: a warp per sentence. */
struct WeighWords {
  ViterbiGroup group;
  LAT_BOTH void operator()(uint64_t number) const {
    group.each_of_words(number, group.weights.words, group.weights.d_word_starts,
                        [&](uint32_t i, uint32_t slot, uint32_t) {
                          const uint32_t variable = load(group.weights.d_word_variables + i);
                          group.base[group.at(1, variable, slot)] = ordered(load(group.weights.d_word_weights + i));
                        });
  }
};

/* A warp per row and a few right-hand sides. */
struct WeighPairs {
  static constexpr uint64_t kUnit = 8;

  ViterbiGroup group;
  LAT_BOTH void operator()(uint64_t item) const {
    const uint64_t units = parts_of(group.weights.pairs, kUnit);
    const auto row = static_cast<uint32_t>(item / units);
    const uint64_t first = item % units * kUnit;
    const uint64_t end = least(first + kUnit, group.weights.pairs);
    const uint32_t span = group.span;
    const uint32_t full = ones(0, group.cells - row * kLanes, 0);
    const uint64_t step = static_cast<uint64_t>(group.variables()) * group.slots;
    PerLane<uint32_t> slot;
    each_lane([&](uint32_t lane) { slot[lane] = group.place(least(row * kLanes + lane, group.cells - 1)).slot; });
    for (uint64_t pair = first; pair < end; pair++) {
      const uint32_t sides = load(group.weights.d_pairs + pair);
      const uint32_t last = load(group.weights.d_pair_starts + pair + 1);
      each_lane([&](uint32_t lane) {
        const float *left = group.best + group.at(1, sides & 0xffff, slot[lane]);
        const float *right = group.best + group.at(span - 1, sides >> 16, slot[lane] + 1);
        float most = impossible();
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
        for (uint32_t s = 1; s < span; s++) {
          const float sum = add(*left, *right);
          most = sum > most ? sum : most;
          left += step;
          right = right - step + 1;
        }
        if ((full >> lane & 1) != 0 && most > impossible()) {
          for (uint32_t r = load(group.weights.d_pair_starts + pair); r < last; r++) {
            raise(group.base + group.at(span, load(group.weights.d_parents + r), slot[lane]),
                  ordered(add(most, load(group.weights.d_weights + r))));
          }
        }
      });
    }
  }
};

/* Adds the unary rules: a warp per row and variable. */
struct WeighPaths {
  ViterbiGroup group;
  LAT_BOTH void operator()(uint64_t item) const {
    const auto row = static_cast<uint32_t>(item / group.variables());
    const auto variable = static_cast<uint32_t>(item % group.variables());
    const uint32_t begin = load(group.weights.d_path_starts + variable);
    const uint32_t end = load(group.weights.d_path_starts + variable + 1);
    each_lane([&](uint32_t lane) {
      if (row * kLanes + lane >= group.cells) {
        return;
      }
      const uint32_t slot = group.place(row * kLanes + lane).slot;
      const uint64_t at = group.at(group.span, variable, slot);
      const uint32_t own = group.base[at];
      float value = own == 0 ? impossible() : from_ordered(own);
      for (uint32_t path = begin; path < end; path++) {
        const uint32_t below = group.base[group.at(group.span, load(group.weights.d_path_ends + path), slot)];
        if (below != 0) {
          const float sum = add(from_ordered(below), load(group.weights.d_path_weights + path));
          value = sum > value ? sum : value;
        }
      }
      group.best[at] = value;
    });
  }
};

/* Writes the score and the tree: a warp per sentence. */
struct TraceBack {
  ViterbiGroup group;

  LAT_BOTH void operator()(uint64_t number) const {
    const auto n = static_cast<uint32_t>(number);
    const uint32_t length = group.length(n);
    const uint32_t sentence = group.sentence(n);
    const uint32_t slot = group.slot_of(n);
    const auto start = static_cast<uint32_t>(group.weights.start);
    const float score = group.best[group.at(length, start, slot)];
    uint32_t *nodes = group.d_nodes + 4ull * load(group.batch.d_word_starts + sentence);
    uint32_t *stack = group.stack + 2ull * slot; /* right parts that are left to do: at most one per word */
    each_lane([&](uint32_t lane) {
      if (lane == 0) {
        group.d_scores[sentence] = score;
      }
    });
    if (!(score > impossible())) {
      return;
    }
    uint32_t depth = 0;
    uint32_t variable = start;
    uint32_t i = 0;
    uint32_t span = length;
    for (uint32_t node = 0; node < 2 * length - 1; node++) {
      const uint32_t end = end_of_path(variable, slot + i, span);
      uint32_t split = 0;
      uint32_t sides = 0;
      if (span > 1) {
        split = find_split(end, slot + i, span, &sides);
      }
      each_lane([&](uint32_t lane) {
        if (lane == 0) {
          nodes[2 * node] = variable | end << 16;
          nodes[2 * node + 1] = split;
        }
      });
      if (split > 0) {
        push(stack, depth++, sides >> 16, i + split, span - split);
        variable = sides & 0xffff;
        span = split;
      } else if (depth > 0) {
        depth--;
        variable = stack[2 * depth] & 0xffff;
        i = stack[2 * depth + 1] & 0xffff;
        span = stack[2 * depth + 1] >> 16;
        together();
      } else {
        return;
      }
    }
  }

  LAT_BOTH static void push(uint32_t *stack, uint32_t depth, uint32_t variable, uint32_t i, uint32_t span) {
    together();
    each_lane([&](uint32_t lane) {
      if (lane == 0) {
        stack[2 * depth] = variable;
        stack[2 * depth + 1] = i | span << 16;
      }
    });
    together();
  }

  /* The variable whose rule gives best: itself, or the end of the first path that does. */
  LAT_BOTH uint32_t end_of_path(uint32_t variable, uint32_t slot, uint32_t span) const {
    const float value = group.best[group.at(span, variable, slot)];
    const uint32_t own = group.base[group.at(span, variable, slot)];
    if (own != 0 && from_ordered(own) == value) {
      return variable;
    }
    const uint32_t end = load(group.weights.d_path_starts + variable + 1);
    for (uint32_t from = load(group.weights.d_path_starts + variable); from < end; from += kLanes) {
      const uint32_t equal = ballot([&](uint32_t lane) {
        const uint32_t path = from + lane;
        if (path >= end) {
          return false;
        }
        const uint32_t below = group.base[group.at(span, load(group.weights.d_path_ends + path), slot)];
        return below != 0 && add(from_ordered(below), load(group.weights.d_path_weights + path)) == value;
      });
      if (equal != 0) {
        return load(group.weights.d_path_ends + from + lowest_bit(equal));
      }
    }
    return variable;
  }

  LAT_BOTH float parts(uint32_t sides, uint32_t slot, uint32_t span, uint32_t split) const {
    return add(group.best[group.at(split, sides & 0xffff, slot)],
                  group.best[group.at(span - split, sides >> 16, slot + split)]);
  }

  /* The words of the left part, and the right-hand side; 0 if there is none. */
  LAT_BOTH uint32_t find_split(uint32_t variable, uint32_t slot, uint32_t span, uint32_t *sides) const {
    const float value = from_ordered(group.base[group.at(span, variable, slot)]);
    const uint32_t end = load(group.weights.d_rule_starts + variable + 1);
    for (uint32_t from = load(group.weights.d_rule_starts + variable); from < end; from += kLanes) {
      PerLane<float> most;
      const uint32_t equal = ballot([&](uint32_t lane) {
        most[lane] = impossible();
        if (from + lane >= end) {
          return false;
        }
        const uint32_t pair = load(group.weights.d_rules + from + lane);
        for (uint32_t split = 1; split < span; split++) {
          const float sum = parts(pair, slot, span, split);
          most[lane] = sum > most[lane] ? sum : most[lane];
        }
        return add(most[lane], load(group.weights.d_rule_weights + from + lane)) == value;
      });
      if (equal == 0) {
        continue;
      }
      const float highest = from_lane(most, lowest_bit(equal));
      *sides = load(group.weights.d_rules + from + lowest_bit(equal));
      for (uint32_t first = 1; first < span; first += kLanes) {
        const uint32_t here = ballot([&](uint32_t lane) {
          return first + lane < span && parts(*sides, slot, span, first + lane) == highest;
        });
        if (here != 0) {
          return first + lowest_bit(here);
        }
      }
    }
    return 0;
  }
};

/* The parts of a group's scratch. */
struct ViterbiMemory {
  uint64_t cells;
  uint64_t stack;

  ViterbiMemory(const lat_grammar_weights &weights, uint64_t longest, uint64_t slots)
      : cells(longest * weights.variables * slots), stack(2 * slots) {}
  uint64_t bytes() const { return 4 * (2 * cells + stack) + 3 * 256; }
};

inline bool good(const lat_grammar_weights *weights) {
  constexpr uint64_t kMost = 1ull << 31;
  return weights != nullptr && weights->variables >= 1 && weights->variables <= LAT_GRAMMAR_MAX_CLASSES &&
         weights->start < weights->variables && weights->rules < kMost && weights->pairs < kMost &&
         weights->words < kMost;
}

inline int viterbi_divide(const lat_grammar_weights &weights, const uint32_t *lengths, uint64_t sentences,
                          uint64_t memory, lat_grammar_plan *plan, uint32_t *order, uint32_t *slots, uint32_t *parts) {
  Division division{lengths, plan, order, slots, parts};
  LAT_TRY(division.sort(sentences));
  division.group(
      memory, [](uint32_t) { return true; },
      [&](uint32_t longest, uint64_t used, uint64_t) { return ViterbiMemory(weights, longest, used).bytes(); });
  parts[division.part] = static_cast<uint32_t>(plan->sentences);
  return LAT_OK;
}

/* EXEC as for check(). */
template <typename EXEC>
int viterbi(EXEC &exec, const lat_grammar_weights &weights, const lat_grammar_batch &batch,
            const lat_grammar_plan &plan, float *d_scores, uint32_t *d_nodes, void *d_scratch, size_t *scratch_bytes) {
  if (d_scratch == nullptr) {
    *scratch_bytes = plan.memory == 0 ? 1 : plan.memory;
    return LAT_OK;
  }
  LAT_REQUIRE(*scratch_bytes >= plan.memory);
  for (uint64_t part = 0; part < plan.groups; part++) {
    ViterbiGroup group{};
    begin_group(group, batch, part);
    group.weights = weights;
    group.d_scores = d_scores;
    group.d_nodes = d_nodes;
    const uint32_t sentences = group.active;
    const ViterbiMemory sizes(weights, batch.lengths[batch.order[group.first]], group.slots);
    LAT_REQUIRE(sizes.bytes() <= plan.memory);
    Scratch scratch(d_scratch);
    group.best = scratch.take<float>(sizes.cells);
    group.base = scratch.take<uint32_t>(sizes.cells);
    group.stack = scratch.take<uint32_t>(sizes.stack);
    LAT_TRY(exec.clear(group.base, sizes.cells * 4));
    LAT_TRY(exec.warps(sentences, WeighWords{group}));
    LAT_TRY(each_diagonal(group, 1, [&] {
      const uint64_t rows = parts_of(group.cells, kLanes);
      if (group.span > 1) {
        LAT_TRY(exec.warps(rows * parts_of(weights.pairs, WeighPairs::kUnit), WeighPairs{group}));
      }
      return exec.warps(rows * weights.variables, WeighPaths{group});
    }));
    LAT_TRY(exec.warps(sentences, TraceBack{group}));
  }
  return LAT_OK;
}

}  // namespace lat::grammar
