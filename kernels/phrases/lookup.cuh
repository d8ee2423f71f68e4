// Finds the phrases of a batch: the longest match at every word, all shorter phrases, and where distinct ones occur.
//
// Costs, for n suffixes of a word: a search takes log2 n steps; each reads one random sector of the prefix lengths and,
// if these do not decide, which is rarer the deeper it is, two more in a row: the suffix and a word of the text. All
// threads' searches are independent. The first pass searches once per word and segment, because one search for as many
// words as are allowed meets the longest match whether it occurs or not, and one-word ranges are direct. The second
// searches once per phrase and place, for the first bound alone, which identifies the phrase; the last bounds are only
// searched for distinct phrases, on the lane next to the first bounds in other segments.
#pragma once

#include "phrases/parallel.cuh"
#include "phrases/search.cuh"

namespace lat::phrases {

constexpr int kRankShift = 16;
constexpr int kSegmentShift = kRankShift + 31;

struct FindLongest {
  const lat_phrases_segment *segments;
  uint64_t count;
  const int32_t *words;
  uint64_t size;
  int32_t most;
  uint16_t *matches;

  LAT_BOTH void operator()(uint64_t i) const {
    const Segment segment(segments + i % count);
    matches[i] = static_cast<uint16_t>(longest_match(segment, Query(words, size, i / count), most));
  }
};

struct CountEntries {
  const uint16_t *matches;
  uint64_t segments;
  uint64_t words;
  uint64_t *entry_starts;

  LAT_BOTH void operator()(uint64_t i) const {
    uint16_t longest = 0;
    for (uint64_t s = 0; i < words && s < segments; s++) {
      longest = matches[i * segments + s] > longest ? matches[i * segments + s] : longest;
    }
    entry_starts[i] = longest;
  }
};

LAT_ANY_EXEC
template <typename EXEC>
LAT_BOTH int match(EXEC &exec, const lat_phrases_index &index, const lat_phrases_batch &batch, void *d_scratch,
                   size_t *scratch_bytes) {
  size_t sum_bytes = 0;
  LAT_TRY(exec.sum(batch.d_entry_starts, batch.words + 1, nullptr, &sum_bytes));
  Scratch parts(d_scratch);
  auto *sum = parts.take<char>(sum_bytes);
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  LAT_REQUIRE(batch.d_words != nullptr && batch.d_matches != nullptr && batch.d_entry_starts != nullptr);
  LAT_REQUIRE(batch.d_report != nullptr);
  const auto most = static_cast<int32_t>(
      batch.max_source == 0 || batch.max_source > LAT_PHRASES_MAX_WORDS ? LAT_PHRASES_MAX_WORDS : batch.max_source);
  LAT_TRY(exec.clear(batch.d_report, LAT_PHRASES_REPORT * sizeof(uint64_t)));
  LAT_TRY(exec.each(batch.words * index.segments, FindLongest{index.d_segments, index.segments, batch.d_words,
                                                              batch.words, most, batch.d_matches}));
  LAT_TRY(exec.each(batch.words + 1, CountEntries{batch.d_matches, index.segments, batch.words, batch.d_entry_starts}));
  LAT_TRY(exec.sum(batch.d_entry_starts, batch.words + 1, sum, &sum_bytes));
  return exec.copy(batch.d_report + LAT_PHRASES_ENTRIES, batch.d_entry_starts + batch.words, sizeof(uint64_t));
}

/* The second pass: what identifies the phrase of each entry. */
struct FindKeys {
  const lat_phrases_segment *segments;
  uint64_t count;
  lat_phrases_batch batch;
  uint64_t *keys;
  uint32_t *entries;
  uint32_t *at;

  LAT_BOTH void operator()(uint64_t i) const {
    const uint64_t position = part_of(batch.d_entry_starts, batch.words, i);
    const auto words = static_cast<int32_t>(i - batch.d_entry_starts[position]) + 1;
    uint64_t s = 0;
    while (s + 1 < count && batch.d_matches[position * count + s] < words) {
      s++;
    }
    const Segment segment(segments + s);
    const int32_t rank = bound(segment, Query(batch.d_words, batch.words, position), words, false);
    keys[i] = s << kSegmentShift | static_cast<uint64_t>(static_cast<uint32_t>(rank)) << kRankShift |
              static_cast<uint64_t>(words);
    entries[i] = static_cast<uint32_t>(i);
    at[i] = static_cast<uint32_t>(position);
  }
};

/* Entries sorted by key, equal ones in the order of the batch. */
struct SortedEntries {
  const uint64_t *keys;
  const uint32_t *entries;
  const uint32_t *at;        /* by entry */
  const uint32_t *sentences; /* by word */
  bool repeats;

  LAT_BOTH bool differs(uint64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
  /* Whether it is the first of its sentence with the key. */
  LAT_BOTH bool first_of_sentence(uint64_t i) const {
    return differs(i) || sentences[at[entries[i]]] != sentences[at[entries[i - 1]]];
  }
  /* Whether it starts a distinct phrase. */
  LAT_BOTH bool starts_phrase(uint64_t i) const { return repeats ? first_of_sentence(i) : differs(i); }
};

struct MarkPhrases {
  SortedEntries sorted;
  uint64_t size;
  uint32_t *marks;

  LAT_BOTH void operator()(uint64_t i) const { marks[i] = i < size && sorted.starts_phrase(i) ? 1 : 0; }
};

struct NumberPhrases {
  SortedEntries sorted;
  const uint32_t *numbers; /* of sorted entries: phrases that start before it */
  uint64_t *keys;
  uint32_t *phrase_at;
  uint32_t *phrase_of; /* by entry */

  LAT_BOTH void operator()(uint64_t i) const {
    const bool starts = sorted.starts_phrase(i);
    const uint32_t number = numbers[i] + (starts ? 1 : 0) - 1;
    if (starts) {
      keys[number] = sorted.keys[i];
      phrase_at[number] = sorted.at[sorted.entries[i]];
    }
    phrase_of[sorted.entries[i]] = sorted.first_of_sentence(i) ? number : LAT_PHRASES_NONE;
  }
};

struct MarkPlaces {
  const uint32_t *phrase_of;
  uint64_t size;
  uint32_t *marks;

  LAT_BOTH void operator()(uint64_t i) const { marks[i] = i < size && phrase_of[i] != LAT_PHRASES_NONE ? 1 : 0; }
};

struct WritePlaces {
  const uint32_t *phrase_of;
  const uint32_t *numbers;
  const uint32_t *at;
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t i) const {
    if (phrase_of[i] != LAT_PHRASES_NONE) {
      batch.d_place_from[numbers[i]] = at[i] - batch.d_sentence_starts[batch.d_sentences[at[i]]];
      batch.d_place_phrase[numbers[i]] = phrase_of[i];
    }
  }
};

/* Per sentence its first place, and the sizes. */
struct WritePlaceStarts {
  const uint32_t *numbers;
  const uint32_t *phrases; /* their number */
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t i) const {
    const uint64_t word = i < batch.sentences ? batch.d_sentence_starts[i] : batch.words;
    batch.d_place_starts[i] = numbers[batch.d_entry_starts[word]];
    if (i == batch.sentences) {
      batch.d_report[LAT_PHRASES_PHRASES] = *phrases;
      batch.d_report[LAT_PHRASES_PLACES] = batch.d_place_starts[i];
    }
  }
};

LAT_ANY_EXEC
template <typename EXEC>
LAT_BOTH int find(EXEC &exec, const lat_phrases_index &index, const lat_phrases_batch &batch, void *d_scratch,
                  size_t *scratch_bytes) {
  const uint64_t size = batch.entries;
  const int bits = kSegmentShift + bits_for(index.segments);
  size_t sort_bytes = 0;
  size_t sum_bytes = 0;
  Twin<uint64_t> keys{nullptr, nullptr};
  Twin<uint32_t> entries{nullptr, nullptr};
  LAT_TRY(exec.sort(&keys, &entries, size, bits, nullptr, &sort_bytes));
  LAT_TRY(exec.sum(static_cast<uint32_t *>(nullptr), size + 1, nullptr, &sum_bytes));
  Scratch parts(d_scratch);
  keys = {parts.take<uint64_t>(size), parts.take<uint64_t>(size)};
  entries = {parts.take<uint32_t>(size), parts.take<uint32_t>(size)};
  auto *at = parts.take<uint32_t>(size);
  auto *phrase_of = parts.take<uint32_t>(size);
  auto *phrases = parts.take<uint32_t>(size + 1);
  auto *places = parts.take<uint32_t>(size + 1);
  auto *sort = parts.take<char>(sort_bytes);
  auto *sum = parts.take<char>(sum_bytes);
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  LAT_REQUIRE(batch.d_sentences != nullptr && batch.d_sentence_starts != nullptr && batch.d_place_starts != nullptr);
  LAT_REQUIRE(batch.d_place_from != nullptr && batch.d_place_phrase != nullptr && batch.d_keys != nullptr);
  LAT_REQUIRE(batch.d_at != nullptr && batch.d_matches != nullptr && batch.d_entry_starts != nullptr);
  LAT_TRY(exec.each(size, FindKeys{index.d_segments, index.segments, batch, keys.now, entries.now, at}));
  LAT_TRY(exec.sort(&keys, &entries, size, bits, sort, &sort_bytes));
  const SortedEntries sorted{keys.now, entries.now, at, batch.d_sentences, batch.repeats != 0};
  LAT_TRY(exec.each(size + 1, MarkPhrases{sorted, size, phrases}));
  LAT_TRY(exec.sum(phrases, size + 1, sum, &sum_bytes));
  LAT_TRY(exec.each(size, NumberPhrases{sorted, phrases, batch.d_keys, batch.d_at, phrase_of}));
  LAT_TRY(exec.each(size + 1, MarkPlaces{phrase_of, size, places}));
  LAT_TRY(exec.sum(places, size + 1, sum, &sum_bytes));
  LAT_TRY(exec.each(size, WritePlaces{phrase_of, places, at, batch}));
  return exec.each(batch.sentences + 1, WritePlaceStarts{places, phrases + size, batch});
}

/* Both bounds of every distinct phrase in every segment, on neighbouring lanes. */
struct FindBounds {
  const lat_phrases_segment *segments;
  uint64_t count;
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t i) const {
    const bool end = i % 2 != 0;
    const uint64_t s = i / 2 % count;
    const uint64_t phrase = i / 2 / count;
    const uint64_t key = batch.d_keys[phrase];
    const auto words = static_cast<int32_t>(key & 0xffff);
    const uint32_t at = batch.d_at[phrase];
    int32_t rank = 0;
    if (batch.d_matches[at * count + s] >= words) {
      rank = !end && s == key >> kSegmentShift
                 ? static_cast<int32_t>(key >> kRankShift & 0x7fffffff)
                 : bound(Segment(segments + s), Query(batch.d_words, batch.words, at), words, end);
    }
    batch.d_ranges[i] = rank;
  }
};

LAT_BOTH int64_t occurrences_of(const int32_t *range) {
  const int64_t size = static_cast<int64_t>(range[1]) - range[0];
  return size < 0 ? 0 : size;
}

/* Of the occurrences of a phrase those that are looked at: in the index, or in learned pairs. */
LAT_BOTH int64_t samples_of(const lat_phrases_batch &batch, int64_t occurrences) {
  const auto most = static_cast<int64_t>(batch.samples == 0 ? INT32_MAX : batch.samples);
  return occurrences < most ? occurrences : most;
}

struct CountOccurrences {
  uint64_t count;
  bool learned;
  lat_phrases_batch batch;

  LAT_BOTH void operator()(uint64_t phrase) const {
    if (phrase == batch.phrases) {
      batch.d_sample_starts[phrase] = 0;
      return;
    }
    int64_t all = 0;
    int64_t last = 0;
    for (uint64_t s = 0; s < count; s++) {
      last = occurrences_of(batch.d_ranges + 2 * (phrase * count + s));
      all += last;
    }
    int64_t samples = samples_of(batch, learned ? all - last : all);
    if (learned) {
      const int64_t left = INT32_MAX - samples;
      const int64_t more = samples_of(batch, last);
      samples += more < left ? more : left;
    }
    batch.d_phrase_words[phrase] = static_cast<uint32_t>(batch.d_keys[phrase] & 0xffff);
    batch.d_occurrences[phrase] = all;
    batch.d_samples[phrase] = static_cast<uint32_t>(samples);
    batch.d_sample_starts[phrase] = static_cast<uint64_t>(samples);
    if (all == 0) {
      batch.d_report[LAT_PHRASES_CORRUPT] = 1; /* it was found, and is not found again */
    }
  }
};

LAT_ANY_EXEC
template <typename EXEC>
LAT_BOTH int bounds(EXEC &exec, const lat_phrases_index &index, const lat_phrases_batch &batch, void *d_scratch,
                    size_t *scratch_bytes) {
  size_t sum_bytes = 0;
  LAT_TRY(exec.sum(batch.d_sample_starts, batch.phrases + 1, nullptr, &sum_bytes));
  Scratch parts(d_scratch);
  auto *sum = parts.take<char>(sum_bytes);
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  LAT_REQUIRE(batch.d_ranges != nullptr && batch.d_occurrences != nullptr && batch.d_samples != nullptr);
  LAT_REQUIRE(batch.d_phrase_words != nullptr && batch.d_sample_starts != nullptr);
  LAT_TRY(exec.each(batch.phrases * index.segments * 2, FindBounds{index.d_segments, index.segments, batch}));
  LAT_TRY(exec.each(batch.phrases + 1, CountOccurrences{index.segments, index.learned != 0, batch}));
  LAT_TRY(exec.sum(batch.d_sample_starts, batch.phrases + 1, sum, &sum_bytes));
  return exec.copy(batch.d_report + LAT_PHRASES_SAMPLES, batch.d_sample_starts + batch.phrases, sizeof(uint64_t));
}

}  // namespace lat::phrases
