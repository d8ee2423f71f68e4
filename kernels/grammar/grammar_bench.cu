// Sentences per second of membership, end to end.
//
//   grammar_bench GRAMMAR[,FILE..] SENTENCES.tsv [--trees] [--sentences 4096,..] [--lengths 0,25,..] [--memory MB]
//                 [--runs 9]
//
//   grammar_bench GRAMMAR[,FILE..] SENTENCES.tsv --table2 [--sentences 100] [--runs 3]
//   grammar_bench GRAMMAR[,FILE..] SENTENCES.tsv --mapping rule|rvs|lvs [--dummy] [--shared] [--texture]
//                 [--transfer pageable|pinned|zerocopy] [--sentences 100] [--runs 3]
//
// --trees finds the best trees of a weighted grammar instead. The second form measures all strategies of the paper's
// table 2, the third one of them, without unary rules, against the sequential program of its procedures 1 and 2 on one
// core: one sentence after the other, as the paper does; see paper_bench.cuh.
//
// GRAMMAR is in the text format of v, b, u, t and start lines, SENTENCES has the words of a sentence in its last
// column; files ending in .gz are unpacked. A length of 0 takes the sentences as they are, another one cuts their text
// into sentences of so many words. Prints one JSON object per line on stdout. A run starts with the words in
// page-locked host memory and ends with results and roots, or trees, there: "ms" is its time on the host's clock,
// "divide_ms" of it the division of the batch on the host; "device_ms" is the kernels' time on the device's clock. The
// grammar stays on the device. Medians of the runs, also minimum and maximum. `limit` names what bounds the kernels on
// this device, `of_limit` is the fraction of it that they reached.
#include "common/bench.cuh"
#include "grammar/grammar_file.cuh"
#include "grammar/grammar_weights.cuh"
#include "grammar/paper_bench.cuh"
#include "grammar/timed_run.cuh"

namespace {

using namespace lat::grammar;
using namespace lat::test;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr,
               "%s\nusage: grammar_bench GRAMMAR[,FILE..] SENTENCES.tsv [--trees] [--sentences N,..] [--lengths N,..] "
               "[--memory MB] [--runs N]\n"
               "       grammar_bench GRAMMAR[,FILE..] SENTENCES.tsv --table2 | --mapping rule|rvs|lvs [--dummy] "
               "[--shared] [--texture] [--transfer pageable|pinned|zerocopy] [--sentences N] [--runs N]\n",
               what.c_str());
  std::exit(2);
}

Sentences read_sentences(const PlainGrammar &grammar, const char *path) {
  Sentences sentences;
  for (const std::string &line : lines_of(path)) {
    const auto fields = split(line, '\t');
    if (fields.empty() || line.rfind("# ", 0) == 0) {
      continue;
    }
    sentences.emplace_back();
    for (const std::string &word : split(fields.back(), ' ')) {
      sentences.back().push_back(grammar.word(word));
    }
  }
  return sentences;
}

/* The wanted number of sentences, repeated if there are fewer; of the wanted length if that is not 0. */
Sentences select(const Sentences &text, uint64_t wanted, uint64_t length) {
  Sentences out;
  size_t from = 0;
  size_t at = 0;
  while (out.size() < wanted) {
    if (length == 0) {
      out.push_back(text[from++ % text.size()]);
      continue;
    }
    out.emplace_back();
    while (out.back().size() < length) {
      const auto &sentence = text[from % text.size()];
      if (at < sentence.size()) {
        out.back().push_back(sentence[at++]);
      } else {
        at = 0;
        from++;
      }
    }
  }
  return out;
}

std::string sizes_of(const CheckWork &work) {
  return "\"op\": \"cyk\", \"classes\": " + std::to_string(work.index.classes) +
         ", \"pairs\": " + std::to_string(work.index.pairs) + ", \"rules\": " + std::to_string(work.index.rules);
}
std::string sizes_of(const TreesWork &work) {
  return "\"op\": \"cyk-trees\", \"variables\": " + std::to_string(work.weights.variables) +
         ", \"pairs\": " + std::to_string(work.weights.pairs) + ", \"rules\": " + std::to_string(work.weights.rules);
}

template <typename WORK>
void measure(const WORK &work, const Sentences &sentences, uint64_t length, uint64_t memory, int runs,
             const char *device) {
  TimedRun<WORK> run(work, sentences, memory);
  std::vector<double> ms;
  std::vector<double> divide_ms;
  std::vector<double> device_ms;
  for (int i = -2; i < runs; i++) {
    run.once();
    if (i >= 0) {
      ms.push_back(run.ms);
      divide_ms.push_back(run.divide_ms);
      device_ms.push_back(run.device_ms);
    }
  }
  const Spread spread(ms);
  const Spread on_device(device_ms);
  const auto count = static_cast<double>(sentences.size());
  std::ostringstream line;
  line << "{" << sizes_of(work) << ", \"device\": \"" << device << "\", \"sentences\": " << sentences.size()
       << ", \"words\": " << run.words() << ", \"length\": " << length << ", \"accepted\": " << run.accepted()
       << ", \"groups\": " << run.plan.groups << ", \"tiles\": [" << run.plan.tiles[0] << ", " << run.plan.tiles[1]
       << ", " << run.plan.tiles[2] << "], " << fields("ms", spread, 4) << ", "
       << fields("sentences_per_s", spread.rate(1e3 * count), 0) << ", \"divide_ms\": " << median(divide_ms) << ", "
       << fields("device_ms", on_device, 4) << ", " << fields("device_sentences_per_s", on_device.rate(1e3 * count), 0)
       << ", \"device_mb\": " << run.device_mb() << ", " << fields(run.limit(work), on_device) << ", \"runs\": " << runs
       << "}";
  std::printf("%s\n", line.str().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fail("a grammar and sentences are needed");
  }
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> lengths{0};
  uint64_t memory = uint64_t{4} << 30;
  int runs = 0;
  bool table = false;
  bool one = false;
  bool trees = false;
  PaperRun wanted;
  for (int i = 3; i < argc; i++) {
    const std::string option = argv[i];
    if (option == "--trees") {
      trees = true;
      continue;
    } else if (option == "--table2") {
      table = true;
      continue;
    } else if (option == "--dummy" || option == "--shared" || option == "--texture") {
      (option == "--dummy" ? wanted.strategy.dummy : option == "--shared" ? wanted.strategy.shared
                                                                          : wanted.strategy.texture) = true;
      continue;
    } else if (++i == argc) {
      fail("a value is missing after " + option);
    }
    if (option == "--sentences") {
      sizes = numbers(argv[i]);
    } else if (option == "--lengths") {
      lengths = numbers(argv[i]);
    } else if (option == "--memory") {
      memory = numbers(argv[i]).at(0) << 20;
    } else if (option == "--runs") {
      runs = std::atoi(argv[i]);
    } else if (option == "--mapping" && mapping_of(argv[i], &wanted.strategy.mapping)) {
      one = true;
    } else if (option != "--transfer" || !transfer_of(argv[i], &wanted.transfer)) {
      fail("unknown option " + option + " " + argv[i]);
    }
  }
  const PlainGrammar grammar = read_grammar(split(argv[1], ','));
  const Sentences text = read_sentences(grammar, argv[2]);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  if (table || one) {
    const PaperBench bench(grammar, select(text, sizes.empty() ? 100 : sizes[0], lengths[0]), runs > 0 ? runs : 3,
                           properties.name);
    for (const PaperRun &run : table ? table_2() : std::vector<PaperRun>{wanted}) {
      bench.measure(run);
    }
    bench.measure_default();
    return 0;
  }
  if (sizes.empty()) {
    sizes = {1, 64, 4096, 14968};
  }
  GpuMachine machine;
  const auto measure_all = [&](const auto &work) {
    for (const uint64_t length : lengths) {
      for (const uint64_t size : sizes) {
        measure(work, select(text, size, length), length, memory, runs > 0 ? runs : 9, properties.name);
      }
    }
  };
  if (trees) {
    measure_all(TreesWork{PackedWeights(grammar).put(machine)});
  } else {
    measure_all(CheckWork{PackedGrammar(grammar).put(machine)});
  }
  return 0;
}
