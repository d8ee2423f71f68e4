// Recurrent encoder and decoder; docs/formats.md has the equations. Cells without normalization are one kernel,
// including the product; multiplicative ones need another before it. Code that needs whole rows (normalization,
// transitions) uses one product per side and a kernel over rows.
//
// With few rows, a step without normalization is a chain of seven kernels: cell, query, attention, cell, readout,
// output layer, choice. With an embedding of 256, a state of 512 and 4,530 words they read 13.7 MB of weights from L2,
// 2.5 us at 5.5 TB/s; the latency of their launches, reads and sums makes it 34 us. If the cells are GRUs, few_steps()
// does all of it in 16 bits in one kernel, in 20 us.
#pragma once

#include "nmt/few_steps.cuh"
#include "nmt/network_search.cuh"
#include "nmt/rnn_model.cuh"

namespace lat::nmt {

/* For joining sentences: the owner of each token, step by step in each direction, and their places. One block per
 * sentence. */
static __global__ void spread_kernel(const lat_nmt_sentence *sentences, int count, const int32_t *ids,
                                     const int32_t *offset, int32_t *length, int32_t *start, int32_t *word, int32_t *at,
                                     int32_t *before, int32_t *place, int64_t direction_size) {
  const int i = blockIdx.x;
  const int n = sentences[i].length;
  const int first = sentences[i].first_token;
  if (threadIdx.x == 0) {
    length[i] = n;
    start[i] = sentences[i].place;
  }
  for (int t = threadIdx.x; t < n; t += blockDim.x) {
    place[offset[i] + t] = first + t;
    const int64_t forward = static_cast<int64_t>(t) * count + i;
    word[forward] = ids[offset[i] + t];
    at[forward] = first + t;
    before[forward] = t == 0 ? -1 : first + t - 1;
    const int64_t backward = direction_size + forward;
    word[backward] = ids[offset[i] + n - 1 - t];
    at[backward] = first + n - 1 - t;
    before[backward] = t == 0 ? -1 : first + n - t;
  }
}

/* The initial cell states of sentences: those of `states`, or zeros if there are none. One block per sentence. */
static __global__ void start_cells_kernel(const float *states, const int32_t *start, int width, float *cells) {
  const int64_t row = static_cast<int64_t>(start[blockIdx.x]) * width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    cells[row + i] = states == nullptr ? 0 : states[row + i];
  }
}

template <typename T>
class RnnSearch final : public NetworkSearch<T> {
 public:
  RnnSearch(const RnnModel<T> &model, const lat_nmt_options &o, const DeviceSizes &device, lat_nmt_report *report)
      : NetworkSearch<T>(o, device, report), m_(model), s_(model.settings()) {
    this->size_up(s_.words);
  }

  int step(int most, cudaStream_t stream) override {
    const RowCount count = this->rows(most);
    const RnnWeights<T> &w = m_.weights();
    const Output<T> output = this->output_of(readout_, 1, m_.word_weights().output);
    if constexpr (sizeof(T) == 2) {
      if (most <= kFewRows && takes_few_steps()) {
        const int status = few_steps(few(output), this->plan(output, most).shares, stream);
        if (status != LAT_UNSUPPORTED) {
          return status;
        }
      }
    }
    LAT_DO(run_cell(w.cell1, word(), before(), first_ports(), this->first_of_step(count), stream));
    LAT_DO(run(w.query, between(), query_, m_.attention(), nullptr, 0, nullptr, false, count, stream));
    LAT_DO(attend(attention(), count, stream));
    Ports<T> ports = second_ports();
    LAT_DO(run_cell(w.cell2, context(), between(), ports, count, stream));
    ports.h_in = s32_;
    ports.c_in = nullptr;
    ports.c_out = nullptr;
    for (const CellWeights<T> &transition : w.transitions) {
      LAT_DO(run_cell(transition, {}, now(), ports, count, stream));
    }
    LAT_DO(readout(count, stream));
    return this->say(output, most, stream);
  }

 private:
  bool cells() const { return s_.cell1 != LAT_NMT_GRU || s_.cell2 != LAT_NMT_GRU; }

  // factors of a step's products
  Part<T> word() const { return {m_.word_weights().target, state.word, m_.embedding(), m_.embedding()}; }
  Part<T> before() const { return {sT_, state.from, m_.state(), m_.state()}; }
  Part<T> between() const { return {hT_, nullptr, m_.state(), m_.state()}; }
  Part<T> context() const { return {context_, nullptr, m_.context(), m_.context()}; }
  Part<T> now() const { return {sT_, nullptr, m_.state(), m_.state()}; }

  Ports<T> first_ports() const {
    Ports<T> ports;
    ports.state = static_cast<int>(s_.state);
    ports.h_in = s32_;
    ports.c_in = cells() ? c_ : nullptr;
    ports.from = state.from;
    ports.h_out = h32_;
    ports.c_out = cells() ? c_between_ : nullptr;
    ports.factor = hT_;
    ports.factor_stride = m_.state();
    return ports;
  }
  Ports<T> second_ports() const {
    Ports<T> ports = first_ports();
    ports.h_in = h32_;
    ports.c_in = cells() ? c_between_ : nullptr;
    ports.from = nullptr;
    ports.h_out = s32_;
    ports.c_out = cells() ? c_ : nullptr;
    ports.factor = sT_;
    return ports;
  }
  Attend<T> attention() const {
    Attend<T> a{};
    a.query = query_;
    a.score = m_.weights().score;
    a.keys = keys_;
    a.annotations = annotations_;
    a.width = m_.attention();
    a.context = m_.context();
    a.sentence = state.sentence;
    a.length = state.length;
    a.first_token = state.first_token;
    a.out = context_;
    a.weights = attention_;
    a.longest = static_cast<int>(options.longest);
    return a;
  }

  /* Whether few_steps() can take this search's steps. */
  bool takes_few_steps() const {
    constexpr int64_t kOthers = LAT_NMT_KEEP_ROWS | LAT_NMT_SEPARATE | LAT_NMT_LOGITS | LAT_NMT_GIVEN;
    return !cells() && !m_.normalizes() && s_.decoder_transitions == 0 && (options.flags & kOthers) == 0;
  }
  FewSteps<T> few(const Output<T> &output) const {
    const RnnWeights<T> &w = m_.weights();
    FewSteps<T> steps{};
    steps.state = state;
    steps.cell1 = fused<true>(w.cell1, word(), before(), first_ports());
    steps.query.product = product_of(w.query, between());
    steps.query.finish = store_of(w.query, {false, query_, m_.attention()});
    steps.attention = attention();
    steps.cell2 = fused<true>(w.cell2, context(), between(), second_ports());
    steps.readout = readout_work();
    steps.output = output;
    steps.wanted = this->wanted();
    steps.counters = counters_;
    return steps;
  }

  int encode(const lat_nmt_sentence *sentences, int count, int tokens, cudaStream_t stream) override {
    const int64_t direction = static_cast<int64_t>(sentences[0].length) * count;
    spread_kernel<<<count, 64, 0, stream>>>(join_, count, ids_, offset_, length_, start_, word_, at_, before_, place_,
                                            direction);
    LAT_DO(launched());
    int running = count;
    for (int t = 0; t < sentences[0].length; t++) {
      while (sentences[running - 1].length <= t) {
        running--;
      }
      LAT_DO(encode_step(t, running, count, direction, stream));
    }
    const RowCount all_tokens{nullptr, tokens};
    LAT_DO(run(m_.weights().key, {annotations_, place_, m_.context(), m_.context()}, nullptr, 0, keys_, m_.attention(),
               place_, false, all_tokens, stream));
    mean_kernel<<<count, 256, 0, stream>>>(annotations_, m_.context(), place_, offset_, length_, mean_);
    LAT_DO(launched());
    const int64_t first = state.most_rows;
    LAT_DO(run(m_.weights().start, {mean_, nullptr, m_.context(), m_.context()}, s32_ + first * s_.state, s_.state,
               sT_ + first * m_.state(), m_.state(), start_, true, {nullptr, count}, stream));
    if (cells()) {
      const float *starts = s_.starts_cell != 0 ? s32_ + first * s_.state : nullptr;
      start_cells_kernel<<<count, 256, 0, stream>>>(starts, start_, static_cast<int>(s_.state), c_ + first * s_.state);
      LAT_DO(launched());
    }
    return LAT_OK;
  }

  static Product<T> product_of(const Layer<T> &layer, const Part<T> &in) {
    Product<T> product;
    product.part[0] = in;
    product.w = layer.w;
    product.outputs = layer.outputs;
    product.depth = layer.depth;
    return product;
  }

  static Store<T> store_of(const Layer<T> &layer, const RowResults<T> &results) {
    Store<T> store;
    store.bias[0] = layer.side.bias;
    store.outputs = layer.outputs;
    store.results = results;
    return store;
  }

  /* A layer: one kernel, or two if it is normalized. */
  int run(const Layer<T> &layer_of, const Part<T> &in, float *wide, int64_t wide_stride, T *narrow_out,
          int64_t narrow_stride, const int32_t *index, bool tanh, RowCount count, cudaStream_t stream) {
    const RowResults<T> results{tanh, wide, wide_stride, narrow_out, narrow_stride, index};
    if (layer_of.side.gain == nullptr) {
      return store_layer(product_of(layer_of, in), store_of(layer_of, results), count, stream);
    }
    LAT_DO(sums(layer_of, in, sums_[0], count, stream));
    RowSums<T> rows;
    rows.sum[0] = sums_[0];
    rows.side[0] = layer_of.side;
    rows.results = results;
    return launch_rows(row_sums_kernel<T>, rows, layer_of.outputs, count, stream);
  }

  /* Only a product, [rows][outputs] in 32 bits. */
  int sums(const Layer<T> &layer_of, const Part<T> &in, float *out, RowCount count, cudaStream_t stream) {
    Store<T> store;
    store.outputs = layer_of.outputs;
    store.results.wide = out;
    store.results.wide_stride = layer_of.outputs;
    return store_layer(product_of(layer_of, in), store, count, stream);
  }

  template <bool GRU>
  static Work<T, CellFinish<T, GRU>> fused(const CellWeights<T> &cell, const Part<T> &x, const Part<T> &h,
                                           const Ports<T> &ports) {
    Work<T, CellFinish<T, GRU>> work;
    work.product.part[0] = x;
    work.product.part[1] = h;
    work.product.w = cell.both;
    work.product.outputs = gates_of(ports.state);
    work.product.depth = x.width + h.width;
    work.finish.x_bias = cell.x.side.bias;
    work.finish.h_bias = cell.h.side.bias;
    work.finish.ports = ports;
    return work;
  }

  /* The factor of a multiplicative cell, into `out`. */
  Work<T, MultiplyFinish<T>> multiply(const CellWeights<T> &cell, const Part<T> &x, const Part<T> &h, T *out) const {
    Work<T, MultiplyFinish<T>> work;
    work.product.part[0] = x;
    work.product.part[1] = h;
    work.product.w = cell.factors;
    work.product.outputs = gates_of(static_cast<int>(s_.state)) / 2;
    work.product.depth = x.width + h.width;
    work.finish.x_bias = cell.xm.side.bias;
    work.finish.h_bias = cell.hm.side.bias;
    work.finish.out = out;
    work.finish.stride = m_.state();
    work.finish.state = static_cast<int>(s_.state);
    return work;
  }
  Part<T> multiplied(int direction) const { return {multiplied_[direction], nullptr, m_.state(), m_.state()}; }

  int run_cell(const CellWeights<T> &cell, const Part<T> &x, const Part<T> &h, const Ports<T> &ports, RowCount count,
               cudaStream_t stream) {
    Part<T> recurrent = h;
    if (cell.fused) {
      if (cell.kind == Cell::kMlstm) {
        const Work<T, MultiplyFinish<T>> factor = multiply(cell, x, h, multiplied_[0]);
        LAT_DO(layer(factor.product, factor.finish, count, stream));
        count.first_of_step = false;
        recurrent = multiplied(0);
      }
      if (cell.kind == Cell::kGru) {
        const Work<T, CellFinish<T, true>> work = fused<true>(cell, x, recurrent, ports);
        return layer(work.product, work.finish, count, stream);
      }
      const Work<T, CellFinish<T, false>> work = fused<false>(cell, x, recurrent, ports);
      return layer(work.product, work.finish, count, stream);
    }
    if (cell.kind == Cell::kMlstm) {
      LAT_DO(sums(cell.xm, x, sums_[0], count, stream));
      count.first_of_step = false;
      LAT_DO(sums(cell.hm, h, sums_[1], count, stream));
      RowProducts<T> rows{};
      rows.pair = {sums_[0], sums_[1], cell.xm.side, cell.hm.side};
      rows.out = multiplied_[0];
      rows.stride = m_.state();
      LAT_DO(launch_rows(row_products_kernel<T>, rows, cell.xm.side.width, count, stream));
      recurrent = multiplied(0);
    }
    if (!cell.transition) {
      LAT_DO(sums(cell.x, x, sums_[0], count, stream));
      count.first_of_step = false;
    }
    LAT_DO(sums(cell.h, recurrent, sums_[1], count, stream));
    RowCell<T> rows{};
    rows.cell = cell.kind;
    rows.pair = {cell.transition ? nullptr : sums_[0], sums_[1], cell.x.side, cell.h.side};
    rows.ports = ports;
    return launch_rows(row_cell_kernel<T>, rows, cell.x.side.width, count, stream);
  }

  /* Inputs and outputs of a step of the encoder, per direction. */
  struct EncoderStep {
    Part<T> word;
    Part<T> before;
    Part<T> now;
    Ports<T> ports;
  };
  EncoderStep encoder_step(int d, int t, int count, int64_t direction) const {
    const int64_t at = d * direction + static_cast<int64_t>(t) * count;
    T *half = annotations_ + d * m_.state();
    EncoderStep step;
    step.word = {m_.word_weights().source, word_ + at, m_.embedding(), m_.embedding()};
    step.before = {half, before_ + at, m_.context(), m_.state()};
    step.now = {half, at_ + at, m_.context(), m_.state()};
    step.ports.state = static_cast<int>(s_.state);
    step.ports.h_in = t == 0 ? nullptr : encoder_h_[d]; /* all sentences begin with zeros, in both directions */
    step.ports.h_out = encoder_h_[d];
    if (m_.weights().encoder[d].kind != Cell::kGru) {
      step.ports.c_in = t == 0 ? nullptr : encoder_c_[d];
      step.ports.c_out = encoder_c_[d];
    }
    step.ports.factor = half;
    step.ports.factor_stride = m_.context();
    step.ports.to = at_ + at;
    return step;
  }
  template <bool GRU>
  int encode_both(const EncoderStep (&steps)[2], RowCount rows, cudaStream_t stream) {
    Works<T, CellFinish<T, GRU>> works;
    for (int d = 0; d < 2; d++) {
      works.of[d] = fused<GRU>(m_.weights().encoder[d], steps[d].word, steps[d].before, steps[d].ports);
    }
    return layer(works, 2, rows, stream);
  }

  int encode_step(int t, int running, int count, int64_t direction, cudaStream_t stream) {
    const RnnWeights<T> &w = m_.weights();
    const Cell kind = w.encoder[0].kind;
    const bool both = w.encoder[0].fused && w.encoder[1].fused && w.encoder_transitions[0].empty() &&
                      kind == w.encoder[1].kind;
    const RowCount rows{nullptr, running};
    EncoderStep steps[2] = {encoder_step(0, t, count, direction), encoder_step(1, t, count, direction)};
    if (both && kind == Cell::kMlstm) {
      Works<T, MultiplyFinish<T>> factors;
      for (int d = 0; d < 2; d++) {
        factors.of[d] = multiply(w.encoder[d], steps[d].word, steps[d].before, multiplied_[d]);
        steps[d].before = multiplied(d);
      }
      LAT_DO(layer(factors, 2, rows, stream));
    }
    if (both) {
      return kind == Cell::kGru ? encode_both<true>(steps, rows, stream) : encode_both<false>(steps, rows, stream);
    }
    for (int d = 0; d < 2; d++) {
      LAT_DO(run_cell(w.encoder[d], steps[d].word, steps[d].before, steps[d].ports, rows, stream));
      steps[d].ports.h_in = encoder_h_[d];
      steps[d].ports.c_in = nullptr;
      steps[d].ports.c_out = nullptr;
      for (const CellWeights<T> &transition : w.encoder_transitions[d]) {
        LAT_DO(run_cell(transition, {}, steps[d].now, steps[d].ports, rows, stream));
      }
    }
    return LAT_OK;
  }

  RowResults<T> readout_results() const {
    RowResults<T> results;
    results.tanh = true;
    results.narrow_out = readout_;
    results.narrow_stride = m_.embedding();
    return results;
  }
  /* The readout, if nothing is normalized. */
  Work<T, Store<T>> readout_work() const {
    const RnnWeights<T> &w = m_.weights();
    Work<T, Store<T>> work;
    work.product.part[0] = now();
    work.product.part[1] = word();
    work.product.part[2] = context();
    work.product.w = w.readout;
    work.product.outputs = static_cast<int>(s_.embedding);
    work.product.depth = m_.state() + m_.embedding() + m_.context();
    work.finish.bias[0] = w.readout_state.side.bias;
    work.finish.bias[1] = w.readout_word.side.bias;
    work.finish.bias[2] = w.readout_context.side.bias;
    work.finish.outputs = work.product.outputs;
    work.finish.results = readout_results();
    return work;
  }
  int readout(RowCount count, cudaStream_t stream) {
    const RnnWeights<T> &w = m_.weights();
    if (!m_.normalizes()) {
      const Work<T, Store<T>> work = readout_work();
      return store_layer(work.product, work.finish, count, stream);
    }
    LAT_DO(sums(w.readout_state, now(), sums_[0], count, stream));
    LAT_DO(sums(w.readout_word, word(), sums_[1], count, stream));
    LAT_DO(sums(w.readout_context, context(), sums_[2], count, stream));
    RowSums<T> rows;
    for (int k = 0; k < kParts; k++) {
      rows.sum[k] = sums_[k];
    }
    rows.side[0] = w.readout_state.side;
    rows.side[1] = w.readout_word.side;
    rows.side[2] = w.readout_context.side;
    rows.results = readout_results();
    return launch_rows(row_sums_kernel<T>, rows, rows.side[0].width, count, stream);
  }

  void lay_out_network(Scratch &memory) override {
    const uint64_t rows = state.most_rows;
    const uint64_t joins = options.join_sentences;
    const uint64_t h = s_.state;
    annotations_ = memory.take<T>(options.tokens * m_.context());
    keys_ = memory.take<T>(options.tokens * m_.attention());
    const uint64_t starts = options.sentences;
    s32_ = memory.take<float>((rows + starts) * h);
    sT_ = memory.take<T>((rows + starts) * m_.state());
    h32_ = memory.take<float>(rows * h);
    hT_ = memory.take<T>(rows * m_.state());
    c_ = memory.take<float>(cells() ? (rows + starts) * h : 0);
    c_between_ = memory.take<float>(cells() ? rows * h : 0);
    query_ = memory.take<float>(rows * m_.attention());
    context_ = memory.take<T>(rows * m_.context());
    readout_ = memory.take<T>(rows * m_.embedding());
    counters_ = memory.take<uint32_t>(takes_few_steps() ? kFewCounters * kCounterStride : 0);
    const uint64_t most = rows > joins ? rows : joins;
    const bool apart = m_.normalizes() || s_.encoder_transitions > 0 || s_.decoder_transitions > 0;
    const bool multiplies = s_.forward_cell == LAT_NMT_MLSTM || s_.backward_cell == LAT_NMT_MLSTM ||
                            s_.cell1 == LAT_NMT_MLSTM || s_.cell2 == LAT_NMT_MLSTM;
    const uint64_t key_sums = m_.normalizes() ? options.join_tokens * s_.attention : 0;
    uint64_t wide = 4 * h;
    wide = wide > static_cast<uint64_t>(s_.attention) ? wide : s_.attention;
    wide = wide > static_cast<uint64_t>(s_.embedding) ? wide : s_.embedding;
    for (int k = 0; k < kParts; k++) {
      uint64_t size = apart ? most * wide : 0;
      size = k == 0 && key_sums > size ? key_sums : size;
      sums_[k] = memory.take<float>(size);
    }
    for (int d = 0; d < 2; d++) {
      multiplied_[d] = memory.take<T>(multiplies ? most * m_.state() : 0);
    }

    length_ = memory.take<int32_t>(joins);
    start_ = memory.take<int32_t>(joins);
    place_ = memory.take<int32_t>(options.join_tokens);
    word_ = memory.take<int32_t>(2 * joins * options.longest);
    at_ = memory.take<int32_t>(2 * joins * options.longest);
    before_ = memory.take<int32_t>(2 * joins * options.longest);
    for (int d = 0; d < 2; d++) {
      encoder_h_[d] = memory.take<float>(joins * h);
      encoder_c_[d] = memory.take<float>(joins * h);
    }
    mean_ = memory.take<T>(joins * m_.context());
  }

  const RnnModel<T> &m_;
  const lat_nmt_rnn_settings &s_;
  using NetworkSearch<T>::options;
  using NetworkSearch<T>::state;
  using NetworkSearch<T>::join_;
  using NetworkSearch<T>::ids_;
  using NetworkSearch<T>::offset_;
  using NetworkSearch<T>::attention_;

  T *annotations_;
  T *keys_;
  float *s32_;
  T *sT_;
  float *h32_;
  T *hT_;
  float *c_;
  float *c_between_;
  float *query_;
  T *context_;
  T *readout_;
  uint32_t *counters_;
  float *sums_[kParts];
  T *multiplied_[2];
  int32_t *length_;
  int32_t *start_; /* per sentence: row of its initial state, which is its place */
  int32_t *place_;
  int32_t *word_;
  int32_t *at_;
  int32_t *before_;
  float *encoder_h_[2];
  float *encoder_c_[2];
  T *mean_;
};

template <typename T>
int make_rnn(const lat_nmt_rnn_settings &settings, lat_nmt_model **model) {
  *model = new RnnModel<T>(settings);
  return LAT_OK;
}

template <typename T>
int RnnModel<T>::search(const lat_nmt_options &options, lat_nmt_report *report, lat_nmt_search **made) const {
  DeviceSizes device{};
  LAT_TRY(device_sizes(&device));
  *made = new RnnSearch<T>(*this, options, device, report);
  return LAT_OK;
}

}  // namespace lat::nmt
