// The weights of recurrent models.
#pragma once

#include <vector>

#include "nmt/layers.cuh"
#include "nmt/model.cuh"

namespace lat::nmt {

/* A plain product with its side. */
template <typename T>
struct Layer {
  const T *w = nullptr;
  int outputs = 0;
  int depth = 0;
  Side side;
};

/* A cell: one matrix if it is fused, else one per product. */
template <typename T>
struct CellWeights {
  Cell kind = Cell::kGru;
  bool fused = false;
  bool transition = false;
  int input = 0; /* padded width */
  const T *both = nullptr;
  const T *factors = nullptr; /* for the replacement of the state in a multiplicative cell */
  Layer<T> x;
  Layer<T> h;
  Layer<T> xm;
  Layer<T> hm;
};

template <typename T>
struct RnnWeights {
  CellWeights<T> encoder[2];
  std::vector<CellWeights<T>> encoder_transitions[2];
  CellWeights<T> cell1;
  CellWeights<T> cell2;
  std::vector<CellWeights<T>> transitions;
  Layer<T> start;
  Layer<T> key;
  Layer<T> query;
  const float *score = nullptr;
  const T *readout = nullptr; /* of state, word and context together, if nothing is normalized */
  Layer<T> readout_state;
  Layer<T> readout_word;
  Layer<T> readout_context;
};

template <typename T>
class RnnModel final : public NetworkModel<T> {
 public:
  explicit RnnModel(const lat_nmt_rnn_settings &settings) : s_(settings) { this->size_up(); }
  int search(const lat_nmt_options &options, lat_nmt_report *report, lat_nmt_search **made) const override;

  const lat_nmt_rnn_settings &settings() const { return s_; }
  const RnnWeights<T> &weights() const { return w_; }
  int embedding() const { return padded<T>(s_.embedding); }
  int state() const { return padded<T>(s_.state); }
  int context() const { return 2 * state(); }
  int attention() const { return padded<T>(s_.attention); }
  bool normalizes() const { return s_.normalization != 0; }

 private:
  Side side(Scratch &memory, const std::string &name, int64_t width, int64_t split) {
    Side side;
    side.bias = tensors_.vector(memory, name + ".bias", width);
    if (normalizes()) {
      side.gain = tensors_.vector(memory, name + ".gain", width);
      side.shift = tensors_.vector(memory, name + ".shift", width);
      side.epsilon = s_.normalization == 1 ? 1e-9f : 1e-5f;
      side.split = s_.normalization == 2 ? static_cast<int>(split) : 0;
    }
    side.width = static_cast<int>(width);
    return side;
  }
  /* The input of a product: an annotation is padded after each of its directions. */
  enum class In { kEmbedding, kState, kContext };
  int64_t width_of(In in) const {
    return in == In::kEmbedding ? s_.embedding : in == In::kState ? s_.state : 2 * s_.state;
  }
  int depth_of(In in) const { return in == In::kEmbedding ? embedding() : in == In::kState ? state() : context(); }
  Packing plain(In in, int64_t out, int depth, int at) const {
    Packing p;
    p.in = width_of(in);
    p.out = out;
    p.depth = depth;
    p.at = at;
    if (in == In::kContext) {
      p.half = static_cast<int>(s_.state);
      p.half_at = state();
    }
    return p;
  }

  Layer<T> matrix(Scratch &memory, const std::string &name, In in, int64_t out) {
    Layer<T> layer;
    layer.outputs = static_cast<int>(out);
    layer.depth = depth_of(in);
    T *to = memory.take<T>(out * layer.depth);
    tensors_.matrix(name, width_of(in), out, to, plain(in, out, layer.depth, 0));
    layer.w = to;
    return layer;
  }
  Layer<T> layer(Scratch &memory, const std::string &name, In in, int64_t out) {
    Layer<T> made = matrix(memory, name + ".W", in, out);
    made.side = side(memory, name, out, 0);
    return made;
  }
  CellWeights<T> cell(Scratch &memory, const std::string &name, int64_t kind, In in) {
    CellWeights<T> c;
    c.kind = static_cast<Cell>(kind);
    c.fused = !normalizes();
    c.input = depth_of(in);
    const int64_t wide = (c.kind == Cell::kGru ? 3 : 4) * s_.state;
    if (c.fused) {
      const int depth = c.input + state();
      const int64_t outputs = gates_of(static_cast<int>(s_.state));
      T *to = memory.take<T>(outputs * depth);
      Packing x = plain(in, wide, depth, 0);
      x.state = static_cast<int>(s_.state);
      tensors_.matrix(name + ".W", width_of(in), wide, to, x);
      Packing h = plain(In::kState, wide, depth, c.input);
      h.state = x.state;
      h.block[2] = c.kind == Cell::kGru ? 3 : 2;
      tensors_.matrix(name + ".U", s_.state, wide, to, h);
      c.both = to;
      if (c.kind == Cell::kMlstm) {
        T *factors = memory.take<T>(outputs / 2 * depth);
        Packing xm = plain(in, s_.state, depth, 0);
        xm.state = x.state;
        xm.blocks = 2;
        tensors_.matrix(name + ".Wm", width_of(in), s_.state, factors, xm);
        Packing hm = plain(In::kState, s_.state, depth, c.input);
        hm.state = x.state;
        hm.blocks = 2;
        hm.block[0] = 1;
        tensors_.matrix(name + ".Um", s_.state, s_.state, factors, hm);
        c.factors = factors;
      }
    } else {
      c.x = matrix(memory, name + ".W", in, wide);
      c.h = matrix(memory, name + ".U", In::kState, wide);
      if (c.kind == Cell::kMlstm) {
        c.xm = matrix(memory, name + ".Wm", in, s_.state);
        c.hm = matrix(memory, name + ".Um", In::kState, s_.state);
      }
    }
    if (c.kind == Cell::kMlstm) {
      c.xm.side = side(memory, name + ".xm", s_.state, 0);
      c.hm.side = side(memory, name + ".hm", s_.state, 0);
    }
    c.x.side = side(memory, name + ".x", wide, wide - s_.state);
    c.h.side = side(memory, name + ".h", wide, wide - s_.state);
    return c;
  }
  CellWeights<T> transition(Scratch &memory, const std::string &name) {
    CellWeights<T> c;
    c.transition = true;
    c.x.side.bias = tensors_.vector(memory, name + ".x.bias", 3 * s_.state);
    c.x.side.width = static_cast<int>(3 * s_.state);
    c.h = matrix(memory, name + ".U", In::kState, 3 * s_.state);
    c.h.side = side(memory, name + ".h", 3 * s_.state, 2 * s_.state);
    return c;
  }
  void lay_out(Scratch &memory) override {
    w_ = RnnWeights<T>();
    this->lay_out_words(memory, s_, s_.embedding);
    const char *names[2] = {"encoder.forward", "encoder.backward"};
    for (int d = 0; d < 2; d++) {
      w_.encoder[d] = cell(memory, names[d], d == 0 ? s_.forward_cell : s_.backward_cell, In::kEmbedding);
      for (int i = 1; i <= s_.encoder_transitions; i++) {
        w_.encoder_transitions[d].push_back(
            transition(memory, std::string(names[d]) + ".transition" + std::to_string(i)));
      }
    }
    w_.start = layer(memory, "start", In::kContext, s_.state);
    w_.cell1 = cell(memory, "decoder.cell1", s_.cell1, In::kEmbedding);
    w_.cell2 = cell(memory, "decoder.cell2", s_.cell2, In::kContext);
    for (int i = 1; i <= s_.decoder_transitions; i++) {
      w_.transitions.push_back(transition(memory, "decoder.transition" + std::to_string(i)));
    }
    w_.key = layer(memory, "attention.key", In::kContext, s_.attention);
    w_.query = layer(memory, "attention.query", In::kState, s_.attention);
    w_.score = tensors_.vector(memory, "attention.score", s_.attention);
    memory.take<float>(line_of<T>()); /* zeros after it */
    if (normalizes()) {
      w_.readout_state = layer(memory, "readout.state", In::kState, s_.embedding);
      w_.readout_word = layer(memory, "readout.previous", In::kEmbedding, s_.embedding);
      w_.readout_context = layer(memory, "readout.context", In::kContext, s_.embedding);
    } else {
      const int depth = state() + embedding() + context();
      T *to = memory.take<T>(s_.embedding * depth);
      tensors_.matrix("readout.state.W", s_.state, s_.embedding, to, plain(In::kState, s_.embedding, depth, 0));
      tensors_.matrix("readout.previous.W", s_.embedding, s_.embedding, to,
                      plain(In::kEmbedding, s_.embedding, depth, state()));
      tensors_.matrix("readout.context.W", 2 * s_.state, s_.embedding, to,
                      plain(In::kContext, s_.embedding, depth, state() + embedding()));
      w_.readout = to;
      w_.readout_state.side = side(memory, "readout.state", s_.embedding, 0);
      w_.readout_word.side = side(memory, "readout.previous", s_.embedding, 0);
      w_.readout_context.side = side(memory, "readout.context", s_.embedding, 0);
    }
  }

  lat_nmt_rnn_settings s_;
  RnnWeights<T> w_;
  using NetworkModel<T>::tensors_;
};

}  // namespace lat::nmt
