// All steps of phrase extraction against the definitions, over random parallel texts. Exits with 0 if every number is
// equal, and lexical weights are within 1e-12.
//
//   phrases_test [SCALE]     SCALE multiplies the number of texts; 0 makes them few, for compute-sanitizer
//   phrases_test --host      runs the steps on the CPU only: the same code but for sorts, sums and launches
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "common/compare.cuh"
#include "phrases/phrases_reference.cuh"

namespace {

using namespace lat::phrases;
using namespace lat::test;

uint64_t collisions = 0;

/* An index on a machine. */
template <typename MACHINE>
lat_phrases_index bring(MACHINE &machine, const Text &text, const std::vector<SegmentArrays> &segments,
                        const Links &links, bool learned) {
  std::vector<lat_phrases_segment> made;
  for (size_t s = 0; s < segments.size(); s++) {
    const SegmentArrays &from = segments[s];
    lat_phrases_segment to{};
    to.d_source = machine.put(from.source);
    to.d_suffixes = machine.put(from.suffixes);
    to.d_prefixes = machine.put(from.prefixes);
    to.d_starts = machine.put(from.starts);
    to.d_target = machine.put(from.target);
    if (from.wide) {
      to.d_extents = machine.put(from.wide_extents);
      to.d_target_extents = machine.put(from.wide_target_extents);
    } else {
      to.d_extents = machine.put(from.extents);
      to.d_target_extents = machine.put(from.target_extents);
    }
    to.source_length = from.source.size();
    to.target_length = from.target.size();
    to.source_words = static_cast<uint64_t>(text.source_words[s]);
    to.wide = from.wide ? 1 : 0;
    made.push_back(to);
  }
  lat_phrases_index index{};
  index.d_segments = machine.put(made);
  index.segments = made.size();
  index.d_lexicon = machine.put(links.slots);
  index.lexicon_slots = links.slots.size();
  index.d_source_links = machine.put(links.source_links);
  index.source_words = links.source_links.size();
  index.d_target_links = machine.put(links.target_links);
  index.target_words = links.target_links.size();
  if (!links.added.empty()) {
    index.d_added = machine.put(links.added);
    index.added_slots = links.added.size();
  }
  index.learned = learned ? 1 : 0;
  return index;
}

/* The results of a batch, on the host. */
template <typename MACHINE>
struct Results {
  std::vector<uint64_t> report;
  std::vector<uint32_t> place_starts, place_from, place_phrase, at, samples, words, outcomes, pair_starts, pair_target,
      pair_words, pair_count;
  std::vector<int64_t> occurrences;
  std::vector<uint64_t> keys;
  std::vector<uint8_t> pair_segment;
  std::vector<double> target_given_source, source_given_target;

  Results(MACHINE &machine, const lat_phrases_index &index, const Sentences &sentences, const Settings &settings) {
    lat_phrases_batch batch = begin(machine, sentences, settings);
    report = run(machine, index, batch);
    const uint64_t places = report[LAT_PHRASES_PLACES];
    place_starts = machine.get(batch.d_place_starts, batch.sentences + 1);
    place_from = machine.get(batch.d_place_from, places);
    place_phrase = machine.get(batch.d_place_phrase, places);
    keys = machine.get(batch.d_keys, batch.phrases);
    at = machine.get(batch.d_at, batch.phrases);
    occurrences = machine.get(batch.d_occurrences, batch.phrases);
    samples = machine.get(batch.d_samples, batch.phrases);
    words = machine.get(batch.d_phrase_words, batch.phrases);
    outcomes = machine.get(batch.d_outcomes, batch.phrases * kOutcomes);
    pair_starts = machine.get(batch.d_pair_starts, batch.phrases + 1);
    pair_segment = machine.get(batch.d_pair_segment, batch.groups);
    pair_target = machine.get(batch.d_pair_target, batch.groups);
    pair_words = machine.get(batch.d_pair_words, batch.groups);
    pair_count = machine.get(batch.d_pair_count, batch.groups);
    target_given_source = machine.get(batch.d_target_given_source, batch.groups);
    source_given_target = machine.get(batch.d_source_given_target, batch.groups);
  }
};

bool close(double expected, double found) {
  compared++;
  return std::abs(expected - found) <= 1e-12 * std::max(1.0, std::abs(expected));
}

template <typename MACHINE>
void compare_phrase(const std::string &where, const Results<MACHINE> &results, uint32_t number, const Words &phrase,
                    const ReferencePhrase &expected, const Links &links, const std::vector<SegmentArrays> &segments) {
  same(where, "words", static_cast<uint32_t>(phrase.size()), results.words[number]);
  same(where, "occurrences", expected.occurrences, results.occurrences[number]);
  same(where, "samples", expected.samples, results.samples[number]);
  for (int o = 0; o < kOutcomes; o++) {
    same(where, "outcomes", expected.outcomes[o], results.outcomes[number * kOutcomes + static_cast<uint32_t>(o)]);
  }
  const uint32_t first = results.pair_starts[number];
  if (!same(where, "pairs", static_cast<uint32_t>(expected.pairs.size()), results.pair_starts[number + 1] - first)) {
    return;
  }
  for (uint32_t i = 0; i < expected.pairs.size(); i++) {
    const ReferencePair &pair = expected.pairs[i];
    same(where, "a pair's count", pair.count, results.pair_count[first + i]);
    same(where, "a pair's segment", pair.segment, static_cast<uint32_t>(results.pair_segment[first + i]));
    same(where, "a pair's position", pair.position, results.pair_target[first + i]);
    same(where, "a pair's words", static_cast<uint32_t>(pair.words.size()), results.pair_words[first + i]);
    const Words &target = segments[pair.segment].target;
    if (!std::equal(pair.words.begin(), pair.words.end(), target.begin() + static_cast<long>(pair.position))) {
      fail(where, "the reference contradicts itself");
    }
    if (!close(links.target_given_source(phrase, pair.words), results.target_given_source[first + i]) ||
        !close(links.source_given_target(phrase, pair.words), results.source_given_target[first + i])) {
      fail(where, "a lexical weight differs");
    }
  }
}

template <typename MACHINE>
void compare(const std::string &where, const std::vector<Words> &queries, const Settings &settings,
             const Results<MACHINE> &results, const Reference &reference, const Links &links,
             const std::vector<SegmentArrays> &segments) {
  std::map<std::pair<size_t, Words>, ReferencePhrase> seen;
  std::vector<std::pair<size_t, Words>> phrase_of(results.keys.size());
  std::set<uint32_t> numbers;
  if (!same(where, "corrupt", uint64_t{0}, results.report[LAT_PHRASES_CORRUPT])) {
    return;
  }
  collisions += results.report[LAT_PHRASES_COLLISIONS];
  for (size_t s = 0; s < queries.size(); s++) {
    uint32_t place = results.place_starts[s];
    std::set<Words> of_sentence;
    for (size_t from = 0; from < queries[s].size(); from++) {
      for (size_t to = from + 1; to <= queries[s].size(); to++) {
        const Words phrase(queries[s].begin() + static_cast<long>(from), queries[s].begin() + static_cast<long>(to));
        if ((settings.max_source != 0 && phrase.size() > settings.max_source) || !reference.has(phrase)) {
          break;
        }
        if (!of_sentence.insert(phrase).second) {
          continue;
        }
        if (place >= results.place_starts[s + 1]) {
          fail(where, "a phrase is missing");
          return;
        }
        same(where, "the place of a phrase", static_cast<uint32_t>(from), results.place_from[place]);
        const uint32_t number = results.place_phrase[place++];
        if (number >= results.keys.size()) {
          fail(where, "a phrase has the number " + std::to_string(number));
          return;
        }
        const std::pair<size_t, Words> identity{settings.repeats ? s : 0, phrase};
        if (seen.count(identity) == 0) {
          seen[identity] = reference.extract(phrase, settings);
          phrase_of[number] = identity;
          compare_phrase(where, results, number, phrase, seen[identity], links, segments);
        } else if (phrase_of[number] != identity) {
          fail(where, "a phrase has two numbers");
        }
        numbers.insert(number);
      }
    }
    same(where, "the phrases of a sentence", place, results.place_starts[s + 1]);
  }
  same(where, "the distinct phrases", numbers.size(), results.keys.size());
  same(where, "keys in order", true, std::is_sorted(results.keys.begin(), results.keys.end()));
}

/* Sentences of the text, some joined, some with a word that it does not have, some empty. */
std::vector<Words> random_queries(const Text &text, std::mt19937_64 &random, int most) {
  std::vector<Words> queries;
  const auto any = [&]() -> const Words & {
    const auto &part = text.parts[random() % text.parts.size()];
    return part[random() % part.size()].source;
  };
  for (int i = 0; i < most; i++) {
    Words query = any();
    if (random() % 3 == 0) {
      const Words &more = any();
      query.insert(query.end(), more.begin(), more.end());
    }
    if (random() % 3 == 0) {
      query[random() % query.size()] = kEnd;
    }
    if (random() % 5 == 0) {
      const auto words = static_cast<uint64_t>(text.source_words.back());
      query[random() % query.size()] = static_cast<int32_t>(1 + random() % words);
    }
    queries.push_back(random() % 7 == 0 ? Words() : query);
  }
  return queries;
}

struct Size {
  int segments;
  int sentences;
  int vocabulary;
  int longest;
};

/* machine: makes a machine to use once. */
template <typename MAKE>
void test(const char *name, int rounds, MAKE machine, bool few = false) {
  const Size sizes[] = {{1, 12, 5, 9}, {3, 8, 3, 7}, {1, 300, 2, 6}, {2, 40, 30, 12},
                        {5, 1, 4, 5},  {1, 1, 1, 1}, {1, 6, 3, 60},  {2, 2500, 40, 14},
                        {LAT_PHRASES_MAX_SEGMENTS, 2, 6, 6}};
  const Settings settings[] = {{0, 0, 0, false, false, 0}, {0, 0, 0, true, false, 0},  {300, 5, 15, false, false, 0},
                               {0, 5, 15, false, true, 0}, {7, 4, 3, true, false, 0},  {1, 0, 2, true, true, 0},
                               {2, 1, 0, true, false, 0},  {3, 3, 1, false, false, 0}, {0, 2, 3, true, false, 2},
                               {0, 0, 0, false, false, 1}, {33, 3, 0, true, true, 3},  {17, 2, 4, false, false, 0}};
  std::mt19937_64 random(16);
  size_t turn = 0;
  const auto left_out = [&] { return few && turn++ % 5 != 0; };
  for (int round = 0; round < rounds; round++) {
    for (const Size &size : sizes) {
      if (size.sentences > 1000 && (round > 0 || rounds == 1)) {
        continue; /* only once: it is there so that sorts and sums have many tiles */
      }
      const Text text(random, size.segments, size.sentences, size.vocabulary, size.longest);
      std::vector<SegmentArrays> segments;
      for (size_t s = 0; s < text.parts.size(); s++) {
        segments.emplace_back(text.parts[s], text.source_words[s], random() % 2 == 0);
      }
      // The links of the last part, or of the last two, may have a table of their own.
      const size_t base = text.parts.size() - std::min<size_t>(text.parts.size() - 1, random() % 3);
      const Links links(text, base);
      const bool learned = text.parts.size() > 1 && random() % 2 == 0;
      const Reference reference(text, segments, learned);
      const std::vector<Words> queries = random_queries(text, random, 1 + static_cast<int>(random() % 12));
      for (const Settings &setting : settings) {
        if (left_out()) {
          continue;
        }
        auto here = machine();
        const lat_phrases_index index = bring(*here, text, segments, links, learned);
        const std::string where = std::string(name) + " round " + std::to_string(round) + " of " +
                                  std::to_string(size.sentences) + " sentences, samples " +
                                  std::to_string(setting.samples) + ", source " + std::to_string(setting.max_source) +
                                  ", target " + std::to_string(setting.max_target) + (setting.loose ? ", loose" : "") +
                                  (learned ? ", learned" : "");
        const Results<std::remove_reference_t<decltype(*here)>> results(*here, index, Sentences(queries), setting);
        compare(where, queries, setting, results, reference, links, segments);
      }
      // No sentence, and nothing that occurs.
      for (const std::vector<Words> &none : {std::vector<Words>{}, {{}}, {{}, {kEnd}, {kEnd, kEnd}}}) {
        auto here = machine();
        const lat_phrases_index index = bring(*here, text, segments, links, learned);
        const Results<std::remove_reference_t<decltype(*here)>> results(*here, index, Sentences(none), Settings());
        compare(std::string(name) + " nothing", none, Settings(), results, reference, links, segments);
      }
      // Wrong prefix lengths, which are not checked: anything may come out, but nothing may be read outside, which
      // compute-sanitizer, or the host's, would tell.
      std::vector<SegmentArrays> damaged = segments;
      for (auto &segment : damaged) {
        for (auto &prefix : segment.prefixes) {
          prefix = static_cast<uint32_t>(random());
        }
      }
      for (const Settings &setting : settings) {
        if (left_out()) {
          continue;
        }
        auto here = machine();
        const lat_phrases_index index = bring(*here, text, damaged, links, learned);
        const Results<std::remove_reference_t<decltype(*here)>> results(*here, index, Sentences(queries), setting);
        same(std::string(name) + " damaged", "place starts", queries.size() + 1, results.place_starts.size());
      }
    }
  }
  if (collisions == 0) {
    fail(name, "no hashes collided, so their resolution was not tested");
  }
}

/* What becomes of good arguments if one of them changes. */
struct Change {
  const char *what;
  bool good;
  std::function<void(lat_phrases_index &, lat_phrases_batch &)> make;
};

constexpr decltype(&lat_phrases_match) kFunctions[] = {lat_phrases_match,   lat_phrases_find,  lat_phrases_bounds,
                                                      lat_phrases_extract, lat_phrases_group, lat_phrases_finish,
                                                      lat_phrases_whole};

/* Arguments that must be rejected: each differs from good ones in one thing, which is never read. */
void test_arguments() {
  constexpr uint64_t most = 1ull << 31;
  const int32_t something = 0;
  const auto good_index = [&] {
    lat_phrases_index index{};
    index.d_segments = reinterpret_cast<const lat_phrases_segment *>(&something);
    index.segments = 2;
    index.d_lexicon = &something;
    index.lexicon_slots = 1;
    index.d_source_links = reinterpret_cast<const uint32_t *>(&something);
    index.d_target_links = reinterpret_cast<const uint32_t *>(&something);
    index.d_added = &something;
    index.added_slots = 1;
    index.learned = 1;
    return index;
  };
  const auto good_batch = [] {
    lat_phrases_batch batch{};
    batch.words = 9;
    batch.sentences = 9;
    batch.hash_bits = 64;
    batch.entries = 4;
    batch.phrases = 4;
    batch.pairs = 3;
    batch.groups = 3;
    return batch;
  };
  using Index = lat_phrases_index;
  using Batch = lat_phrases_batch;
  const std::vector<Change> changes = {
      {"nothing", true, [](Index &, Batch &) {}},
      {"no learned pairs", true,
       [](Index &index, Batch &) { index.d_added = nullptr, index.added_slots = 0, index.learned = 0; }},
      {"all segments", true, [](Index &index, Batch &) { index.segments = LAT_PHRASES_MAX_SEGMENTS; }},
      {"the most of all numbers", true,
       [](Index &index, Batch &batch) {
         index.lexicon_slots = index.added_slots = most - 1;
         batch.words = batch.sentences = batch.samples = batch.max_source = batch.max_target = most - 1;
         batch.entries = batch.phrases = batch.pairs = batch.groups = most - 1;
       }},
      {"segments missing", false, [](Index &index, Batch &) { index.d_segments = nullptr; }},
      {"no segment", false, [](Index &index, Batch &) { index.segments = 0, index.learned = 0; }},
      {"too many segments", false, [](Index &index, Batch &) { index.segments = LAT_PHRASES_MAX_SEGMENTS + 1; }},
      {"a lexicon missing", false, [](Index &index, Batch &) { index.d_lexicon = nullptr; }},
      {"a lexicon without slots", false, [](Index &index, Batch &) { index.lexicon_slots = 0; }},
      {"too large a lexicon", false, [](Index &index, Batch &) { index.lexicon_slots = most; }},
      {"source links missing", false, [](Index &index, Batch &) { index.d_source_links = nullptr; }},
      {"target links missing", false, [](Index &index, Batch &) { index.d_target_links = nullptr; }},
      {"added slots missing", false, [](Index &index, Batch &) { index.d_added = nullptr; }},
      {"no added slots", false, [](Index &index, Batch &) { index.added_slots = 0; }},
      {"too many added slots", false, [](Index &index, Batch &) { index.added_slots = most; }},
      {"two learned segments", false, [](Index &index, Batch &) { index.segments = 3, index.learned = 2; }},
      {"a learned segment alone", false, [](Index &index, Batch &) { index.segments = 1; }},
      {"too many words", false, [](Index &, Batch &batch) { batch.words = most; }},
      {"more sentences than words", false, [](Index &, Batch &batch) { batch.sentences = 10; }},
      {"too many samples", false, [](Index &, Batch &batch) { batch.samples = most; }},
      {"too long source phrases", false, [](Index &, Batch &batch) { batch.max_source = most; }},
      {"too long target phrases", false, [](Index &, Batch &batch) { batch.max_target = most; }},
      {"too long a hash", false, [](Index &, Batch &batch) { batch.hash_bits = 65; }},
      {"too many entries", false, [](Index &, Batch &batch) { batch.entries = most; }},
      {"more phrases than entries", false, [](Index &, Batch &batch) { batch.phrases = 5; }},
      {"too many pairs", false, [](Index &, Batch &batch) { batch.pairs = most; }},
      {"more groups than pairs", false, [](Index &, Batch &batch) { batch.groups = 4; }},
  };
  size_t bytes = 0;
  for (const Change &change : changes) {
    Index index = good_index();
    Batch batch = good_batch();
    change.make(index, batch);
    same(std::string("arguments with ") + change.what, "whether they are good", change.good,
         good(&index, &batch, &bytes));
    for (const auto step : kFunctions) {
      if (!change.good) {
        same(std::string("arguments with ") + change.what, "status", static_cast<int>(LAT_BAD_ARGUMENT),
             step(&index, &batch, nullptr, &bytes, nullptr));
      }
    }
  }
  const Index index = good_index();
  const Batch batch = good_batch();
  for (const auto step : kFunctions) {
    const int bad = LAT_BAD_ARGUMENT;
    same("arguments", "status without an index", bad, step(nullptr, &batch, nullptr, &bytes, nullptr));
    same("arguments", "status without a batch", bad, step(&index, nullptr, nullptr, &bytes, nullptr));
    same("arguments", "status without bytes", bad, step(&index, &batch, nullptr, nullptr, nullptr));
  }
}

/* The results of the last step, which differ between streams only by a mistake. */
struct Finished {
  std::vector<uint32_t> starts, targets, counts;

  Finished(GpuMachine &machine, const lat_phrases_batch &batch)
      : starts(machine.get(batch.d_pair_starts, batch.phrases + 1)),
        targets(machine.get(batch.d_pair_target, batch.groups)),
        counts(machine.get(batch.d_pair_count, batch.groups)) {}
  bool operator==(const Finished &other) const {
    return starts == other.starts && targets == other.targets && counts == other.counts;
  }
};

/* Kernels that do not wait for what they read show it when many streams are at work; scratch is never what it was. */
void test_streams(int threads, int rounds) {
  std::mt19937_64 random(64);
  const Text text(random, 2, 2500, 40, 14);
  std::vector<SegmentArrays> segments;
  for (size_t s = 0; s < text.parts.size(); s++) {
    segments.emplace_back(text.parts[s], text.source_words[s], false);
  }
  const Links links(text, text.parts.size());
  GpuMachine machine;
  const lat_phrases_index index = bring(machine, text, segments, links, false);
  lat_phrases_batch batch =
      begin(machine, Sentences(random_queries(text, random, 500)), Settings{0, 4, 0, false, false, 0});
  run(machine, index, batch);
  const Finished expected(machine, batch);
  size_t bytes = 0;
  CHECK(lat_phrases_finish(&index, &batch, nullptr, &bytes, nullptr));
  std::vector<std::unique_ptr<GpuMachine>> machines;
  std::vector<lat_phrases_batch> batches;
  std::vector<void *> scratch;
  std::vector<std::thread> at_work;
  for (int t = 0; t < threads; t++) {
    machines.push_back(std::make_unique<GpuMachine>());
    batches.push_back(batch);
    batches.back().d_pair_starts = machines.back()->take<uint32_t>(batch.phrases + 1);
    batches.back().d_pair_target = machines.back()->take<uint32_t>(batch.groups);
    batches.back().d_pair_count = machines.back()->take<uint32_t>(batch.groups);
    scratch.push_back(machines.back()->take<char>(bytes));
  }
  CHECK(cudaDeviceSynchronize()); /* the memory is set in the default stream, which these do not wait for */
  for (int t = 0; t < threads; t++) {
    at_work.emplace_back([&, mine = batches[static_cast<size_t>(t)], here = scratch[static_cast<size_t>(t)]] {
      cudaStream_t stream = nullptr;
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int round = 0; round < rounds; round++) {
        size_t size = bytes;
        CHECK(cudaMemsetAsync(here, 0xab + round, bytes, stream));
        CHECK(lat_phrases_finish(&index, &mine, here, &size, stream));
      }
      CHECK(cudaStreamSynchronize(stream));
      CHECK(cudaStreamDestroy(stream));
    });
  }
  for (int t = 0; t < threads; t++) {
    at_work[static_cast<size_t>(t)].join();
    same("stream " + std::to_string(t) + " of many, " + std::to_string(batch.groups) + " pairs", "equal", true,
         Finished(*machines[static_cast<size_t>(t)], batches[static_cast<size_t>(t)]) == expected);
  }
}

}  // namespace

int main(int argc, char **argv) {
  const bool host = argc > 1 && std::strcmp(argv[1], "--host") == 0;
  const int scale = argc > 1 && !host ? std::atoi(argv[1]) : 1;
  test_arguments();
  int turn = 0;
  test("host", host ? 30 : scale == 0 ? 1 : 3, [&] { return std::make_unique<HostMachine>(turn++ % 2 == 0); });
  if (!host) {
    collisions = 0;
    test("device", scale == 0 ? 1 : 4 * scale, [] { return std::make_unique<GpuMachine>(); }, scale == 0);
    collisions = 0;
    test("whole", scale == 0 ? 1 : 4 * scale, [] { return std::make_unique<WholeMachine>(); }, scale == 0);
    test_streams(scale == 0 ? 2 : 16, scale == 0 ? 1 : 50 * scale);
  }
  return finish("phrases_test");
}
