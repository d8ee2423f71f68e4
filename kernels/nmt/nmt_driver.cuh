// Shared by the test and the bench of neural translation: random models, and a host loop that drives a search.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/test.cuh"

namespace lat::test {

struct Matrix {
  uint64_t rows = 0;
  uint64_t cols = 0;
  std::vector<float> values;
  float at(uint64_t r, uint64_t c) const { return values[r * cols + c]; }
};
using Weights = std::map<std::string, Matrix>;

/* A network with random weights under the names of an .lmx; `bits` significant bits each, so that they are exact in 16
 * bits. */
class RandomNetwork {
 public:
  RandomNetwork(uint64_t seed, int bits) : random_(seed), bits_(bits) {}
  virtual ~RandomNetwork() = default;
  RandomNetwork(const RandomNetwork &) = delete;
  RandomNetwork &operator=(const RandomNetwork &) = delete;
  virtual int create(int precision, lat_nmt_model **model) const = 0;
  virtual int64_t source_words() const = 0;
  virtual int64_t words() const = 0;
  Weights weights;

 protected:
  void add(const std::string &name, int64_t rows, int64_t cols, float deviation, float mean = 0) {
    Matrix m;
    m.rows = rows;
    m.cols = cols;
    m.values.resize(rows * cols);
    std::normal_distribution<float> normal(mean, deviation);
    for (float &v : m.values) {
      int exponent = 0;
      const float x = std::frexp(normal(random_), &exponent);
      v = std::ldexp(std::round(std::ldexp(x, bits_)), exponent - bits_);
    }
    weights[name] = std::move(m);
  }

 private:
  std::mt19937_64 random_;
  int bits_;
};

class RandomRnn final : public RandomNetwork {
 public:
  RandomRnn(const lat_nmt_rnn_settings &settings, uint64_t seed, int bits, float spread)
      : RandomNetwork(seed, bits), s_(settings), spread_(spread) {
    embedding("source.embedding", s_.source_words);
    if (s_.shares_embeddings == 0) {
      embedding("target.embedding", s_.words);
    }
    encoder("encoder.forward", s_.forward_cell);
    encoder("encoder.backward", s_.backward_cell);
    layer("start", 2 * s_.state, s_.state);
    cell("decoder.cell1", s_.cell1, s_.embedding);
    cell("decoder.cell2", s_.cell2, 2 * s_.state);
    for (int i = 1; i <= s_.decoder_transitions; i++) {
      transition("decoder.transition" + std::to_string(i));
    }
    layer("attention.key", 2 * s_.state, s_.attention);
    layer("attention.query", s_.state, s_.attention);
    add("attention.score", 1, s_.attention, 2.0f / std::sqrt(static_cast<float>(s_.attention)));
    layer("readout.state", s_.state, s_.embedding);
    layer("readout.previous", s_.embedding, s_.embedding);
    layer("readout.context", 2 * s_.state, s_.embedding);
    if (s_.ties_output == 0) {
      add("output.Wt", s_.words, s_.embedding, 3 * spread_ / std::sqrt(static_cast<float>(s_.embedding)));
    }
    add("output.bias", 1, s_.words, 0.1f);
  }
  int create(int precision, lat_nmt_model **model) const override { return lat_nmt_rnn_create(&s_, precision, model); }
  int64_t source_words() const override { return s_.source_words; }
  int64_t words() const override { return s_.words; }
  const lat_nmt_rnn_settings &settings() const { return s_; }

 private:
  void embedding(const std::string &name, int64_t words) { add(name, words, s_.embedding, spread_); }
  void side(const std::string &name, int64_t width) {
    add(name + ".bias", 1, width, 0.1f);
    if (s_.normalization != 0) {
      add(name + ".gain", 1, width, 0.2f, 1.0f);
      add(name + ".shift", 1, width, 0.1f);
    }
  }
  void layer(const std::string &name, int64_t in, int64_t out) {
    add(name + ".W", in, out, spread_ / std::sqrt(static_cast<float>(in)));
    side(name, out);
  }
  void cell(const std::string &name, int64_t kind, int64_t in) {
    const int64_t wide = (kind == LAT_NMT_GRU ? 3 : 4) * s_.state;
    add(name + ".W", in, wide, spread_ / std::sqrt(static_cast<float>(in)));
    side(name + ".x", wide);
    add(name + ".U", s_.state, wide, spread_ / std::sqrt(static_cast<float>(s_.state)));
    side(name + ".h", wide);
    if (kind == LAT_NMT_MLSTM) {
      add(name + ".Wm", in, s_.state, spread_ / std::sqrt(static_cast<float>(in)));
      side(name + ".xm", s_.state);
      add(name + ".Um", s_.state, s_.state, spread_ / std::sqrt(static_cast<float>(s_.state)));
      side(name + ".hm", s_.state);
    }
  }
  void transition(const std::string &name) {
    add(name + ".x.bias", 1, 3 * s_.state, 0.1f);
    add(name + ".U", s_.state, 3 * s_.state, spread_ / std::sqrt(static_cast<float>(s_.state)));
    side(name + ".h", 3 * s_.state);
  }
  void encoder(const std::string &name, int64_t kind) {
    cell(name, kind, s_.embedding);
    for (int i = 1; i <= s_.encoder_transitions; i++) {
      transition(name + ".transition" + std::to_string(i));
    }
  }

  lat_nmt_rnn_settings s_;
  float spread_;
};

/* Sets what distinguishes transformers to Marian's. */
inline lat_nmt_transformer_settings marian(lat_nmt_transformer_settings s) {
  s.positions = LAT_NMT_SINUSOIDAL;
  s.scales_embeddings = s.scales_attention = 1;
  s.epsilon = 1e-6;
  s.start = -1;
  s.alignment_heads = 1;
  return s;
}

class RandomTransformer final : public RandomNetwork {
 public:
  RandomTransformer(const lat_nmt_transformer_settings &settings, uint64_t seed, int bits, float spread)
      : RandomNetwork(seed, bits), s_(settings), spread_(spread) {
    embedding("source.embedding", s_.source_words);
    if (s_.shares_embeddings == 0) {
      embedding("target.embedding", s_.words);
    }
    if (s_.positions == LAT_NMT_LEARNED) {
      add("source.positions", s_.position_rows, s_.width, 0.5f);
      add("target.positions", s_.position_rows, s_.width, 0.5f);
    }
    if (s_.positions == LAT_NMT_RELATIVE) {
      add("encoder.positions", s_.relative_buckets, s_.heads, 1.0f);
      if (s_.autoregression == LAT_NMT_SELF_ATTENTION) {
        add("decoder.positions", s_.relative_buckets, s_.heads, 1.0f);
      }
    }
    if (s_.normalizes_embeddings != 0) {
      norm("source");
      norm("target");
    }
    for (int i = 1; i <= s_.encoder_layers; i++) {
      const std::string name = "encoder.layer" + std::to_string(i);
      attention(name + ".self");
      feed_forward(name + ".feedforward", s_.encoder_feed_forward, s_.gated_feed_forward != 0, s_.middle_layers);
    }
    for (int i = 1; i <= s_.decoder_layers; i++) {
      const std::string name = "decoder.layer" + std::to_string(i);
      if (s_.autoregression == LAT_NMT_SELF_ATTENTION) {
        attention(name + ".self");
      } else if (s_.autoregression == LAT_NMT_AVERAGE_ATTENTION) {
        feed_forward(name + ".average", s_.average_feed_forward, false, 0);
        linear(name + ".average.input", s_.width, s_.width);
        linear(name + ".average.forget", s_.width, s_.width);
      } else {
        matrix(name + ".ssru.candidate", s_.width, s_.width);
        linear(name + ".ssru.forget", s_.width, s_.width);
        norm(name + ".ssru");
      }
      attention(name + ".cross");
      feed_forward(name + ".feedforward", s_.decoder_feed_forward, s_.gated_feed_forward != 0, s_.middle_layers);
    }
    if (s_.normalizes_top != 0) {
      norm("encoder");
      norm("decoder");
    }
    if (s_.ties_output == 0) {
      add("output.Wt", s_.words, s_.width, 3 * spread_ / std::sqrt(static_cast<float>(s_.width)));
    }
    add("output.bias", 1, s_.words, 0.1f);
  }
  int create(int precision, lat_nmt_model **model) const override {
    return lat_nmt_transformer_create(&s_, precision, model);
  }
  int64_t source_words() const override { return s_.source_words; }
  int64_t words() const override { return s_.words; }
  const lat_nmt_transformer_settings &settings() const { return s_; }

 private:
  /* Scaled like the output matrix, to which it may be tied; times sqrt(D), words are at least as large as positions. */
  void embedding(const std::string &name, int64_t words) {
    add(name, words, s_.width, 3 * spread_ / std::sqrt(static_cast<float>(s_.width)));
  }
  void matrix(const std::string &name, int64_t in, int64_t out) {
    add(name + ".W", in, out, spread_ / std::sqrt(static_cast<float>(in)));
  }
  void linear(const std::string &name, int64_t in, int64_t out) {
    matrix(name, in, out);
    add(name + ".bias", 1, out, 0.1f);
  }
  void norm(const std::string &name) {
    add(name + ".norm.gain", 1, s_.width, 0.2f, 1.0f);
    if (s_.root_mean_square == 0) {
      add(name + ".norm.shift", 1, s_.width, 0.1f);
    }
  }
  void attention(const std::string &name) {
    const int64_t all = s_.head_width > 0 ? s_.heads * s_.head_width : s_.width;
    for (const char *part : {".query", ".key", ".value"}) {
      linear(name + part, s_.width, all);
    }
    linear(name + ".output", all, s_.width);
    norm(name);
  }
  void feed_forward(const std::string &name, int64_t inner, bool gated, int64_t middle_layers) {
    linear(name + ".inner", s_.width, inner);
    if (gated) {
      linear(name + ".gate", s_.width, inner);
    }
    for (int64_t i = 1; i <= middle_layers; i++) {
      linear(name + ".middle" + std::to_string(i), inner, inner);
    }
    linear(name + ".outer", inner, s_.width);
    norm(name);
  }

  lat_nmt_transformer_settings s_;
  float spread_;
};

/* A table of allowed words, in the format of lat_nmt_model_shortlist. */
struct RandomShortlist {
  int32_t first = 2;
  bool own_words = false;
  std::vector<int32_t> starts{0};
  std::vector<int32_t> words;

  RandomShortlist() = default;
  /* Each source word has up to `best` target words by Zipf's law: the logarithms of their ids are distributed evenly,
   * so that sentences share many of them. */
  RandomShortlist(int64_t sources, int64_t targets, int32_t first_words, int best, uint64_t seed, bool zipf = false)
      : first(first_words) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> share(0, 1);
    own_words = sources == targets;
    for (int64_t source = 0; source < sources; source++) {
      std::set<int32_t> some;
      for (uint64_t n = zipf ? best : generator() % (best + 1); n > 0; n--) {
        some.insert(static_cast<int32_t>(zipf ? std::pow(static_cast<double>(targets), share(generator)) - 1
                                              : static_cast<double>(generator() % targets)));
      }
      words.insert(words.end(), some.lower_bound(first), some.end());
      starts.push_back(static_cast<int32_t>(words.size()));
    }
  }
  /* The words that a sentence allows. */
  std::set<int32_t> of(const std::vector<int32_t> &sentence) const {
    std::set<int32_t> said;
    for (int32_t i = 0; i < first; i++) {
      said.insert(i);
    }
    for (const int32_t source : sentence) {
      said.insert(words.begin() + starts[source], words.begin() + starts[source + 1]);
      if (own_words) {
        said.insert(source);
      }
    }
    return said;
  }
};

/* A model on the device. */
class DeviceModel {
 public:
  DeviceModel(const RandomNetwork &network, int precision) {
    CHECK(network.create(precision, &model_));
    memory_ = std::make_unique<Array<char>>(lat_nmt_model_bytes(model_));
    CHECK(lat_nmt_model_place(model_, memory_->get(), nullptr));
    for (const auto &[name, matrix] : network.weights) {
      const Array<float> values(matrix.values);
      CHECK(lat_nmt_model_tensor(model_, name.c_str(), values.get(), matrix.rows, matrix.cols, nullptr));
      CHECK(cudaDeviceSynchronize());
    }
    if (lat_nmt_model_missing(model_) != 0) {
      std::fprintf(stderr, "%llu tensors are missing\n",
                   static_cast<unsigned long long>(lat_nmt_model_missing(model_)));
      std::exit(1);
    }
  }
  /* Sets the table for searches that use a shortlist. */
  void give(const RandomShortlist &shortlist) {
    starts_ = std::make_unique<Array<int32_t>>(shortlist.starts);
    words_ = std::make_unique<Array<int32_t>>(shortlist.words);
    CHECK(lat_nmt_model_shortlist(model_, shortlist.first, shortlist.own_words ? 1 : 0, starts_->get(), words_->get()));
  }
  ~DeviceModel() { lat_nmt_model_destroy(model_); }
  DeviceModel(const DeviceModel &) = delete;
  DeviceModel &operator=(const DeviceModel &) = delete;
  lat_nmt_model *get() const { return model_; }
  uint64_t bytes() const { return memory_->bytes(); }

 private:
  lat_nmt_model *model_ = nullptr;
  std::unique_ptr<Array<char>> memory_;
  std::unique_ptr<Array<int32_t>> starts_;
  std::unique_ptr<Array<int32_t>> words_;
};

struct Said {
  std::vector<int32_t> words;
  std::vector<float> logs;
  double score = 0;
  double normalized = 0;
  std::vector<float> attention;
};
using Sentence = std::vector<int32_t>;

/* Options for driving a search. */
struct Drive {
  bool graphs = true;
  bool keep_rows = false;   /* launch every step for the maximum number of rows */
  bool trace = false;       /* record the time of every launch */
  int ahead = 3;        /* launches queued before waiting for the first of them */
  int steps = 1;        /* steps a launch */
  int64_t joins = 1;    /* number of calls in which a group of sentences joins */
  double free_share = 0.25; /* sentences join when this fraction of the places is free, or the search is empty */
};

/* Drives a search: every place for a sentence has places for `longest` tokens. */
class Searcher {
 public:
  Searcher(const DeviceModel &model, int64_t words, lat_nmt_options options, const Drive &drive)
      : o_(options), words_(words), drive_(drive), report_(2 + options.sentences), events_(drive.ahead + 1) {
    o_.tokens = o_.sentences * o_.longest;
    o_.join_sentences = o_.sentences;
    o_.join_tokens = o_.tokens;
    o_.attention =
        (o_.flags & LAT_NMT_ALIGNMENT) != 0 ? o_.sentences * o_.longest * o_.longest * o_.factor * o_.beam : 0;
    CHECK(lat_nmt_search_create(model.get(), &o_, reinterpret_cast<lat_nmt_report *>(report_.get()), &search_));
    memory_ = std::make_unique<Array<char>>(lat_nmt_search_bytes(search_));
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&drains_, cudaStreamNonBlocking));
    CHECK(lat_nmt_search_place(search_, memory_->get(), stream_));
    for (auto &event : events_) {
      CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    ids_ = std::make_unique<Pinned<int32_t>>(o_.join_tokens * (1 + o_.factor));
    joins_ = std::make_unique<Pinned<lat_nmt_sentence>>(o_.join_sentences);
  }
  ~Searcher() {
    cudaDeviceSynchronize();
    for (auto &[rows, graph] : graphs_) {
      cudaGraphExecDestroy(graph);
    }
    for (auto &event : events_) {
      cudaEventDestroy(event);
    }
    cudaStreamDestroy(stream_);
    cudaStreamDestroy(drains_);
    lat_nmt_search_destroy(search_);
  }
  Searcher(const Searcher &) = delete;
  Searcher &operator=(const Searcher &) = delete;

  uint64_t bytes() const { return memory_->bytes(); }
  int64_t steps() const { return steps_; }

  /* With Drive.trace: maximum rows, and milliseconds, of every step but the first since the last call. */
  std::vector<std::pair<int64_t, float>> trace() {
    std::vector<std::pair<int64_t, float>> steps;
    for (size_t i = 1; i < traced_.size(); i++) {
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, traced_[i - 1].second, traced_[i].second));
      steps.emplace_back(traced_[i].first, ms);
    }
    for (auto &[rows, event] : traced_) {
      cudaEventDestroy(event);
    }
    traced_.clear();
    return steps;
  }

  /* The length limit of a translation is `factor` times its source's length. prefixes: the words that the translations
   * of each sentence begin with, or are; empty if there are none. may_loop: 1 for sentences whose translations may
   * loop; empty if there are none. */
  std::vector<std::vector<Said>> translate(const std::vector<Sentence> &sentences,
                                           const std::vector<Sentence> &prefixes = {},
                                           const std::vector<int32_t> &may_loop = {}) {
    const int64_t n = static_cast<int64_t>(sentences.size());
    std::vector<int64_t> order(n);
    for (int64_t i = 0; i < n; i++) {
      order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return sentences[a].size() > sentences[b].size(); });
    std::vector<int64_t> result_at(n);
    int64_t words = 0;
    for (int64_t i = 0; i < n; i++) {
      result_at[i] = words;
      const int64_t length = static_cast<int64_t>(sentences[i].size());
      words += lat_nmt_result_words(search_, length, o_.factor * length);
    }
    if (!results_ || results_->size() < static_cast<uint64_t>(words)) {
      results_ = std::make_unique<Pinned<int32_t>>(words);
    }
    if (!ended_ || ended_->size() < static_cast<uint64_t>(n)) {
      ended_ = std::make_unique<Pinned<lat_nmt_ended>>(n);
    }
    std::vector<int32_t> free;
    for (int64_t i = o_.sentences; i > 0; i--) {
      free.push_back(static_cast<int32_t>(i - 1));
    }
    std::vector<int64_t> who(o_.sentences, -1);
    std::vector<std::pair<int64_t, int64_t>> joined; /* step, sentences */
    int64_t next = 0;
    int64_t drained = 0;
    int64_t known = 0; /* rows after the last step that was waited for */
    int64_t queued = 0;
    int64_t waited = 0;
    uint32_t seen = static_cast<uint32_t>(report_[1]);
    const auto bound = [&]() {
      if (words_ - 2 < o_.beam || !prefixes.empty()) {
        return (next - drained) * o_.beam; /* a beam fills up over several steps, or after a prefix */
      }
      int64_t rows = known;
      for (const auto &[step, count] : joined) {
        const bool fresh = step == queued && drive_.steps == 1; /* each begins with one row */
        rows += fresh ? count : step >= waited ? count * o_.beam : 0;
      }
      return rows;
    };
    while (drained < n) {
      const int64_t room = static_cast<int64_t>(free.size());
      const int64_t want = std::min(n - next, room);
      if (want > 0 && (room >= drive_.free_share * o_.sentences || want == n - next || bound() == 0)) {
        // the data of an earlier group must have been read by now
        CHECK(cudaStreamSynchronize(stream_));
        for (int64_t i = 0; i < want; i++) {
          const int64_t sentence = order[next + i];
          const int32_t place = free.back();
          free.pop_back();
          who[place] = sentence;
          const int32_t length = static_cast<int32_t>(sentences[sentence].size());
          const int32_t given = prefixes.empty() ? 0 : static_cast<int32_t>(prefixes[sentence].size());
          const int64_t limit = (o_.flags & LAT_NMT_GIVEN) != 0 ? given : o_.factor * length;
          (*joins_)[i] = {place, length, static_cast<int32_t>(place * o_.longest), static_cast<int32_t>(limit),
                          place * o_.longest * o_.longest * o_.factor * o_.beam,
                          given, may_loop.empty() ? 0 : may_loop[sentence]};
        }
        int32_t *ids = ids_->get();
        for (int64_t j = 0; j < drive_.joins; j++) {
          const int64_t from = want * j / drive_.joins;
          const int64_t to = want * (j + 1) / drive_.joins;
          int32_t *end = ids;
          for (int64_t i = from; i < to; i++) {
            const Sentence &tokens = sentences[order[next + i]];
            end = std::copy(tokens.begin(), tokens.end(), end);
          }
          for (int64_t i = from; i < to && !prefixes.empty(); i++) {
            const Sentence &given = prefixes[order[next + i]];
            end = std::copy(given.begin(), given.end(), end);
          }
          CHECK(lat_nmt_join(search_, joins_->get() + from, to - from, ids, stream_));
          ids = end;
        }
        joined.emplace_back(queued, want);
        next += want;
      }
      if (bound() > 0) {
        launch(drive_.keep_rows ? o_.sentences * o_.beam : bound());
        CHECK(cudaEventRecord(events_[queued % events_.size()], stream_));
        queued++;
        steps_ += drive_.steps;
        if (drive_.trace) {
          cudaEvent_t event;
          CHECK(cudaEventCreate(&event));
          CHECK(cudaEventRecord(event, stream_));
          traced_.emplace_back(drive_.keep_rows ? o_.sentences * o_.beam : bound(), event);
        }
      }
      if (queued - waited >= drive_.ahead || bound() == 0) {
        if (waited < queued) {
          CHECK(cudaEventSynchronize(events_[waited % events_.size()]));
          waited++;
          known = *static_cast<volatile int32_t *>(report_.get());
        }
        const uint32_t all = *reinterpret_cast<volatile uint32_t *>(report_.get() + 1);
        const int64_t first = drained;
        while (seen != all) {
          const int32_t place = report_[2 + seen++ % static_cast<uint32_t>(o_.sentences)];
          (*ended_)[drained++] = {place, static_cast<int32_t>(result_at[who[place]])};
          free.push_back(place);
        }
        if (drained > first) {
          CHECK(lat_nmt_drain(search_, ended_->get() + first, drained - first, results_->get(), drains_));
          if (next < n) {
            CHECK(cudaStreamSynchronize(drains_)); // before a place is reused
          }
        }
      }
    }
    CHECK(cudaStreamSynchronize(drains_));
    CHECK(cudaStreamSynchronize(stream_));
    std::vector<std::vector<Said>> said(n);
    for (int64_t i = 0; i < n; i++) {
      said[i] = parse(results_->get() + result_at[i], sentences[i].size());
    }
    return said;
  }

 private:
  std::vector<Said> parse(const int32_t *at, uint64_t length) const {
    std::vector<Said> all;
    const int32_t count = at[0];
    at += 2;
    for (int32_t i = 0; i < count; i++) {
      Said said;
      const int32_t words = at[0];
      std::memcpy(&said.score, at + 2, 8);
      std::memcpy(&said.normalized, at + 4, 8);
      said.words.assign(at + 6, at + 6 + words);
      said.logs.resize(words);
      std::memcpy(said.logs.data(), at + 6 + words, words * sizeof(float));
      int64_t size = 6 + 2 * words;
      if ((o_.flags & LAT_NMT_ALIGNMENT) != 0) {
        said.attention.resize(words * length);
        std::memcpy(said.attention.data(), at + size, said.attention.size() * sizeof(float));
        size += static_cast<int64_t>(said.attention.size());
      }
      at += (size + 1) / 2 * 2;
      all.push_back(std::move(said));
    }
    return all;
  }

  void launch(int64_t rows) {
    const int64_t most = o_.sentences * o_.beam;
    int64_t bucket = 16;
    while (bucket < rows) {
      bucket += bucket / 2 >= 16 && bucket + bucket / 2 >= rows && (bucket & (bucket - 1)) == 0 ? bucket / 2
                : (bucket & (bucket - 1)) == 0                                                  ? bucket
                                                                                                : bucket / 3;
    }
    bucket = std::min(bucket, most);
    const auto steps = [&]() {
      for (int i = 0; i < drive_.steps; i++) {
        CHECK(lat_nmt_step(search_, bucket, stream_));
      }
    };
    if (!drive_.graphs) {
      steps();
      return;
    }
    auto found = graphs_.find(bucket);
    if (found == graphs_.end()) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
      steps();
      CHECK(cudaStreamEndCapture(stream_, &graph));
      CHECK(cudaGraphInstantiate(&exec, graph, 0));
      cudaGraphDestroy(graph);
      found = graphs_.emplace(bucket, exec).first;
    }
    CHECK(cudaGraphLaunch(found->second, stream_));
  }

  lat_nmt_options o_;
  int64_t words_; /* minimum number of words that every sentence allows */
  Drive drive_;
  Pinned<int32_t> report_;
  std::vector<cudaEvent_t> events_;
  lat_nmt_search *search_ = nullptr;
  std::unique_ptr<Array<char>> memory_;
  std::unique_ptr<Pinned<int32_t>> ids_;
  std::unique_ptr<Pinned<lat_nmt_sentence>> joins_;
  std::unique_ptr<Pinned<int32_t>> results_;
  std::unique_ptr<Pinned<lat_nmt_ended>> ended_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t drains_ = nullptr;
  std::map<int64_t, cudaGraphExec_t> graphs_;
  int64_t steps_ = 0;
  std::vector<std::pair<int64_t, cudaEvent_t>> traced_;
};

}  // namespace lat::test
