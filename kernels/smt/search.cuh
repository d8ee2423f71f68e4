// The search of one sentence by a team of threads: a block of a device (device.cuh) or, for tests, one thread of the
// host (host.cuh). A team has
//
//   void each(uint32_t size, F f)              calls f(0) to f(size - 1), in any order; all have ended when it returns
//   void once(F f)                             calls f() in one thread
//   uint64_t sum(uint32_t size, F f)           of f(i); also least, most
//   uint32_t scan(uint32_t *values, uint32_t size)  each value becomes the sum of those before it; returns that of all
//   void sort(Item *items, uint32_t size)      ascending; room for a power of 2 of them
//   add, exchange_if, raise, lower             atomic operations
//
// Nothing depends on the order in which threads work: the places of atomic appends are sorted later or do not matter.
//
// The extensions of a pair, a partial translation and a source phrase, are ordered by their promise, like the choices
// for the phrase. So the most promising ones of a step are found without looking at each: a bisection of the promises
// counts by a binary search per pair, and stops as soon as the extensions above are enough and can be sorted.
//
// Sums are those of the CPU's search, in the same order. No score is -0.0: the first is 0.0, and a sum or a difference
// is -0.0 only if it starts with one. So the order of the bits is that of the numbers.
#pragma once

#include <cmath>

#include "lm/hash.cuh"
#include "smt/coverage.cuh"
#include "smt/workspace.cuh"

namespace lat::smt {

template <typename TEAM>
class Search {
  static constexpr int kOrder = LAT_LM_MAX_ORDER; /* of the loops; models of lower orders have no longer contexts */
  using Matches = lm::Matches<kOrder>;

 public:
  LAT_BOTH Search(TEAM &team, const lat_smt_batch &batch, const Sizes &sizes, const Workspace &workspace,
                  uint32_t sentence)
      : team_(team),
        batch_(batch),
        sizes_(sizes),
        workspace_(workspace),
        sentence_(sentence),
        words_(batch.d_sentences[sentence].words),
        longest_(batch.d_sentences[sentence].longest),
        phrases_(batch.d_phrases + batch.d_sentences[sentence].phrases),
        trie_{static_cast<const uint2 *>(batch.d_unigrams), static_cast<const uint4 *>(batch.d_table),
              static_cast<uint32_t>(batch.lm_words), static_cast<uint32_t>(batch.buckets)} {}

  LAT_BOTH void run() {
    expect();
    begin();
    for (uint32_t step = 1; step <= words_; step++) {
      const uint32_t slots = find_pairs(step);
      const uint32_t size = select(slots);
      team_.each(size, [&](uint32_t i) { extend(i); });
      const uint32_t places = recombine(size);
      keep(step, prune(size, places));
    }
    collect();
  }

 private:
  LAT_BOTH lat_smt_phrase phrase(uint32_t from, uint32_t length) const {
    const lat_smt_phrase *at = phrases_ + static_cast<uint64_t>(from) * longest_ + length - 1;
    return {load(&at->first), load(&at->count)};
  }

  /* ---- what can be expected of open words ---- */

  LAT_BOTH void expect() {
    team_.once([&] { workspace_.tail[words_] = 0; });
    for (uint32_t left = 1; left <= words_; left++) {
      const uint32_t from = words_ - left;
      const uint32_t most = left < kWindow - 1 ? left : kWindow - 1; /* a run in a mask is shorter than it */
      team_.each(most + 1, [&](uint32_t i) {
        const bool to_end = i == most;
        const uint32_t all = to_end ? left : i + 1;
        double best = -INFINITY;
        for (uint32_t length = 1; length <= longest_ && length <= all; length++) {
          const lat_smt_phrase choices = phrase(from, length);
          if (choices.count != 0) {
            const double rest = to_end          ? workspace_.tail[from + length]
                                : length == all ? 0
                                                : inner(from + length, all - length);
            best = larger(best, add(load(batch_.d_expected + choices.first), rest));
          }
        }
        *(to_end ? workspace_.tail + from : workspace_.inner + static_cast<uint64_t>(from) * kWindow + i) = best;
      });
    }
  }

  LAT_BOTH double inner(uint32_t from, uint32_t length) const {
    return workspace_.inner[static_cast<uint64_t>(from) * kWindow + length - 1];
  }

  LAT_BOTH double open(uint64_t place) const {
    const uint32_t gap = gap_of(place);
    uint64_t rest = mask_of(place);
    if (rest == 0) {
      return workspace_.tail[gap];
    }
    double sum = 0;
    uint32_t at = 0;
    while (rest != 0) {
      const uint32_t length = trailing_zeros(rest);
      sum = add(sum, length == 0 ? 0.0 : inner(gap + at, length));
      rest >>= length;
      const uint32_t covered = trailing_zeros(~rest);
      rest >>= covered;
      at += length + covered;
    }
    return add(sum, workspace_.tail[gap + at]);
  }

  /* ---- the stacks ---- */

  /* The empty partial translation, in a stack of its own. */
  LAT_BOTH void begin() {
    team_.once([&] {
      const Partials &all = workspace_.partials;
      all.score[0] = 0;
      all.place[0] = 0;
      all.end[0] = 0;
      all.before[0] = LAT_SMT_NONE;
      all.from[0] = 0;
      all.choice[0] = 0;
      all.log10[0] = 0;
      all.alternative[0] = LAT_SMT_NONE;
      all.state[0] = sizes_.contexts != 0 ? 1 : 0;
      if (sizes_.contexts != 0) {
        all.words[0] = static_cast<uint32_t>(batch_.begin);
        all.backoffs[0] = float_of(load(trie_.unigrams + batch_.begin).y);
      }
      workspace_.group_first[0] = 0;
      workspace_.group_size[0] = 1;
      workspace_.stack_start[0] = 0;
      workspace_.stack_size[0] = 1;
      workspace_.stack_start[1] = 1;
      workspace_.counts[kLive] = 0;
      workspace_.counts[kItems] = 0;
    });
  }

  /* Finds the pairs that a step may extend; returns their slots, which number them in the order of the CPU. */
  LAT_BOTH uint32_t find_pairs(uint32_t step) {
    uint32_t slots = 0;
    for (uint32_t length = 1; length <= longest_ && length <= step; length++) {
      const uint32_t start = workspace_.stack_start[step - length];
      const uint32_t size = workspace_.stack_size[step - length];
      const uint32_t froms = reach(static_cast<uint32_t>(batch_.distortion), length);
      team_.each(size * froms, [&](uint32_t i) {
        const uint32_t rank = i % size;
        find_pair(start, rank, i / size, length, slots + workspace_.group_first[start + rank] * froms);
      });
      slots += size * froms;
    }
    return slots;
  }

  /* rank: of the partial translation in its stack; offset: of the phrase from the gap; slots: the group's first. */
  LAT_BOTH void find_pair(uint32_t start, uint32_t rank, uint32_t offset, uint32_t length, uint32_t slots) {
    const uint32_t partial = start + rank;
    const uint64_t place = workspace_.partials.place[partial];
    const uint32_t from = gap_of(place) + offset;
    if (from + length > words_) {
      return;
    }
    const lat_smt_phrase choices = phrase(from, length);
    const uint64_t words = span(offset, length);
    const uint32_t jump = distance(from, workspace_.partials.end[partial]);
    if (choices.count == 0 || (mask_of(place) & words) != 0 || jump > batch_.distortion) {
      return;
    }
    const uint32_t slot =
        slots + offset * workspace_.group_size[partial] + rank - workspace_.group_first[partial];
    workspace_.base[slot] = add(moved(partial, jump), open(place_of(gap_of(place), mask_of(place) | words)));
    workspace_.pair_partial[slot] = partial;
    workspace_.pair_phrase[slot] = from * 32 + length;
    workspace_.pair_choices[slot] = choices;
    workspace_.live[team_.add(workspace_.counts + kLive, 1u)] = slot;
  }

  /* The score of a partial translation after a jump. */
  LAT_BOTH double moved(uint32_t partial, uint32_t jump) const {
    return add(workspace_.partials.score[partial], -multiply(batch_.distortion_weight, jump));
  }

  /* ---- the most promising extensions of a step ---- */

  /* The promise of a pair's extension, as an ordered number. */
  LAT_BOTH uint64_t promise(uint32_t slot, uint32_t choice) const {
    return ordered(add(workspace_.base[slot], load(batch_.d_expected + workspace_.pair_choices[slot].first + choice)));
  }

  /* How many extensions of a pair promise at least so much. */
  LAT_BOTH uint32_t count(uint32_t slot, uint64_t least) const {
    uint32_t low = 0;
    uint32_t high = workspace_.pair_choices[slot].count;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (promise(slot, middle) >= least) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  LAT_BOTH uint64_t count_all(uint32_t live, uint64_t least) {
    return team_.sum(live, [&](uint32_t i) -> uint64_t { return count(workspace_.live[i], least); });
  }

  /* Puts the extensions that a step scores first among the items, in their order; returns their number. */
  LAT_BOTH uint32_t select(uint32_t slots) {
    const uint32_t live = workspace_.counts[kLive];
    take_best(live, slots);
    const uint32_t found = workspace_.counts[kItems];
    team_.sort(workspace_.items, found);
    team_.once([&] {
      workspace_.counts[kLive] = 0;
      workspace_.counts[kItems] = 0;
    });
    return found < sizes_.candidates ? found : static_cast<uint32_t>(sizes_.candidates);
  }

  LAT_BOTH void take_best(uint32_t live, uint32_t slots) {
    uint64_t low = 0;
    uint64_t found = count_all(live, low);
    if (found > sizes_.items) {
      low = team_.least(live, [&](uint32_t i) {
        return promise(workspace_.live[i], workspace_.pair_choices[workspace_.live[i]].count - 1);
      });
      uint64_t high = team_.most(live, [&](uint32_t i) { return promise(workspace_.live[i], 0); });
      while (low < high && found > sizes_.items) {
        const uint64_t middle = high - (high - low) / 2;
        const uint64_t above = count_all(live, middle);
        if (above >= sizes_.candidates) {
          low = middle;
          found = above;
        } else {
          high = middle - 1;
        }
      }
    }
    if (found <= sizes_.items) {
      team_.each(live, [&](uint32_t i) { take(workspace_.live[i], count(workspace_.live[i], low)); });
      return;
    }
    // Too many promise exactly so much: those of the first slots are taken.
    const uint64_t wanted = sizes_.candidates - count_all(live, low + 1);
    const auto equal = [&](uint32_t slot) { return count(slot, low) - count(slot, low + 1); };
    const auto before = [&](uint32_t last) {
      return team_.sum(live, [&](uint32_t i) -> uint64_t {
        return workspace_.live[i] < last ? equal(workspace_.live[i]) : 0;
      });
    };
    uint32_t first = 0; /* the slots before it have less than enough; those before the last have enough */
    uint32_t last = slots;
    while (last - first > 1) {
      const uint32_t middle = first + (last - first) / 2;
      if (before(middle) < wanted) {
        first = middle;
      } else {
        last = middle;
      }
    }
    const auto rest = static_cast<uint32_t>(wanted - before(first));
    team_.each(live, [&](uint32_t i) {
      const uint32_t slot = workspace_.live[i];
      take(slot, slot < first ? count(slot, low) : count(slot, low + 1) + (slot == first ? rest : 0));
    });
  }

  /* Takes the first extensions of a pair. */
  LAT_BOTH void take(uint32_t slot, uint32_t size) {
    if (size == 0) {
      return;
    }
    const uint32_t at = team_.add(workspace_.counts + kItems, size);
    for (uint32_t k = 0; k < size; k++) {
      workspace_.items[at + k] = {~promise(slot, k), static_cast<uint64_t>(slot) << 32 | k};
    }
  }

  /* ---- their scores ---- */

  /* Makes the candidate of an extension. */
  LAT_BOTH void extend(uint32_t i) {
    const auto slot = static_cast<uint32_t>(workspace_.items[i].b >> 32);
    const uint32_t choice = workspace_.pair_choices[slot].first + static_cast<uint32_t>(workspace_.items[i].b);
    const uint32_t before = workspace_.pair_partial[slot];
    const uint32_t from = workspace_.pair_phrase[slot] / 32;
    const uint32_t length = workspace_.pair_phrase[slot] % 32;
    const uint64_t place = workspace_.partials.place[before];
    const Partials &to = workspace_.candidates;
    const uint64_t now = place_of(gap_of(place), mask_of(place) | span(from - gap_of(place), length));
    const float log10 = score_words(before, choice, i);
    const double score =
        add(add(moved(before, distance(from, workspace_.partials.end[before])), load(batch_.d_fixed + choice)),
            multiply(batch_.lm_weight, static_cast<double>(log10)));
    to.score[i] = score;
    to.place[i] = now;
    to.end[i] = from + length;
    to.before[i] = before;
    to.from[i] = from;
    to.choice[i] = choice;
    to.log10[i] = log10;
    to.alternative[i] = LAT_SMT_NONE;
    workspace_.promise[i] = add(score, open(now));
  }

  /* Scores a choice after a partial translation, and sets a candidate's state. */
  LAT_BOTH float score_words(uint32_t before, uint32_t choice, uint32_t candidate) {
    const uint32_t begin = load(batch_.d_word_starts + choice);
    const uint32_t end = load(batch_.d_word_starts + choice + 1);
    WordsBefore reader{batch_.d_words + begin, 0, workspace_.partials.words + before * sizes_.contexts,
                       workspace_.partials.state[before]};
    float backoffs[kOrder - 1];
    backoffs_of(before, backoffs);
    float total = 0;
    int state = 0;
    for (uint32_t at = begin; at < end; at++) {
      reader.at = at - begin;
      const uint32_t word = load(batch_.d_words + at);
      const Matches matches = lm::matches_of<kOrder>(trie_, static_cast<int>(batch_.order), word, reader);
      total = add(total, lm::with_backoffs(matches, backoffs, false));
      LAT_UNROLL
      for (int k = 0; k < kOrder - 1; k++) {
        backoffs[k] = matches.backoff[k];
      }
      state = matches.state_length();
    }
    const Partials &to = workspace_.candidates;
    to.state[candidate] = static_cast<uint32_t>(state);
    reader.at = end - begin; /* as if a word followed */
    LAT_UNROLL
    for (int k = 0; k < kOrder - 1; k++) {
      if (k < state) {
        uint32_t word = 0;
        reader.next(static_cast<uint32_t>(k) + 1, &word);
        to.words[candidate * sizes_.contexts + k] = word;
        to.backoffs[candidate * sizes_.contexts + k] = backoffs[k];
      }
    }
    return total;
  }

  /* The back-offs of a partial translation's contexts; -0.0, which adds nothing, for those not in its state. */
  LAT_BOTH void backoffs_of(uint32_t partial, float *backoffs) const {
    const auto state = static_cast<int>(workspace_.partials.state[partial]);
    LAT_UNROLL
    for (int k = 0; k < kOrder - 1; k++) {
      backoffs[k] = k < state ? workspace_.partials.backoffs[partial * sizes_.contexts + k] : -0.0f;
    }
  }

  /* log10 of the probability of the sentence's end. */
  LAT_BOTH float score_end(uint32_t partial) const {
    const WordsBefore reader{nullptr, 0, workspace_.partials.words + partial * sizes_.contexts,
                             workspace_.partials.state[partial]};
    float backoffs[kOrder - 1];
    backoffs_of(partial, backoffs);
    const Matches matches =
        lm::matches_of<kOrder>(trie_, static_cast<int>(batch_.order), static_cast<uint32_t>(batch_.end), reader);
    return add(0.0f, lm::with_backoffs(matches, backoffs, false));
  }

  /* ---- which of them are kept ---- */

  /* Whether two candidates are equal for the future. The words of a state say what its back-offs are. */
  LAT_BOTH bool meet(uint32_t a, uint32_t b) const {
    const Partials &of = workspace_.candidates;
    bool equal = of.place[a] == of.place[b] && of.end[a] == of.end[b] && of.state[a] == of.state[b];
    for (uint32_t k = 0; equal && k < of.state[a]; k++) {
      equal = of.words[a * sizes_.contexts + k] == of.words[b * sizes_.contexts + k];
    }
    return equal;
  }

  LAT_BOTH uint32_t hash(uint32_t i) const {
    const Partials &of = workspace_.candidates;
    uint64_t hash = fmix64(of.place[i] * 31 + of.end[i]);
    for (uint32_t k = 0; k < of.state[i]; k++) {
      hash = fmix64(hash + of.words[i * sizes_.contexts + k]);
    }
    return static_cast<uint32_t>(hash >> 32);
  }

  /* Finds the best candidate of those that are equal for the future, and the earliest if several are; its number is in
   * the place of a hash table that they share. Returns the number of places. */
  LAT_BOTH uint32_t recombine(uint32_t size) {
    const auto places = static_cast<uint32_t>(power_of_two(2 * static_cast<uint64_t>(size)));
    team_.each(places, [&](uint32_t i) {
      workspace_.table_first[i] = LAT_SMT_NONE;
      workspace_.table_winner[i] = LAT_SMT_NONE;
      workspace_.table_best[i] = 0;
    });
    team_.each(size, [&](uint32_t i) {
      uint32_t at = hash(i) & (places - 1);
      uint32_t first = team_.exchange_if(workspace_.table_first + at, LAT_SMT_NONE, i);
      while (first != LAT_SMT_NONE && !meet(first, i)) {
        at = (at + 1) & (places - 1);
        first = team_.exchange_if(workspace_.table_first + at, LAT_SMT_NONE, i);
      }
      workspace_.place_in_table[i] = at;
      team_.raise(workspace_.table_best + at, ordered(workspace_.candidates.score[i]));
    });
    team_.each(size, [&](uint32_t i) {
      const uint32_t at = workspace_.place_in_table[i];
      if (ordered(workspace_.candidates.score[i]) == workspace_.table_best[at]) {
        team_.lower(workspace_.table_winner + at, i);
      }
    });
    return places;
  }

  /* Links the others to the best ones, in the order in which the CPU does it: one thread has all that share a place. */
  LAT_BOTH void link(uint32_t size) {
    team_.each(size, [&](uint32_t i) { workspace_.items[i] = {workspace_.place_in_table[i], i}; });
    team_.sort(workspace_.items, size);
    team_.each(size, [&](uint32_t first) {
      const Item *items = workspace_.items;
      if (first != 0 && items[first - 1].a == items[first].a) {
        return;
      }
      const Partials &of = workspace_.candidates;
      auto best = static_cast<uint32_t>(items[first].b);
      for (uint32_t k = first + 1; k < size && items[k].a == items[first].a; k++) {
        const auto i = static_cast<uint32_t>(items[k].b);
        if (of.score[i] > of.score[best]) {
          of.alternative[i] = best;
          best = i;
        } else {
          of.alternative[i] = of.alternative[best];
          of.alternative[best] = i;
        }
      }
    });
  }

  /* Puts the candidates that are kept first among the items, in the order of their stack; returns their number. */
  LAT_BOTH uint32_t prune(uint32_t size, uint32_t places) {
    if (batch_.alternatives != 0) {
      link(size);
    }
    team_.each(places, [&](uint32_t i) {
      const uint32_t winner = workspace_.table_winner[i];
      if (winner != LAT_SMT_NONE) {
        workspace_.items[team_.add(workspace_.counts + kItems, 1u)] = {~ordered(workspace_.promise[winner]), winner};
      }
    });
    const uint32_t winners = workspace_.counts[kItems];
    team_.sort(workspace_.items, winners);
    team_.once([&] { workspace_.counts[kItems] = 0; });
    const uint32_t kept = winners < batch_.stack ? winners : static_cast<uint32_t>(batch_.stack);
    team_.each(kept, [&](uint32_t i) {
      const uint64_t candidate = workspace_.items[i].b;
      workspace_.items[i] = {workspace_.candidates.place[candidate], static_cast<uint64_t>(i) << 32 | candidate};
    });
    team_.sort(workspace_.items, kept);
    return kept;
  }

  /* Makes partial translations of the candidates that are kept. */
  LAT_BOTH void keep(uint32_t step, uint32_t kept) {
    const uint32_t start = workspace_.stack_start[step];
    team_.once([&] { workspace_.counts[kNext] = start + kept; });
    team_.each(kept, [&](uint32_t i) {
      const auto candidate = static_cast<uint32_t>(workspace_.items[i].b);
      workspace_.number[candidate] = start + i;
      copy(candidate, start + i);
      workspace_.group_first[start + i] = bound(kept, workspace_.items[i].a);
      workspace_.group_size[start + i] = bound(kept, workspace_.items[i].a + 1) - workspace_.group_first[start + i];
      if (batch_.alternatives != 0) {
        for (uint32_t other = workspace_.candidates.alternative[candidate]; other != LAT_SMT_NONE;
             other = workspace_.candidates.alternative[other]) {
          const uint32_t to = team_.add(workspace_.counts + kNext, 1u);
          workspace_.number[other] = to;
          copy(other, to);
        }
      }
    });
    const uint32_t end = workspace_.counts[kNext];
    if (batch_.alternatives != 0) {
      team_.each(end - start, [&](uint32_t i) {
        uint32_t &other = workspace_.partials.alternative[start + i];
        other = other == LAT_SMT_NONE ? other : workspace_.number[other];
      });
    }
    team_.once([&] {
      workspace_.stack_size[step] = kept;
      workspace_.stack_start[step + 1] = end;
    });
  }

  /* The first item that is not below a number. */
  LAT_BOTH uint32_t bound(uint32_t size, uint64_t a) const {
    uint32_t low = 0;
    uint32_t high = size;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (workspace_.items[middle].a < a) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  LAT_BOTH void copy(uint32_t candidate, uint32_t to) {
    const Partials &of = workspace_.candidates;
    const Partials &all = workspace_.partials;
    all.score[to] = of.score[candidate];
    all.place[to] = of.place[candidate];
    all.end[to] = of.end[candidate];
    all.before[to] = of.before[candidate];
    all.from[to] = of.from[candidate];
    all.choice[to] = of.choice[candidate];
    all.log10[to] = of.log10[candidate];
    all.alternative[to] = of.alternative[candidate];
    all.state[to] = of.state[candidate];
    for (uint32_t k = 0; k < of.state[candidate]; k++) {
      all.words[to * sizes_.contexts + k] = of.words[candidate * sizes_.contexts + k];
      all.backoffs[to * sizes_.contexts + k] = of.backoffs[candidate * sizes_.contexts + k];
    }
  }

  /* ---- the results ---- */

  /* What a complete translation must score, with the sentence's end, to be among the results if only the best one is
   * wanted: the host adds the same numbers in another order. Puts these scores among the promises. */
  LAT_BOTH double least_of_best(uint32_t all, uint32_t complete, uint32_t complete_count) {
    team_.each(complete_count, [&](uint32_t i) {
      const double end = multiply(batch_.lm_weight, static_cast<double>(score_end(complete + i)));
      workspace_.promise[i] = add(end, workspace_.partials.score[complete + i]);
    });
    const uint64_t best =
        team_.most(complete_count, [&](uint32_t i) { return ordered(workspace_.promise[i]); });
    const uint64_t largest = team_.most(all, [&](uint32_t i) { return bits_of(fabs(workspace_.partials.score[i])); });
    return add(number_of(best), -multiply(LAT_SMT_NEAR_BEST, add(1.0, double_of(largest))));
  }

  LAT_BOTH void collect() {
    const uint32_t all = workspace_.stack_start[words_ + 1];
    const uint32_t complete = workspace_.stack_start[words_];
    const uint32_t complete_count = workspace_.stack_size[words_];
    const double least = batch_.alternatives != 0 ? -INFINITY : least_of_best(all, complete, complete_count);
    team_.each(all + 1, [&](uint32_t i) {
      const bool is_complete = i >= complete && i < complete + complete_count;
      workspace_.mark[i] =
          is_complete && (batch_.alternatives != 0 || workspace_.promise[i - complete] >= least) ? 1 : 0;
    });
    for (uint32_t step = words_; step >= 1; step--) {
      const uint32_t start = workspace_.stack_start[step];
      team_.each(workspace_.stack_size[step], [&](uint32_t i) {
        if (workspace_.mark[start + i] != 0) {
          for (uint32_t at = start + i; at != LAT_SMT_NONE; at = workspace_.partials.alternative[at]) {
            workspace_.mark[at] = 1;
            workspace_.mark[workspace_.partials.before[at]] = 1;
          }
        }
      });
    }
    const uint32_t found = team_.scan(workspace_.mark, all + 1);
    team_.once([&] {
      const uint64_t first = team_.add(batch_.d_report + 1, static_cast<uint64_t>(found));
      const bool fits = first + found <= batch_.partials;
      workspace_.counts[kFirst] = fits ? static_cast<uint32_t>(first) : LAT_SMT_NONE;
      const uint32_t best = workspace_.mark[complete + complete_count] - workspace_.mark[complete];
      batch_.d_found[sentence_] = {workspace_.counts[kFirst], found, workspace_.mark[complete], fits ? best : 0};
    });
    const uint32_t first = workspace_.counts[kFirst];
    if (first == LAT_SMT_NONE) {
      return;
    }
    team_.each(all, [&](uint32_t i) {
      if (workspace_.mark[i] != workspace_.mark[i + 1]) {
        const Partials &of = workspace_.partials;
        const bool is_complete = i >= complete && i < complete + complete_count;
        batch_.d_partials[first + workspace_.mark[i]] = {
            of.score[i], of.log10[i],  is_complete ? score_end(i) : 0,  marked(of.before[i]),
            of.from[i],  of.choice[i], marked(of.alternative[i])};
      }
    });
  }

  /* The number of a partial translation in the results. */
  LAT_BOTH uint32_t marked(uint32_t i) const { return i == LAT_SMT_NONE ? LAT_SMT_NONE : workspace_.mark[i]; }

  TEAM &team_;
  const lat_smt_batch &batch_;
  const Sizes &sizes_;
  const Workspace &workspace_;
  uint32_t sentence_;
  uint32_t words_;
  uint32_t longest_;
  const lat_smt_phrase *phrases_;
  lm::HashTrie trie_;
};

}  // namespace lat::smt
