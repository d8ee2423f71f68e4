// Groups the translations of each phrase, sorts them and computes their features.
//
// A pair is sorted by its phrase and a hash of its target words: 8 bytes of key and 4 of value, read and written once
// per 8 bits of the key, of which there are 40 for up to 65,536 phrases and 48 for up to 16 million. Then each pair is
// compared with the first of its run, word by word unless it is the same place of the text. So a pair costs about 150
// bytes of sorting and three to five random sectors, for hashing and comparing: 9 to 11 G pairs/s on an H200, of which
// the sort takes less than half.
//
// Distinct pairs, of which there are fewer, are sorted by comparison, because equally frequent ones are in the order of
// their words; the first two words are part of the key, so that few comparisons read the text. A lexical weight looks
// up every word of one side with every word of the other: a random sector each, mostly.
#pragma once

#include "phrases/extraction.cuh"

namespace lat::phrases {

/* Enough that few targets of a phrase have equal hashes; 8 more would sort once more. */
constexpr int kLeastHashBits = 24;

/* The low bits of a key are those of the hash, the rest is the phrase. */
LAT_BOTH int hash_bits_for(const lat_phrases_batch &batch) {
  const int phrase_bits = bits_for(batch.phrases);
  const int all = (phrase_bits + kLeastHashBits + 7) / 8 * 8;
  const int most = (all < 64 ? all : 64) - phrase_bits;
  return batch.hash_bits != 0 && static_cast<int>(batch.hash_bits) < most ? static_cast<int>(batch.hash_bits) : most;
}

struct WritePairs {
  const lat_phrases_segment *segments;
  lat_phrases_batch batch;
  Parts phrases;
  int hash_bits;
  uint64_t *keys;
  uint32_t *pairs;
  uint64_t *targets;

  LAT_BOTH void operator()(uint64_t i) const {
    const uint64_t found = batch.d_found[i];
    if (found == kNoTarget) {
      return;
    }
    const Target target{found};
    const Segment segment(segments + target.segment());
    const Limits limits{static_cast<int64_t>(batch.max_target), batch.loose != 0};
    const uint64_t phrase = phrases.of(i);
    uint64_t at = batch.d_found_starts[i];
    const uint64_t end = batch.d_found_starts[i + 1];
    for_each_extension(segment, limits, target.position(), target.words(), [&](int64_t position, int32_t words) {
      if (at < end) {
        const uint64_t hash = hash_target(segment, position, words);
        keys[at] = phrase << hash_bits | hash >> (64 - hash_bits);
        pairs[at] = static_cast<uint32_t>(at);
        targets[at] = Target::of(target.segment(), words, position).packed;
        at++;
      }
    });
  }
};

/* The runs of equal keys. */
struct MarkRuns {
  const uint64_t *keys;
  uint32_t *firsts;

  LAT_BOTH void operator()(uint64_t i) const {
    firsts[i] = i == 0 || keys[i] != keys[i - 1] ? static_cast<uint32_t>(i) : 0;
  }
};

/* Finds the first pair with the same words: mostly the first of the run. A run in which there are others is walked. */
struct FindFirsts {
  const lat_phrases_segment *segments;
  const uint64_t *targets;
  const uint32_t *pairs;
  const uint32_t *runs; /* by sorted pair, the first of its run */
  uint32_t *firsts;
  uint32_t *collisions;

  LAT_BOTH bool same(uint64_t a, uint64_t b) const {
    const Target of_a{targets[pairs[a]]};
    const Target of_b{targets[pairs[b]]};
    return of_a.words() == of_b.words() && compare_targets(segments, of_a, of_b, 0) == 0;
  }
  LAT_BOTH void operator()(uint64_t i) const {
    uint64_t first = runs[i];
    if (first != i && !same(first, i)) {
      count_one(collisions, 0);
      do {
        first++;
      } while (first != i && !same(first, i));
    }
    firsts[i] = static_cast<uint32_t>(first);
  }
};

struct MarkGroups {
  const uint32_t *firsts;
  uint64_t size;
  uint32_t *marks;

  LAT_BOTH void operator()(uint64_t i) const { marks[i] = i < size && firsts[i] == i ? 1 : 0; }
};

struct WriteGroups {
  const uint64_t *keys;
  const uint64_t *targets;
  const uint32_t *pairs;
  const uint32_t *firsts;
  const uint32_t *numbers;
  int hash_bits;
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t i) const {
    const uint32_t group = numbers[firsts[i]];
    if (firsts[i] == i) {
      batch.d_group_phrase[group] = static_cast<uint32_t>(keys[i] >> hash_bits);
      batch.d_group_target[group] = targets[pairs[i]];
    }
    count_one(batch.d_group_count, group);
  }
};

struct ReportGroups {
  const uint32_t *groups;
  const uint32_t *collisions;
  uint64_t *report;

  LAT_BOTH void operator()(uint64_t) const {
    report[LAT_PHRASES_GROUPS] = *groups;
    report[LAT_PHRASES_COLLISIONS] = *collisions;
  }
};

LAT_ANY_EXEC
template <typename EXEC>
LAT_BOTH int group(EXEC &exec, const lat_phrases_index &index, const lat_phrases_batch &batch, void *d_scratch,
                   size_t *scratch_bytes) {
  const uint64_t size = batch.pairs;
  const int hash_bits = hash_bits_for(batch);
  const int bits = hash_bits + bits_for(batch.phrases);
  size_t sort_bytes = 0;
  size_t latest_bytes = 0;
  size_t sum_bytes = 0;
  Twin<uint64_t> keys{nullptr, nullptr};
  Twin<uint32_t> pairs{nullptr, nullptr};
  LAT_TRY(exec.sort(&keys, &pairs, size, bits, nullptr, &sort_bytes));
  LAT_TRY(exec.latest(nullptr, size, nullptr, &latest_bytes));
  LAT_TRY(exec.sum(static_cast<uint32_t *>(nullptr), size + 1, nullptr, &sum_bytes));
  Scratch parts(d_scratch);
  // A key's other array is free after the sort: two arrays of numbers, the second with one more.
  keys = {parts.take<uint64_t>(size + 1), parts.take<uint64_t>(size + 1)};
  pairs = {parts.take<uint32_t>(size), parts.take<uint32_t>(size)};
  auto *targets = parts.take<uint64_t>(size);
  auto *found = parts.take<uint32_t>(Parts::elements(batch.all_samples));
  auto *collisions = parts.take<uint32_t>(1);
  auto *sort = parts.take<char>(sort_bytes);
  auto *latest = parts.take<char>(latest_bytes);
  auto *sum = parts.take<char>(sum_bytes);
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  LAT_REQUIRE(batch.d_group_phrase != nullptr && batch.d_group_target != nullptr && batch.d_group_count != nullptr);
  LAT_TRY(exec.clear(collisions, sizeof(uint32_t)));
  LAT_TRY(exec.clear(batch.d_group_count, size * sizeof(uint32_t)));
  const Parts phrases(batch.d_sample_starts, batch.phrases, found);
  LAT_TRY(exec.each(Parts::elements(batch.all_samples), phrases));
  LAT_TRY(exec.each(batch.all_samples,
                    WritePairs{index.d_segments, batch, phrases, hash_bits, keys.now, pairs.now, targets}));
  LAT_TRY(exec.sort(&keys, &pairs, size, bits, sort, &sort_bytes));
  auto *runs = reinterpret_cast<uint32_t *>(keys.other);
  uint32_t *numbers = runs + size;
  uint32_t *firsts = pairs.other;
  LAT_TRY(exec.each(size, MarkRuns{keys.now, runs}));
  LAT_TRY(exec.latest(runs, size, latest, &latest_bytes));
  LAT_TRY(exec.each(size, FindFirsts{index.d_segments, targets, pairs.now, runs, firsts, collisions}));
  LAT_TRY(exec.each(size + 1, MarkGroups{firsts, size, numbers}));
  LAT_TRY(exec.sum(numbers, size + 1, sum, &sum_bytes));
  LAT_TRY(exec.each(size, WriteGroups{keys.now, targets, pairs.now, firsts, numbers, hash_bits, batch}));
  return exec.each(1, ReportGroups{numbers + size, collisions, batch.d_report});
}

/* What distinct pairs are sorted by. */
struct PairKey {
  uint64_t rank;  /* phrase << 32 | the lower, the more frequent */
  uint64_t words; /* the first two of the target; 0, which is below all words, if there is no second */
  uint32_t group;
};

struct PairOrder {
  const lat_phrases_segment *segments;
  const uint64_t *targets;

  LAT_BOTH bool operator()(const PairKey &a, const PairKey &b) const {
    return a.rank != b.rank     ? a.rank < b.rank
           : a.words != b.words ? a.words < b.words
                                : compare_targets(segments, {targets[a.group]}, {targets[b.group]}, 2) < 0;
  }
};

struct WritePairKeys {
  const lat_phrases_segment *segments;
  lat_phrases_batch batch;
  PairKey *keys;

  LAT_BOTH void operator()(uint64_t i) const {
    const Target target{batch.d_group_target[i]};
    const Segment segment(segments + target.segment());
    const auto first = static_cast<uint32_t>(segment.target(target.position()));
    const uint32_t second = target.words() > 1 ? static_cast<uint32_t>(segment.target(target.position() + 1)) : 0;
    keys[i] = {static_cast<uint64_t>(batch.d_group_phrase[i]) << 32 | (LAT_PHRASES_NONE - batch.d_group_count[i]),
               static_cast<uint64_t>(first) << 32 | second, static_cast<uint32_t>(i)};
  }
};

struct WriteSorted {
  const PairKey *keys;
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t i) const {
    const Target target{batch.d_group_target[keys[i].group]};
    batch.d_pair_segment[i] = static_cast<uint8_t>(target.segment());
    batch.d_pair_target[i] = static_cast<uint32_t>(target.position());
    batch.d_pair_words[i] = static_cast<uint32_t>(target.words());
    batch.d_pair_count[i] = LAT_PHRASES_NONE - static_cast<uint32_t>(keys[i].rank);
  }
};

/* Per phrase, the first of its pairs. */
struct FindPairStarts {
  const PairKey *keys;
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t phrase) const {
    uint64_t low = 0;
    uint64_t high = batch.groups;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (keys[middle].rank >> 32 < phrase) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    batch.d_pair_starts[phrase] = static_cast<uint32_t>(low);
  }
};

/* The two lexical weights of a pair, on neighbouring lanes: sums in the order of the words. */
struct Weigh {
  const lat_phrases_segment *segments;
  Lexicon lexicon;
  const PairKey *keys;
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t i) const {
    const PairKey key = keys[i / 2];
    const uint64_t phrase = key.rank >> 32;
    const int32_t *source = batch.d_words + batch.d_at[phrase];
    const auto source_words = static_cast<int32_t>(batch.d_phrase_words[phrase]);
    const Target target{batch.d_group_target[key.group]};
    const Segment segment(segments + target.segment());
    double sum = 0;
    if (i % 2 == 0) {
      for (int32_t k = 0; k < target.words(); k++) {
        const auto word = static_cast<uint32_t>(segment.target(static_cast<int64_t>(target.position()) + k));
        double best = lexicon.target_given_source(kEnd, word);
        for (int32_t j = 0; j < source_words; j++) {
          best = fmax(best, lexicon.target_given_source(static_cast<uint32_t>(load(source + j)), word));
        }
        sum += Lexicon::cost(best);
      }
      batch.d_target_given_source[i / 2] = sum;
    } else {
      for (int32_t j = 0; j < source_words; j++) {
        const auto word = static_cast<uint32_t>(load(source + j));
        double best = lexicon.source_given_target(word, kEnd);
        for (int32_t k = 0; k < target.words(); k++) {
          const auto other = static_cast<uint32_t>(segment.target(static_cast<int64_t>(target.position()) + k));
          best = fmax(best, lexicon.source_given_target(word, other));
        }
        sum += Lexicon::cost(best);
      }
      batch.d_source_given_target[i / 2] = sum;
    }
  }
};

LAT_ANY_EXEC
template <typename EXEC>
LAT_BOTH int finish(EXEC &exec, const lat_phrases_index &index, const lat_phrases_batch &batch, void *d_scratch,
                    size_t *scratch_bytes) {
  const uint64_t size = batch.groups;
  const PairOrder order{index.d_segments, batch.d_group_target};
  size_t order_bytes = 0;
  LAT_TRY(exec.order(static_cast<PairKey *>(nullptr), size, order, nullptr, &order_bytes));
  Scratch parts(d_scratch);
  auto *keys = parts.take<PairKey>(size + 1);
  auto *temporary = parts.take<char>(order_bytes);
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  LAT_REQUIRE(batch.d_pair_starts != nullptr && batch.d_pair_segment != nullptr && batch.d_pair_target != nullptr);
  LAT_REQUIRE(batch.d_pair_words != nullptr && batch.d_pair_count != nullptr);
  LAT_REQUIRE(batch.d_target_given_source != nullptr && batch.d_source_given_target != nullptr);
  LAT_TRY(exec.each(size, WritePairKeys{index.d_segments, batch, keys}));
  LAT_TRY(exec.order(keys, size, order, temporary, &order_bytes));
  LAT_TRY(exec.each(size, WriteSorted{keys, batch}));
  LAT_TRY(exec.each(batch.phrases + 1, FindPairStarts{keys, batch}));
  return exec.each(2 * size, Weigh{index.d_segments, Lexicon(index), keys, batch});
}

}  // namespace lat::phrases
