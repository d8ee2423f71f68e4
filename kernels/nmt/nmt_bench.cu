// Decoding with random weights: source words a second by batch size, ids in and ids out, host loop included.
//
//   nmt_bench [SHAPE...] [--precision float32|float16|bfloat16] [--beam K] [--batch B] [--without rows|epilogue|fusing|graphs]
//             [--shortlist BEST] [--places N] [--trace] [--repeats N]
//
// SHAPE: "small" (V 4530, E 256, H 512: the Multi30k models), "large" (V 30000, E 512, H 1024), "narrow" (V 30000, E 512,
// H 256: the paper's fast system), "transformer" (6 + 6 layers, D 512, 8 heads, F 2048, V 30000: MarianMT's size). Random
// weights never stop by themselves: the end token is forbidden, and every sentence gets as many words as it has. --without
// measures once more, each time without one idea: that rows of what has ended leave, that softmax and k-best are fused to
// the product ("epilogue": they are one kernel over logits in memory, as in the paper) or at least to each other ("fusing"),
// that a step is a graph. --shortlist measures once more with a shortlist of 100 first words and BEST of each
// source word, drawn by Zipf's law. --places N gives a batch N places, which sentences join as others leave. --trace gives
// the time of each step of the last batch. Lengths are those of Multi30k's sentences: about normal, 13.6 tokens on average.
// A line of JSON for each measurement: the median of the repeats, after one that warms up.
#include <algorithm>
#include <chrono>
#include <cstring>

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
  return std::make_unique<RandomTransformer>(s, 3, 8, 0.7f);
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

void measure(const std::string &name, const DeviceModel &model, const std::string &precision, int beam, int batch,
             int64_t vocabulary, const std::vector<Sentence> &all, const Options &options,
             const std::string &without) {
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
  drive.trace = options.trace;
  drive.keep_rows = without == "rows";
  Searcher searcher(model, vocabulary, o, drive);
  // batches of as many sentences as there are, at most some: each is translated by itself
  const int batches = std::max<int>(1, std::min<int>(16, static_cast<int>(all.size()) / batch));
  std::vector<std::vector<Sentence>> work(batches);
  uint64_t words = 0;
  for (int b = 0; b < batches; b++) {
    work[b].assign(all.begin() + b * batch, all.begin() + (b + 1) * batch);
    for (const Sentence &sentence : work[b]) {
      words += sentence.size() - 1;
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
  const double took = median(seconds);
  const std::string about = "\"shape\": \"" + name + "\", \"precision\": \"" + precision + "\", \"beam\": " +
                            std::to_string(beam) + ", \"batch\": " + std::to_string(batch) + ", \"places\": " +
                            std::to_string(o.sentences) + ", \"graphs\": " + (graphs ? "true" : "false") +
                            ", \"keep_rows\": " + (drive.keep_rows ? "true" : "false") + ", \"separate\": " +
                            (separate ? "true" : "false") + (logits ? ", \"epilogue\": false" : "") +
                            (listed ? ", \"shortlist\": true" : "");
  std::printf("{\"op\": \"nmt-kernels\", %s, \"words_per_s\": %.0f, \"ms\": %.3f, \"steps\": %lld, "
              "\"model_mb\": %.1f, \"search_mb\": %.1f}\n",
              about.c_str(), static_cast<double>(words) / took, 1e3 * took / batches,
              static_cast<long long>(steps / batches), 1e-6 * static_cast<double>(model.bytes()),
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
    } else if (arg == "--without") {
      options.without.push_back(value());
      static const std::vector<std::string> kIdeas = {"rows", "epilogue", "fusing", "graphs"};
      if (std::find(kIdeas.begin(), kIdeas.end(), options.without.back()) == kIdeas.end()) {
        std::fprintf(stderr, "without rows, epilogue, fusing or graphs, not %s\n", options.without.back().c_str());
        return 2;
      }
    } else if (arg == "--trace") {
      options.trace = true;
    } else if (arg == "small" || arg == "large" || arg == "narrow" || arg == "transformer") {
      options.shapes.push_back(arg);
    } else {
      std::fprintf(stderr, "what is %s?\n", arg.c_str());
      return 2;
    }
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
    for (const std::string &precision : options.precisions) {
      const int number = precision == "float32" ? LAT_NMT_FLOAT32
                         : precision == "float16" ? LAT_NMT_FLOAT16
                                                  : LAT_NMT_BFLOAT16;
      DeviceModel model(*random, number);
      if (options.shortlist > 0) {
        model.give(RandomShortlist(random->source_words(), random->words(), kFirstWords, options.shortlist, 5, true));
      }
      const std::vector<Sentence> all = sentences(4096, random->source_words());
      for (const int beam : options.beams) {
        for (const int batch : options.batches) {
          measure(name, model, precision, beam, batch, random->words(), all, options, "");
          if (options.shortlist > 0) {
            measure(name, model, precision, beam, batch, kFirstWords, all, options, "all words");
          }
          for (const std::string &idea : options.without) {
            measure(name, model, precision, beam, batch, random->words(), all, options, idea);
          }
        }
      }
    }
  }
  return 0;
}
