// Words scored per second by batch size, with and without copies of ids and results; then from raw text.
//
//   lm_bench MODEL.llm TEXT [--repeat 10] [--batches 1000,10000,...] [--runs 9]
//
// TEXT has one sentence per line, words separated by one space; it is repeated. Every word and the end of every
// sentence is a query; <s> is context. Prints one JSON object per line on stdout. Kernel: the tokens are on the device.
// Copies: from page-locked memory and back (4 bytes per token in, 5 out), large batches in pieces on three streams.
// Text: the bytes of all texts are on the device, where words are looked up, scored, and summed per text; also each of
// these steps alone. Times are medians of the runs, with minimum and maximum; `limit` names what bounds the time on an
// H200, `of_limit` is the fraction of it that was reached.
#include <sstream>
#include <unordered_map>

#include "common/index_file.cuh"

namespace {

using namespace lat::test;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "%s\nusage: lm_bench MODEL.llm TEXT [--repeat N] [--batches N,..] [--runs N]\n", what.c_str());
  std::exit(2);
}

/* A language model file. */
class Model {
 public:
  explicit Model(const std::string &path) : file_(path) {
    const std::string settings = file_.settings();
    order = static_cast<int>(IndexFile::number(settings, "order"));
    buckets = IndexFile::number(settings, "buckets");
    keys = IndexFile::number(settings, "keysPerNode");
    for (const std::string &word : file_.words("vocab")) {
      ids_.emplace(word, words++);
      longest = std::max(longest, static_cast<uint32_t>(word.size()));
    }
  }

  bool hash() const { return buckets != 0; }
  uint32_t id(const std::string &word) const {
    const auto known = ids_.find(word);
    return known == ids_.end() ? 0 : known->second;
  }
  template <typename T = char>
  Array<T> device(const char *name) const {
    const IndexFile::Section section = file_.section(name);
    return {reinterpret_cast<const T *>(section.bytes), section.length / sizeof(T)};
  }

  int order = 0;
  uint32_t words = 0;
  uint64_t buckets = 0;
  uint64_t keys = 0;  // keys per node
  uint32_t longest = 0;  // maximum bytes of a word

 private:
  IndexFile file_;
  std::unordered_map<std::string, uint32_t> ids_;
};

std::vector<uint32_t> tokens_of(const Model &model, const std::vector<char> &text) {
  std::vector<uint32_t> tokens;
  std::istringstream lines(std::string(text.begin(), text.end()));
  const uint32_t begin = model.id("<s>") | LAT_LM_FIRST | LAT_LM_CONTEXT;
  const uint32_t end = model.id("</s>");
  for (std::string line; std::getline(lines, line);) {
    tokens.push_back(begin);
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      tokens.push_back(model.id(word));
    }
    tokens.push_back(end);
  }
  return tokens;
}

uint64_t queries(const std::vector<uint32_t> &tokens, uint64_t size) {
  return size - static_cast<uint64_t>(std::count_if(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(size),
                                                    [](uint32_t t) { return (t & LAT_LM_CONTEXT) != 0; }));
}

/* Concatenated texts, in the format of lat_lm_tokens. */
struct Texts {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> ends;

  Texts(const std::vector<char> &text, int repeat) {
    for (int i = 0; i < repeat; i++) {
      for (const char c : text) {
        if (c == '\n') {
          ends.push_back(static_cast<uint32_t>(bytes.size()));
        }
        bytes.push_back(static_cast<uint8_t>(c));
      }
    }
  }
};

/* The minimum time to read one sector of the table per n-gram of two or more words found. */
Limit found_sectors(const std::vector<uint8_t> &lengths, uint64_t table_bytes) {
  double found = 0;
  for (const uint8_t length : lengths) {
    found += length > 1 ? length - 1 : 0;
  }
  return {"a random sector per n-gram found", 1e3 * found / random_sectors(table_bytes)};
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fail("a model and a text are needed");
  }
  int repeat = 10;
  int runs = 9;
  std::vector<uint64_t> batches;
  read_options(argc, argv, 3, fail,
               {{"--repeat", into(repeat)}, {"--batches", into(batches)}, {"--runs", into(runs)}});
  const Model model(argv[1]);
  const std::vector<char> raw = read_file<char>(argv[2]);
  std::vector<uint32_t> once = tokens_of(model, raw);
  std::vector<uint32_t> tokens;
  for (int i = 0; i < repeat; i++) {
    tokens.insert(tokens.end(), once.begin(), once.end());
  }
  batches.push_back(tokens.size());
  const Array<char> small = model.device(model.hash() ? "unigrams" : "btree/root");
  const Array<char> large = model.device(model.hash() ? "hash/table" : "btree/nodes");
  const Array<uint32_t> text(tokens);
  const Array<float> log10(tokens.size());
  const Array<uint8_t> lengths(tokens.size());
  const Pinned<uint32_t> host_tokens(tokens.size());
  const Pinned<float> host_log10(tokens.size());
  const Pinned<uint8_t> host_lengths(tokens.size());
  std::copy(tokens.begin(), tokens.end(), host_tokens.get());
  cudaStream_t streams[3];
  for (auto &stream : streams) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  const auto score = [&](const uint32_t *these, uint64_t from, uint64_t size, cudaStream_t stream) {
    if (model.hash()) {
      CHECK(lat_lm_hash_score(these + from, size, model.order, small.get(), model.words, large.get(),
                              model.buckets, log10.get() + from, lengths.get() + from, nullptr, nullptr, stream));
    } else {
      CHECK(lat_lm_btree_score(these + from, size, model.order, small.get(), model.words,
                               reinterpret_cast<const uint32_t *>(large.get()), large.bytes() / 4,
                               log10.get() + from, lengths.get() + from, nullptr, nullptr, stream));
    }
  };
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  for (uint64_t batch : batches) {
    batch = std::min<uint64_t>(batch, tokens.size());
    // Small batches are measured many in a row, each as its own launch.
    const int launches = batch < 1000000 ? 20 : 1;
    std::vector<double> kernel;
    std::vector<double> copies;
    Timer timer;
    for (int run = -2; run < runs; run++) {
      timer.start();
      for (int i = 0; i < launches; i++) {
        score(text.get(), 0, batch, nullptr);
      }
      const double kernel_ms = timer.stop_ms() / launches;
      CHECK(cudaDeviceSynchronize());
      const uint64_t piece = std::max<uint64_t>(1 << 20, batch / 16 + 1) / 256 * 256;
      timer.start();
      CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < launches; i++) {
        int turn = 0;
        for (uint64_t from = 0; from < batch; from += piece, turn = (turn + 1) % 3) {
          // A piece starts with the words before it; here it is scored without them, at the same cost.
          const uint64_t size = std::min(piece, batch - from);
          const cudaStream_t stream = streams[turn];
          CHECK(cudaMemcpyAsync(text.get() + from, host_tokens.get() + from, size * 4, cudaMemcpyHostToDevice,
                                stream));
          score(text.get(), from, size, stream);
          CHECK(cudaMemcpyAsync(host_log10.get() + from, log10.get() + from, size * 4, cudaMemcpyDeviceToHost,
                                stream));
          CHECK(cudaMemcpyAsync(host_lengths.get() + from, lengths.get() + from, size, cudaMemcpyDeviceToHost,
                                stream));
        }
        for (const auto &stream : streams) {
          CHECK(cudaStreamSynchronize(stream));
        }
      }
      const double copies_ms = timer.stop_ms() / launches;
      if (run >= 0) {
        kernel.push_back(kernel_ms);
        copies.push_back(copies_ms);
      }
    }
    const double asked = static_cast<double>(queries(tokens, batch));
    double sum = 0;
    for (const float value : log10.copy(batch)) {
      sum += value;
    }
    const Spread kernel_ms(kernel);
    const Spread copies_ms(copies);
    const Limit least = highest({{"tokens and results once through memory", 1e3 * 9 * static_cast<double>(batch) / kReadBytes},
                                 found_sectors(lengths.copy(batch), large.bytes())});
    const Limit least_copies{"results over the bus", 1e3 * 5 * static_cast<double>(batch) / kBusBytes};
    std::printf(
        "{\"op\": \"lm\", \"device\": \"%s\", \"layout\": \"%s\", \"order\": %d, \"keys\": %d, \"model_mb\": %.1f, \"queries\": %.0f, "
        "%s, %s, %s, %s, %s, \"copies_limit\": \"%s\", \"copies_limit_ms\": %.4f, \"copies_of_limit\": %.4f, \"log10\": %.6f, "
        "\"runs\": %d}\n",
        properties.name, model.hash() ? "hash" : "btree", model.order, static_cast<int>(model.keys),
        static_cast<double>(small.bytes() + large.bytes()) / 1e6, asked, fields("kernel_ms", kernel_ms, 4).c_str(),
        fields("kernel_gqps", kernel_ms.rate(asked / 1e6), 4).c_str(), fields("copies_ms", copies_ms, 4).c_str(),
        fields("copies_gqps", copies_ms.rate(asked / 1e6), 4).c_str(), fields(least, kernel_ms).c_str(), least_copies.name,
        least_copies.ms, least_copies.ms / copies_ms.median, sum, runs);
    std::fflush(stdout);
  }
  if (raw.empty() || raw.back() != '\n') {
    fail("the text does not end with a line feed");
  }
  const Texts texts(raw, repeat);
  std::vector<uint8_t> padded = texts.bytes;
  padded.resize(padded.size() + LAT_LM_TEXT_PADDING);
  const Array<uint8_t> bytes(padded);
  const Array<uint32_t> ends(texts.ends);
  const Array<uint8_t> word_text = model.device<uint8_t>("vocab/text");
  const Array<uint32_t> word_starts = model.device<uint32_t>("vocab/offsets");
  const Array<uint64_t> word_table = model.device<uint64_t>("vocab/table");
  const Array<uint32_t> found((texts.bytes.size() + 1) / 2 + texts.ends.size() * 2);
  const Array<uint32_t> offsets(texts.ends.size() + 1);
  const Array<float> totals(texts.ends.size());
  const Array<uint32_t> unknown(texts.ends.size());
  const Array<double> unknown_totals(texts.ends.size());
  size_t scratch_bytes = 0;
  const auto look_up = [&](void *scratch) {
    CHECK(lat_lm_tokens(bytes.get(), texts.bytes.size(), ends.get(), texts.ends.size(), word_text.get(),
                        word_starts.get(), model.words, word_table.get(), static_cast<uint32_t>(word_table.size()),
                        model.longest, model.id("<s>"), model.id("</s>"), found.get(), offsets.get(), scratch,
                        &scratch_bytes, nullptr));
  };
  look_up(nullptr);
  const Array<char> scratch(scratch_bytes);
  std::vector<double> steps[4];
  Timer timer;
  for (int run = -2; run < runs; run++) {
    const auto measure = [&](int step, auto work) {
      timer.start();
      work();
      const double ms = timer.stop_ms();
      if (run >= 0) {
        steps[step].push_back(ms);
      }
    };
    const auto sums = [&] {
      CHECK(lat_lm_sums(found.get(), offsets.get(), texts.ends.size(), log10.get(), totals.get(), unknown.get(),
                        unknown_totals.get(), nullptr));
    };
    measure(0, [&] { look_up(scratch.get()); });
    if (run == -2 && found.copy(tokens.size()) != tokens) {
      fail("the device found other words in the text than the host");
    }
    const auto score_found = [&] { score(found.get(), 0, tokens.size(), nullptr); };
    measure(1, score_found);
    measure(2, sums);
    measure(3, [&] {
      look_up(scratch.get());
      score_found();
      sums();
    });
  }
  const double asked = static_cast<double>(queries(tokens, tokens.size()));
  const Spread all_ms(steps[3]);
  const double vocabulary_bytes = static_cast<double>(word_text.bytes() + word_starts.bytes() + word_table.bytes());
  const Limit scored = found_sectors(lengths.copy(tokens.size()), large.bytes());
  const Limit least{"three random sectors of the vocabulary per word, then one per n-gram found",
                    1e3 * 3 * asked / random_sectors(static_cast<uint64_t>(vocabulary_bytes)) + scored.ms};
  std::printf(
      "{\"op\": \"lm-text\", \"device\": \"%s\", \"layout\": \"%s\", \"order\": %d, \"vocabulary_mb\": %.1f, "
      "\"text_mb\": %.1f, \"queries\": %.0f, %s, %s, %s, %s, %s, %s, \"runs\": %d}\n",
      properties.name, model.hash() ? "hash" : "btree", model.order, vocabulary_bytes / 1e6,
      static_cast<double>(texts.bytes.size()) / 1e6, asked, fields("look_up_ms", Spread(steps[0]), 4).c_str(),
      fields("score_ms", Spread(steps[1]), 4).c_str(), fields("sums_ms", Spread(steps[2]), 4).c_str(),
      fields("all_ms", all_ms, 4).c_str(), fields("gqps", all_ms.rate(asked / 1e6), 4).c_str(),
      fields(least, all_ms).c_str(), runs);
  return 0;
}
