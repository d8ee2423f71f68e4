// A batch through all steps, on the device or on the host; for the test and the bench.
#pragma once

#include <memory>
#include <vector>

#include "common/machine.cuh"
#include "phrases/host.cuh"
#include "phrases/pairs.cuh"

namespace lat::phrases {

/* The steps on the device, with their times. */
class GpuMachine : public test::GpuMemory {
 public:
#define LAT_PHRASES_STEP(step, function)                                                     \
  void step(const lat_phrases_index &index, const lat_phrases_batch &batch) {               \
    size_t bytes = 0;                                                                        \
    CHECK(function(&index, &batch, nullptr, &bytes, nullptr));                               \
    const size_t before = mark();                                                            \
    void *scratch = take<char>(bytes);                                                       \
    start();                                                                                 \
    CHECK(function(&index, &batch, scratch, &bytes, nullptr));                               \
    stop();                                                                                  \
    free_from(before);                                                                       \
  }
  LAT_PHRASES_STEP(match, lat_phrases_match)
  LAT_PHRASES_STEP(find, lat_phrases_find)
  LAT_PHRASES_STEP(bounds, lat_phrases_bounds)
  LAT_PHRASES_STEP(extract, lat_phrases_extract)
  LAT_PHRASES_STEP(group, lat_phrases_group)
  LAT_PHRASES_STEP(finish, lat_phrases_finish)
#undef LAT_PHRASES_STEP

  /* Milliseconds of the last steps, on the device's clock. */
  std::vector<double> times;

 protected:
  void start() { timer_.start(); }
  void stop() { times.push_back(timer_.stop_ms()); }

 private:
  test::Timer timer_;
};

/* The steps on the host. */
class HostMachine : public test::HostMemory {
 public:
  explicit HostMachine(bool backwards) : exec_(backwards) {}

#define LAT_PHRASES_STEP(step, function)                                       \
  void step(const lat_phrases_index &index, const lat_phrases_batch &batch) { \
    size_t bytes = 0;                                                          \
    CHECK(good(&index, &batch, &bytes) ? LAT_OK : LAT_BAD_ARGUMENT);           \
    CHECK(function(exec_, index, batch, nullptr, &bytes));                     \
    const size_t before = mark();                                              \
    void *scratch = take<char>(bytes);                                         \
    CHECK(function(exec_, index, batch, scratch, &bytes));                     \
    free_from(before);                                                         \
  }
  LAT_PHRASES_STEP(match, phrases::match)
  LAT_PHRASES_STEP(find, phrases::find)
  LAT_PHRASES_STEP(bounds, phrases::bounds)
  LAT_PHRASES_STEP(extract, phrases::extract_all)
  LAT_PHRASES_STEP(group, phrases::group)
  LAT_PHRASES_STEP(finish, phrases::finish)
#undef LAT_PHRASES_STEP

 private:
  OnHost exec_;
};

/* What the steps are told. */
struct Settings {
  uint64_t samples = 300;
  uint64_t max_source = 5;
  uint64_t max_target = 15;
  bool loose = false;
  bool repeats = false;
  uint64_t hash_bits = 0;
};

/* The words of sentences, as the steps take them. */
struct Sentences {
  std::vector<int32_t> words;
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> starts;

  explicit Sentences(const std::vector<std::vector<int32_t>> &sentences) {
    for (const auto &sentence : sentences) {
      starts.push_back(static_cast<uint32_t>(words.size()));
      words.insert(words.end(), sentence.begin(), sentence.end());
      words.push_back(kEnd);
      numbers.resize(words.size(), static_cast<uint32_t>(starts.size() - 1));
    }
    starts.push_back(static_cast<uint32_t>(words.size()));
  }
};

/* Brings sentences to a machine. */
template <typename MACHINE>
lat_phrases_batch begin(MACHINE &machine, const Sentences &sentences, const Settings &settings) {
  lat_phrases_batch batch{};
  batch.d_words = machine.put(sentences.words);
  batch.words = sentences.words.size();
  batch.d_sentences = machine.put(sentences.numbers);
  batch.d_sentence_starts = machine.put(sentences.starts);
  batch.sentences = sentences.starts.size() - 1;
  batch.samples = settings.samples;
  batch.max_source = settings.max_source;
  batch.max_target = settings.max_target;
  batch.loose = settings.loose ? 1 : 0;
  batch.repeats = settings.repeats ? 1 : 0;
  batch.hash_bits = settings.hash_bits;
  batch.d_report = machine.template take<uint64_t>(LAT_PHRASES_REPORT);
  return batch;
}

struct AlwaysFits {
  bool operator()(const lat_phrases_batch &) const { return true; }
};

/* All steps; results stay on the machine. Returns the report.
 *
 * fits: told the number of samples, says whether to go on; if not, the report is empty. */
template <typename MACHINE, typename FITS = AlwaysFits>
std::vector<uint64_t> run(MACHINE &machine, const lat_phrases_index &index, lat_phrases_batch &batch,
                          FITS fits = FITS()) {
  const auto report = [&] { return machine.get(batch.d_report, LAT_PHRASES_REPORT); };
  batch.d_matches = machine.template take<uint16_t>(batch.words * index.segments);
  batch.d_entry_starts = machine.template take<uint64_t>(batch.words + 1);
  machine.match(index, batch);
  batch.entries = report()[LAT_PHRASES_ENTRIES];
  batch.d_place_starts = machine.template take<uint32_t>(batch.sentences + 1);
  batch.d_place_from = machine.template take<uint32_t>(batch.entries);
  batch.d_place_phrase = machine.template take<uint32_t>(batch.entries);
  batch.d_keys = machine.template take<uint64_t>(batch.entries);
  batch.d_at = machine.template take<uint32_t>(batch.entries);
  machine.find(index, batch);
  batch.phrases = report()[LAT_PHRASES_PHRASES];
  batch.d_ranges = machine.template take<int32_t>(batch.phrases * index.segments * 2);
  batch.d_occurrences = machine.template take<int64_t>(batch.phrases);
  batch.d_samples = machine.template take<uint32_t>(batch.phrases);
  batch.d_phrase_words = machine.template take<uint32_t>(batch.phrases);
  batch.d_sample_starts = machine.template take<uint64_t>(batch.phrases + 1);
  machine.bounds(index, batch);
  batch.all_samples = report()[LAT_PHRASES_SAMPLES];
  if (!fits(batch)) {
    return {};
  }
  batch.d_outcomes = machine.template take<uint32_t>(batch.phrases * kOutcomes);
  batch.d_found = machine.template take<uint64_t>(batch.all_samples);
  batch.d_found_starts = machine.template take<uint64_t>(batch.all_samples + 1);
  machine.extract(index, batch);
  batch.pairs = report()[LAT_PHRASES_PAIRS];
  batch.d_group_phrase = machine.template take<uint32_t>(batch.pairs);
  batch.d_group_target = machine.template take<uint64_t>(batch.pairs);
  batch.d_group_count = machine.template take<uint32_t>(batch.pairs);
  machine.group(index, batch);
  batch.groups = report()[LAT_PHRASES_GROUPS];
  batch.d_pair_starts = machine.template take<uint32_t>(batch.phrases + 1);
  batch.d_pair_segment = machine.template take<uint8_t>(batch.groups);
  batch.d_pair_target = machine.template take<uint32_t>(batch.groups);
  batch.d_pair_words = machine.template take<uint32_t>(batch.groups);
  batch.d_pair_count = machine.template take<uint32_t>(batch.groups);
  batch.d_target_given_source = machine.template take<double>(batch.groups);
  batch.d_source_given_target = machine.template take<double>(batch.groups);
  machine.finish(index, batch);
  return report();
}

/* All steps in one kernel. */
class WholeMachine : public GpuMachine {
 public:
  /* Returns the batch as it is afterwards; d_pair_starts is NULL if the bytes do not suffice. */
  lat_phrases_batch whole(const lat_phrases_index &index, const lat_phrases_batch &batch, uint64_t bytes) {
    auto *room = take<char>(bytes);
    size_t size = bytes;
    start();
    CHECK(lat_phrases_whole(&index, &batch, room, &size, nullptr));
    stop();
    return get(reinterpret_cast<const lat_phrases_batch *>(room), 1)[0];
  }
};

/* The same with more and more memory, until it suffices. */
inline std::vector<uint64_t> run(WholeMachine &machine, const lat_phrases_index &index, lat_phrases_batch &batch) {
  const lat_phrases_batch begun = batch;
  for (uint64_t bytes = 512;; bytes += bytes / 2) {
    const size_t mark = machine.mark();
    batch = machine.whole(index, begun, bytes);
    if (batch.d_pair_starts != nullptr) {
      return machine.get(batch.d_report, LAT_PHRASES_REPORT);
    }
    machine.free_from(mark);
  }
}

}  // namespace lat::phrases
