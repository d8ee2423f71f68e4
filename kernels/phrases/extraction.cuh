// Extracts the translations of all samples of all phrases.
//
// The samples of all phrases are one flat array: a thread finds the phrase of its sample by binary search in the sums of
// their numbers, between the phrases of two samples that were found before (Parts), so that a phrase of a hundred
// thousand occurrences and a hundred phrases of one keep the device equally busy. A sample costs about five random
// sectors: its suffix, one or two of extents, one where the target sentence starts, one or two of target extents. It
// writes 16 bytes. An H200 extracts 35 to 37 G samples/s from an index that fits its L2 cache, where the sectors alone
// would take two thirds of the time, and 16 G/s from one of 650 MB, where they take all of it.
#pragma once

#include "phrases/lookup.cuh"
#include "phrases/occurrence.cuh"

namespace lat::phrases {

/* The segments of an index. Occurrences in learned pairs, which have the last one, are sampled on their own, so that a
 * phrase which is frequent in the others does not keep them out: a phrase has one or two parts that are sampled. */
struct Sampled {
  uint64_t segments;
  bool learned;

  LAT_BOTH uint64_t parts() const { return learned ? 2 : 1; }
};

/* How one part is sampled. */
struct Sampling {
  int64_t before = 0; /* occurrences in the part before it */
  uint32_t start = 0; /* samples of the part before it */
  int64_t all;
  uint32_t samples;
  int32_t first; /* rank of the first occurrence in the first segment that has it */
  double step;

  LAT_BOTH Sampling(const lat_phrases_batch &batch, const Sampled &sampled, uint64_t phrase, uint64_t part)
      : all(batch.d_occurrences[phrase]), samples(batch.d_samples[phrase]) {
    const int32_t *ranges = batch.d_ranges + 2 * phrase * sampled.segments;
    uint64_t segment = batch.d_keys[phrase] >> kSegmentShift;
    if (sampled.learned) {
      const int64_t of_learned = occurrences_of(ranges + 2 * (sampled.segments - 1));
      const int64_t of_file = all - of_learned;
      const auto samples_of_file = static_cast<uint32_t>(samples_of(batch, of_file));
      if (part == 0) {
        all = of_file;
        samples = samples_of_file;
      } else {
        before = of_file;
        start = samples_of_file;
        all = of_learned;
        samples -= samples_of_file;
        segment = sampled.segments - 1;
      }
    }
    first = ranges[2 * segment];
    step = static_cast<double>(all) / samples;
  }
  LAT_BOTH bool takes_all() const { return static_cast<int64_t>(samples) == all; }
};

/* Sampled ranks are sums of one step, added again and again, and rounding depends on every one of them. One thread per
 * part of a phrase adds them up and writes every 16th sum, from which the threads of the samples go on. */
constexpr uint32_t kStride = 16;

/* Elements for the sums of all phrases. */
LAT_BOTH uint64_t sums_of(const lat_phrases_batch &batch, const Sampled &sampled) {
  return batch.samples == 0 ? 1 : batch.all_samples / kStride + sampled.parts() * batch.phrases + 1;
}

/* Where the sums of a part are: these ranges do not overlap. */
LAT_BOTH uint64_t sums_at(const lat_phrases_batch &batch, const Sampled &sampled, const Sampling &sampling,
                          uint64_t phrase, uint64_t part) {
  return (batch.d_sample_starts[phrase] + sampling.start) / kStride + sampled.parts() * phrase + part;
}

struct AddSteps {
  Sampled sampled;
  lat_phrases_batch batch;
  double *sums;

  LAT_BOTH void operator()(uint64_t i) const {
    const uint64_t phrase = i / sampled.parts();
    const uint64_t part = i % sampled.parts();
    const Sampling sampling(batch, sampled, phrase, part);
    if (sampling.takes_all()) {
      return;
    }
    double *to = sums + sums_at(batch, sampled, sampling, phrase, part);
    double at = sampling.first;
    for (uint32_t k = 0; k < sampling.samples; k++, at += sampling.step) {
      if (k % kStride == 0) {
        to[k / kStride] = at;
      }
    }
  }
};

struct ExtractSample {
  const lat_phrases_segment *segments;
  Sampled sampled;
  lat_phrases_batch batch;
  Parts phrases;
  const double *sums;

  /* The number of a sample among all occurrences. */
  LAT_BOTH int64_t occurrence(uint64_t phrase, uint32_t sample) const {
    uint64_t part = 0;
    Sampling sampling(batch, sampled, phrase, part);
    if (sample >= sampling.samples) {
      sampling = Sampling(batch, sampled, phrase, ++part);
      sample -= sampling.start;
    }
    if (sampling.takes_all()) {
      return sampling.before + sample;
    }
    double at = sums[sums_at(batch, sampled, sampling, phrase, part) + sample / kStride];
    for (uint32_t left = sample % kStride; left > 0; left--) {
      at += sampling.step;
    }
    const int64_t found = static_cast<int64_t>(floor(at + 0.5)) - sampling.first;
    // Many additions can carry the sum past the end.
    return sampling.before + (found < sampling.all ? found : sampling.all - 1);
  }

  LAT_BOTH void operator()(uint64_t i) const {
    const uint64_t phrase = phrases.of(i);
    int64_t left = occurrence(phrase, static_cast<uint32_t>(i - batch.d_sample_starts[phrase]));
    const int32_t *ranges = batch.d_ranges + 2 * phrase * sampled.segments;
    uint64_t s = 0;
    while (s + 1 < sampled.segments && left >= occurrences_of(ranges + 2 * s)) {
      left -= occurrences_of(ranges + 2 * s);
      s++;
    }
    const Segment segment(segments + s);
    const int64_t rank = ranges[2 * s] + left;
    const Limits limits{static_cast<int64_t>(batch.max_target), batch.loose != 0};
    int64_t target = 0;
    int32_t words = 0;
    const int outcome =
        rank < 0 || rank >= segment.source_length
            ? kCorrupt
            : extract(segment, segment.suffix(static_cast<int32_t>(rank)),
                      static_cast<int32_t>(batch.d_phrase_words[phrase]), limits, &target, &words);
    uint64_t pairs = 0;
    uint64_t found = kNoTarget;
    if (outcome == kCorrupt) {
      batch.d_report[LAT_PHRASES_CORRUPT] = 1;
    } else {
      count_one(batch.d_outcomes, phrase * kOutcomes + static_cast<uint64_t>(outcome));
      if (outcome == kExtracted) {
        pairs = extensions(segment, limits, target, words);
        found = Target::of(static_cast<uint32_t>(s), words, target).packed;
      }
    }
    batch.d_found[i] = found;
    batch.d_found_starts[i] = pairs;
  }
};

LAT_ANY_EXEC
template <typename EXEC>
LAT_BOTH int extract_all(EXEC &exec, const lat_phrases_index &index, const lat_phrases_batch &batch, void *d_scratch,
                         size_t *scratch_bytes) {
  const Sampled sampled{index.segments, index.learned != 0};
  size_t sum_bytes = 0;
  LAT_TRY(exec.sum(batch.d_found_starts, batch.all_samples + 1, nullptr, &sum_bytes));
  Scratch parts(d_scratch);
  auto *sums = parts.take<double>(sums_of(batch, sampled));
  auto *found = parts.take<uint32_t>(Parts::elements(batch.all_samples));
  auto *sum = parts.take<char>(sum_bytes);
  LAT_SCRATCH(parts, d_scratch, scratch_bytes);
  LAT_REQUIRE(batch.d_outcomes != nullptr && batch.d_found != nullptr && batch.d_found_starts != nullptr);
  LAT_TRY(exec.clear(batch.d_outcomes, batch.phrases * kOutcomes * sizeof(uint32_t)));
  LAT_TRY(exec.clear(batch.d_found_starts + batch.all_samples, sizeof(uint64_t)));
  if (batch.samples != 0) {
    LAT_TRY(exec.each(sampled.parts() * batch.phrases, AddSteps{sampled, batch, sums}));
  }
  const Parts phrases(batch.d_sample_starts, batch.phrases, found);
  LAT_TRY(exec.each(Parts::elements(batch.all_samples), phrases));
  LAT_TRY(exec.each(batch.all_samples, ExtractSample{index.d_segments, sampled, batch, phrases, sums}));
  LAT_TRY(exec.sum(batch.d_found_starts, batch.all_samples + 1, sum, &sum_bytes));
  return exec.copy(batch.d_report + LAT_PHRASES_PAIRS, batch.d_found_starts + batch.all_samples, sizeof(uint64_t));
}

}  // namespace lat::phrases
