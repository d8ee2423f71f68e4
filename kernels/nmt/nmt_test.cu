// Compares models of every kind with a plain 64-bit decoder, one sentence at a time. Exits with 0 if all are equal.
//
//   nmt_test [SCALE [CASE...]]    SCALE multiplies the sentences. 0 makes few and short ones (but "many" and "wide"
//                                 have many) and translates once, for compute-sanitizer, which takes seconds per case
//                                 (racecheck 7, minutes for "wide"). CASE selects cases; they can run in parallel.
//
// Words must be equal unless two continuations are within 1e-4 of each other in 32 bits, 0.02 in float16, 0.25 in
// bfloat16 (random models are full of such near ties; even so, half of the translations must be equal). Scores must
// agree within 1e-3 in 32 bits, and within 3 (float16) or 15 (bfloat16) hundredths per word in 16 bits.
#include <chrono>
#include <set>
#include <variant>

#include "common/compare.cuh"
#include "nmt/nmt_reference.cuh"

namespace {

using namespace lat::test;

/* The equations, one row at a time. */
class RnnReference final : public Reference {
 public:
  explicit RnnReference(const RandomRnn &network) : Reference(network.weights), s_(network.settings()) {}

  void encode(const Sentence &ids) override {
    const size_t n = ids.size();
    annotations_.assign(n, Row(2 * s_.state));
    for (int d = 0; d < 2; d++) {
      const std::string name = d == 0 ? "encoder.forward" : "encoder.backward";
      State state;
      state.h = state.c = Row(s_.state);
      for (size_t t = 0; t < n; t++) {
        const size_t at = d == 0 ? t : n - 1 - t;
        state = cell(name, d == 0 ? s_.forward_cell : s_.backward_cell, row("source.embedding", ids[at]), state);
        for (int i = 1; i <= s_.encoder_transitions; i++) {
          state = transition(name + ".transition" + std::to_string(i), state);
        }
        std::copy(state.h.begin(), state.h.end(), annotations_[at].begin() + d * s_.state);
      }
    }
    Row mean(2 * s_.state);
    keys_.clear();
    for (const Row &a : annotations_) {
      for (size_t i = 0; i < mean.size(); i++) {
        mean[i] += a[i] / static_cast<double>(n);
      }
      keys_.push_back(layer("attention.key", a));
    }
    start_.h = layer("start", mean);
    for (double &v : start_.h) {
      v = std::tanh(v);
    }
    start_.c = s_.starts_cell != 0 ? start_.h : Row(s_.state);
  }

  Row step(int word, State &state, Row &attention) override {
    const std::string target = s_.shares_embeddings != 0 ? "source.embedding" : "target.embedding";
    const Row e = word < 0 ? Row(s_.embedding) : row(target, word);
    state = cell("decoder.cell1", s_.cell1, e, state);
    const Row query = layer("attention.query", state.h);
    const Matrix &v = w_.at("attention.score");
    attention.assign(keys_.size(), 0);
    double max = -1e300;
    for (size_t t = 0; t < keys_.size(); t++) {
      for (size_t i = 0; i < query.size(); i++) {
        attention[t] += std::tanh(keys_[t][i] + query[i]) * v.values[i];
      }
      max = std::max(max, attention[t]);
    }
    double sum = 0;
    for (double &a : attention) {
      sum += a = std::exp(a - max);
    }
    Row context(2 * s_.state);
    for (size_t t = 0; t < keys_.size(); t++) {
      attention[t] /= sum;
      for (size_t i = 0; i < context.size(); i++) {
        context[i] += attention[t] * annotations_[t][i];
      }
    }
    state = cell("decoder.cell2", s_.cell2, context, state);
    for (int i = 1; i <= s_.decoder_transitions; i++) {
      state = transition("decoder.transition" + std::to_string(i), state);
    }
    const Row a = layer("readout.state", state.h);
    const Row b = layer("readout.previous", e);
    const Row c = layer("readout.context", context);
    Row o(s_.embedding);
    for (size_t i = 0; i < o.size(); i++) {
      o[i] = std::tanh(a[i] + b[i] + c[i]);
    }
    return output(o, s_.ties_output != 0 ? target : "output.Wt");
  }

 private:
  void normalize(Row &v, size_t from, size_t to, const std::string &name) const {
    double mean = 0;
    for (size_t i = from; i < to; i++) {
      mean += v[i] / static_cast<double>(to - from);
    }
    double variance = 0;
    for (size_t i = from; i < to; i++) {
      variance += (v[i] - mean) * (v[i] - mean) / static_cast<double>(to - from);
    }
    const double scale = 1 / std::sqrt(variance + (s_.normalization == 1 ? 1e-9 : 1e-5));
    const Matrix &gain = w_.at(name + ".gain");
    const Matrix &shift = w_.at(name + ".shift");
    for (size_t i = from; i < to; i++) {
      v[i] = (v[i] - mean) * scale * gain.values[i] + shift.values[i];
    }
  }
  Row side(const std::string &name, Row v, bool is_cell) const {
    const Matrix &bias = w_.at(name + ".bias");
    for (size_t i = 0; i < v.size(); i++) {
      v[i] += bias.values[i];
    }
    if (s_.normalization != 0) {
      const size_t split = s_.normalization == 2 && is_cell ? v.size() - s_.state : 0;
      if (split > 0) {
        normalize(v, 0, split, name);
      }
      normalize(v, split, v.size(), name);
    }
    return v;
  }
  Row layer(const std::string &name, const Row &x) const { return side(name, times(x, w_.at(name + ".W")), false); }

  State cell(const std::string &name, int64_t kind, const Row &in, const State &before) const {
    const Row x = side(name + ".x", times(in, w_.at(name + ".W")), true);
    Row h = before.h;
    if (kind == LAT_NMT_MLSTM) {
      const Row xm = side(name + ".xm", times(in, w_.at(name + ".Wm")), false);
      h = side(name + ".hm", times(h, w_.at(name + ".Um")), false);
      for (size_t i = 0; i < h.size(); i++) {
        h[i] *= xm[i];
      }
    }
    return combine(kind, x, side(name + ".h", times(h, w_.at(name + ".U")), true), before);
  }
  State transition(const std::string &name, const State &before) const {
    const Matrix &bias = w_.at(name + ".x.bias");
    return combine(LAT_NMT_GRU, Row(bias.values.begin(), bias.values.end()),
                   side(name + ".h", times(before.h, w_.at(name + ".U")), true), before);
  }
  State combine(int64_t kind, const Row &x, const Row &y, const State &before) const {
    State after = before;
    const size_t n = s_.state;
    for (size_t j = 0; j < n; j++) {
      if (kind == LAT_NMT_GRU) {
        const double r = sigmoid(x[j] + y[j]);
        const double u = sigmoid(x[n + j] + y[n + j]);
        const double k = std::tanh(x[2 * n + j] + r * y[2 * n + j]);
        after.h[j] = u * before.h[j] + (1 - u) * k;
      } else {
        const double f = sigmoid(x[j] + y[j]);
        const double i = sigmoid(x[n + j] + y[n + j]);
        const double o = sigmoid(x[2 * n + j] + y[2 * n + j]);
        const double k = std::tanh(x[3 * n + j] + y[3 * n + j]);
        after.c[j] = f * before.c[j] + i * k;
        after.h[j] = o * std::tanh(after.c[j]);
      }
    }
    return after;
  }

  const lat_nmt_rnn_settings &s_;
  std::vector<Row> annotations_;
  std::vector<Row> keys_;
};

struct Expected {
  std::vector<Said> best;
  double margin; /* the minimum distance between kept and dropped continuations, and between results */
};

/* Whether the first n words end in a loop. */
bool loops(const std::vector<int32_t> &words, size_t n) {
  for (size_t period = 1; period <= LAT_NMT_LOOP_PERIOD; period++) {
    const size_t needed = std::max<size_t>(LAT_NMT_LOOP_WORDS, 3 * period);
    bool same = needed <= n;
    for (size_t i = 0; same && i < needed - period; i++) {
      same = words[n - 1 - i] == words[n - 1 - i - period];
    }
    if (same) {
      return true;
    }
  }
  return false;
}

bool loops_somewhere(const std::vector<int32_t> &words) {
  for (size_t n = 1; n <= words.size(); n++) {
    if (loops(words, n)) {
      return true;
    }
  }
  return false;
}

Expected decode(Reference &reference, const lat_nmt_options &o, const RandomShortlist &shortlist,
                const Sentence &sentence, const Sentence &prefix, bool may_loop) {
  struct Live {
    Reference::State state;
    Said said;
  };
  struct Continuation {
    double score;
    size_t row;
    int word;
    double log;
  };
  reference.encode(sentence);
  const bool listed = (o.flags & LAT_NMT_SHORTLIST) != 0;
  const std::set<int32_t> may = listed ? shortlist.of(sentence) : std::set<int32_t>();
  std::vector<Live> live{{reference.start(), {}}};
  std::vector<Said> finished;
  double margin = 1e300;
  const bool ends_loops = (o.flags & LAT_NMT_END_LOOPS) != 0 && !may_loop;
  const bool scores_given = (o.flags & LAT_NMT_GIVEN) != 0;
  const size_t limit = scores_given ? prefix.size() : o.factor * sentence.size();
  const bool refills = o.beam > 1 && (o.flags & (LAT_NMT_FIRST_ENDED | LAT_NMT_BEST_ENDED)) != 0;
  const auto better = [](const Said &a, const Said &b) { return a.normalized > b.normalized; };
  for (size_t length = 1; !live.empty(); length++) {
    std::vector<Continuation> all;
    std::vector<Row> attention(live.size());
    Row all_logs; /* of the last row */
    for (size_t r = 0; r < live.size(); r++) {
      Row logs =
          reference.step(live[r].said.words.empty() ? -1 : live[r].said.words.back(), live[r].state, attention[r]);
      if (listed) { /* as if all other words had a logit of minus infinity */
        double sum = 0;
        for (const int32_t word : may) {
          sum += std::exp(static_cast<double>(logs[word]));
        }
        for (size_t k = 0; k < logs.size(); k++) {
          logs[k] -= std::log(sum);
        }
      }
      all_logs = logs;
      for (size_t k = 0; k < logs.size(); k++) {
        if ((listed && may.count(static_cast<int32_t>(k)) == 0) || (k == 1 && (o.flags & LAT_NMT_ALLOW_UNKNOWN) == 0) || (k == 0 && (o.flags & LAT_NMT_FORBID_END) != 0)) {
          continue;
        }
        all.push_back({live[r].said.score + logs[k], r, static_cast<int>(k), logs[k]});
      }
    }
    const bool given = length <= prefix.size();
    if (given) {
      const double log = scores_given ? all_logs[prefix[length - 1]] : 0;
      all = {{live[0].said.score + log, 0, prefix[length - 1], log}};
    }
    bool last = length >= limit;
    if (ends_loops && !given && length > 1 && (length - 1) % LAT_NMT_LOOP_WORDS == 0) {
      std::vector<bool> looping(live.size());
      for (size_t r = 0; r < live.size(); r++) {
        looping[r] = loops(live[r].said.words, length - 1);
      }
      if (finished.empty() && std::find(looping.begin(), looping.end(), false) == looping.end()) {
        last = true;
      } else {
        all.erase(std::remove_if(all.begin(), all.end(), [&](const auto &c) { return looping[c.row]; }), all.end());
      }
    }
    const size_t beam = std::min<size_t>(refills ? o.beam : o.beam - finished.size(), all.size());
    const size_t first = std::min<size_t>(all.size(), (refills ? 2 * o.beam : beam) + 1);
    std::partial_sort(all.begin(), all.begin() + first, all.end(), [](const auto &a, const auto &b) {
      return a.score != b.score ? a.score > b.score : a.row != b.row ? a.row < b.row : a.word < b.word;
    });
    std::vector<Live> next;
    for (size_t i = 0; i < (refills && !last ? first : beam) && next.size() < static_cast<size_t>(o.beam); i++) {
      if (i + 1 < all.size()) {
        margin = std::min(margin, all[i].score - all[i + 1].score);
      }
      const bool ends = (all[i].word == 0 && !given) || last;
      if (ends && i >= beam) {
        continue;
      }
      Live from = live[all[i].row];
      from.said.words.push_back(all[i].word);
      from.said.logs.push_back(static_cast<float>(all[i].log));
      from.said.score = all[i].score;
      from.said.attention.insert(from.said.attention.end(), attention[all[i].row].begin(), attention[all[i].row].end());
      if (ends) {
        from.said.normalized = all[i].score / std::pow(static_cast<double>(from.said.words.size()), o.alpha);
        finished.push_back(from.said);
      } else {
        next.push_back(from);
      }
    }
    if (refills) {
      std::stable_sort(finished.begin(), finished.end(), better);
      for (size_t i = o.beam; i < finished.size(); i++) {
        margin = std::min(margin, finished[o.beam - 1].normalized - finished[i].normalized);
      }
      finished.resize(std::min<size_t>(finished.size(), o.beam));
      if (finished.size() == static_cast<size_t>(o.beam) && !next.empty()) {
        const double best = next[0].said.score / std::pow(static_cast<double>(length), o.alpha);
        const double worst = finished.back().normalized;
        if ((o.flags & LAT_NMT_BEST_ENDED) != 0) {
          margin = std::min(margin, std::abs(best - worst));
        }
        if ((o.flags & LAT_NMT_FIRST_ENDED) != 0 || best <= worst) {
          next.clear();
        }
      }
    }
    live = std::move(next);
  }
  std::stable_sort(finished.begin(), finished.end(), [&](const Said &a, const Said &b) {
    const bool a_loops = ends_loops && loops_somewhere(a.words);
    const bool b_loops = ends_loops && loops_somewhere(b.words);
    return a_loops != b_loops ? b_loops : better(a, b);
  });
  for (size_t i = 0; i + 1 < finished.size() && i < static_cast<size_t>(o.n_best); i++) {
    margin = std::min(margin, finished[i].normalized - finished[i + 1].normalized);
  }
  finished.resize(std::min<size_t>(finished.size(), o.n_best));
  return {finished, margin};
}

struct Case {
  std::string name;
  std::variant<lat_nmt_rnn_settings, lat_nmt_transformer_settings> settings;
  int64_t beam;
  int64_t flags;
  bool prefixes = false;
  int64_t factor = 2;
};

/* A network with random weights, and its plain decoder. */
struct Random {
  explicit Random(const Case &test) {
    if (const auto *rnn = std::get_if<lat_nmt_rnn_settings>(&test.settings)) {
      auto made = std::make_unique<RandomRnn>(*rnn, 7, 7, 1.0f);
      reference = std::make_unique<RnnReference>(*made);
      network = std::move(made);
    } else {
      auto made = std::make_unique<RandomTransformer>(std::get<lat_nmt_transformer_settings>(test.settings), 7, 7, 1.0f);
      reference = std::make_unique<TransformerReference>(*made);
      network = std::move(made);
    }
  }
  std::unique_ptr<RandomNetwork> network;
  std::unique_ptr<Reference> reference;
};

lat_nmt_rnn_settings shape_of_eight() {
  lat_nmt_rnn_settings s{};
  s.source_words = 94;
  s.words = 97;
  s.embedding = s.state = s.attention = 8;
  return s;
}

/* A search uses a shortlist only if there is one, and only with the fused output layer. */
void refuse_without_table() {
  RandomShortlist shortlist(94, 97, 9, 5, 1);
  const Random random({"gru", shape_of_eight(), 1, 0});
  DeviceModel model(*random.network, LAT_NMT_FLOAT32);
  lat_nmt_options o{};
  o.beam = o.n_best = o.sentences = o.factor = o.join_sentences = 1;
  o.tokens = o.join_tokens = o.longest = 8;
  std::vector<int32_t> report(3);
  const auto create = [&](int64_t flags) {
    o.flags = flags;
    lat_nmt_search *search = nullptr;
    const int status = lat_nmt_search_create(model.get(), &o, reinterpret_cast<lat_nmt_report *>(report.data()), &search);
    if (status == LAT_OK) {
      lat_nmt_search_destroy(search);
    }
    return status;
  };
  if (create(LAT_NMT_SHORTLIST) != LAT_BAD_ARGUMENT) {
    fail("accepted a search with a shortlist that the model does not have");
  }
  model.give(shortlist);
  if (create(LAT_NMT_SHORTLIST) != LAT_OK || create(LAT_NMT_SHORTLIST | LAT_NMT_SEPARATE) != LAT_BAD_ARGUMENT) {
    fail("accepted a search with a shortlist and a separate softmax");
  }
}

/* Sizes that a launch would reject later. */
void refuse_what_no_launch_takes() {
  const auto model = [](int64_t embedding, int64_t state, int64_t attention, int64_t cell, int64_t normalization) {
    lat_nmt_rnn_settings s{};
    s.source_words = s.words = 100;
    s.embedding = embedding;
    s.state = state;
    s.attention = attention;
    s.forward_cell = s.backward_cell = s.cell1 = s.cell2 = cell;
    s.normalization = normalization;
    lat_nmt_model *made = nullptr;
    const int status = lat_nmt_rnn_create(&s, LAT_NMT_FLOAT16, &made);
    if (status == LAT_OK) {
      lat_nmt_model_destroy(made);
    }
    return status;
  };
  if (model(12288, 4096, 12288, LAT_NMT_GRU, 1) != LAT_OK || model(65536, 4096, 16384, LAT_NMT_LSTM, 0) != LAT_OK) {
    fail("rejected the largest model");
  }
  if (model(12289, 8, 8, LAT_NMT_GRU, 1) != LAT_BAD_ARGUMENT || model(8, 8, 12289, LAT_NMT_GRU, 1) != LAT_BAD_ARGUMENT ||
      model(8, 3073, 8, LAT_NMT_LSTM, 1) != LAT_BAD_ARGUMENT) {
    fail("accepted normalized rows that are too wide for a block");
  }
  const Random random({"gru", shape_of_eight(), 1, 0});
  DeviceModel small(*random.network, LAT_NMT_FLOAT32);
  const auto search = [&](int64_t sentences, int64_t beam, int64_t join_tokens, int64_t longest, int64_t flags = 0) {
    lat_nmt_options o{};
    o.flags = flags;
    o.beam = beam;
    o.n_best = o.factor = o.join_sentences = 1;
    o.sentences = sentences;
    o.tokens = o.join_tokens = join_tokens;
    o.longest = longest;
    std::vector<int32_t> report(2 + sentences);
    lat_nmt_search *made = nullptr;
    const int status =
        lat_nmt_search_create(small.get(), &o, reinterpret_cast<lat_nmt_report *>(report.data()), &made);
    if (status == LAT_OK) {
      lat_nmt_search_destroy(made);
    }
    return status;
  };
  if (search(1 << 15, 64, 1 << 21, 4096) != LAT_OK) {
    fail("rejected the largest search");
  }
  if (search((1 << 15) + 1, 64, 8, 8) != LAT_BAD_ARGUMENT || search(1, 1, (1 << 21) + 1, 8) != LAT_BAD_ARGUMENT ||
      search(1, 1, 8, 4097) != LAT_BAD_ARGUMENT) {
    fail("accepted a search that is too large");
  }
  if (search(1, 1, 8, 8, LAT_NMT_GIVEN | LAT_NMT_SCORES) != LAT_OK || search(1, 1, 8, 8, LAT_NMT_GIVEN) != LAT_BAD_ARGUMENT ||
      search(1, 2, 8, 8, LAT_NMT_GIVEN | LAT_NMT_SCORES) != LAT_BAD_ARGUMENT ||
      search(1, 1, 8, 8, LAT_NMT_GIVEN | LAT_NMT_SCORES | LAT_NMT_LOGITS) != LAT_BAD_ARGUMENT) {
    fail("took a search for given translations that scores nothing, or more than one");
  }
  if (search(1, 5, 8, 8, LAT_NMT_BEST_ENDED) != LAT_OK ||
      search(1, 5, 8, 8, LAT_NMT_BEST_ENDED | LAT_NMT_FIRST_ENDED) != LAT_BAD_ARGUMENT) {
    fail("took other rules of when a search ends than one at most");
  }
}

/* A translation has room for at least one word of its own. */
void refuse_what_no_prefix_is() {
  const RandomRnn network(shape_of_eight(), 7, 7, 1.0f);
  lat_nmt_model *model = nullptr;
  lat_nmt_search *search = nullptr;
  lat_nmt_options o{};
  o.beam = o.n_best = o.sentences = o.join_sentences = 1;
  o.factor = 2;
  o.tokens = o.join_tokens = o.longest = 8;
  std::vector<int32_t> report(3);
  CHECK(network.create(LAT_NMT_FLOAT32, &model));
  CHECK(lat_nmt_search_create(model, &o, reinterpret_cast<lat_nmt_report *>(report.data()), &search));
  const std::vector<int32_t> ids(16);
  for (const int32_t prefix : {-1, 4, 5}) {
    const lat_nmt_sentence sentence{0, 2, 0, 4, 0, prefix, 0};
    if (lat_nmt_join(search, &sentence, 1, ids.data(), nullptr) != LAT_BAD_ARGUMENT) {
      fail("accepted a prefix of " + std::to_string(prefix) + " of at most 4 words");
    }
  }
  lat_nmt_search_destroy(search);
  lat_nmt_model_destroy(model);
}

/* Settings of transformers that no kernel computes. */
void refuse_what_no_transformer_is() {
  const auto create = [](auto set) {
    lat_nmt_transformer_settings s{};
    s.source_words = s.words = 100;
    s.width = 64;
    s.heads = 4;
    s.encoder_layers = s.decoder_layers = s.alignment_layer = 1;
    s.encoder_feed_forward = s.decoder_feed_forward = 8;
    s = marian(s);
    set(s);
    lat_nmt_model *made = nullptr;
    const int status = lat_nmt_transformer_create(&s, LAT_NMT_FLOAT16, &made);
    if (status == LAT_OK) {
      lat_nmt_model_destroy(made);
    }
    return status;
  };
  using Settings = lat_nmt_transformer_settings;
  const std::vector<std::pair<const char *, std::function<void(Settings &)>>> good = {
      {"Marian's", [](Settings &) {}},
      {"heads of 1024", [](Settings &s) { s.heads = 16; s.head_width = 1024; }},
      {"heads that do not divide the width", [](Settings &s) { s.heads = 3; s.head_width = 7; }},
      {"an epsilon of 0.1", [](Settings &s) { s.epsilon = 0.1; }},
      {"the last word as the start", [](Settings &s) { s.start = 99; }},
      {"learned positions", [](Settings &s) { s.positions = LAT_NMT_LEARNED; s.position_rows = 1; }},
      {"relative positions",
       [](Settings &s) { s.positions = LAT_NMT_RELATIVE; s.relative_buckets = 1024; s.relative_distance = 65536; }}};
  for (const auto &[name, set] : good) {
    if (create(set) != LAT_OK) {
      fail(std::string("rejected ") + name);
    }
  }
  const std::vector<std::pair<const char *, std::function<void(Settings &)>>> bad = {
      {"heads of 1025", [](Settings &s) { s.head_width = 1025; }},
      {"an attention that is too wide", [](Settings &s) { s.heads = 17; s.head_width = 1024; }},
      {"heads that do not divide the width", [](Settings &s) { s.heads = 3; }},
      {"an epsilon above 0.1", [](Settings &s) { s.epsilon = 0.11; }},
      {"an epsilon that is not a number", [](Settings &s) { s.epsilon = NAN; }},
      {"a start beyond the vocabulary", [](Settings &s) { s.start = 100; }},
      {"an unknown activation", [](Settings &s) { s.activation = 5; }},
      {"learned positions without rows", [](Settings &s) { s.positions = LAT_NMT_LEARNED; }},
      {"rows without learned positions", [](Settings &s) { s.position_rows = 1; }},
      {"relative positions without buckets", [](Settings &s) { s.positions = LAT_NMT_RELATIVE; }},
      {"an odd number of buckets",
       [](Settings &s) { s.positions = LAT_NMT_RELATIVE; s.relative_buckets = 5; s.relative_distance = 9; }},
      {"a distance within the exact buckets",
       [](Settings &s) { s.positions = LAT_NMT_RELATIVE; s.relative_buckets = 8; s.relative_distance = 4; }}};
  for (const auto &[name, set] : bad) {
    if (create(set) != LAT_BAD_ARGUMENT) {
      fail(std::string("accepted ") + name);
    }
  }
}

/* `twice`: whether to translate the same sentences again with the used search. */
void run(const Case &test, int precision, int sentences, int longest, bool twice = true) {
  const char *precisions[3] = {"float32", "float16", "bfloat16"};
  const std::string name = test.name + (test.prefixes ? ", prefixes" : "") + " beam " +
                           std::to_string(test.beam) + " " + precisions[precision];
  const Random random(test);
  DeviceModel model(*random.network, precision);
  RandomShortlist shortlist;
  const bool listed = (test.flags & LAT_NMT_SHORTLIST) != 0;
  if (listed) {
    const int64_t words = random.network->words();
    shortlist = RandomShortlist(random.network->source_words(), words, static_cast<int32_t>(2 + words / 16),
                                static_cast<int>(words / 16), 11);
    model.give(shortlist);
  }
  lat_nmt_options o{};
  o.beam = test.beam;
  o.n_best = std::min<int64_t>(test.beam, 4);
  o.flags = test.flags;
  o.alpha = 1;
  o.sentences = std::max(1, sentences / 3); // so that sentences join a running search
  o.factor = test.factor;
  o.longest = longest;
  std::mt19937_64 generator(test.beam * 31 + sentences);
  std::vector<Sentence> texts(sentences);
  for (Sentence &text : texts) {
    text.resize(1 + generator() % longest);
    for (int32_t &id : text) {
      id = static_cast<int32_t>(generator() % random.network->source_words());
    }
  }
  const bool scores_given = (test.flags & LAT_NMT_GIVEN) != 0;
  std::vector<int32_t> may_loop(texts.size());
  for (size_t i = 0; i < may_loop.size(); i++) {
    may_loop[i] = i % 5 == 4 ? 1 : 0;
  }
  std::vector<Sentence> prefixes(texts.size()); /* of any length, of any words */
  for (size_t i = 0; i < texts.size() && test.prefixes; i++) {
    const size_t limit = o.factor * texts[i].size();
    prefixes[i].resize(scores_given ? 1 + generator() % limit
                                    : i % 4 == 0 ? 0 : i % 4 == 1 ? limit - 1 : generator() % limit);
    for (int32_t &word : prefixes[i]) {
      word = static_cast<int32_t>(generator() % random.network->words());
    }
    if (i % 8 == 2 && !prefixes[i].empty()) {
      prefixes[i].back() = 0;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  Drive drive;
  drive.graphs = test.beam != 3;
  drive.keep_rows = (test.flags & LAT_NMT_KEEP_ROWS) != 0;
  drive.ahead = 2;
  drive.steps = test.beam == 4 ? 3 : 1;
  drive.joins = sentences < 500 ? 3 : 1; // many at once use the encoder's large tiles
  Searcher searcher(model, listed ? shortlist.first : random.network->words(), o, drive);
  const std::vector<Sentence> given = test.prefixes ? prefixes : std::vector<Sentence>();
  const auto said = searcher.translate(texts, given, may_loop);
  const auto again = twice ? searcher.translate(texts, given, may_loop) : said;
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Reference &reference = *random.reference;
  int same = 0;
  int near_ties = 0;
  double worst = 0;
  const double tolerance = precision == 0 ? 1e-3 : precision == 1 ? 0.03 : 0.15;
  const int stride = std::max(1, sentences * static_cast<int>(std::max<int64_t>(1, test.beam / 8)) / 60); // the plain decoder is slow
  for (int i = 0; i < sentences; i += stride) {
    compared++;
    const Expected expected = decode(reference, o, shortlist, texts[i], prefixes[i], may_loop[i] != 0);
    const bool scored = o.beam > 1 || (o.flags & LAT_NMT_SCORES) != 0;
    bool equal = said[i].size() == expected.best.size();
    for (size_t k = 0; equal && k < expected.best.size(); k++) {
      equal = said[i][k].words == expected.best[k].words;
    }
    for (size_t k = 0; k < said[i].size(); k++) {
      if (again[i].size() <= k || again[i][k].words != said[i][k].words) {
        fail(name + " sentence " + std::to_string(i) + ": a different result the second time");
        break;
      }
    }
    if (!equal) {
      if (expected.margin < (precision == 0 ? 1e-4 : precision == 1 ? 0.02 : 0.25)) {
        near_ties++;
      } else {
        std::string text = name + " sentence " + std::to_string(i) + " of " + std::to_string(texts[i].size()) +
                           " tokens, margin " + std::to_string(expected.margin) + ": expected";
        for (size_t k = 0; k < std::min<size_t>(2, expected.best.size()); k++) {
          text += " [";
          for (const int32_t w : expected.best[k].words) {
            text += std::to_string(w) + " ";
          }
          text += std::to_string(expected.best[k].score) + "]";
        }
        text += " found";
        for (size_t k = 0; k < std::min<size_t>(2, said[i].size()); k++) {
          text += " [";
          for (const int32_t w : said[i][k].words) {
            text += std::to_string(w) + " ";
          }
          text += std::to_string(said[i][k].score) + "]";
        }
        fail(text);
      }
      continue;
    }
    same++;
    for (size_t k = 0; scored && k < expected.best.size(); k++) {
      const double words = static_cast<double>(expected.best[k].words.size());
      const double off = std::abs(said[i][k].score - expected.best[k].score) / (precision == 0 ? 1 : words);
      worst = std::max(worst, off);
      if (!(off <= tolerance)) {
        fail(name + " sentence " + std::to_string(i) + ": score " + std::to_string(said[i][k].score) + ", expected " +
             std::to_string(expected.best[k].score));
      }
      double sum = 0;
      for (const float log : said[i][k].logs) {
        sum += log;
      }
      if (!(std::abs(sum - said[i][k].score) < 1e-3) ||
          !(std::abs(said[i][k].normalized * words - said[i][k].score) < 1e-6 * words + 1e-6)) {
        fail(name + " sentence " + std::to_string(i) + ": scores do not add up");
      }
      for (size_t a = 0; a < said[i][k].attention.size(); a++) {
        if (!(std::abs(said[i][k].attention[a] - expected.best[k].attention[a]) < (precision == 0 ? 1e-4 : 0.1))) {
          fail(name + " sentence " + std::to_string(i) + ": attention " + std::to_string(said[i][k].attention[a]) +
               ", expected " + std::to_string(expected.best[k].attention[a]));
          break;
        }
      }
    }
  }
  if (precision != 0 && sentences >= 20 && same < 0.5 * (sentences / stride)) {
    fail(name + ": only " + std::to_string(same) + " of " + std::to_string(sentences) + " are equal");
  }
  std::printf("%-44s %5d sentences, %d equal, %d near ties, scores within %.2g; %.2f s, plain decoder %.2f\n",
              name.c_str(), sentences, same, near_ties, worst, took,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() - took);
}

lat_nmt_rnn_settings shape(int64_t words, int64_t embedding, int64_t state, int64_t attention) {
  lat_nmt_rnn_settings s{};
  s.source_words = words - 3;
  s.words = words;
  s.embedding = embedding;
  s.state = state;
  s.attention = attention;
  return s;
}

lat_nmt_transformer_settings transformer(int64_t words, int64_t width, int64_t heads, int64_t inner, int64_t layers) {
  lat_nmt_transformer_settings s{};
  s.source_words = words - 3;
  s.words = words;
  s.width = width;
  s.heads = heads;
  s.encoder_layers = layers;
  s.decoder_layers = layers;
  s.encoder_feed_forward = inner;
  s.decoder_feed_forward = inner;
  s.alignment_layer = layers;
  return marian(s);
}

/* Sentences of up to 12 tokens, and their translations. */
constexpr int64_t kPositions = 24;

/* Translations that begin with given words. */
void add_prefixes(std::vector<Case> &cases) {
  const int64_t kScores = LAT_NMT_SCORES;
  const lat_nmt_rnn_settings gru = shape(97, 32, 48, 96);
  cases.push_back({"gru", gru, 1, 0, true});
  cases.push_back({"gru", gru, 1, kScores | LAT_NMT_ALIGNMENT, true});
  cases.push_back({"gru", gru, 5, kScores | LAT_NMT_ALIGNMENT, true});
  cases.push_back({"gru, no end", gru, 3, kScores | LAT_NMT_FORBID_END, true});
  cases.push_back({"gru, logits in memory", gru, 4, kScores | LAT_NMT_LOGITS, true});
  cases.push_back({"gru, shortlist", gru, 5, kScores | LAT_NMT_SHORTLIST, true});
  lat_nmt_transformer_settings s = transformer(97, 64, 4, 128, 2);
  cases.push_back({"transformer", s, 1, 0, true});
  cases.push_back({"transformer", s, 5, kScores | LAT_NMT_ALIGNMENT, true});
  cases.push_back({"transformer", s, 64, kScores, true});
  s.positions = LAT_NMT_RELATIVE;
  s.relative_buckets = 8;
  s.relative_distance = 12;
  cases.push_back({"transformer, relative positions", s, 3, kScores | LAT_NMT_KEEP_ROWS, true});
  s = transformer(97, 64, 4, 128, 2);
  s.autoregression = LAT_NMT_SSRU;
  cases.push_back({"ssru", s, 4, kScores, true});
  s.autoregression = LAT_NMT_AVERAGE_ATTENTION;
  s.average_feed_forward = 80;
  cases.push_back({"average attention", s, 4, kScores, true});
}

/* Searches in which the next best hypothesis takes the place of one that ends. */
void add_endings(std::vector<Case> &cases) {
  const lat_nmt_rnn_settings gru = shape(97, 32, 48, 96);
  const lat_nmt_transformer_settings t = transformer(97, 64, 4, 128, 2);
  for (const int64_t ending : {LAT_NMT_FIRST_ENDED, LAT_NMT_BEST_ENDED}) {
    const int64_t flags = LAT_NMT_SCORES | ending;
    const std::string name = ending == LAT_NMT_FIRST_ENDED ? ", first ended" : ", best ended";
    cases.push_back({"gru" + name, gru, 1, flags});
    cases.push_back({"gru" + name, gru, 5, flags | LAT_NMT_ALIGNMENT});
    cases.push_back({"gru" + name, gru, 5, flags | LAT_NMT_ALIGNMENT, true});
    cases.push_back({"gru, no end" + name, gru, 3, flags | LAT_NMT_FORBID_END});
    cases.push_back({"gru, logits in memory" + name, gru, 4, flags | LAT_NMT_LOGITS});
    cases.push_back({"gru of five words" + name, shape(5, 8, 4, 4), 12, flags | LAT_NMT_ALIGNMENT});
    cases.push_back({"gru, shortlist" + name, gru, 8, flags | LAT_NMT_SHORTLIST});
    cases.push_back({"transformer" + name, t, 2, flags | LAT_NMT_ALIGNMENT});
    cases.push_back({"transformer" + name, t, 5, flags | LAT_NMT_KEEP_ROWS});
    cases.push_back({"transformer" + name, t, 63, flags});
  }
}

/* Searches that end loops, which models with random weights fall into. */
void add_loops(std::vector<Case> &cases) {
  const int64_t flags = LAT_NMT_SCORES | LAT_NMT_END_LOOPS;
  const lat_nmt_rnn_settings gru = shape(97, 32, 48, 96);
  const lat_nmt_transformer_settings t = transformer(97, 64, 4, 128, 2);
  cases.push_back({"gru, loops", gru, 1, flags, false, 6});
  cases.push_back({"gru, loops, best alone", gru, 1, LAT_NMT_END_LOOPS, false, 6});
  cases.push_back({"gru, loops, no end", gru, 1, flags | LAT_NMT_FORBID_END | LAT_NMT_ALIGNMENT, false, 6});
  cases.push_back({"gru, loops, no end", gru, 5, flags | LAT_NMT_FORBID_END, false, 6});
  cases.push_back({"gru, loops", gru, 4, flags | LAT_NMT_KEEP_ROWS, false, 6});
  cases.push_back({"gru, loops", gru, 5, flags, true, 6});
  cases.push_back({"gru, loops, first ended", gru, 5, flags | LAT_NMT_FIRST_ENDED, false, 6});
  cases.push_back({"gru of five words, loops", shape(5, 8, 4, 4), 12, flags | LAT_NMT_ALIGNMENT, false, 6});
  cases.push_back({"gru of five words, loops", shape(5, 8, 4, 4), 3, flags | LAT_NMT_BEST_ENDED, false, 6});
  cases.push_back({"transformer, loops", t, 1, flags, false, 6});
  cases.push_back({"transformer, loops", t, 5, flags | LAT_NMT_FORBID_END, false, 6});
  cases.push_back({"transformer, loops", t, 40, flags | LAT_NMT_BEST_ENDED, false, 6});
}

/* Scores of given translations. */
void add_given(std::vector<Case> &cases) {
  const int64_t flags = LAT_NMT_SCORES | LAT_NMT_GIVEN;
  lat_nmt_rnn_settings gru = shape(97, 32, 48, 96);
  cases.push_back({"gru, given", gru, 1, flags, true});
  cases.push_back({"gru, given", gru, 1, flags | LAT_NMT_ALIGNMENT | LAT_NMT_KEEP_ROWS, true, 6});
  gru = shape(301, 20, 28, 36);
  cases.push_back({"gru of odd sizes, given", gru, 1, flags | LAT_NMT_END_LOOPS, true, 6});
  gru = shape(97, 64, 64, 128);
  gru.source_words = 97;
  gru.shares_embeddings = gru.ties_output = 1;
  cases.push_back({"gru, all tied, given", gru, 1, flags, true});
  cases.push_back({"transformer, given", transformer(97, 64, 4, 128, 2), 1, flags | LAT_NMT_ALIGNMENT, true, 6});
}

/* The ideas of other programs' transformers, each and together. */
void add_variants(std::vector<Case> &cases) {
  const int64_t kScores = LAT_NMT_SCORES;
  lat_nmt_transformer_settings s = transformer(150, 48, 3, 96, 2);
  s.first_position = 2;
  s.start = 5;
  s.epsilon = 0.05;
  cases.push_back({"transformer, first position 2, start, epsilon", s, 4, kScores | LAT_NMT_ALIGNMENT});
  s = transformer(150, 48, 3, 96, 2);
  s.positions = LAT_NMT_LEARNED;
  s.position_rows = kPositions;
  s.scales_embeddings = 0;
  s.normalizes_embeddings = 1;
  s.epsilon = 1e-5;
  s.activation = LAT_NMT_GELU_ERF;
  s.start = 0;
  cases.push_back({"transformer, learned positions, gelu by erf", s, 5, kScores | LAT_NMT_ALIGNMENT});
  s.alignment_heads = 3;
  cases.push_back({"transformer, learned positions, alignment of three heads", s, 3, kScores | LAT_NMT_ALIGNMENT});
  s.normalization = LAT_NMT_PRE_QUERIES;
  s.normalizes_top = 1;
  cases.push_back({"transformer, learned positions, pre-queries", s, 1, kScores});
  s = transformer(150, 48, 3, 96, 2);
  s.activation = LAT_NMT_GELU_TANH;
  s.gated_feed_forward = 1;
  cases.push_back({"transformer, gated gelu by tanh", s, 3, kScores});
  s.middle_layers = 2;
  cases.push_back({"transformer, gated, two middle layers", s, 3, kScores});
  s = transformer(150, 48, 3, 70, 2);
  s.middle_layers = 1;
  s.encoder_feed_forward = 131;
  cases.push_back({"transformer, a middle layer", s, 5, kScores | LAT_NMT_KEEP_ROWS});
  s = transformer(150, 48, 3, 96, 2);
  s.gated_feed_forward = 1;
  s.root_mean_square = 1;
  s.normalization = LAT_NMT_PRE;
  s.normalizes_top = 1;
  cases.push_back({"transformer, root mean squares", s, 3, kScores});
  s.positions = LAT_NMT_RELATIVE;
  s.relative_buckets = 8;
  s.relative_distance = 12;
  s.head_width = 8;
  s.scales_attention = 0;
  cases.push_back({"transformer, relative positions", s, 1, 0});
  cases.push_back({"transformer, relative positions", s, 5, kScores | LAT_NMT_ALIGNMENT});
  cases.push_back({"transformer, relative positions", s, 64, kScores});
  s = transformer(150, 48, 2, 96, 2);
  s.positions = LAT_NMT_RELATIVE;
  s.relative_buckets = 32;
  s.relative_distance = 128;
  s.head_width = 64;
  cases.push_back({"transformer, relative positions, heads of 64", s, 4, kScores | LAT_NMT_KEEP_ROWS});
  s = transformer(150, 22, 1, 64, 2);
  s.positions = LAT_NMT_RELATIVE;
  s.relative_buckets = 4;
  s.relative_distance = 5;
  s.head_width = 288;
  cases.push_back({"transformer, relative positions, head of 288", s, 2, kScores});
  s.head_width = 41;
  cases.push_back({"transformer, relative positions, head of 41", s, 2, kScores});
  s = transformer(301, 20, 3, 33, 2);
  s.positions = LAT_NMT_RELATIVE;
  s.relative_buckets = 6;
  s.relative_distance = 10;
  s.head_width = 5;
  s.gated_feed_forward = 1;
  s.normalization = LAT_NMT_PRE_QUERIES;
  s.normalizes_embeddings = s.normalizes_top = 1;
  cases.push_back({"transformer, variant of odd sizes", s, 3, kScores | LAT_NMT_ALLOW_UNKNOWN | LAT_NMT_ALIGNMENT});
  s.heads = 15;
  s.alignment_heads = 7;
  s.head_width = 1;
  cases.push_back({"transformer, heads of one column", s, 2, kScores | LAT_NMT_ALIGNMENT});
  s = transformer(150, 576, 9, 64, 1);
  s.root_mean_square = s.normalizes_embeddings = s.gated_feed_forward = 1;
  s.head_width = 24;
  cases.push_back({"transformer, variant of wide rows", s, 2, kScores});
  for (int64_t autoregression = 1; autoregression < 3; autoregression++) {
    for (int64_t positions = 0; positions < 3; positions++) {
      static const char *const kNames[2] = {"average attention, variant", "ssru, variant"};
      s = transformer(150, 48, 5, 40, 2);
      s.autoregression = autoregression;
      s.positions = positions;
      s.position_rows = positions == LAT_NMT_LEARNED ? kPositions : 0;
      s.relative_buckets = positions == LAT_NMT_RELATIVE ? 8 : 0;
      s.relative_distance = positions == LAT_NMT_RELATIVE ? 12 : 0;
      s.normalization = positions;
      s.head_width = 7;
      s.root_mean_square = positions == LAT_NMT_LEARNED ? 0 : 1;
      s.normalizes_embeddings = s.normalizes_top = s.gated_feed_forward = 1;
      s.epsilon = 1e-3;
      s.start = 3;
      if (autoregression == LAT_NMT_AVERAGE_ATTENTION) {
        s.average_feed_forward = 80;
        s.average_activation = LAT_NMT_GELU_TANH;
      }
      cases.push_back({kNames[autoregression - 1], s, 4, kScores | LAT_NMT_ALIGNMENT});
    }
  }
}

void add_transformers(std::vector<Case> &cases) {
  const int64_t kScores = LAT_NMT_SCORES;
  lat_nmt_transformer_settings s = transformer(97, 64, 4, 128, 1);
  cases.push_back({"transformer of one layer", s, 1, kScores});
  s = transformer(97, 64, 4, 128, 2);
  cases.push_back({"transformer", s, 1, 0});
  cases.push_back({"transformer", s, 1, kScores});
  cases.push_back({"transformer", s, 5, kScores | LAT_NMT_ALIGNMENT});
  cases.push_back({"transformer, no end", s, 3, kScores | LAT_NMT_FORBID_END});
  cases.push_back({"transformer", s, 64, kScores});
  cases.push_back({"transformer, logits in memory", s, 1, LAT_NMT_LOGITS});
  cases.push_back({"transformer, separate softmax, rows kept", s, 4, kScores | LAT_NMT_SEPARATE | LAT_NMT_KEEP_ROWS});
  s.activation = LAT_NMT_SWISH;
  s.alignment_layer = 1;
  s.encoder_layers = 3;
  s.encoder_feed_forward = 200;
  s.decoder_feed_forward = 72;
  cases.push_back({"transformer, swish, 3 + 2 layers", s, 4, kScores | LAT_NMT_ALIGNMENT});
  s = transformer(301, 20, 4, 33, 2);
  cases.push_back({"transformer of odd sizes", s, 3, kScores | LAT_NMT_ALLOW_UNKNOWN});
  s = transformer(150, 42, 1, 50, 2);
  s.activation = LAT_NMT_GELU;
  cases.push_back({"transformer, one head of 42, gelu", s, 3, kScores | LAT_NMT_ALIGNMENT});
  s = transformer(150, 288, 1, 64, 1);
  cases.push_back({"transformer, one head of 288", s, 2, kScores});
  s = transformer(150, 576, 9, 64, 1);
  cases.push_back({"transformer, rows wider than a warp", s, 2, kScores});
  s = transformer(97, 128, 2, 256, 2);
  s.source_words = 97;
  s.shares_embeddings = 1;
  s.ties_output = 1;
  cases.push_back({"transformer, all tied", s, 4, kScores});
  for (int64_t autoregression = 0; autoregression < 3; autoregression++) {
    for (int64_t normalization = 0; normalization < 3; normalization++) {
      static const char *const kNames[3][3] = {
          {"transformer, post", "transformer, pre", "transformer, pre-queries"},
          {"average attention, post", "average attention, pre", "average attention, pre-queries"},
          {"ssru, post", "ssru, pre", "ssru, pre-queries"}};
      s = transformer(150, 48, 3, 96, 2);
      s.decoder_layers = 3;
      s.alignment_layer = 2;
      s.autoregression = autoregression;
      s.normalization = normalization;
      s.normalizes_top = normalization != LAT_NMT_POST || autoregression == LAT_NMT_SSRU ? 1 : 0;
      s.activation = s.average_activation = LAT_NMT_SWISH;
      if (autoregression == LAT_NMT_AVERAGE_ATTENTION) {
        s.average_feed_forward = 80;
        s.average_activation = LAT_NMT_RELU;
      }
      cases.push_back({kNames[autoregression][normalization], s, 5, kScores | LAT_NMT_ALIGNMENT});
      if (autoregression != LAT_NMT_SELF_ATTENTION) {
        cases.push_back({kNames[autoregression][normalization], s, 1, kScores | LAT_NMT_KEEP_ROWS});
      }
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int scale = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  const int64_t kScores = LAT_NMT_SCORES;
  std::vector<Case> cases;
  lat_nmt_rnn_settings s = shape(97, 32, 48, 96);
  cases.push_back({"gru", s, 1, kScores});
  cases.push_back({"gru, best alone", s, 1, 0});
  cases.push_back({"gru", s, 5, kScores | LAT_NMT_ALIGNMENT});
  cases.push_back({"gru, no end", s, 3, kScores | LAT_NMT_FORBID_END});
  cases.push_back({"gru, logits in memory", s, 5, kScores | LAT_NMT_LOGITS});
  cases.push_back({"gru, separate softmax, rows kept", s, 4, kScores | LAT_NMT_SEPARATE | LAT_NMT_KEEP_ROWS});
  s = shape(301, 20, 28, 36);
  cases.push_back({"gru of odd sizes", s, 3, kScores | LAT_NMT_ALLOW_UNKNOWN});
  cases.push_back({"gru of odd sizes", s, 64, kScores});
  s = shape(5, 8, 4, 4);
  cases.push_back({"gru of five words", s, 12, kScores | LAT_NMT_ALIGNMENT});
  s = shape(97, 64, 64, 128);
  s.source_words = 97;
  s.shares_embeddings = 1;
  s.ties_output = 1;
  cases.push_back({"gru, all tied", s, 4, kScores});
  s = shape(150, 32, 48, 96);
  s.normalization = 1;
  s.ties_output = 1;
  cases.push_back({"gru, joint normalization, tied", s, 5, kScores});
  s.normalization = 2;
  s.encoder_transitions = 1;
  s.decoder_transitions = 3;
  cases.push_back({"gru, separate normalization, deep", s, 5, kScores});
  s = shape(150, 32, 48, 96);
  s.encoder_transitions = 2;
  s.decoder_transitions = 1;
  cases.push_back({"gru, deep", s, 2, kScores});
  s = shape(150, 32, 48, 96);
  s.forward_cell = s.backward_cell = s.cell1 = LAT_NMT_MLSTM;
  cases.push_back({"mlstm, gru", s, 5, kScores});
  s.cell2 = LAT_NMT_MLSTM;
  s.starts_cell = 1;
  cases.push_back({"mlstm", s, 5, kScores});
  s.backward_cell = LAT_NMT_LSTM;
  cases.push_back({"mlstm, an encoder of two kinds", s, 3, kScores});
  s.backward_cell = LAT_NMT_MLSTM;
  s.normalization = 1;
  cases.push_back({"mlstm, joint normalization", s, 3, kScores});
  s = shape(150, 32, 48, 96);
  s.forward_cell = s.backward_cell = s.cell1 = s.cell2 = LAT_NMT_LSTM;
  s.starts_cell = 1;
  cases.push_back({"lstm", s, 5, kScores});
  s.normalization = 1;
  cases.push_back({"lstm, joint normalization", s, 3, kScores});
  s = shape(150, 32, 48, 96);
  s.cell2 = LAT_NMT_LSTM;
  cases.push_back({"gru, lstm", s, 3, kScores});
  const int64_t kListed = kScores | LAT_NMT_SHORTLIST;
  s = shape(301, 20, 28, 36);
  cases.push_back({"gru, shortlist", s, 1, kListed});
  cases.push_back({"gru, shortlist, best alone", s, 1, LAT_NMT_SHORTLIST});
  cases.push_back({"gru, shortlist", s, 5, kListed | LAT_NMT_ALIGNMENT});
  cases.push_back({"gru, shortlist, unknown", s, 3, kListed | LAT_NMT_ALLOW_UNKNOWN});
  cases.push_back({"gru, shortlist", s, 64, kListed});
  cases.push_back({"gru, shortlist, no end, rows kept", s, 4, kListed | LAT_NMT_FORBID_END | LAT_NMT_KEEP_ROWS});
  s = shape(150, 32, 48, 96);
  s.source_words = 150;
  s.shares_embeddings = 1;
  s.ties_output = 1;
  cases.push_back({"gru, shortlist, all tied, own words", s, 4, kListed});
  cases.push_back({"transformer, shortlist", transformer(301, 64, 4, 128, 2), 1, LAT_NMT_SHORTLIST});
  cases.push_back({"transformer, shortlist", transformer(301, 64, 4, 128, 2), 4, kListed | LAT_NMT_ALIGNMENT});
  add_transformers(cases);
  add_variants(cases);
  add_prefixes(cases);
  add_endings(cases);
  add_loops(cases);
  add_given(cases);
  refuse_without_table();
  refuse_what_no_launch_takes();
  refuse_what_no_transformer_is();
  refuse_what_no_prefix_is();
  int turn = 0;
  /* The precisions of a case from one on: with few sentences, one in turn. */
  const auto precisions = [&](const Case &test) {
    const bool wants = wanted.empty() || std::find(wanted.begin(), wanted.end(), test.name) != wanted.end();
    const int first = scale == 0 ? turn++ % 3 : 0;
    return std::make_pair(first, !wants ? first : scale == 0 ? first + 1 : 3);
  };
  for (const Case &test : cases) {
    const auto [first, end] = precisions(test);
    for (int precision = first; precision < end; precision++) {
      run(test, precision, scale == 0 ? 3 : 60 * scale, scale == 0 ? 4 : 12, scale > 0);
    }
  }
  // enough rows for the large tiles of the output layer, enough heads that a warp has several, and layers with large
  // tiles
  s = shape(1000, 32, 32, 32);
  const lat_nmt_transformer_settings t = transformer(1000, 64, 4, 128, 2);
  const lat_nmt_rnn_settings wide = shape(1000, 32, 512, 32);
  const lat_nmt_rnn_settings odd = shape(1001, 72, 413, 201); /* columns and rows that end within tiles */
  lat_nmt_rnn_settings odd_lstm = odd;
  odd_lstm.forward_cell = odd_lstm.backward_cell = odd_lstm.cell1 = odd_lstm.cell2 = LAT_NMT_LSTM;
  const lat_nmt_transformer_settings wide_t = transformer(1000, 64, 4, 2048, 1);
  lat_nmt_transformer_settings variant = transformer(1000, 64, 6, 1024, 1);
  variant.positions = LAT_NMT_RELATIVE;
  variant.relative_buckets = 8;
  variant.relative_distance = 9;
  variant.root_mean_square = variant.gated_feed_forward = 1;
  variant.head_width = 16;
  variant.alignment_heads = 2;
  variant.middle_layers = 1;
  const std::vector<std::pair<Case, int>> many = {
      {{"gru, many", s, 1, kScores}, 1500},
      {{"gru, many", s, 6, kScores}, 600},
      {{"transformer, many", t, 1, kScores}, 1500},
      {{"transformer, many", t, 6, kScores}, 600},
      {{"transformer, many, best ended", t, 6, kScores | LAT_NMT_BEST_ENDED}, 600},
      {{"gru, shortlist, many", s, 1, kListed}, 1500},
      {{"transformer, shortlist, many", t, 6, kListed}, 600},
      {{"gru, wide", wide, 6, kScores}, 600},
      {{"gru, wide", wide, 8, kScores}, 900},
      {{"gru, wide, of odd sizes", odd, 1, kScores}, 1500},
      {{"gru, wide, of odd sizes", odd, 3, kScores}, 300},
      {{"lstm, wide, of odd sizes", odd_lstm, 4, kScores}, 600},
      {{"transformer, wide", wide_t, 6, kScores}, 600},
      {{"transformer, wide", wide_t, 8, kScores}, 900},
      {{"transformer, variant, wide", variant, 1, kScores}, 1500},
      {{"transformer, variant, wide", variant, 8, kScores | LAT_NMT_ALIGNMENT}, 900},
  };
  for (const auto &[test, sentences] : many) {
    const auto [first, end] = precisions(test);
    for (int precision = first; precision < end; precision++) {
      run(test, precision, sentences * std::max(scale, 1), scale == 0 ? 1 : test.beam == 1 ? 6 : 3, scale > 0);
    }
  }
  // at most 16 rows in every step, and factors of whole bundles of lines, of parts that end within one, and of so many
  // lines that stages are used again
  const lat_nmt_rnn_settings whole = shape(600, 256, 512, 512);
  const lat_nmt_rnn_settings within = shape(600, 320, 576, 640);
  const std::vector<Case> few = {
      {"gru, few", whole, 1, 0},
      {"gru, few", whole, 5, kScores | LAT_NMT_ALIGNMENT},
      {"gru, few, parts within bundles", within, 1, kScores},
      {"gru, few, parts within bundles", within, 4, kScores},
      {"transformer, few", transformer(600, 320, 5, 1100, 1), 1, 0},
      {"transformer, few", transformer(600, 320, 5, 1100, 1), 5, kScores | LAT_NMT_BEST_ENDED},
      {"gru, few, beam of 16", s, 16, kScores},
      {"gru, few, beam of 9", whole, 9, kScores | LAT_NMT_BEST_ENDED},
      {"gru, few, shortlist", whole, 5, kListed | LAT_NMT_ALIGNMENT},
      {"gru, few, loops", whole, 1, LAT_NMT_END_LOOPS, false, 6},
      {"gru, few, loops", within, 5, kScores | LAT_NMT_END_LOOPS | LAT_NMT_FIRST_ENDED, true, 6},
  };
  for (const Case &test : few) {
    const auto [first, end] = precisions(test);
    for (int precision = first; precision < end; precision++) {
      run(test, precision, std::clamp<int>(static_cast<int>(48 / test.beam), 3, 18), scale == 0 ? 3 : 6, scale > 0);
    }
  }
  // few rows that become many
  const Case grows = {"gru, few at first", whole, 5, kScores};
  const auto [first, end] = precisions(grows);
  for (int precision = first; precision < end; precision++) {
    run(grows, precision, 24, scale == 0 ? 3 : 6, scale > 0);
  }
  return finish("nmt_test");
}
