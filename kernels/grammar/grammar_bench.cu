// Sentences per second of membership, end to end.
//
//   grammar_bench GRAMMAR[,FILE..] SENTENCES.tsv [--sentences 4096,..] [--lengths 0,25,..] [--memory MB] [--runs 9]
//
// GRAMMAR is in the text format of v, b, u, t and start lines, SENTENCES has the words of a sentence in its last column;
// files ending in .gz are unpacked. A length of 0 takes the sentences as they are, another one cuts their text into
// sentences of so many words. Prints one JSON object per line on stdout. A run starts with the words in page-locked host
// memory and ends with results and roots there: "ms" is its time on the host's clock, "divide_ms" of it the division of
// the batch on the host; "device_ms" is the kernels' time on the device's clock. The grammar stays on the device.
// Medians of the runs, also minimum and maximum. `limit` names what bounds the kernels on this device, `of_limit` is the
// fraction of it that they reached.
#include <chrono>
#include <cstring>

#include "common/bench.cuh"
#include "grammar/grammar_driver.cuh"
#include "grammar/grammar_file.cuh"

namespace {

using namespace lat::grammar;
using namespace lat::test;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr,
               "%s\nusage: grammar_bench GRAMMAR[,FILE..] SENTENCES.tsv [--sentences N,..] [--lengths N,..] "
               "[--memory MB] [--runs N]\n",
               what.c_str());
  std::exit(2);
}

/* An array in page-locked host memory. */
template <typename T>
class Pinned {
 public:
  explicit Pinned(uint64_t size) { CHECK(cudaMallocHost(&data_, size == 0 ? 1 : size * sizeof(T))); }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;
  T *get() const { return static_cast<T *>(data_); }

 private:
  void *data_ = nullptr;
};

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* A batch whose input and output are in page-locked memory, each in one piece. */
class Run {
 public:
  Run(const lat_grammar_index &index, const Sentences &sentences, uint64_t memory)
      : index_(index), memory_(memory), size_(sentences.size()), words_(words_of(sentences)),
        result_words_(size_ * (LAT_GRAMMAR_RESULTS + parts_of(index.classes, uint64_t{32}))), lengths_(size_),
        input_(words_ + 4 * size_ + 2), output_(result_words_), d_input_(words_ + 4 * size_ + 2),
        d_output_(result_words_) {
    uint32_t *at = input_.get();
    for (const auto &sentence : sentences) {
      std::copy(sentence.begin(), sentence.end(), at);
      at += sentence.size();
    }
    *at = 0;
    for (size_t s = 0; s < size_; s++) {
      lengths_[s] = static_cast<uint32_t>(sentences[s].size());
      at[1] = at[0] + lengths_[s];
      at++;
    }
  }

  void once() {
    const double start = now_ms();
    uint32_t *order = input_.get() + words_ + size_ + 1;
    uint32_t *slots = order + size_;
    uint32_t *parts = slots + size_;
    CHECK(lat_grammar_divide(&index_, lengths_.data(), size_, memory_, &plan, order, slots, parts));
    const double divided = now_ms();
    lat_grammar_batch batch{};
    batch.sentences = size_;
    batch.lengths = lengths_.data();
    batch.order = order;
    batch.slots = slots;
    batch.parts = parts;
    const uint32_t *d_input = d_input_.get();
    batch.d_words = reinterpret_cast<const int32_t *>(d_input);
    batch.d_word_starts = d_input + words_;
    batch.d_order = batch.d_word_starts + size_ + 1;
    batch.d_slots = batch.d_order + size_;
    batch.d_parts = batch.d_slots + size_;
    batch.d_results = d_output_.get();
    batch.d_roots = d_output_.get() + size_ * LAT_GRAMMAR_RESULTS;
    size_t bytes = 0;
    CHECK(lat_grammar_check(&index_, &batch, &plan, nullptr, &bytes, nullptr));
    if (scratch_ == nullptr || scratch_->size() < bytes) {
      scratch_ = std::make_unique<Array<char>>(bytes);
    }
    CHECK(cudaMemcpyAsync(d_input_.get(), input_.get(), d_input_.bytes(), cudaMemcpyHostToDevice));
    timer_.start();
    CHECK(lat_grammar_check(&index_, &batch, &plan, scratch_->get(), &bytes, nullptr));
    device_ms = timer_.stop_ms();
    CHECK(cudaMemcpyAsync(output_.get(), d_output_.get(), d_output_.bytes(), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(nullptr));
    ms = now_ms() - start;
    divide_ms = divided - start;
  }

  uint64_t accepted() const {
    uint64_t count = 0;
    for (size_t s = 0; s < size_; s++) {
      count += output_.get()[s * LAT_GRAMMAR_RESULTS + LAT_GRAMMAR_ACCEPTED];
    }
    return count;
  }
  uint64_t words() const { return words_; }
  double device_mb() const { return static_cast<double>(plan.memory) / 1e6; }

  /* The least time that the kernels could take: see tile.cuh and diagonal.cuh. */
  Limit limit() const {
    const uint32_t *order = input_.get() + words_ + size_ + 1;
    const uint32_t *parts = order + 2 * size_;
    double shared = 0; /* cycles of one multiprocessor */
    double sectors = 0;
    uint64_t part = 0;
    const auto rows = [&](uint64_t from, uint64_t to, auto f) {
      for (uint32_t span = 2; span <= lengths_[order[from]]; span++) {
        uint64_t cells = 0;
        for (uint64_t n = from; n < to && lengths_[order[n]] >= span; n++) {
          cells += lengths_[order[n]] - span + 1;
        }
        f(static_cast<double>(parts_of(cells, uint64_t{32})), span);
      }
    };
    const auto pairs = static_cast<double>(index_.pairs);
    for (; part < plan.groups; part++) {
      rows(parts[part], parts[part + 1], [&](double count, uint32_t span) {
        sectors += count * (8 * pairs * (1 + static_cast<double>(span - 2) / 32));
      });
    }
    for (uint32_t shape = 0; shape < LAT_GRAMMAR_SHAPES; shape++) {
      for (const uint64_t end = part + plan.tiles[shape]; part < end; part++) {
        rows(parts[part], parts[part + 1],
             [&](double count, uint32_t) { shared += count * pairs * (2 * kShapeWords[shape] + 1); });
      }
    }
    const double cycles = 1e3 * attribute(cudaDevAttrClockRate) * attribute(cudaDevAttrMultiProcessorCount);
    return highest({{"shared memory", 1e3 * shared / cycles}, {"sectors of L2", 1e3 * sectors / random_sectors(1)}});
  }

  lat_grammar_plan plan{};
  double ms = 0;
  double divide_ms = 0;
  double device_ms = 0;

 private:
  static uint64_t words_of(const Sentences &sentences) {
    uint64_t words = 0;
    for (const auto &sentence : sentences) {
      words += sentence.size();
    }
    return words;
  }

  lat_grammar_index index_;
  uint64_t memory_;
  uint64_t size_;
  uint64_t words_;
  uint64_t result_words_;
  std::vector<uint32_t> lengths_;
  Pinned<uint32_t> input_; /* words, word starts, order, slots, parts */
  Pinned<uint32_t> output_;
  Array<uint32_t> d_input_;
  Array<uint32_t> d_output_;
  std::unique_ptr<Array<char>> scratch_;
  Timer timer_;
};

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

void measure(const lat_grammar_index &index, const Sentences &sentences, uint64_t length, uint64_t memory, int runs,
             const char *device) {
  Run run(index, sentences, memory);
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
  line << "{\"op\": \"cyk\", \"device\": \"" << device << "\", \"classes\": " << index.classes
       << ", \"pairs\": " << index.pairs << ", \"rules\": " << index.rules << ", \"sentences\": " << sentences.size()
       << ", \"words\": " << run.words() << ", \"length\": " << length << ", \"accepted\": " << run.accepted()
       << ", \"groups\": " << run.plan.groups << ", \"tiles\": [" << run.plan.tiles[0] << ", " << run.plan.tiles[1]
       << ", " << run.plan.tiles[2] << "], " << fields("ms", spread, 4) << ", "
       << fields("sentences_per_s", spread.rate(1e3 * count), 0) << ", \"divide_ms\": " << median(divide_ms) << ", "
       << fields("device_ms", on_device, 4) << ", " << fields("device_sentences_per_s", on_device.rate(1e3 * count), 0)
       << ", \"device_mb\": " << run.device_mb() << ", " << fields(run.limit(), on_device) << ", \"runs\": " << runs
       << "}";
  std::printf("%s\n", line.str().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fail("a grammar and sentences are needed");
  }
  std::vector<uint64_t> sizes{1, 64, 4096, 14968};
  std::vector<uint64_t> lengths{0};
  uint64_t memory = uint64_t{4} << 30;
  int runs = 9;
  for (int i = 3; i < argc; i += 2) {
    if (i + 1 == argc) {
      fail(std::string("a value is missing after ") + argv[i]);
    } else if (std::strcmp(argv[i], "--sentences") == 0) {
      sizes = numbers(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--lengths") == 0) {
      lengths = numbers(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--memory") == 0) {
      memory = numbers(argv[i + 1]).at(0) << 20;
    } else if (std::strcmp(argv[i], "--runs") == 0) {
      runs = std::atoi(argv[i + 1]);
    } else {
      fail(std::string("unknown option ") + argv[i]);
    }
  }
  const PlainGrammar grammar = read_grammar(split(argv[1], ','));
  const Sentences text = read_sentences(grammar, argv[2]);
  const PackedGrammar packed(grammar);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  GpuMachine machine;
  const lat_grammar_index index = packed.put(machine);
  for (const uint64_t length : lengths) {
    for (const uint64_t size : sizes) {
      measure(index, select(text, size, length), length, memory, runs, properties.name);
    }
  }
  return 0;
}
