// Words per second of phrase lookup and extraction, by the number of sentences in a batch.
//
//   phrases_bench INDEX.lpx TEXT [--sentences 2000,4000,...] [--samples 300,0] [--runs 9]
//
// TEXT has one sentence per line, words separated by one space; it is repeated up to the wanted number of sentences.
// Source phrases have at most 5 words, target phrases 15. Prints one JSON object per line on stdout: device time of
// each step and of all, with repeated phrases extracted once ("distinct") or again for each sentence, in as many parts
// as memory demands, and of a small batch in one kernel ("whole_ms"). Input and results stay on the device; results_mb
// is what a host would read. Times are medians of the runs; of all steps also minimum and maximum. `limit` names what
// bounds a whole batch on an H200, `of_limit` is the fraction of it that was reached.
#include <numeric>
#include <sstream>

#include "phrases/phrases_file.cuh"

namespace {

using namespace lat::phrases;
using namespace lat::test;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "%s\nusage: phrases_bench INDEX.lpx TEXT [--sentences N,..] [--samples N,..] [--runs N]\n",
               what.c_str());
  std::exit(2);
}

constexpr const char *kSteps[] = {"match", "find", "bounds", "extract", "group", "finish"};
constexpr size_t kStepCount = 6;

/* Numbers of a batch, or of its parts together. */
struct Totals {
  uint64_t entries = 0;
  uint64_t phrases = 0;
  uint64_t places = 0;
  uint64_t sampled = 0;
  uint64_t extractions = 0;
  uint64_t pairs = 0;
  uint64_t collisions = 0;
  double limits[2] = {}; /* ms */

  /* Adds a part, and the least time that it could take. */
  void add(const lat_phrases_batch &batch, const std::vector<uint64_t> &report, uint64_t index_bytes) {
    entries += batch.entries;
    phrases += batch.phrases;
    places += report[LAT_PHRASES_PLACES];
    sampled += batch.all_samples;
    extractions += batch.pairs;
    pairs += batch.groups;
    collisions += report[LAT_PHRASES_COLLISIONS];
    constexpr double kSampleSectors = 5; /* suffix, two of extents, sentence start, target extents */
    constexpr double kPairSectors = 2;   /* target words, for the hash and for the comparison */
    const double sectors = kSampleSectors * static_cast<double>(batch.all_samples) +
                           kPairSectors * static_cast<double>(batch.pairs);
    limits[0] += 1e3 * sectors / random_sectors(index_bytes);
    const int passes = (hash_bits_for(batch) + bits_for(batch.phrases) + 7) / 8;
    limits[1] += 1e3 * 2 * (sizeof(uint64_t) + sizeof(uint32_t)) * passes * static_cast<double>(batch.pairs) / kReadBytes;
  }
  Limit limit() const {
    return highest({{"random sectors of samples and pairs", limits[0]}, {"sorting pairs", limits[1]}});
  }
  double result_bytes(uint64_t sentences) const {
    return 4.0 * static_cast<double>(sentences) + 8.0 * static_cast<double>(places) +
           40.0 * static_cast<double>(phrases) + 29.0 * static_cast<double>(pairs);
  }
};

/* One measurement. */
class Measurement {
 public:
  Measurement(PhraseFile &file, const Settings &settings) : index_(file.put(machine_)), bytes_(file.bytes()) {
    settings_ = settings;
    mark_ = machine_.mark();
  }

  /* Whether all parts fit; adds their times to those of the steps. */
  bool run(const std::vector<std::vector<int32_t>> &sentences, size_t parts) {
    totals = Totals();
    times.assign(kStepCount, 0);
    for (size_t part = 0; part < parts; part++) {
      const auto at = [&](size_t i) { return sentences.begin() + static_cast<long>(sentences.size() * i / parts); };
      machine_.free_from(mark_);
      machine_.times.clear();
      lat_phrases_batch batch = begin(machine_, Sentences({at(part), at(part + 1)}), settings_);
      const auto fits = [](const lat_phrases_batch &b) { return fits_device(b); };
      const std::vector<uint64_t> report = lat::phrases::run(machine_, index_, batch, fits);
      if (report.empty()) {
        return false;
      }
      if (report[LAT_PHRASES_CORRUPT] != 0) {
        fail("the index is corrupt");
      }
      totals.add(batch, report, bytes_);
      for (size_t step = 0; step < kStepCount; step++) {
        times[step] += machine_.times[step];
      }
    }
    return true;
  }
  /* Milliseconds of all steps in one kernel; empty if they take more memory than it is meant for. */
  std::vector<double> whole(const std::vector<std::vector<int32_t>> &sentences, int runs) {
    constexpr uint64_t kRoom = 32 << 20;
    machine_.free_from(mark_);
    const lat_phrases_batch batch = begin(machine_, Sentences(sentences), settings_);
    const size_t mark = machine_.mark();
    machine_.times.clear();
    for (int run = 0; run <= runs; run++) {
      if (machine_.whole(index_, batch, kRoom).d_pair_starts == nullptr) {
        return {};
      }
      machine_.free_from(mark);
    }
    return {machine_.times.begin() + 1, machine_.times.end()};
  }
  uint64_t index_bytes() const { return bytes_; }
  uint64_t batch_bytes() const { return machine_.most_bytes() - bytes_; }

  Totals totals;
  std::vector<double> times; /* ms of each step */

 private:
  /* Whether every sample may have a translation of its own, which takes about 110 bytes. */
  static bool fits_device(const lat_phrases_batch &batch) {
    size_t free = 0;
    size_t total = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    return batch.all_samples < 1ull << 31 && batch.all_samples * 110 < free / 10 * 9;
  }

  WholeMachine machine_;
  lat_phrases_index index_;
  uint64_t bytes_;
  Settings settings_;
  size_t mark_;
};

void measure(PhraseFile &file, const std::vector<std::vector<int32_t>> &text, uint64_t wanted, uint64_t samples,
             bool repeats, int runs, const char *device) {
  std::vector<std::vector<int32_t>> sentences;
  uint64_t words = 0;
  for (uint64_t i = 0; i < wanted; i++) {
    sentences.push_back(text[i % text.size()]);
    words += sentences.back().size();
  }
  Settings settings;
  settings.samples = samples;
  settings.repeats = repeats;
  Measurement measurement(file, settings);
  size_t parts = 1;
  while (!measurement.run(sentences, parts)) {
    if (parts > sentences.size()) {
      fail("a sentence does not fit into the device's memory");
    }
    parts *= 2;
  }
  std::vector<std::vector<double>> steps(kStepCount);
  std::vector<double> all;
  for (int run = -1; run < runs; run++) {
    if (!measurement.run(sentences, parts)) {
      fail("the device has less memory than before");
    }
    for (size_t step = 0; step < kStepCount && run >= 0; step++) {
      steps[step].push_back(measurement.times[step]);
    }
    if (run >= 0) {
      all.push_back(std::accumulate(measurement.times.begin(), measurement.times.end(), 0.0));
    }
  }
  const Spread ms(all);
  const Totals &totals = measurement.totals;
  std::ostringstream line;
  line << "{\"op\": \"phrases\", \"device\": \"" << device << "\", \"index_mb\": "
       << static_cast<double>(measurement.index_bytes()) / 1e6 << ", \"sentences\": " << wanted
       << ", \"words\": " << words << ", \"samples\": " << samples
       << ", \"distinct\": " << (repeats ? "false" : "true") << ", \"parts\": " << parts
       << ", \"entries\": " << totals.entries << ", \"phrases\": " << totals.phrases
       << ", \"sampled\": " << totals.sampled << ", \"extractions\": " << totals.extractions
       << ", \"pairs\": " << totals.pairs << ", \"collisions\": " << totals.collisions << ", ";
  for (size_t step = 0; step < kStepCount; step++) {
    line << "\"" << kSteps[step] << "_ms\": " << median(steps[step]) << ", ";
  }
  const std::vector<double> whole = measurement.whole(sentences, runs);
  if (!whole.empty()) {
    line << "\"whole_ms\": " << median(whole) << ", ";
  }
  line << fields("ms", ms, 4) << ", " << fields("words_per_s", ms.rate(1e3 * static_cast<double>(words)), 0)
       << ", \"device_mb\": " << static_cast<double>(measurement.batch_bytes()) / 1e6
       << ", \"results_mb\": " << totals.result_bytes(wanted) / 1e6 << ", " << fields(totals.limit(), ms)
       << ", \"runs\": " << runs << "}";
  std::printf("%s\n", line.str().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fail("an index and a text are needed");
  }
  std::vector<uint64_t> sizes{2000, 4000, 6000, 8000, 16000};
  std::vector<uint64_t> samples{300, 0};
  int runs = 9;
  read_options(argc, argv, 3, fail,
               {{"--sentences", into(sizes)}, {"--samples", into(samples)}, {"--runs", into(runs)}});
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  PhraseFile file(argv[1]);
  const auto text = file.sentences(argv[2]);
  for (const uint64_t sampled : samples) {
    for (const uint64_t size : sizes) {
      for (const bool repeats : {false, true}) {
        measure(file, text, size, sampled, repeats, runs, properties.name);
      }
    }
  }
  return 0;
}
