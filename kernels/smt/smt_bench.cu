// Source words per second of the beam search, on random sentences.
//
//   smt_bench [--sentences 1000] [--words 13,25] [--stacks 10,20,100] [--alternatives 0] [--order 5] [--runs 9]
//             [--shared 0]
//
// Phrases have up to 5 words and up to 20 choices; two thirds of the longer ones exist, which is more than in a usual
// text. The lengths of sentences are spread evenly up to twice the mean of --words. A step scores 5 candidates for each
// place of a stack. The model has the n-grams of a random text of 300,000 words. --alternatives: 1 for those of n-best
// lists. --shared: most bytes of shared memory of a block, to compare; 0 for the default. Prints one JSON object per
// line on stdout: device time of a batch whose choices are on the device, until its results are there; medians of the
// runs, with minimum and maximum. `limit` names what bounds it on an H200 if nothing else took time: the sectors of the
// language model's table that all candidates read, at the rate of random reads; `of_limit` is the fraction of it that
// was reached. 100 sentences are compared with the reference first.
#include <string>

#include "common/bench.cuh"
#include "smt/smt_driver.cuh"

namespace {

using namespace lat::smt;
using namespace lat::test;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr,
               "%s\nusage: smt_bench [--sentences N,..] [--words N,..] [--stacks N,..] [--order N] [--runs N] "
               "[--shared BYTES,..] [--alternatives 0|1]\n",
               what.c_str());
  std::exit(2);
}

/* Whether the best scores of some sentences are those of the reference. */
void check(const Model &model, const Lattices &lattices, const Options &options,
           const std::vector<lat_smt_found> &found, const std::vector<lat_smt_partial> &partials) {
  for (size_t s = 0; s < lattices.sentences.size(); s += lattices.sentences.size() / 100 + 1) {
    const Reference reference(model, lattices, lattices.sentences[s], options, 1, 2);
    bool same = found[s].complete_count == reference.complete.size();
    for (size_t i = 0; same && i < reference.complete.size(); i++) {
      const lat_smt_partial &one = partials[found[s].first + found[s].complete + i];
      same = one.score == reference.partials[static_cast<size_t>(reference.complete[i])].score;
    }
    if (!same) {
      std::fprintf(stderr, "sentence %zu differs from the reference\n", s);
      std::exit(1);
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<uint64_t> sentences{1000};
  std::vector<uint64_t> means{13, 25};
  std::vector<uint64_t> stacks{10, 20, 100};
  std::vector<uint64_t> shared{0};
  int alternatives = 0;
  int runs = 9;
  int order = 5;
  read_options(argc, argv, 1, fail,
               {{"--sentences", into(sentences)},
                {"--words", into(means)},
                {"--stacks", into(stacks)},
                {"--shared", into(shared)},
                {"--alternatives", into(alternatives)},
                {"--runs", into(runs)},
                {"--order", into(order)}});
  std::mt19937_64 random(1);
  const Model model(order, 10000, 300000, random);
  const lat::lm_test::HashFile file(model, 0.7);
  for (const uint64_t size : sentences) {
    for (const uint64_t mean : means) {
      std::vector<uint32_t> lengths;
      uint64_t words = 0;
      for (uint64_t i = 0; i < size; i++) {
        lengths.push_back(1 + static_cast<uint32_t>(i * (2 * mean - 1) / size));
        words += lengths.back();
      }
      const Lattices lattices(random, model, Options(), lengths, 5, 20, false);
      for (const uint64_t stack : stacks) {
        Options options;
        options.stack = static_cast<uint32_t>(stack);
        options.candidates = static_cast<uint32_t>(5 * stack);
        options.alternatives = alternatives != 0;
        for (const uint64_t bytes : shared) {
          GpuMachine machine(UINT64_MAX, bytes);
          const lat_smt_batch batch = bring(machine, model, file, lattices, options, 1, 2);
          machine.search(batch); /* warm-up */
          const auto found = machine.get(batch.d_found, batch.sentences);
          const uint64_t used = machine.get(batch.d_report, 2)[1];
          check(model, lattices, options, found, machine.get(batch.d_partials, used));
          std::vector<double> ms;
          for (int run = 0; run < runs; run++) {
            machine.search(batch);
            ms.push_back(machine.ms);
          }
          const double candidates = static_cast<double>(words * options.candidates);
          constexpr double kWordsOfChoice = 2.5;
          const double sectors = candidates * kWordsOfChoice * static_cast<double>(order - 1);
          const Limit limit{"random sectors", 1e3 * sectors / random_sectors(file.buckets * 32)};
          std::printf(
              "{\"op\": \"smt\", \"level\": \"kernel\", \"sentences\": %zu, \"words\": %llu, \"stack\": %llu, "
              "\"candidates\": %u, \"alternatives\": %s, \"shared_bytes\": %llu, %s, %s, %s, \"results_mb\": %.2f, "
              "\"runs\": %d}\n",
              lengths.size(), static_cast<unsigned long long>(words), static_cast<unsigned long long>(stack),
              options.candidates, options.alternatives ? "true" : "false", static_cast<unsigned long long>(bytes),
              fields("ms", Spread(ms), 3).c_str(),
              fields("words_per_s", Spread(ms).rate(1e3 * static_cast<double>(words)), 0).c_str(),
              fields(limit, Spread(ms)).c_str(), static_cast<double>(used) * sizeof(lat_smt_partial) / 1e6, runs);
          std::fflush(stdout);
        }
      }
    }
  }
  return 0;
}
