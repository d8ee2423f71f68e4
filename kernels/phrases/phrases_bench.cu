// Words per second of phrase lookup and extraction, by the number of sentences in a batch.
//
//   phrases_bench INDEX.lpx TEXT [--sentences 2000,4000,...] [--samples 300,0] [--runs 9]
//
// TEXT has one sentence per line, words separated by one space; it is repeated up to the wanted number of sentences.
// Source phrases have at most 5 words, target phrases 15. Prints one JSON object per line on stdout: device time of
// each step and of all, with repeated phrases extracted once ("distinct") or again for each sentence. Input and results
// stay on the device; results_mb is what a host would read. Times are medians of the runs; of all steps also minimum
// and maximum. `limit` names what bounds a whole batch on an H200, `of_limit` is the fraction of it that was reached.
#include <cstring>

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
constexpr int kStepCount = 6;

/* A lower bound of a batch's time: what its samples and pairs must read and write. */
Limit floor_of(const lat_phrases_batch &batch, uint64_t index_bytes) {
  constexpr double kSampleSectors = 5; /* suffix, two of extents, sentence start, target extents */
  constexpr double kPairSectors = 2;   /* target words, for the hash and for the comparison */
  const double sectors = kSampleSectors * static_cast<double>(batch.all_samples) +
                         kPairSectors * static_cast<double>(batch.pairs);
  const int key_bytes = (hash_bits_for(batch) + bits_for(batch.phrases) + 7) / 8;
  const double sorted = 2.0 * 12 * key_bytes * static_cast<double>(batch.pairs);
  return highest({{"random sectors of samples and pairs", 1e3 * sectors / random_sectors(index_bytes)},
                  {"sorting pairs", 1e3 * sorted / kReadBytes}});
}

void measure(PhraseFile &file, const std::vector<std::vector<int32_t>> &text, uint64_t wanted, uint64_t samples,
             bool repeats, int runs, const char *device) {
  std::vector<std::vector<int32_t>> sentences;
  uint64_t words = 0;
  for (uint64_t i = 0; i < wanted; i++) {
    sentences.push_back(text[i % text.size()]);
    words += sentences.back().size();
  }
  const Sentences input(sentences);
  Settings settings;
  settings.samples = samples;
  settings.repeats = repeats;
  GpuMachine machine;
  const lat_phrases_index index = file.put(machine);
  const uint64_t index_bytes = file.bytes();
  const size_t mark = machine.mark();
  std::vector<std::vector<double>> steps(kStepCount);
  std::vector<double> all;
  lat_phrases_batch batch{};
  std::vector<uint64_t> report;
  for (int run = -2; run < runs; run++) {
    machine.free_from(mark);
    machine.times.clear();
    batch = begin(machine, input, settings);
    report = lat::phrases::run(machine, index, batch);
    double sum = 0;
    for (int step = 0; step < kStepCount && run >= 0; step++) {
      steps[static_cast<size_t>(step)].push_back(machine.times[static_cast<size_t>(step)]);
      sum += machine.times[static_cast<size_t>(step)];
    }
    if (run >= 0) {
      all.push_back(sum);
    }
  }
  if (report[LAT_PHRASES_CORRUPT] != 0) {
    fail("the index is corrupt");
  }
  const Spread total(all);
  std::string each;
  for (int step = 0; step < kStepCount; step++) {
    char one[64];
    std::snprintf(one, sizeof one, "\"%s_ms\": %.4f, ", kSteps[step], median(steps[static_cast<size_t>(step)]));
    each += one;
  }
  const double results = 4.0 * static_cast<double>(batch.sentences) + 8.0 * static_cast<double>(report[LAT_PHRASES_PLACES]) +
                         40.0 * static_cast<double>(batch.phrases) + 29.0 * static_cast<double>(batch.groups);
  std::printf(
      "{\"op\": \"phrases\", \"device\": \"%s\", \"index_mb\": %.1f, \"sentences\": %llu, \"words\": %llu, \"samples\": %llu, "
      "\"distinct\": %s, \"entries\": %llu, \"phrases\": %llu, \"sampled\": %llu, \"extractions\": %llu, \"pairs\": %llu, "
      "\"collisions\": %llu, %s%s, %s, \"device_mb\": %.1f, \"results_mb\": %.1f, %s, \"runs\": %d}\n",
      device, static_cast<double>(index_bytes) / 1e6, static_cast<unsigned long long>(wanted),
      static_cast<unsigned long long>(words), static_cast<unsigned long long>(samples), repeats ? "false" : "true",
      static_cast<unsigned long long>(batch.entries), static_cast<unsigned long long>(batch.phrases),
      static_cast<unsigned long long>(batch.all_samples), static_cast<unsigned long long>(batch.pairs),
      static_cast<unsigned long long>(batch.groups), static_cast<unsigned long long>(report[LAT_PHRASES_COLLISIONS]),
      each.c_str(), fields("ms", total, 4).c_str(), fields("words_per_s", total.rate(1e3 * static_cast<double>(words)), 0).c_str(),
      static_cast<double>(machine.most_bytes() - index_bytes) / 1e6, results / 1e6,
      fields(floor_of(batch, index_bytes), total).c_str(), runs);
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
  for (int i = 3; i < argc; i += 2) {
    if (i + 1 == argc) {
      fail(std::string("a value is missing after ") + argv[i]);
    } else if (std::strcmp(argv[i], "--sentences") == 0) {
      sizes = numbers(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--samples") == 0) {
      samples = numbers(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--runs") == 0) {
      runs = std::atoi(argv[i + 1]);
    } else {
      fail(std::string("unknown option ") + argv[i]);
    }
  }
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
