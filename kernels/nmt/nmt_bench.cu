// Decoding with random weights: source words per second by batch size, from ids to ids, including the host loop.
//
//   nmt_bench [SHAPE...] [--precision float32|float16|bfloat16] [--beam K] [--batch B] [--without rows|epilogue|fusing|graphs]
//             [--shortlist BEST] [--places N] [--ahead N] [--steps N] [--trace] [--repeats N]
//
// SHAPE: "small" (V 4530, E 256, H 512: the Multi30k models), "large" (V 30000, E 512, H 1024), "narrow" (V 30000, E
// 512, H 256: the paper's fast system), "transformer" (6 + 6 layers, D 512, 8 heads, F 2048, V 30000: MarianMT's size).
// Random weights never stop on their own: the end token is forbidden, and every translation gets as many words as its
// source. --without repeats the measurement without one idea each: removing finished rows ("rows"), fusing softmax and
// k-best with the product ("epilogue": they become one kernel over logits in memory, as in the paper) or at least with
// each other ("fusing"), running a step as a graph ("graphs"). --shortlist repeats it with a shortlist of 100 first
// words and BEST per source word, drawn by Zipf's law. --places N gives a batch N places, which sentences join as
// others leave. --ahead N queues N launches before it waits for the first of them (3); --steps N puts N
// steps into a launch (1). --trace prints the time of each launch for the last batch. Lengths are those of Multi30k's
// sentences: roughly normal, 13.6 tokens on average.
// Prints one line of JSON per measurement: median, minimum and maximum of the repeats, after a warm-up, and the
// fraction of the time that is the theoretical minimum: for the multiplications of all matrices at the device's maximum
// clock ("products"), or for reading the decoder's matrices once per step if they are larger than L2 ("weights").
// Attention and everything around the products is not counted, nor, with a shortlist, the output layer.
#include <algorithm>
#include <chrono>

#include "common/bench.cuh"
#include "nmt/nmt_driver.cuh"

namespace {

using namespace lat::test;

constexpr int kFirstWords = 100;

struct Options {
  std::vector<std::string> shapes;
  std::vector<std::string> precisions;
  std::vector<int> beams;
  std::vector<int> batches;
  std::vector<std::string> without;
  bool trace = false;
  int places = 0;
  int ahead = 3;
  int steps = 1;
  int shortlist = 0;
  int repeats = 5;
};

lat_nmt_rnn_settings shape(const std::string &name) {
  lat_nmt_rnn_settings s{};
  const bool small = name == "small";
  s.source_words = small ? 3477 : 30000;
  s.words = small ? 4530 : 30000;
  s.embedding = small ? 256 : 512;
  s.state = small ? 512 : name == "large" ? 1024 : 256;
  s.attention = 2 * s.state;
  return s;
}

std::unique_ptr<RandomNetwork> network(const std::string &name) {
  if (name != "transformer") {
    return std::make_unique<RandomRnn>(shape(name), 3, 8, 0.7f);
  }
  lat_nmt_transformer_settings s{};
  s.source_words = s.words = 30000;
  s.width = 512;
  s.heads = 8;
  s.encoder_layers = s.decoder_layers = s.alignment_layer = 6;
  s.encoder_feed_forward = s.decoder_feed_forward = 2048;
  s.activation = s.average_activation = LAT_NMT_SWISH;
  s.shares_embeddings = s.ties_output = 1;
  return std::make_unique<RandomTransformer>(marian(s), 3, 8, 0.7f);
}

std::vector<Sentence> sentences(int count, int64_t words) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> length(13.6, 4.3);
  std::vector<Sentence> all(count);
  for (Sentence &sentence : all) {
    sentence.resize(static_cast<size_t>(std::min(40.0, std::max(5.0, std::round(length(random))))) + 1);
    for (int32_t &id : sentence) {
      id = static_cast<int32_t>(2 + random() % (words - 2));
    }
    sentence.back() = 0;
  }
  return all;
}

/* Number of multiplications in a network's matrices. */
struct Multiplications {
  double token = 0; /* per source token */
  double row = 0;   /* per row of a step, without the output layer */
  double output = 0;
};
Multiplications multiplications(const RandomNetwork &network) {
  Multiplications made;
  const auto begins = [](const std::string &name, const char *with) { return name.rfind(with, 0) == 0; };
  const auto has = [](const std::string &name, const char *part) { return name.find(part) != std::string::npos; };
  for (const auto &[name, matrix] : network.weights) {
    const double size = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols);
    if (name == "output.Wt") {
      made.output = size;
    } else if (has(name, "embedding")) {
      if (network.weights.count("output.Wt") == 0) { /* the output is tied: to the target's embedding, if there is one */
        made.output = name == "target.embedding" || made.output == 0 ? size : made.output;
      }
    } else if (matrix.rows > 1) { /* not a bias or a gain */
      const bool source =
          begins(name, "encoder.") || begins(name, "attention.key") || has(name, ".cross.key") || has(name, ".cross.value");
      (source ? made.token : made.row) += begins(name, "start") ? 0 : size; /* once per sentence */
    }
  }
  return made;
}

/* Operations (a multiply-add counts as two) that a multiprocessor starts per clock: dense products on tensor cores with
 * 32-bit sums, or without tensor cores. 0 if unknown. */
double operations_per_clock(bool tensor_cores) {
  switch (10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor)) {
    case 80:
      return tensor_cores ? 2048 : 128;
    case 86:
    case 89:
    case 120:
      return tensor_cores ? 1024 : 256;
    case 90:
      return tensor_cores ? 4096 : 256;
    case 100:
      return tensor_cores ? 8192 : 256;
    default:
      return 0;
  }
}

/* The peak rates of the device. */
struct Peak {
  double operations; /* per second; 0 if unknown */
  double bandwidth;  /* bytes per second */
  double l2_bytes;

  explicit Peak(const std::string &precision)
      : operations(operations_per_clock(precision != "float32") * attribute(cudaDevAttrMultiProcessorCount) * 1e3 *
                   attribute(cudaDevAttrClockRate)),
        bandwidth(memory_bandwidth()),
        l2_bytes(attribute(cudaDevAttrL2CacheSize)) {}
};

void measure(const std::string &name, const DeviceModel &model, const std::string &precision, int beam, int batch,
             int64_t vocabulary, const std::vector<Sentence> &all, const Options &options,
             const Multiplications &multiplications, const Peak &peak, const std::string &without) {
  const bool graphs = without != "graphs";
  const bool separate = without == "fusing";
  const bool logits = without == "epilogue";
  const bool listed = without == "all words";
  lat_nmt_options o{};
  o.beam = beam;
  o.n_best = 1;
  o.flags = LAT_NMT_FORBID_END | (beam > 1 ? LAT_NMT_SCORES : 0) | (separate ? LAT_NMT_SEPARATE : 0) |
            (logits ? LAT_NMT_LOGITS : 0) | (without == "rows" ? LAT_NMT_KEEP_ROWS : 0) | (listed ? LAT_NMT_SHORTLIST : 0);
  o.alpha = 1;
  o.sentences = options.places > 0 ? std::min(options.places, batch) : batch;
  o.factor = 1;
  o.longest = 41;
  Drive drive;
  drive.graphs = graphs;
  drive.ahead = options.ahead;
  drive.steps = options.steps;
  drive.trace = options.trace;
  drive.keep_rows = without == "rows";
  Searcher searcher(model, vocabulary, o, drive);
  // batches of all sentences, up to a limit: each batch is translated on its own
  const int batches = std::max<int>(1, std::min<int>(16, static_cast<int>(all.size()) / batch));
  std::vector<std::vector<Sentence>> work(batches);
  uint64_t words = 0;
  uint64_t tokens = 0;
  uint64_t rows = 0; /* sum over all steps: one hypothesis per sentence at first, then `beam` of them */
  for (int b = 0; b < batches; b++) {
    work[b].assign(all.begin() + b * batch, all.begin() + (b + 1) * batch);
    for (const Sentence &sentence : work[b]) {
      words += sentence.size() - 1;
      tokens += sentence.size();
      rows += 1 + (sentence.size() - 1) * beam;
    }
  }
  std::vector<double> seconds;
  int64_t steps = 0;
  uint64_t said = 0;
  for (int repeat = 0; repeat <= options.repeats; repeat++) {
    const int64_t before = searcher.steps();
    const auto start = std::chrono::steady_clock::now();
    for (const auto &one : work) {
      searcher.trace();
      said += searcher.translate(one).size();
    }
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (repeat > 0) {
      seconds.push_back(took);
    }
    steps = searcher.steps() - before;
  }
  if (said != static_cast<uint64_t>(batches) * batch * (options.repeats + 1)) {
    std::fprintf(stderr, "sentences are missing\n");
    std::exit(1);
  }
  const Spread took(seconds);
  const Spread ms = took.times(1e3 / batches);
  const double output = listed ? 0 : multiplications.output;
  const double operations = 2 * (multiplications.token * static_cast<double>(tokens) +
                                 (multiplications.row + output) * static_cast<double>(rows));
  const double decoder_bytes = (multiplications.row + output) * (precision == "float32" ? 4 : 2);
  std::vector<Limit> limits{{"products", peak.operations == 0 ? 0 : 1e3 * operations / peak.operations / batches}};
  if (decoder_bytes > peak.l2_bytes) {
    limits.push_back({"weights", 1e3 * decoder_bytes * static_cast<double>(steps) / batches / peak.bandwidth});
  }
  const std::string about = "\"shape\": \"" + name + "\", \"precision\": \"" + precision + "\", \"beam\": " +
                            std::to_string(beam) + ", \"batch\": " + std::to_string(batch) + ", \"places\": " +
                            std::to_string(o.sentences) + ", \"graphs\": " + (graphs ? "true" : "false") +
                            ", \"ahead\": " + std::to_string(drive.ahead) +
                            ", \"launch_steps\": " + std::to_string(drive.steps) + ", \"keep_rows\": " +
                            (drive.keep_rows ? "true" : "false") + ", \"separate\": " +
                            (separate ? "true" : "false") + (logits ? ", \"epilogue\": false" : "") +
                            (listed ? ", \"shortlist\": true" : "");
  std::printf("{\"op\": \"nmt-kernels\", %s, %s, %s, %s, \"steps\": %lld, \"runs\": %d, \"model_mb\": %.1f, "
              "\"search_mb\": %.1f}\n",
              about.c_str(), fields("words_per_s", took.rate(static_cast<double>(words)), 0).c_str(),
              fields("ms", ms, 3).c_str(), fields(highest(limits), ms).c_str(),
              static_cast<long long>(steps / batches), options.repeats, 1e-6 * static_cast<double>(model.bytes()),
              1e-6 * static_cast<double>(searcher.bytes()));
  if (options.trace) {
    int step = 1;
    for (const auto &[rows, ms] : searcher.trace()) {
      std::printf("{\"op\": \"nmt-step\", %s, \"step\": %d, \"rows\": %lld, \"ms\": %.4f}\n", about.c_str(), ++step,
                  static_cast<long long>(rows), ms);
    }
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; i++) {
    const std::string arg = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) {
        std::fprintf(stderr, "%s needs a value\n", arg.c_str());
        std::exit(2);
      }
      return argv[i];
    };
    if (arg == "--precision") {
      options.precisions.push_back(value());
    } else if (arg == "--beam") {
      options.beams.push_back(std::atoi(value().c_str()));
    } else if (arg == "--batch") {
      options.batches.push_back(std::atoi(value().c_str()));
    } else if (arg == "--shortlist") {
      options.shortlist = std::atoi(value().c_str());
    } else if (arg == "--repeats") {
      options.repeats = std::atoi(value().c_str());
    } else if (arg == "--places") {
      options.places = std::atoi(value().c_str());
    } else if (arg == "--ahead") {
      options.ahead = std::atoi(value().c_str());
    } else if (arg == "--steps") {
      options.steps = std::atoi(value().c_str());
    } else if (arg == "--without") {
      options.without.push_back(value());
      static const std::vector<std::string> kIdeas = {"rows", "epilogue", "fusing", "graphs"};
      if (std::find(kIdeas.begin(), kIdeas.end(), options.without.back()) == kIdeas.end()) {
        std::fprintf(stderr, "--without takes rows, epilogue, fusing or graphs; found %s\n", options.without.back().c_str());
        return 2;
      }
    } else if (arg == "--trace") {
      options.trace = true;
    } else if (arg == "small" || arg == "large" || arg == "narrow" || arg == "transformer") {
      options.shapes.push_back(arg);
    } else {
      std::fprintf(stderr, "unknown argument: %s\n", arg.c_str());
      return 2;
    }
  }
  if (options.repeats < 1 || options.ahead < 1 || options.steps < 1) {
    std::fprintf(stderr, "--repeats, --ahead and --steps must be at least 1\n");
    return 2;
  }
  if (options.shapes.empty()) {
    options.shapes = {"small", "large"};
  }
  if (options.precisions.empty()) {
    options.precisions = {"float16"};
  }
  if (options.beams.empty()) {
    options.beams = {1, 5};
  }
  if (options.batches.empty()) {
    options.batches = {1, 64, 256, 1024, 4096};
  }
  for (const std::string &name : options.shapes) {
    const std::unique_ptr<RandomNetwork> random = network(name);
    const Multiplications products = multiplications(*random);
    for (const std::string &precision : options.precisions) {
      const int number = precision == "float32" ? LAT_NMT_FLOAT32
                         : precision == "float16" ? LAT_NMT_FLOAT16
                                                  : LAT_NMT_BFLOAT16;
      const Peak peak(precision);
      DeviceModel model(*random, number);
      if (options.shortlist > 0) {
        model.give(RandomShortlist(random->source_words(), random->words(), kFirstWords, options.shortlist, 5, true));
      }
      const std::vector<Sentence> all = sentences(4096, random->source_words());
      for (const int beam : options.beams) {
        for (const int batch : options.batches) {
          measure(name, model, precision, beam, batch, random->words(), all, options, products, peak, "");
          if (options.shortlist > 0) {
            measure(name, model, precision, beam, batch, kFirstWords, all, options, products, peak, "all words");
          }
          for (const std::string &idea : options.without) {
            measure(name, model, precision, beam, batch, random->words(), all, options, products, peak, idea);
          }
        }
      }
    }
  }
  return 0;
}
