// The beam search against its definition, over random models and sentences. Exits with 0 if every partial translation
// that leads to a complete one is equal, bit for bit.
//
//   smt_test [SCALE]     SCALE multiplies the number of rounds; 0 makes them few, for compute-sanitizer
//   smt_test --host      runs the search on the CPU only: the same code but for the threads
#include <cstring>
#include <functional>
#include <set>
#include <string>

#include "common/compare.cuh"
#include "smt/smt_driver.cuh"

namespace {

using namespace lat::smt;
using namespace lat::test;
using lat::lm_test::HashFile;

int tied = 0; /* sentences in which more extensions than can be sorted promise the same */

/* The results of a batch, on the host. */
struct Results {
  std::vector<lat_smt_found> found;
  std::vector<lat_smt_partial> partials;

  template <typename MACHINE>
  Results(MACHINE &machine, const lat_smt_batch &batch) {
    machine.search(batch);
    found = machine.get(batch.d_found, batch.sentences);
    const uint64_t used = machine.get(batch.d_report, 2)[1];
    partials = machine.get(batch.d_partials, std::min<uint64_t>(used, batch.partials));
  }
};

/* Compares the graphs of partial translations that lead to complete ones. */
class Graphs {
 public:
  Graphs(const std::string &where, const Reference &expected, const lat_smt_found &found,
         const std::vector<lat_smt_partial> &partials)
      : where_(where), expected_(expected), found_(found), partials_(partials) {}

  void compare() {
    if (found_.first == LAT_SMT_NONE || found_.first + uint64_t{found_.partials} > partials_.size()) {
      fail(where_, "the results have no room");
      return;
    }
    if (!same(where_, "complete ones", static_cast<uint32_t>(expected_.complete.size()), found_.complete_count)) {
      return;
    }
    for (uint32_t i = 0; i < found_.complete_count; i++) {
      if (found_.complete + i >= found_.partials) {
        fail(where_, "a complete one is not among the results");
        return;
      }
      same_bits(where_, "the end's score", expected_.ends[i], partials_[found_.first + found_.complete + i].end);
      if (!chain(expected_.complete[i], found_.complete + i)) {
        return;
      }
    }
    same(where_, "partial translations", static_cast<uint32_t>(seen_.size()), found_.partials);
  }

 private:
  /* One with its alternatives, and all before. */
  bool chain(int expected, uint32_t found) {
    while (expected >= 0 && found < found_.partials) {
      const Reference::Partial &a = expected_.partials[static_cast<size_t>(expected)];
      const lat_smt_partial &b = partials_[found_.first + found];
      const auto known = seen_.emplace(expected, found);
      if (!known.second) {
        return same(where_, "one that is reached twice", known.first->second, found);
      }
      const bool first = a.before < 0;
      if (!same_bits(where_, "score", a.score, b.score) || !same_bits(where_, "log10", a.log10, b.log10) ||
          !same(where_, "from", a.from, b.from) || !same(where_, "choice", a.choice, b.choice) ||
          !same(where_, "whether it is the empty one", first, b.before == LAT_SMT_NONE) ||
          (!first && !chain(a.before, b.before))) {
        return false;
      }
      expected = a.alternative;
      found = b.alternative;
    }
    return same(where_, "whether it has an alternative", expected >= 0, found != LAT_SMT_NONE);
  }

  std::string where_;
  const Reference &expected_;
  const lat_smt_found &found_;
  const std::vector<lat_smt_partial> &partials_;
  std::map<int, uint32_t> seen_;
};

/* Without alternatives, those of the reference are no part of the results. */
Reference without_alternatives(Reference reference) {
  for (auto &partial : reference.partials) {
    partial.alternative = -1;
  }
  return reference;
}

struct Shape {
  std::vector<uint32_t> lengths;
  uint32_t longest;
  uint32_t choices;
  bool ties;
};

std::vector<uint32_t> random_lengths(std::mt19937_64 &random, size_t sentences, uint32_t most) {
  std::vector<uint32_t> lengths(sentences);
  for (uint32_t &length : lengths) {
    length = static_cast<uint32_t>(random() % (most + 1));
  }
  return lengths;
}

/* machine: makes a machine to use once. */
template <typename MAKE>
void test(const char *name, int rounds, MAKE machine, bool few = false) {
  const Options options[] = {{1, 1, 0, false, 1, 0.4},     {1, 3, 2, true, 0.5, 0.25}, {3, 10, 6, false, 1, 0},
                             {10, 50, 6, false, 1, 0.4},   {10, 50, 6, true, 1, -0.4}, {100, 500, 6, false, 0.8, 0.4},
                             {100, 20, 4, false, 1, 0.4},  {7, 33, 32, true, 0, 0.5},  {100, 500, 0, true, 0.9, 0.4},
                             {5, 1000, 3, false, -1, 0.4}, {20, 100, 6, true, 1, 0.5}, {2, 5, 31, false, 0, 0}};
  std::mt19937_64 random(22);
  size_t turn = 0;
  for (int round = 0; round < rounds; round++) {
    const Shape shapes[] = {{{}, 1, 1, false},
                            {{0}, 1, 1, false},
                            {{1, 0, 2}, 2, 3, true},
                            {random_lengths(random, 9, 8), 3, 4, false},
                            {random_lengths(random, 9, 8), 3, 6, true},
                            {random_lengths(random, 5, 20), 7, 20, false},
                            {random_lengths(random, 5, 20), 5, 20, true},
                            {{70, 36}, LAT_SMT_MAX_PHRASE, 2, round % 2 == 0}};
    for (const Shape &shape : shapes) {
      const Model model(1 + static_cast<int>(random() % LAT_LM_MAX_ORDER), 3 + static_cast<uint32_t>(random() % 20),
                        10 + random() % 300, random);
      const HashFile file(model, 0.7);
      const auto begin = static_cast<uint32_t>(random() % model.words);
      const auto end = static_cast<uint32_t>(random() % model.words);
      for (const Options &option : options) {
        if (few && turn++ % 5 != 0) {
          continue;
        }
        const Lattices lattices(random, model, option, shape.lengths, shape.longest, shape.choices, shape.ties);
        auto here = machine();
        const lat_smt_batch batch = bring(*here, model, file, lattices, option, begin, end);
        const Results results(*here, batch);
        for (size_t s = 0; s < lattices.sentences.size(); s++) {
          const std::string where = std::string(name) + " round " + std::to_string(round) + ", order " +
                                    std::to_string(model.order) + ", stack " + std::to_string(option.stack) +
                                    ", sentence of " + std::to_string(lattices.sentences[s].words);
          const Reference reference(model, lattices, lattices.sentences[s], option, begin, end);
          tied += reference.most_equal > sizes_of(batch).items ? 1 : 0;
          if (option.alternatives) {
            Graphs(where, reference, results.found[s], results.partials).compare();
          } else {
            Graphs(where, without_alternatives(reference), results.found[s], results.partials).compare();
          }
        }
      }
    }
  }
  if (tied == 0) {
    fail(name, "never promised too many extensions the same, so that was not tested");
  }
}

/* Too little memory for the results of all sentences. */
template <typename MAKE>
void test_full(const char *name, MAKE machine) {
  std::mt19937_64 random(23);
  const Model model(3, 9, 100, random);
  const HashFile file(model, 0.7);
  const Options options;
  const Lattices lattices(random, model, options, {9, 9, 9, 1}, 3, 4, false);
  auto here = machine();
  lat_smt_batch batch = bring(*here, model, file, lattices, options, 1, 2);
  const auto all = Results(*here, batch).found;
  batch.partials = all[0].partials + all[1].partials + all[2].partials - 1;
  const Results results(*here, batch);
  int missing = 0;
  for (const lat_smt_found &found : results.found) {
    missing += found.first == LAT_SMT_NONE ? 1 : 0;
    same(name, "whether one without room has results", found.first == LAT_SMT_NONE, found.complete_count == 0);
  }
  same(name, "whether some have no room", true, missing > 0);
}

struct Change {
  const char *what;
  std::function<void(lat_smt_batch &)> make;
};

/* Arguments that must be rejected: each differs from good ones in one thing. */
void test_arguments() {
  const double something = 0;
  const auto good_batch = [&] {
    lat_smt_batch batch{};
    const auto at = [&](auto *&pointer) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(const_cast<double *>(&something));
    };
    at(batch.d_unigrams), at(batch.d_table), at(batch.d_fixed), at(batch.d_expected), at(batch.d_word_starts);
    at(batch.d_words), at(batch.d_phrases), at(batch.d_sentences), at(batch.d_found), at(batch.d_partials);
    at(batch.d_report);
    batch.lm_words = batch.buckets = batch.order = batch.stack = batch.candidates = batch.choices = 1;
    batch.sentences = batch.most_words = batch.most_longest = batch.partials = 1;
    return batch;
  };
  same("arguments", "whether they are good", true, good(&*std::make_unique<lat_smt_batch>(good_batch())));
  using Batch = lat_smt_batch;
  const std::vector<Change> changes = {
      {"no model", [](Batch &b) { b.d_unigrams = nullptr; }},
      {"no table", [](Batch &b) { b.d_table = nullptr; }},
      {"no words of the model", [](Batch &b) { b.lm_words = 0; }},
      {"too many words of the model", [](Batch &b) { b.lm_words = 1 << 30; }},
      {"no buckets", [](Batch &b) { b.buckets = 0; }},
      {"too many buckets", [](Batch &b) { b.buckets = 1ull << 31; }},
      {"order 0", [](Batch &b) { b.order = 0; }},
      {"order 9", [](Batch &b) { b.order = 9; }},
      {"a begin that is no word", [](Batch &b) { b.begin = 1; }},
      {"an end that is no word", [](Batch &b) { b.end = 1; }},
      {"no stack", [](Batch &b) { b.stack = 0; }},
      {"too large a stack", [](Batch &b) { b.stack = LAT_SMT_MAX_STACK + 1; }},
      {"no candidates", [](Batch &b) { b.candidates = 0; }},
      {"too many candidates", [](Batch &b) { b.candidates = LAT_SMT_MAX_STACK + 1; }},
      {"too high a distortion", [](Batch &b) { b.distortion = LAT_SMT_MAX_DISTORTION + 1; }},
      {"alternatives 2", [](Batch &b) { b.alternatives = 2; }},
      {"too long a sentence", [](Batch &b) { b.most_words = LAT_SMT_MAX_WORDS + 1; }},
      {"phrases of no words", [](Batch &b) { b.most_longest = 0; }},
      {"too long a phrase", [](Batch &b) { b.most_longest = LAT_SMT_MAX_PHRASE + 1; }},
      {"too many choices", [](Batch &b) { b.choices = 1ull << 31; }},
      {"no scores", [](Batch &b) { b.d_fixed = nullptr; }},
      {"no expected scores", [](Batch &b) { b.d_expected = nullptr; }},
      {"no starts of words", [](Batch &b) { b.d_word_starts = nullptr; }},
      {"no words", [](Batch &b) { b.d_words = nullptr; }},
      {"no phrases", [](Batch &b) { b.d_phrases = nullptr; }},
      {"no sentences", [](Batch &b) { b.d_sentences = nullptr; }},
      {"too many sentences", [](Batch &b) { b.sentences = 1ull << 31; }},
      {"nothing for the results", [](Batch &b) { b.d_found = nullptr; }},
      {"no partial translations", [](Batch &b) { b.d_partials = nullptr; }},
      {"too many partial translations", [](Batch &b) { b.partials = 1ull << 32; }},
      {"no report", [](Batch &b) { b.d_report = nullptr; }},
  };
  char scratch = 0;
  for (const Change &change : changes) {
    Batch batch = good_batch();
    change.make(batch);
    same(std::string("arguments with ") + change.what, "status", static_cast<int>(LAT_BAD_ARGUMENT),
         lat_smt_search(&batch, &scratch, 1, nullptr));
  }
  Batch batch = good_batch();
  same("arguments", "status without scratch", static_cast<int>(LAT_BAD_ARGUMENT),
       lat_smt_search(&batch, nullptr, 1, nullptr));
  same("arguments", "status without a batch", static_cast<int>(LAT_BAD_ARGUMENT),
       lat_smt_search(nullptr, &scratch, 1, nullptr));
  uint64_t number = 0;
  same("arguments", "status of the room without a batch", static_cast<int>(LAT_BAD_ARGUMENT),
       lat_smt_workspace(nullptr, &number, &number, &number));
  batch.stack = batch.candidates = LAT_SMT_MAX_STACK;
  batch.most_words = LAT_SMT_MAX_WORDS;
  same("arguments", "status with too many partial translations", static_cast<int>(LAT_UNSUPPORTED),
       lat_smt_search(&batch, &scratch, 1, nullptr));
}

}  // namespace

int main(int argc, char **argv) {
  const bool host = argc > 1 && std::strcmp(argv[1], "--host") == 0;
  const int scale = argc > 1 && !host ? std::atoi(argv[1]) : 1;
  test_arguments();
  int turn = 0;
  const auto on_host = [&] { return std::make_unique<HostMachine>(turn++ % 2 == 0); };
  test("host", host ? 10 : 1, on_host);
  test_full("host", on_host);
  if (!host) {
    // One sentence at a time, and many; with little, the usual and more shared memory.
    const auto on_device = [&] {
      const uint64_t shared[] = {0, 16, 5000, 90 * 1024};
      turn++;
      return std::make_unique<GpuMachine>(turn % 3 == 0 ? 1 : 1000, shared[turn % 4]);
    };
    tied = 0;
    test("device", scale == 0 ? 1 : 4 * scale, on_device, scale == 0);
    test_full("device", on_device);
  }
  return finish("smt_test");
}
