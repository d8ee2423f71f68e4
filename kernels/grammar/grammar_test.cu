// Membership of sentences against the definition, over random grammars. Exits with 0 if every bit is equal.
//
//   grammar_test [SCALE]     SCALE multiplies the number of grammars; 0: few and small, for compute-sanitizer, and with
//                            LATIMER_SHARED_KB=8 in groups instead of tiles
//   grammar_test --host      runs the kernels' code on the CPU only
//   grammar_test --golden GRAMMAR[,FILE..] INPUT.tsv GOLDEN.tsv [--host] [--sentences N]
//                            compares every column of a golden file: id, length, accepted, longest prefix, accepted
//                            prefixes, bits of the chart, its hash, variables of the whole sentence; INPUT has the
//                            words in its last column, after the id in the first one; or, if there are only three
//                            columns, id, length, and the logarithm of the best tree's probability, to 2e-6 of it
#include <cstring>
#include <string>

#include "common/compare.cuh"
#include "grammar/grammar_reference.cuh"
#include "grammar/grammar_weights.cuh"
#include "grammar/paper_rules.cuh"

namespace {

using namespace lat::grammar;
using namespace lat::test;

uint64_t accepted = 0;
uint64_t rejected = 0;

template <typename MACHINE>
void compare(const std::string &where, const PlainGrammar &grammar, const PackedGrammar &packed,
             const Batch<MACHINE> &batch, const Sentences &sentences, const std::vector<ReferenceChart> &charts,
             bool with_chart) {
  for (size_t s = 0; s < sentences.size(); s++) {
    const auto n = static_cast<uint32_t>(sentences[s].size());
    const std::string here = where + ", sentence " + std::to_string(s) + " of " + std::to_string(n) + " words";
    uint32_t longest = 0;
    uint32_t prefixes = 0;
    for (uint32_t j = 1; j <= n; j++) {
      if (charts[s].has(0, j, grammar.start)) {
        longest = j;
        prefixes++;
      }
    }
    const uint32_t whole = n > 0 && longest == n ? 1 : 0;
    (whole != 0 ? accepted : rejected)++;
    same(here, "accepted", whole, batch.result(s, LAT_GRAMMAR_ACCEPTED));
    same(here, "longest prefix", longest, batch.result(s, LAT_GRAMMAR_LONGEST));
    same(here, "accepted prefixes", prefixes, batch.result(s, LAT_GRAMMAR_PREFIXES));
    for (uint32_t v = 0; v < grammar.size(); v++) {
      same(here, "root", n > 0 && charts[s].has(0, n, v), batch.root(s, packed.class_of[v]));
    }
    for (uint32_t i = 0; i < n && with_chart; i++) {
      for (uint32_t j = i + 1; j <= n; j++) {
        for (uint32_t v = 0; v < grammar.size(); v++) {
          same(here, "cell", charts[s].has(i, j, v), batch.cell(s, i, j, packed.class_of[v]));
        }
      }
    }
  }
  if (with_chart) { /* and nothing outside of the cells */
    uint64_t bits = 0;
    for (const uint32_t word : batch.chart) {
      bits += count_bits(word);
    }
    uint64_t expected = 0;
    std::vector<bool> counted(packed.classes, false);
    for (uint32_t v = 0; v < grammar.size(); v++) {
      if (counted[packed.class_of[v]]) {
        continue;
      }
      counted[packed.class_of[v]] = true;
      for (size_t s = 0; s < sentences.size(); s++) {
        const auto n = static_cast<uint32_t>(sentences[s].size());
        for (uint32_t i = 0; i < n; i++) {
          for (uint32_t j = i + 1; j <= n; j++) {
            expected += charts[s].has(i, j, v) ? 1 : 0;
          }
        }
      }
    }
    same(where, "bits of all charts", expected, bits);
  }
}

struct Size {
  uint32_t variables;
  uint32_t binary;
  uint32_t unary;
  uint32_t words;
};

Sentences random_sentences(std::mt19937_64 &random, const std::vector<uint32_t> &lengths, uint32_t words) {
  Sentences sentences;
  for (const uint32_t length : lengths) {
    std::vector<int32_t> sentence;
    for (uint32_t i = 0; i < length; i++) {
      const uint64_t kind = random() % 200;
      sentence.push_back(kind == 0   ? -1
                         : kind == 1 ? static_cast<int32_t>(words)
                                     : static_cast<int32_t>(random() % words));
    }
    sentences.push_back(sentence);
  }
  return sentences;
}

/* machine() makes a machine; some of them differ. */
template <typename MAKE>
void test(const char *name, int rounds, MAKE machine, bool small = false) {
  const Size sizes[] = {{1, 1, 0, 1},    {2, 5, 1, 2},    {5, 14, 3, 3},   {31, 60, 9, 4},   {32, 300, 0, 6},
                        {33, 120, 40, 5}, {64, 200, 20, 8}, {65, 900, 10, 6}, {128, 400, 30, 9}, {300, 2600, 99, 12},
                        {9, 0, 4, 3}};
  std::vector<std::vector<uint32_t>> lengths = {{1},
                                                {},
                                                {0},
                                                {0, 5, 0, 1, 2, 3},
                                                {31, 32, 33, 32, 1},
                                                {63, 64, 65, 64},
                                                {7, 7, 8, 9, 7, 7, 7, 20, 12, 11, 3, 2, 1, 1, 7, 15, 16, 17},
                                                {95, 96, 97},
                                                {127, 128, 129, 130},
                                                {70, 5, 40, 0, 33, 66, 64, 20, 32}, /* all shapes of tiles */
                                                {}};
  std::mt19937_64 random(17);
  for (int round = 0; round < rounds; round++) {
    std::vector<uint32_t> many; /* several tiles, and several sentences in each */
    for (int s = 0; s < 90; s++) {
      many.push_back(static_cast<uint32_t>(random() % 37));
    }
    lengths.back() = many;
    for (const Size &size : sizes) {
      const PlainGrammar grammar = random_grammar(random, size.variables, size.binary, size.unary, size.words);
      const PackedGrammar packed(grammar);
      for (const auto &some : lengths) {
        const uint32_t longest = some.empty() ? 0 : *std::max_element(some.begin(), some.end());
        if ((some.size() > 50 || small) && size.variables > 65) {
          continue;
        }
        if (small && longest > 64) {
          continue; /* compute-sanitizer would take minutes */
        }
        if (longest > 64 && (size.variables > 65 || (round + size.variables) % 4 != 0)) {
          continue; /* the reference would take minutes */
        }
        const Sentences sentences = random_sentences(random, some, size.words);
        std::vector<ReferenceChart> charts;
        for (const auto &sentence : sentences) {
          charts.emplace_back(grammar, sentence);
        }
        for (const bool with_chart : {true, false}) {
          auto here = machine();
          const lat_grammar_index index = packed.put(*here);
          const uint64_t memory = random() % 2 == 0 ? 1ull << 30 : 1 + random() % (1 << 20);
          Batch<std::remove_reference_t<decltype(*here)>> batch(*here, index, sentences, with_chart, memory);
          batch.run();
          batch.fetch();
          const std::string where = std::string(name) + " round " + std::to_string(round) + ", " +
                                    std::to_string(size.variables) + " variables, longest " + std::to_string(longest) +
                                    (with_chart ? ", chart" : "") + ", " + std::to_string(batch.plan.groups) +
                                    " groups";
          compare(where, grammar, packed, batch, sentences, charts, with_chart);
        }
      }
    }
    if (small) {
      continue;
    }
    // Longer than the shared memory of any card takes.
    const PlainGrammar grammar = random_grammar(random, 6, 12, 3, 3);
    const PackedGrammar packed(grammar);
    std::vector<uint32_t> some = {255, 256, 257, 40, 5, 224, 225, 192, 193, 160, 161};
    for (int s = 0; s < 30; s++) { /* several tiles of clusters, and several sentences in each */
      some.push_back(static_cast<uint32_t>(100 + random() % 80));
    }
    const Sentences sentences = random_sentences(random, some, 3);
    std::vector<ReferenceChart> charts;
    for (const auto &sentence : sentences) {
      charts.emplace_back(grammar, sentence);
    }
    auto here = machine();
    Batch<std::remove_reference_t<decltype(*here)>> batch(*here, packed.put(*here), sentences, true, 1 << 24);
    batch.run();
    batch.fetch();
    compare(std::string(name) + " long", grammar, packed, batch, sentences, charts, true);
  }
  if (accepted == 0 || rejected == 0) {
    fail(name, "no sentence was accepted, or none rejected");
  }
}

/* The best trees against the definition, scores to the last bit. */
template <typename MAKE>
void test_trees(const char *name, int rounds, MAKE machine) {
  std::mt19937_64 random(1967);
  uint64_t trees = 0;
  uint64_t none = 0;
  for (int round = 0; round < rounds; round++) {
    const auto variables = static_cast<uint32_t>(1 + random() % 60);
    const auto unary = static_cast<uint32_t>(random() % 2 * (random() % (2 * variables)));
    PlainGrammar grammar = random_grammar(random, variables, static_cast<uint32_t>(random() % 500), unary, 5);
    if (round % 3 == 0) { /* many equal sums */
      for (auto &rule : grammar.binary) {
        rule.weight = -1;
      }
      for (auto &rule : grammar.lexical) {
        rule.weight = 0;
      }
      for (auto &rule : grammar.unary) {
        rule.weight = -static_cast<float>(random() % 2);
      }
    }
    std::vector<uint32_t> lengths;
    for (uint64_t left = random() % 40; left > 0; left--) {
      lengths.push_back(static_cast<uint32_t>(random() % (left % 8 == 0 ? 70 : 20)));
    }
    Sentences sentences = random_sentences(random, lengths, 5);
    const PackedWeights packed(grammar);
    auto here = machine();
    const uint64_t memory = random() % 2 == 0 ? 1ull << 30 : random() % (1 << 22);
    const std::vector<Tree> found = best_trees(*here, packed.put(*here), sentences, memory);
    for (size_t s = 0; s < sentences.size(); s++) {
      const Tree expected = ReferenceTrees(packed, sentences[s]).tree();
      const std::string where = std::string(name) + " round " + std::to_string(round) + ", sentence " +
                                std::to_string(s) + " of " + std::to_string(sentences[s].size()) + " words";
      same(where, "score", expected.score, found[s].score);
      same(where, "nodes", expected.nodes.size(), found[s].nodes.size());
      for (size_t n = 0; n < expected.nodes.size() && n < found[s].nodes.size(); n++) {
        same(where, "node", expected.nodes[n], found[s].nodes[n]);
      }
      (expected.nodes.empty() ? none : trees)++;
    }
  }
  if (rounds > 2 && (trees == 0 || none == 0)) {
    fail(name, "no sentence had a tree, or all had one");
  }
}

/* The paper's strategies against the definition. */
template <typename MAKE>
void test_paper(const char *name, int rounds, MAKE machine) {
  std::mt19937_64 random(2014);
  for (int round = 0; round < rounds; round++) {
    const auto variables = static_cast<uint32_t>(1 + random() % 70);
    const PlainGrammar grammar = random_grammar(random, variables, static_cast<uint32_t>(random() % 400), 0, 4);
    const auto length = static_cast<uint32_t>(1 + random() % 30);
    std::vector<int32_t> sentence = random_sentences(random, {length}, 4)[0];
    std::replace(sentence.begin(), sentence.end(), 4, -1);
    const ReferenceChart chart(grammar, sentence);
    const auto compare_table = [&](const std::string &where, const std::vector<uint8_t> &table) {
      for (uint32_t i = 0; i < length; i++) {
        for (uint32_t j = 0; j <= length; j++) {
          for (uint32_t v = 0; v < variables; v++) {
            const uint8_t expected = j > i && chart.has(i, j, v) ? 1 : 0;
            same(where, "cell", expected, table[(i * (length + 1) + j) * variables + v]);
          }
        }
      }
    };
    std::vector<uint8_t> table;
    sequential(grammar, PaperRules(grammar, Strategy()).words, sentence, &table);
    compare_table("sequential", table);
    for (uint32_t kind = 0; kind < 24; kind++) {
      const Strategy strategy{static_cast<Mapping>(kind / 8), (kind & 1) != 0 && kind >= 8, (kind & 2) != 0,
                              (kind & 4) != 0};
      auto here = machine();
      const PaperRules rules(grammar, strategy);
      PaperCheck paper = rules.paper(strategy, here->put(rules.rules), here->put(rules.words.starts),
                                     here->put(rules.words.items));
      paper.d_sentence = here->put(sentence);
      paper.length = length;
      paper.threads = kind % 3 == 0 ? 1024 : 64;
      const uint64_t cells = static_cast<uint64_t>(length) * (length + 1) * variables;
      paper.d_table = here->template take<uint8_t>(cells);
      CHECK(here->paper_check(paper));
      compare_table(std::string(name) + " strategy " + std::to_string(kind), here->get(paper.d_table, cells));
    }
  }
}

/* Arguments that must be rejected. */
void test_arguments() {
  lat_grammar_index index{};
  lat_grammar_batch batch{};
  lat_grammar_plan plan{};
  size_t bytes = 0;
  uint32_t part = 0;
  expect("check without classes", lat_grammar_check(&index, &batch, &plan, nullptr, &bytes, nullptr), LAT_BAD_ARGUMENT);
  expect("check without an index", lat_grammar_check(nullptr, &batch, &plan, nullptr, &bytes, nullptr),
         LAT_BAD_ARGUMENT);
  expect("paper without variables", paper_check(PaperCheck()), LAT_BAD_ARGUMENT);
  expect("divide without an index", lat_grammar_divide(nullptr, nullptr, 0, 0, &plan, nullptr, nullptr, &part),
         LAT_BAD_ARGUMENT);
}

std::string golden_line(const std::string &id, const PlainGrammar &grammar, uint32_t n, const uint32_t *numbers,
                        const std::vector<std::vector<bool>> &cells, const std::string &roots) {
  uint64_t hash = 14695981039346656037ull;
  uint64_t bits = 0;
  const auto add = [&](uint32_t number) {
    for (int byte = 0; byte < 4; byte++) {
      hash = (hash ^ (number >> 8 * byte & 0xff)) * 1099511628211ull;
    }
  };
  for (uint32_t span = 1; span <= n; span++) {
    for (uint32_t i = 0; i + span <= n; i++) {
      for (uint32_t v = 0; v < grammar.size(); v++) {
        if (cells[i * (n + 1) + i + span][v]) {
          bits++;
          add(i);
          add(i + span);
          add(v);
        }
      }
    }
  }
  char text[200];
  std::snprintf(text, sizeof text, "\t%u\t%u\t%u\t%u\t%llu\t%016llx\t", n, numbers[LAT_GRAMMAR_ACCEPTED],
                numbers[LAT_GRAMMAR_LONGEST], numbers[LAT_GRAMMAR_PREFIXES], static_cast<unsigned long long>(bits),
                static_cast<unsigned long long>(hash));
  return id + text + (roots.empty() ? "-" : roots);
}

template <typename MACHINE>
void test_golden(MACHINE &machine, const char *grammar_files, const char *input, const char *golden, size_t most) {
  const PlainGrammar grammar = read_grammar(split(grammar_files, ','));
  const PackedGrammar packed(grammar);
  std::map<std::string, std::vector<int32_t>> inputs;
  for (const std::string &line : lines_of(input)) {
    const auto fields = split(line, '\t');
    if (fields.size() < 2 || line[0] == '#') {
      continue;
    }
    for (const std::string &word : split(fields.back(), ' ')) {
      inputs[fields[0]].push_back(grammar.word(word));
    }
  }
  Sentences sentences;
  std::vector<std::string> expected;
  bool weighted = false;
  for (const std::string &line : lines_of(golden)) {
    const auto fields = split(line, '\t');
    if (line.rfind("# ", 0) == 0 || sentences.size() == most) {
      continue;
    }
    weighted = fields.size() == 3;
    expected.push_back(line);
    sentences.push_back(fields[1] == "0" ? std::vector<int32_t>() : inputs.at(fields[0]));
  }
  if (weighted) {
    const std::vector<Tree> trees =
        best_trees(machine, PackedWeights(grammar).put(machine), sentences, 1ull << 32);
    for (size_t s = 0; s < sentences.size(); s++) {
      const double score = std::strtod(split(expected[s], '\t')[2].c_str(), nullptr);
      const double found = static_cast<double>(trees[s].score);
      compared++;
      if (score != found && !(std::abs(score - found) <= 2e-6 * std::abs(score))) {
        fail("golden", "expected " + expected[s] + ", found " + std::to_string(found));
      }
    }
    return;
  }
  const lat_grammar_index index = packed.put(machine);
  const size_t mark = machine.mark();
  for (size_t from = 0; from < sentences.size(); from += 50) {
    const size_t to = std::min(from + 50, sentences.size());
    machine.free_from(mark);
    const Sentences some(sentences.begin() + static_cast<long>(from), sentences.begin() + static_cast<long>(to));
    Batch<MACHINE> batch(machine, index, some, true, 1ull << 30);
    batch.run();
    batch.fetch();
    for (size_t s = 0; s < some.size(); s++) {
      const auto n = static_cast<uint32_t>(some[s].size());
      std::vector<std::vector<bool>> cells((n + 1) * (n + 1), std::vector<bool>(grammar.size(), false));
      std::string roots;
      for (uint32_t v = 0; v < grammar.size(); v++) {
        for (uint32_t i = 0; i < n; i++) {
          for (uint32_t j = i + 1; j <= n; j++) {
            cells[i * (n + 1) + j][v] = batch.cell(s, i, j, packed.class_of[v]);
          }
        }
        if (n > 0 && batch.root(s, packed.class_of[v])) {
          roots += (roots.empty() ? "" : " ") + grammar.names[v];
        }
      }
      const std::string &line = expected[from + s];
      compared++;
      const std::string found = golden_line(split(line, '\t')[0], grammar, n,
                                            &batch.results[s * LAT_GRAMMAR_RESULTS], cells, roots);
      if (found != line) {
        fail("golden", "expected " + line + ", found " + found);
      }
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  bool host = false;
  bool golden = false;
  int scale = 1;
  size_t most = ~size_t{0};
  std::vector<const char *> files;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--host") == 0) {
      host = true;
    } else if (std::strcmp(argv[i], "--golden") == 0) {
      golden = true;
    } else if (std::strcmp(argv[i], "--sentences") == 0 && i + 1 < argc) {
      most = static_cast<size_t>(std::atoll(argv[++i]));
    } else if (golden) {
      files.push_back(argv[i]);
    } else {
      scale = std::atoi(argv[i]);
    }
  }
  // An H200, a card with 99 KiB a block and no clusters, those two with one multiprocessor, so that tiles are full, the
  // first pretending to be the second (LATIMER_SHARED_KB), and a card so small that everything is in groups.
  const DeviceLimits cards[] = {{132, 232448, 233472, 8}, {84, 101376, 102400, 1}, {1, 232448, 233472, 8},
                                {1, 101376, 102400, 1},   {1, 101376, 233472, 8},  {1, 2048, 4096, 8}};
  if (golden && files.size() == 3 && host) {
    HostMachine machine(false, cards[0]);
    test_golden(machine, files[0], files[1], files[2], most);
  } else if (golden && files.size() == 3) {
    GpuMachine machine;
    test_golden(machine, files[0], files[1], files[2], most);
  } else if (golden) {
    std::fprintf(stderr,
                 "usage: grammar_test --golden GRAMMAR[,FILE..] INPUT.tsv GOLDEN.tsv [--host] [--sentences N]\n");
    return 2;
  } else {
    test_arguments();
    size_t turn = 0;
    test("host", host ? 12 : scale == 0 ? 1 : 2, [&] {
      turn++;
      return std::make_unique<HostMachine>(turn % 2 == 0, cards[turn / 2 % 6]);
    });
    test_trees("host trees", host ? 60 : 3, [&] {
      return std::make_unique<HostMachine>(turn++ % 2 == 0, cards[0]);
    });
    test_paper("host paper", host ? 20 : 2, [&] {
      return std::make_unique<HostMachine>(turn++ % 2 == 0, cards[0]);
    });
    if (!host) {
      test_trees("device trees", scale == 0 ? 1 : 40 * scale, [] { return std::make_unique<GpuMachine>(); });
      test_paper("device paper", scale == 0 ? 1 : 20 * scale, [] { return std::make_unique<GpuMachine>(); });
      test("device", scale == 0 ? 1 : 8 * scale, [] { return std::make_unique<GpuMachine>(); }, scale == 0);
    }
  }
  return finish("grammar_test");
}
