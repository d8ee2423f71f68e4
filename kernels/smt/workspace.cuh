// The memory of a sentence's search.
#pragma once

#include "common/both.cuh"
#include "latimer_smt.h"

namespace lat::smt {

/* Something to sort: by a, then by b, both ascending. */
struct alignas(16) Item {
  uint64_t a;
  uint64_t b;
};

/* Columns of partial translations. */
struct Partials {
  double *score;
  uint64_t *place; /* what is translated: the first gap in the upper half, and from there a mask (see span) */
  uint32_t *end;   /* the source word after the last phrase */
  uint32_t *before;
  uint32_t *from;
  uint32_t *choice;
  float *log10;
  uint32_t *alternative;
  uint32_t *state; /* words of the language model's state */
  uint32_t *words; /* these, newest first; `contexts` of them, of which only so many are set */
  float *backoffs; /* of the newest word, of the two newest, and so on */
};

/* Sizes that all searches of a batch have room for. */
struct Sizes {
  uint64_t words;
  uint64_t contexts;   /* most words of a state */
  uint64_t kept;       /* partial translations of a stack */
  uint64_t each;       /* the same, with their alternatives */
  uint64_t partials;   /* in all */
  uint64_t slots;      /* pairs of a partial translation and a source phrase that a step may look at */
  uint64_t candidates; /* extensions that a step scores */
  uint64_t items;      /* extensions that are sorted to find these: a power of 2 */
  uint64_t table;      /* places in a hash table of them: a power of 2 */
};

LAT_BOTH uint64_t power_of_two(uint64_t least) {
  uint64_t power = 1;
  while (power < least) {
    power *= 2;
  }
  return power;
}

/* The first words that a phrase of some length may have, counted from the gap: whoever leaves a gap must be able to
 * come back to it. */
LAT_BOTH uint32_t reach(uint32_t distortion, uint32_t length) {
  return distortion > length ? distortion - length + 1 : 1;
}

LAT_BOTH Sizes sizes_of(const lat_smt_batch &batch) {
  Sizes sizes{};
  sizes.words = batch.most_words;
  sizes.contexts = batch.order - 1;
  sizes.kept = batch.stack < batch.candidates ? batch.stack : batch.candidates;
  sizes.each = batch.alternatives != 0 ? batch.candidates : sizes.kept;
  sizes.partials = 1 + sizes.words * sizes.each;
  const uint64_t longest = batch.most_longest < sizes.words ? batch.most_longest : sizes.words;
  for (uint32_t length = 1; length <= longest; length++) {
    sizes.slots += sizes.kept * reach(static_cast<uint32_t>(batch.distortion), length);
  }
  sizes.candidates = batch.candidates;
  sizes.items = power_of_two(batch.candidates + batch.candidates / 4);
  sizes.table = power_of_two(2 * batch.candidates);
  return sizes;
}

constexpr uint32_t kWindow = 32; /* words from a gap for which scores of open words are kept, and one more place */

/* Everything that a search writes. */
struct Workspace {
  uint32_t *counts; /* kCounts */
  Item *items;
  uint32_t *table_first; /* a candidate at this place of the hash table, or LAT_SMT_NONE */
  uint32_t *table_winner;
  uint64_t *table_best;
  uint32_t *live; /* slots whose pairs exist */
  double *base;   /* per slot: the promise of the pair without what is expected of the choice */
  uint32_t *pair_partial;
  uint32_t *pair_phrase; /* its first word times 32, and its words */
  lat_smt_phrase *pair_choices;
  double *promise; /* per candidate */
  uint32_t *place_in_table;
  uint32_t *number; /* of a candidate that is kept, as a partial translation */
  Partials candidates;
  double *inner; /* per word and number of words less one: the best score that can be expected of these words */
  double *tail;  /* from a word to the end of the sentence */
  uint32_t *stack_start; /* per stack its first partial translation; and the end of the last one */
  uint32_t *stack_size;  /* without alternatives */
  Partials partials;
  uint32_t *group_first; /* per partial translation, in its stack: the first one with the same words translated */
  uint32_t *group_size;
  uint32_t *mark; /* those that lead to complete ones; then their numbers in the results */
};

enum Count { kLive, kItems, kNext, kFirst, kBegun, kCounts };

/* Divides memory: what comes first gets the shared memory, as long as that lasts. */
class Carver {
 public:
  LAT_BOTH Carver(char *shared, uint64_t shared_bytes, char *global)
      : shared_(shared), shared_bytes_(shared_bytes), global_(global) {}

  template <typename T>
  LAT_BOTH void take(T *&to, uint64_t count) {
    const uint64_t bytes = (count * sizeof(T) + 15) / 16 * 16;
    if (bytes <= shared_bytes_ - shared_used_) {
      to = reinterpret_cast<T *>(shared_ + shared_used_);
      shared_used_ += bytes;
    } else {
      to = reinterpret_cast<T *>(global_ + used_);
      used_ += bytes;
    }
  }
  /* Bytes of the global memory. */
  LAT_BOTH uint64_t used() const { return (used_ + 255) / 256 * 256; }

 private:
  char *shared_;
  uint64_t shared_bytes_;
  char *global_;
  uint64_t shared_used_ = 0;
  uint64_t used_ = 0;
};

template <typename CARVER>
LAT_BOTH void carve(uint64_t count, uint64_t contexts, CARVER &carver, Partials &to) {
  carver.take(to.score, count);
  carver.take(to.place, count);
  carver.take(to.end, count);
  carver.take(to.state, count);
  carver.take(to.words, count * contexts);
  carver.take(to.backoffs, count * contexts);
  carver.take(to.before, count);
  carver.take(to.from, count);
  carver.take(to.choice, count);
  carver.take(to.log10, count);
  carver.take(to.alternative, count);
}

/* What a step reads most often comes first. */
template <typename CARVER>
LAT_BOTH void carve(const Sizes &sizes, CARVER &carver, Workspace &workspace) {
  carver.take(workspace.counts, kCounts);
  carver.take(workspace.items, sizes.items);
  carver.take(workspace.table_first, sizes.table);
  carver.take(workspace.table_winner, sizes.table);
  carver.take(workspace.table_best, sizes.table);
  carver.take(workspace.promise, sizes.candidates);
  carver.take(workspace.place_in_table, sizes.candidates);
  carver.take(workspace.tail, sizes.words + 1);
  carver.take(workspace.inner, sizes.words * kWindow);
  carver.take(workspace.live, sizes.slots);
  carver.take(workspace.base, sizes.slots);
  carver.take(workspace.pair_choices, sizes.slots);
  carver.take(workspace.pair_partial, sizes.slots);
  carver.take(workspace.pair_phrase, sizes.slots);
  carve(sizes.candidates, sizes.contexts, carver, workspace.candidates);
  carver.take(workspace.number, sizes.candidates);
  carver.take(workspace.stack_start, sizes.words + 2);
  carver.take(workspace.stack_size, sizes.words + 1);
  carve(sizes.partials, sizes.contexts, carver, workspace.partials);
  carver.take(workspace.group_first, sizes.partials);
  carver.take(workspace.group_size, sizes.partials);
  carver.take(workspace.mark, sizes.partials + 1);
}

/* What all functions check. */
inline bool good_options(const lat_smt_batch *batch) {
  return batch != nullptr && batch->order >= 1 && batch->order <= 8 && batch->stack >= 1 &&
         batch->stack <= LAT_SMT_MAX_STACK && batch->candidates >= 1 && batch->candidates <= LAT_SMT_MAX_STACK &&
         batch->distortion <= LAT_SMT_MAX_DISTORTION && batch->alternatives <= 1 &&
         batch->most_words <= LAT_SMT_MAX_WORDS && batch->most_longest >= 1 &&
         batch->most_longest <= LAT_SMT_MAX_PHRASE;
}

inline bool good(const lat_smt_batch *batch) {
  constexpr uint64_t kMost = 1ull << 31;
  return good_options(batch) && batch->d_unigrams != nullptr && batch->d_table != nullptr && batch->lm_words >= 1 &&
         batch->lm_words < 1ull << 30 && batch->buckets >= 1 && batch->buckets < kMost &&
         batch->begin < batch->lm_words && batch->end < batch->lm_words && batch->choices < kMost &&
         batch->sentences < kMost && batch->partials < 1ull << 32 &&
         (batch->choices == 0 || (batch->d_fixed != nullptr && batch->d_expected != nullptr &&
                                  batch->d_word_starts != nullptr && batch->d_words != nullptr)) &&
         (batch->sentences == 0 ||
          (batch->d_sentences != nullptr && batch->d_found != nullptr && batch->d_report != nullptr &&
           (batch->most_words == 0 || batch->d_phrases != nullptr) &&
           (batch->partials == 0 || batch->d_partials != nullptr)));
}

/* Whether the partial translations of a sentence can be numbered. */
inline bool countable(const Sizes &sizes) { return sizes.partials < 1ull << 31; }

}  // namespace lat::smt
