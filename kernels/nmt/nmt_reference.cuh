// References for the kernels' results: 64-bit decoders, one row at a time; here, that of transformers.
#pragma once

#include "nmt/nmt_driver.cuh"

namespace lat::test {

using Row = std::vector<double>;

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class Reference {
 public:
  /* The state of a hypothesis. */
  struct State {
    Row h;
    Row c;
    size_t words = 0;
    std::vector<std::vector<Row>> keys; /* per layer */
    std::vector<std::vector<Row>> values;
    std::vector<Row> sums; /* per layer: the state of average attention or SSRU */
  };
  explicit Reference(const Weights &weights) : w_(weights) {}
  virtual ~Reference() = default;
  Reference(const Reference &) = delete;
  Reference &operator=(const Reference &) = delete;

  virtual void encode(const Sentence &ids) = 0;
  /* Log-probabilities of all words after `word` (-1: at the start). */
  virtual Row step(int word, State &state, Row &attention) = 0;
  const State &start() const { return start_; }

 protected:
  Row row(const std::string &name, int64_t r) const {
    const Matrix &m = w_.at(name);
    return Row(m.values.begin() + r * m.cols, m.values.begin() + (r + 1) * m.cols);
  }
  static Row times(const Row &x, const Matrix &m) {
    Row y(m.cols);
    for (uint64_t i = 0; i < m.rows; i++) {
      for (uint64_t j = 0; j < m.cols; j++) {
        y[j] += x[i] * m.values[i * m.cols + j];
      }
    }
    return y;
  }
  /* Log-probabilities of a readout. */
  Row output(const Row &readout, const std::string &matrix) const {
    const Matrix &out = w_.at(matrix);
    const Matrix &bias = w_.at("output.bias");
    Row logits(out.rows);
    double top = -1e300;
    for (uint64_t k = 0; k < out.rows; k++) {
      logits[k] = bias.values[k];
      for (uint64_t i = 0; i < out.cols; i++) {
        logits[k] += readout[i] * out.at(k, i);
      }
      top = std::max(top, logits[k]);
    }
    double total = 0;
    for (const double l : logits) {
      total += std::exp(l - top);
    }
    for (double &l : logits) {
      l -= top + std::log(total);
    }
    return logits;
  }

  const Weights &w_;
  State start_;
};

class TransformerReference final : public Reference {
 public:
  explicit TransformerReference(const RandomTransformer &network)
      : Reference(network.weights), s_(network.settings()), d_(s_.width),
        head_(s_.head_width > 0 ? s_.head_width : s_.width / s_.heads) {}

  void encode(const Sentence &ids) override {
    std::vector<Row> x;
    for (size_t t = 0; t < ids.size(); t++) {
      x.push_back(input("source", "source.embedding", ids[t], t));
    }
    for (int i = 1; i <= s_.encoder_layers; i++) {
      const std::string name = "encoder.layer" + std::to_string(i);
      std::vector<Row> keys;
      std::vector<Row> values;
      for (const Row &in : x) {
        remember(name + ".self", in, keys, values);
      }
      for (size_t t = 0; t < x.size(); t++) {
        const auto see = [&](const Row &v) { return attend(name + ".self", v, keys, values, nullptr, "encoder", t); };
        x[t] = feed_forward(name + ".feedforward", block(name + ".self", x[t], see));
      }
    }
    if (s_.normalizes_top != 0) {
      for (Row &in : x) {
        in = norm("encoder", in);
      }
    }
    source_keys_.assign(s_.decoder_layers, {});
    source_values_.assign(s_.decoder_layers, {});
    for (int i = 1; i <= s_.decoder_layers; i++) {
      const std::string name = "decoder.layer" + std::to_string(i) + ".cross";
      for (const Row &in : x) {
        source_keys_[i - 1].push_back(linear(name + ".key", in));
        source_values_[i - 1].push_back(linear(name + ".value", in));
      }
    }
    start_ = State();
    start_.keys.resize(s_.decoder_layers);
    start_.values.resize(s_.decoder_layers);
    start_.sums.assign(s_.decoder_layers, Row(d_));
  }

  Row step(int word, State &state, Row &attention) override {
    const std::string target = s_.shares_embeddings != 0 ? "source.embedding" : "target.embedding";
    Row x = input("target", target, word < 0 ? static_cast<int>(s_.start) : word, state.words++);
    for (int i = 1; i <= s_.decoder_layers; i++) {
      const std::string name = "decoder.layer" + std::to_string(i);
      Row &sum = state.sums[i - 1];
      if (s_.autoregression == LAT_NMT_SELF_ATTENTION) {
        remember(name + ".self", x, state.keys[i - 1], state.values[i - 1]);
        x = block(name + ".self", x, [&](const Row &v) {
          return attend(name + ".self", v, state.keys[i - 1], state.values[i - 1], nullptr, "decoder", state.words - 1);
        });
      } else if (s_.autoregression == LAT_NMT_AVERAGE_ATTENTION) {
        x = average(name + ".average", x, sum, state.words);
      } else {
        x = block(name + ".ssru", x, [&](const Row &v) {
          const Row candidate = times(v, w_.at(name + ".ssru.candidate.W"));
          const Row forget = linear(name + ".ssru.forget", v);
          Row f(d_);
          for (size_t j = 0; j < d_; j++) {
            const double z = sigmoid(forget[j]);
            sum[j] = z * sum[j] + (1 - z) * candidate[j];
            f[j] = std::max(0.0, sum[j]);
          }
          return f;
        });
      }
      Row *aligned = i == s_.alignment_layer ? &attention : nullptr;
      x = block(name + ".cross", x, [&](const Row &v) {
        return attend(name + ".cross", v, source_keys_[i - 1], source_values_[i - 1], aligned);
      });
      x = feed_forward(name + ".feedforward", x);
    }
    if (s_.normalizes_top != 0) {
      x = norm("decoder", x);
    }
    return output(x, s_.ties_output != 0 ? target : "output.Wt");
  }

 private:
  Row input(const std::string &side, const std::string &embedding, int word, size_t t) const {
    Row x = word < 0 ? Row(d_) : row(embedding, word);
    for (double &v : x) {
      v *= s_.scales_embeddings != 0 ? std::sqrt(static_cast<double>(d_)) : 1;
    }
    if (s_.positions == LAT_NMT_LEARNED) {
      x = plus(x, row(side + ".positions", static_cast<int64_t>(t)));
    } else if (s_.positions == LAT_NMT_SINUSOIDAL) {
      const size_t half = d_ / 2;
      for (size_t i = 0; i < half; i++) {
        const double angle = static_cast<double>(t + s_.first_position) *
                             std::pow(10000, -static_cast<double>(i) / static_cast<double>(half - 1));
        x[i] += std::sin(angle);
        x[half + i] += std::cos(angle);
      }
    }
    return s_.normalizes_embeddings != 0 ? norm(side, x) : x;
  }
  /* The bias of a head for the word at t, seen from the one at `from`. */
  double bias(const std::string &side, size_t head, size_t from, size_t t) const {
    const bool both_ways = side == "encoder";
    const int64_t size = both_ways ? s_.relative_buckets / 2 : s_.relative_buckets;
    const int64_t apart = t > from ? (both_ways ? t - from : 0) : from - t;
    int64_t bucket = apart;
    if (apart >= size / 2) { /* bucket exact + i begins at exact * (most / exact)^(i / (size - exact)) */
      const double exact = static_cast<double>(size / 2);
      bucket = size / 2;
      while (bucket + 1 < size &&
             static_cast<double>(apart) >= exact * std::pow(static_cast<double>(s_.relative_distance) / exact,
                                                            (static_cast<double>(bucket + 1) - exact) /
                                                                (static_cast<double>(size) - exact)) - 1e-6) {
        bucket++;
      }
    }
    return w_.at(side + ".positions").at(bucket + (t > from && both_ways ? size : 0), head);
  }
  Row linear(const std::string &name, const Row &x) const {
    Row y = times(x, w_.at(name + ".W"));
    const Matrix &bias = w_.at(name + ".bias");
    for (size_t i = 0; i < y.size(); i++) {
      y[i] += bias.values[i];
    }
    return y;
  }
  Row norm(const std::string &name, Row v) const {
    const double n = static_cast<double>(v.size());
    const bool centers = s_.root_mean_square == 0;
    double mean = 0;
    for (const double a : v) {
      mean += centers ? a / n : 0;
    }
    double variance = 0;
    for (const double a : v) {
      variance += (a - mean) * (a - mean) / n;
    }
    const Matrix &gain = w_.at(name + ".norm.gain");
    for (size_t i = 0; i < v.size(); i++) {
      v[i] = (v[i] - mean) / std::sqrt(variance + s_.epsilon) * gain.values[i] +
             (centers ? w_.at(name + ".norm.shift").values[i] : 0);
    }
    return v;
  }
  Row plus(Row x, const Row &f) const {
    for (size_t i = 0; i < x.size(); i++) {
      x[i] += f[i];
    }
    return x;
  }
  bool normalizes_after() const { return s_.normalization == LAT_NMT_POST; }
  template <typename F>
  Row block(const std::string &name, const Row &x, F f) const {
    return normalizes_after() ? norm(name, plus(x, f(x))) : plus(x, f(norm(name, x)));
  }
  Row activate(int64_t activation, Row v) const {
    const double root = std::sqrt(2 / std::acos(-1));
    for (double &x : v) {
      x = activation == LAT_NMT_RELU       ? std::max(0.0, x)
          : activation == LAT_NMT_SWISH    ? x * sigmoid(x)
          : activation == LAT_NMT_GELU     ? x * sigmoid(1.702 * x)
          : activation == LAT_NMT_GELU_ERF ? x / 2 * (1 + std::erf(x / std::sqrt(2.0)))
                                           : x / 2 * (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
    }
    return v;
  }
  Row feed_forward(const std::string &name, const Row &x) const {
    return block(name, x, [&](const Row &v) {
      Row inner = activate(s_.activation, linear(name + ".inner", v));
      if (s_.gated_feed_forward != 0) {
        const Row gate = linear(name + ".gate", v);
        for (size_t i = 0; i < inner.size(); i++) {
          inner[i] *= gate[i];
        }
      }
      for (int64_t m = 1; m <= s_.middle_layers; m++) {
        inner = activate(s_.activation, linear(name + ".middle" + std::to_string(m), inner));
      }
      return linear(name + ".outer", inner);
    });
  }
  /* Adds the key and the value of one more position. */
  void remember(const std::string &name, const Row &x, std::vector<Row> &keys, std::vector<Row> &values) const {
    const Row v = s_.normalization == LAT_NMT_PRE ? norm(name, x) : x;
    keys.push_back(linear(name + ".key", v));
    values.push_back(linear(name + ".value", v));
  }
  /* `side`: for self-attention, whose biases are added, as seen from position `from`; otherwise empty. */
  Row attend(const std::string &name, const Row &v, const std::vector<Row> &keys, const std::vector<Row> &values,
             Row *weights, const std::string &side = "", size_t from = 0) const {
    const Row query = linear(name + ".query", v);
    const size_t width = head_;
    Row all(query.size());
    for (size_t h = 0; h < all.size(); h += width) {
      Row w(keys.size());
      double max = -1e300;
      for (size_t t = 0; t < keys.size(); t++) {
        for (size_t j = h; j < h + width; j++) {
          w[t] += query[j] * keys[t][j] / (s_.scales_attention != 0 ? std::sqrt(static_cast<double>(width)) : 1);
        }
        if (s_.positions == LAT_NMT_RELATIVE && !side.empty()) {
          w[t] += bias(side, h / width, from, t);
        }
        max = std::max(max, w[t]);
      }
      double sum = 0;
      for (double &a : w) {
        sum += a = std::exp(a - max);
      }
      for (size_t t = 0; t < keys.size(); t++) {
        w[t] /= sum;
        for (size_t j = h; j < h + width; j++) {
          all[j] += w[t] * values[t][j];
        }
      }
      if (weights != nullptr && h / width < static_cast<size_t>(s_.alignment_heads)) {
        weights->resize(w.size());
        for (size_t t = 0; t < w.size(); t++) {
          (*weights)[t] += w[t] / static_cast<double>(s_.alignment_heads);
        }
      }
    }
    return linear(name + ".output", all);
  }
  Row average(const std::string &name, const Row &x, Row &sum, size_t positions) const {
    Row m(d_);
    for (size_t j = 0; j < d_; j++) {
      sum[j] += x[j];
      m[j] = sum[j] / static_cast<double>(positions);
    }
    if (!normalizes_after()) {
      m = norm(name, m);
    }
    const Row y = linear(name + ".outer", activate(s_.average_activation, linear(name + ".inner", m)));
    const Row input = linear(name + ".input", x);
    const Row forget = linear(name + ".forget", y);
    Row f(d_);
    for (size_t j = 0; j < d_; j++) {
      f[j] = sigmoid(input[j]) * x[j] + sigmoid(forget[j]) * y[j];
    }
    return normalizes_after() ? norm(name, plus(x, f)) : plus(x, f);
  }

  const lat_nmt_transformer_settings &s_;
  size_t d_;
  size_t head_; /* columns of a head */
  std::vector<std::vector<Row>> source_keys_;
  std::vector<std::vector<Row>> source_values_;
};

}  // namespace lat::test
