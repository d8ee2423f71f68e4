// The paper's own strategies, for comparison with tile.cuh: one sentence, one byte per cell and variable, a kernel per
// diagonal, a block per cell, a thread per rule. The library does not contain them.
//
// A thread tests its rule on every split, without leaving early, as the paper writes it. A block has fewer threads than
// there are rules, which the paper leaves open; so its threads take several, one block's width apart.
#pragma once

#include "common/launch.cuh"
#include "grammar/block.cuh"

namespace lat::grammar {

constexpr uint32_t kDummy = 0xffffffffu; /* as parent of a rule that only fills a warp */

/* One sentence and its grammar, of variables, not classes, and without unary rules. d_rules and d_sentence may be
 * mapped host memory. */
struct PaperCheck {
  uint64_t variables;
  uint64_t rules;                /* dummies included; below 2^31 */
  const uint32_t *d_rules;       /* rules * 2: left | right << 16, parent */
  const uint32_t *d_word_starts; /* words + 1: the variables that derive a word */
  const uint32_t *d_word_variables;
  uint64_t words;
  const int32_t *d_sentence;
  uint64_t length;  /* 1 to LAT_GRAMMAR_MAX_WORDS */
  uint8_t *d_table; /* length * (length + 1) * variables: [i][j][variable] is 1 if it derives words i to j - 1, or 0 */
  uint64_t shared;  /* 1: results of a cell in shared memory first, a flag per variable */
  uint64_t warps;   /* 1: with shared: a flag per 32 rules, which have the same parent; 0 otherwise */
  uint64_t texture; /* 1: rules through the read-only cache */
  uint64_t threads; /* of a block: 32 to 1024, a multiple of 32 */
};

/* The flags of a block in shared memory. */
LAT_BOTH uint64_t paper_flags(const PaperCheck &paper) {
  return paper.shared == 0 ? 0 : paper.warps != 0 ? parts_of(paper.rules, uint64_t{kLanes}) : paper.variables;
}

LAT_BOTH uint8_t *paper_cell(const PaperCheck &paper, uint64_t i, uint64_t j) {
  return paper.d_table + (i * (paper.length + 1) + j) * paper.variables;
}

/* The cell of one word; a warp for each. */
LAT_BOTH void paper_word(const PaperCheck &paper, uint64_t i) {
  const int32_t word = paper.d_sentence[i];
  if (word < 0 || static_cast<uint64_t>(word) >= paper.words) {
    return;
  }
  uint8_t *cell = paper_cell(paper, i, i + 1);
  const uint32_t end = load(paper.d_word_starts + word + 1);
  for (uint32_t from = load(paper.d_word_starts + word); from < end; from += kLanes) {
    each_lane([&](uint32_t lane) {
      if (from + lane < end) {
        cell[load(paper.d_word_variables + from + lane)] = 1;
      }
    });
  }
}

/* One cell of more than one word: a block. flags: paper_flags of them, in shared memory. */
template <bool TEXTURE>
LAT_BOTH void paper_derive(Block block, const PaperCheck &paper, uint64_t i, uint64_t j, uint8_t *flags) {
  const uint64_t threads = static_cast<uint64_t>(block.warps()) * kLanes;
  const uint64_t variables = paper.variables;
  uint8_t *cell = paper_cell(paper, i, j);
  const auto part = [&](uint64_t at) { return TEXTURE ? load(paper.d_rules + at) : paper.d_rules[at]; };
  if (paper.shared != 0) {
    block.phase([&](uint32_t warp) {
      each_lane([&](uint32_t lane) {
        for (uint64_t f = warp * kLanes + lane; f < paper_flags(paper); f += threads) {
          flags[f] = 0;
        }
      });
    });
  }
  block.phase([&](uint32_t warp) {
    each_lane([&](uint32_t lane) {
      for (uint64_t r = warp * kLanes + lane; r < paper.rules; r += threads) {
        const uint32_t sides = part(2 * r);
        const uint32_t parent = part(2 * r + 1);
        if (parent == kDummy) {
          continue;
        }
        uint8_t *result = paper.shared == 0 ? cell + parent : flags + (paper.warps != 0 ? r / kLanes : parent);
        const uint8_t *left = paper_cell(paper, i, i + 1) + (sides & 0xffff);
        const uint8_t *right = paper_cell(paper, i + 1, j) + (sides >> 16);
        for (uint64_t split = i + 1; split < j; split++) {
          if (*left != 0 && *right != 0) {
            *result = 1;
          }
          left += variables;
          right += (paper.length + 1) * variables;
        }
      }
    });
  });
  if (paper.shared != 0) {
    block.phase([&](uint32_t warp) {
      each_lane([&](uint32_t lane) {
        for (uint64_t f = warp * kLanes + lane; f < paper_flags(paper); f += threads) {
          if (flags[f] != 0) { /* the first rule of 32 is no dummy */
            cell[paper.warps != 0 ? part(2 * f * kLanes + 1) : f] = 1;
          }
        }
      });
    });
  }
}

/* Fills d_table. EXEC, of paper.cu or host.cuh: int clear(void *at, uint64_t bytes), int paper_words(paper) for the
 * cells of all words, and int paper_diagonal(paper, span). */
template <typename EXEC>
int paper_check(EXEC &exec, const PaperCheck &paper) {
  LAT_REQUIRE(paper.variables >= 1 && paper.variables <= LAT_GRAMMAR_MAX_CLASSES && paper.rules < 1ull << 31 &&
              paper.length >= 1 && paper.length <= LAT_GRAMMAR_MAX_WORDS && paper.threads >= kLanes &&
              paper.threads <= 1024 && paper.threads % kLanes == 0);
  LAT_TRY(exec.clear(paper.d_table, paper.length * (paper.length + 1) * paper.variables));
  LAT_TRY(exec.paper_words(paper));
  for (uint64_t span = 2; span <= paper.length; span++) {
    LAT_TRY(exec.paper_diagonal(paper, span));
  }
  return LAT_OK;
}

/* The same on the current device, in its default stream. */
int paper_check(const PaperCheck &paper);

}  // namespace lat::grammar
