// Transformers; docs/formats.md has the equations.
//
// The residual sum through the layers is kept in 32 bits; the kernel that ends a block makes the next block's input
// from it. Sentences are encoded concatenated, without padding. Keys and values of the source stay at the sentence's
// token places; those of target words are stored by the search's nodes, so that nothing moves when hypotheses do: a row
// only needs to know its ancestors (heads.cuh).
#pragma once

#include "nmt/blocks.cuh"
#include "nmt/network_search.cuh"

namespace lat::nmt {

template <typename T>
struct Linear {
  const T *w = nullptr; /* [outputs][depth] */
  const float *bias = nullptr;
  int outputs = 0;
  int depth = 0;

  Linear part(int from, int count) const {
    return {w + static_cast<int64_t>(from) * depth, bias + from, count, depth};
  }
};

template <typename T>
struct AttentionWeights {
  Linear<T> query_key_value;
  Linear<T> output;
  Norm norm;
};
template <typename T>
struct FeedForwardWeights {
  Linear<T> inner; /* gated: each output is followed by its gate */
  bool gated = false;
  std::vector<Linear<T>> middle;
  Linear<T> outer;
  Norm norm;
};
template <typename T>
struct EncoderLayer {
  AttentionWeights<T> self;
  FeedForwardWeights<T> feed_forward;
};
template <typename T>
struct DecoderLayer {
  AttentionWeights<T> self;
  FeedForwardWeights<T> average;
  Linear<T> gates; /* average attention: input, forget; SSRU: candidate, forget */
  Norm gates_norm;
  AttentionWeights<T> cross;
  FeedForwardWeights<T> feed_forward;
};
template <typename T>
struct TransformerWeights {
  std::vector<EncoderLayer<T>> encoder;
  std::vector<DecoderLayer<T>> decoder;
  Norm source; /* of the inputs of encoder and decoder */
  Norm target;
  Norm encoder_top;
  Norm decoder_top;
  const float *source_positions = nullptr; /* [positions][width], if they are learned */
  const float *target_positions = nullptr;
  const float *encoder_biases = nullptr; /* [buckets][heads], if positions are relative */
  const float *decoder_biases = nullptr;
};

template <typename T>
class TransformerModel final : public NetworkModel<T> {
 public:
  explicit TransformerModel(const lat_nmt_transformer_settings &settings) : s_(settings) { this->size_up(); }
  int search(const lat_nmt_options &options, lat_nmt_report *report, lat_nmt_search **made) const override;

  const lat_nmt_transformer_settings &settings() const { return s_; }
  const TransformerWeights<T> &weights() const { return w_; }
  int width() const { return static_cast<int>(s_.width); }
  int depth() const { return padded<T>(s_.width); }
  int head() const { return static_cast<int>(s_.head_width > 0 ? s_.head_width : s_.width / s_.heads); }
  /* Columns of all heads. */
  int64_t attention_width() const { return s_.heads * head(); }
  /* The columns of queries, keys or values: as many, with a zero if their number is odd. */
  int even_attention() const { return static_cast<int>((attention_width() + 1) / 2 * 2); }

 private:
  /* Reserves a linear layer whose outputs are those of several layers, side by side. */
  Linear<T> room(Scratch &memory, int64_t in, int64_t outputs) {
    Linear<T> made;
    made.outputs = static_cast<int>(outputs);
    made.depth = padded<T>(in);
    made.w = memory.take<T>(outputs * made.depth);
    made.bias = memory.take<float>(outputs);
    return made;
  }
  /* `every`: the distance of its outputs. */
  void fill(const Linear<T> &room, const std::string &name, int64_t in, int64_t from, int64_t out, bool has_bias,
            int every = 1) {
    Packing p;
    p.in = in;
    p.out = out;
    p.depth = room.depth;
    p.every = every;
    tensors_.matrix(name + ".W", in, out, const_cast<T *>(room.w) + from * room.depth, p);
    if (has_bias) {
      tensors_.vector(name + ".bias", out, const_cast<float *>(room.bias) + from, every);
    }
  }
  Linear<T> linear(Scratch &memory, const std::string &name, int64_t in, int64_t out) {
    const Linear<T> made = room(memory, in, out);
    fill(made, name, in, 0, out, true);
    return made;
  }
  Norm norm(Scratch &memory, const std::string &name) {
    return {tensors_.vector(memory, name + ".norm.gain", s_.width),
            s_.root_mean_square != 0 ? nullptr : tensors_.vector(memory, name + ".norm.shift", s_.width)};
  }
  AttentionWeights<T> attention(Scratch &memory, const std::string &name) {
    AttentionWeights<T> made;
    made.query_key_value = room(memory, s_.width, 3 * even_attention());
    fill(made.query_key_value, name + ".query", s_.width, 0, attention_width(), true);
    fill(made.query_key_value, name + ".key", s_.width, even_attention(), attention_width(), true);
    fill(made.query_key_value, name + ".value", s_.width, 2 * even_attention(), attention_width(), true);
    made.output = linear(memory, name + ".output", attention_width(), s_.width);
    made.norm = norm(memory, name);
    return made;
  }
  FeedForwardWeights<T> feed_forward(Scratch &memory, const std::string &name, int64_t inner, bool gated,
                                     int64_t middle_layers) {
    FeedForwardWeights<T> made;
    made.gated = gated;
    made.inner = room(memory, s_.width, gated ? 2 * inner : inner);
    fill(made.inner, name + ".inner", s_.width, 0, inner, true, gated ? 2 : 1);
    if (gated) {
      fill(made.inner, name + ".gate", s_.width, 1, inner, true, 2);
    }
    for (int64_t i = 1; i <= middle_layers; i++) {
      made.middle.push_back(linear(memory, name + ".middle" + std::to_string(i), inner, inner));
    }
    made.outer = linear(memory, name + ".outer", inner, s_.width);
    made.norm = norm(memory, name);
    return made;
  }
  Linear<T> gates(Scratch &memory, const std::string &name, const char *first, bool first_has_bias) {
    const Linear<T> made = room(memory, s_.width, 2 * s_.width);
    fill(made, name + first, s_.width, 0, s_.width, first_has_bias);
    fill(made, name + ".forget", s_.width, s_.width, s_.width, true);
    return made;
  }

  void lay_out(Scratch &memory) override {
    w_ = TransformerWeights<T>();
    this->lay_out_words(memory, s_, s_.width);
    const bool gated = s_.gated_feed_forward != 0;
    const bool self = s_.autoregression == LAT_NMT_SELF_ATTENTION;
    if (s_.positions == LAT_NMT_LEARNED) {
      w_.source_positions = tensors_.table(memory, "source.positions", s_.position_rows, s_.width);
      w_.target_positions = tensors_.table(memory, "target.positions", s_.position_rows, s_.width);
    } else if (s_.positions == LAT_NMT_RELATIVE) {
      w_.encoder_biases = tensors_.table(memory, "encoder.positions", s_.relative_buckets, s_.heads);
      w_.decoder_biases = self ? tensors_.table(memory, "decoder.positions", s_.relative_buckets, s_.heads) : nullptr;
    }
    if (s_.normalizes_embeddings != 0) {
      w_.source = norm(memory, "source");
      w_.target = norm(memory, "target");
    }
    for (int i = 1; i <= s_.encoder_layers; i++) {
      const std::string name = "encoder.layer" + std::to_string(i);
      EncoderLayer<T> layer;
      layer.self = attention(memory, name + ".self");
      layer.feed_forward = feed_forward(memory, name + ".feedforward", s_.encoder_feed_forward, gated, s_.middle_layers);
      w_.encoder.push_back(layer);
    }
    for (int i = 1; i <= s_.decoder_layers; i++) {
      const std::string name = "decoder.layer" + std::to_string(i);
      DecoderLayer<T> layer;
      if (self) {
        layer.self = attention(memory, name + ".self");
      } else if (s_.autoregression == LAT_NMT_AVERAGE_ATTENTION) {
        layer.average = feed_forward(memory, name + ".average", s_.average_feed_forward, false, 0);
        layer.gates = gates(memory, name + ".average", ".input", true);
        layer.gates_norm = layer.average.norm;
      } else {
        layer.gates = gates(memory, name + ".ssru", ".candidate", false);
        layer.gates_norm = norm(memory, name + ".ssru");
      }
      layer.cross = attention(memory, name + ".cross");
      layer.feed_forward = feed_forward(memory, name + ".feedforward", s_.decoder_feed_forward, gated, s_.middle_layers);
      w_.decoder.push_back(layer);
    }
    if (s_.normalizes_top != 0) {
      w_.encoder_top = norm(memory, "encoder");
      w_.decoder_top = norm(memory, "decoder");
    }
  }

  lat_nmt_transformer_settings s_;
  TransformerWeights<T> w_;
  using NetworkModel<T>::tensors_;
};

/* For joining sentences: the owner of each token, its position, and where its keys go. One block per sentence. */
static __global__ void tokens_kernel(const lat_nmt_sentence *sentences, const int32_t *offset, int32_t *length,
                                     int32_t *owner, int32_t *position, int32_t *place) {
  const int i = blockIdx.x;
  const int n = sentences[i].length;
  if (threadIdx.x == 0) {
    length[i] = n;
  }
  for (int t = threadIdx.x; t < n; t += blockDim.x) {
    owner[offset[i] + t] = i;
    position[offset[i] + t] = t;
    place[offset[i] + t] = sentences[i].first_token + t;
  }
}

template <typename T>
class TransformerSearch final : public NetworkSearch<T> {
 public:
  TransformerSearch(const TransformerModel<T> &model, const lat_nmt_options &o, const DeviceSizes &device,
                    lat_nmt_report *report)
      : NetworkSearch<T>(o, device, report), m_(model), s_(model.settings()), d_(model.width()), depth_(model.depth()),
        a_(model.even_attention()), attended_depth_(padded<T>(model.attention_width())) {
    state.attention_heads = static_cast<int>(s_.alignment_heads);
    this->size_up(s_.words);
  }

  int step(int most, cudaStream_t stream) override {
    const RowCount live = this->live(most); /* only these have data at nodes */
    const RowCount count = this->rows(most);
    const std::vector<DecoderLayer<T>> &layers = m_.weights().decoder;
    RowBlock<T> words = rows_of();
    words.embedding = m_.word_weights().target;
    words.scale = embedding_scale();
    words.word = state.word;
    words.start = static_cast<int>(s_.start);
    words.positions = learned() ? m_.weights().target_positions : positions_;
    words.ancestors = ancestors_;
    words.node = state.node;
    words.first_token = state.first_token;
    words.place = place_;
    words.after = m_.weights().target;
    words.before = first_norm(0);
    words.raw = raw();
    LAT_DO(row_block<Makes::kWords>(words, this->first_of_step(live), stream));
    for (int i = 0; i < static_cast<int>(layers.size()); i++) {
      const DecoderLayer<T> &layer = layers[i];
      LAT_DO(s_.autoregression == LAT_NMT_SELF_ATTENTION      ? see_words(layer, i, live, stream)
             : s_.autoregression == LAT_NMT_AVERAGE_ATTENTION ? see_average(layer, i, count, stream)
                                                              : see_state(layer, i, count, stream));
      LAT_DO(see_source(layer, i, live, count, stream));
      const bool is_last = i + 1 == static_cast<int>(layers.size());
      LAT_DO(feed_forward(layer.feed_forward, hidden_, spare_, is_last ? m_.weights().decoder_top : first_norm(i + 1),
                          is_last ? nullptr : raw(), count, stream));
    }
    return this->say(this->output_of(in_, kTerms<T>, m_.word_weights().output), most, stream);
  }

 protected:
  int prepare(cudaStream_t stream) override {
    if (positions_ != nullptr) {
      positions_kernel<<<256, 256, 0, stream>>>(positions_, s_.first_position, steps(), d_);
    }
    const TransformerWeights<T> &w = m_.weights();
    expand(w.encoder_biases, encoder_biases_, true, stream);
    expand(w.decoder_biases, decoder_biases_, false, stream);
    return launched();
  }

  int encode(const lat_nmt_sentence *sentences, int count, int tokens, cudaStream_t stream) override {
    for (int i = 0; i < count && learned(); i++) {
      LAT_REQUIRE(sentences[i].length <= s_.position_rows && sentences[i].limit <= s_.position_rows);
    }
    const RowCount rows{nullptr, tokens};
    const TransformerWeights<T> &w = m_.weights();
    tokens_kernel<<<count, 64, 0, stream>>>(join_, offset_, length_, owner_, position_, token_place_);
    LAT_DO(launched());
    RowBlock<T> words = rows_of();
    words.embedding = m_.word_weights().source;
    words.scale = embedding_scale();
    words.word = ids_;
    words.positions = learned() ? w.source_positions : positions_;
    words.position = position_;
    words.after = w.source;
    words.before = before(w.encoder[0].self.norm);
    words.raw = raw();
    LAT_DO(row_block<Makes::kTokens>(words, rows, stream));
    for (size_t i = 0; i < w.encoder.size(); i++) {
      const EncoderLayer<T> &layer = w.encoder[i];
      Kept<T> *keys = query_key_value_ + a_;
      LAT_DO(query_key_value(layer.self, query_key_value_, 3 * a_, keys, 3 * a_, nullptr, rows, stream));
      Heads<T> heads = heads_of(query_key_value_, 3 * a_, keys, 3 * a_);
      heads.biases = encoder_biases_;
      heads.sentence = owner_;
      heads.first = offset_;
      heads.length = length_;
      LAT_DO((attend_heads<T, Sees::kSentence>(heads, rows, stream)));
      LAT_DO(end_attention(layer.self, layer.feed_forward.norm, nullptr, nullptr, rows, stream));
      const bool is_last = i + 1 == w.encoder.size();
      LAT_DO(feed_forward(layer.feed_forward, encoder_hidden_, encoder_spare_,
                          is_last ? w.encoder_top : before(w.encoder[i + 1].self.norm), is_last ? nullptr : raw(), rows,
                          stream));
    }
    for (size_t i = 0; i < w.decoder.size(); i++) {
      Deal<T, Kept<T>> deal;
      deal.rest = source_ + i * options.tokens * 2 * a_;
      deal.rest_stride = 2 * a_;
      deal.rest_index = token_place_;
      LAT_DO(product(w.decoder[i].cross.query_key_value.part(a_, 2 * a_), of_rows(in_), deal, rows, stream));
    }
    return LAT_OK;
  }

  void lay_out_network(Scratch &memory) override {
    const uint64_t rows = state.most_rows;
    const uint64_t joins = options.join_sentences;
    const uint64_t tokens = options.join_tokens;
    const uint64_t most = rows > tokens ? rows : tokens;
    const uint64_t layers = s_.decoder_layers;
    const bool self = s_.autoregression == LAT_NMT_SELF_ATTENTION;
    const bool average = s_.autoregression == LAT_NMT_AVERAGE_ATTENTION;
    x_ = memory.take<float>(most * d_);
    in_ = memory.take<T>(most * kTerms<T> * depth_);
    raw_ = memory.take<T>(s_.normalization == LAT_NMT_PRE_QUERIES ? most * kTerms<T> * depth_ : 0);
    added_ = memory.take<float>(most * d_);
    attended_ = memory.take<T>(most * attended_depth_);
    query_key_value_ = memory.take<Kept<T>>(tokens * 3 * a_);
    const bool swaps = s_.middle_layers > 0;
    encoder_hidden_ = memory.take<T>(tokens * padded<T>(s_.encoder_feed_forward));
    encoder_spare_ = memory.take<T>(swaps ? tokens * padded<T>(s_.encoder_feed_forward) : 0);
    query_ = memory.take<Kept<T>>(rows * a_);
    hidden_ = memory.take<T>(rows * padded<T>(s_.decoder_feed_forward));
    spare_ = memory.take<T>(swaps ? rows * padded<T>(s_.decoder_feed_forward) : 0);
    source_ = memory.take<Kept<T>>(layers * options.tokens * 2 * a_);
    positions_ = s_.positions == LAT_NMT_SINUSOIDAL ? memory.take<float>(steps() * d_) : nullptr;
    encoder_biases_ = biases(memory, m_.weights().encoder_biases, 2 * options.longest - 1, options.longest - 1);
    decoder_biases_ = biases(memory, m_.weights().decoder_biases, steps(), steps() - 1);

    length_ = memory.take<int32_t>(joins);
    owner_ = memory.take<int32_t>(tokens);
    position_ = memory.take<int32_t>(tokens);
    token_place_ = memory.take<int32_t>(tokens);

    ancestors_ = Ancestors();
    ancestors_.step = state.step;
    ancestors_.factor = state.factor;
    ancestors_.beam = state.beam;
    ancestors_.nodes = options.tokens * options.factor * options.beam;
    if (self) {
      ancestors_.stride = static_cast<int>((steps() + 3) / 4 * 4);
      ancestors_.ranks = memory.take<uint8_t>(rows * ancestors_.stride);
      ancestors_.before = memory.take<uint8_t>(rows * ancestors_.stride);
    }
    said_ = memory.take<Kept<T>>(self ? layers * places() * 2 * a_ : 0);
    place_ = memory.take<int32_t>(self ? rows : 0);

    state_ = memory.take<float>(self ? 0 : layers * rows * d_);
    next_ = memory.take<float>(self ? 0 : rows * d_);
    gates_ = memory.take<float>(self ? 0 : rows * 2 * d_);
    mean_ = memory.take<T>(average ? rows * kTerms<T> * depth_ : 0);
    average_hidden_ = memory.take<T>(average ? rows * padded<T>(s_.average_feed_forward) : 0);
    y_ = memory.take<T>(average ? rows * depth_ : 0);
  }

 private:
  /* Nodes, plus one place per sentence for its start. */
  int64_t places() const { return ancestors_.nodes + options.sentences; }
  /* Maximum number of a translation's words. */
  int64_t steps() const { return options.longest * options.factor; }
  bool learned() const { return s_.positions == LAT_NMT_LEARNED; }
  float embedding_scale() const { return s_.scales_embeddings != 0 ? std::sqrt(static_cast<float>(d_)) : 1; }
  /* A table of biases by distance, which expand() fills; empty if there are none. */
  Biases biases(Scratch &memory, const float *trained, int64_t stride, int64_t middle) const {
    Biases made;
    if (trained != nullptr) {
      made.table = memory.take<float>(s_.heads * stride);
      made.stride = static_cast<int>(stride);
      made.middle = static_cast<int>(middle);
    }
    return made;
  }
  void expand(const float *trained, const Biases &to, bool both_ways, cudaStream_t stream) const {
    if (trained != nullptr) {
      biases_kernel<<<256, 256, 0, stream>>>(trained, const_cast<float *>(to.table), static_cast<int>(s_.heads),
                                             to.stride, to.middle, both_ways, static_cast<int>(s_.relative_buckets),
                                             static_cast<int>(s_.relative_distance));
    }
  }
  bool normalizes_before() const { return s_.normalization != LAT_NMT_POST; }
  Norm before(const Norm &norm) const { return normalizes_before() ? norm : Norm(); }
  Norm after(const Norm &norm) const { return normalizes_before() ? Norm() : norm; }
  /* The input of the first block of a decoder's layer; average attention normalizes only the mean. */
  Norm first_norm(int layer) const {
    const DecoderLayer<T> &l = m_.weights().decoder[layer];
    return s_.autoregression == LAT_NMT_SELF_ATTENTION      ? before(l.self.norm)
           : s_.autoregression == LAT_NMT_AVERAGE_ATTENTION ? Norm()
                                                            : before(l.gates_norm);
  }
  /* Where self-attention reads unnormalized inputs, if it needs them. */
  T *raw() const { return s_.normalization == LAT_NMT_PRE_QUERIES ? raw_ : nullptr; }

  RowBlock<T> rows_of() const {
    RowBlock<T> rows;
    rows.width = d_;
    rows.x = x_;
    rows.added = added_;
    rows.gates = gates_;
    rows.out = in_;
    rows.depth = depth_;
    rows.epsilon = static_cast<float>(s_.epsilon);
    rows.from = state.from;
    rows.sentence = state.sentence;
    rows.step = state.step;
    rows.most_rows = state.most_rows;
    return rows;
  }
  Heads<T> heads_of(const Kept<T> *query, int64_t query_stride, const Kept<T> *keys, int64_t stride) const {
    Heads<T> heads;
    heads.query = query;
    heads.query_stride = query_stride;
    heads.keys = keys;
    heads.stride = stride;
    heads.width = a_;
    heads.heads = static_cast<int>(s_.heads);
    heads.head = m_.head();
    heads.scale = s_.scales_attention != 0 ? 1 / std::sqrt(static_cast<float>(m_.head())) : 1;
    heads.out = attended_;
    heads.out_stride = attended_depth_;
    heads.longest = static_cast<int>(options.longest);
    return heads;
  }

  /* A factor of products: rows of [terms][depth]. */
  struct Factor {
    const T *rows;
    int terms;
  };
  /* The output of a row_block. */
  static Factor of_rows(const T *rows) { return {rows, kTerms<T>}; }
  /* The output of a product or of attention. */
  static Factor narrow_of(const T *rows) { return {rows, 1}; }

  template <typename OUT>
  int product(const Linear<T> &linear, const Factor &in, Deal<T, OUT> deal, RowCount count, cudaStream_t stream) {
    Product<T> product;
    take_terms(product, in.rows, in.terms, linear.depth);
    product.w = linear.w;
    product.outputs = linear.outputs;
    deal.bias = linear.bias;
    deal.outputs = linear.outputs;
    return layer(product, deal, count, stream);
  }
  template <typename OUT>
  int narrow_product(const Linear<T> &linear, const Factor &in, int activation, bool gated, OUT *out, int64_t stride,
                     RowCount count, cudaStream_t stream) {
    Deal<T, OUT> deal;
    deal.activation = activation;
    deal.gated = gated;
    deal.to = out;
    deal.stride = stride;
    deal.split = (linear.outputs + 1) / 2 * 2;
    return product(linear, in, deal, count, stream);
  }
  int wide_product(const Linear<T> &linear, const Factor &in, float *out, int64_t stride, RowCount count,
                   cudaStream_t stream) {
    Deal<T> deal;
    deal.wide = out;
    deal.wide_stride = stride;
    return product(linear, in, deal, count, stream);
  }

  /* From in_, and from raw_ if that is the source of keys and values. */
  int query_key_value(const AttentionWeights<T> &w, Kept<T> *query, int64_t query_stride, Kept<T> *keys, int64_t stride,
                      const int32_t *index, RowCount count, cudaStream_t stream) {
    Deal<T, Kept<T>> deal;
    deal.to = query;
    deal.stride = query_stride;
    deal.split = a_;
    deal.rest = keys;
    deal.rest_stride = stride;
    deal.rest_index = index;
    if (raw() == nullptr) {
      return product(w.query_key_value, of_rows(in_), deal, count, stream);
    }
    LAT_DO(product(w.query_key_value.part(0, a_), of_rows(in_), deal, count, stream));
    deal.split = 0;
    return product(w.query_key_value.part(a_, 2 * a_), of_rows(raw_), deal, count, stream);
  }
  int end_attention(const AttentionWeights<T> &w, const Norm &next, const float *moved_from, float *moved_to,
                    RowCount count, cudaStream_t stream) {
    LAT_DO(wide_product(w.output, narrow_of(attended_), added_, d_, count, stream));
    RowBlock<T> rows = rows_of();
    rows.after = after(w.norm);
    rows.before = before(next);
    rows.moved_from = moved_from;
    rows.moved_to = moved_to;
    return row_block<Makes::kAdded>(rows, count, stream);
  }
  /* `next` is the block that follows in any case. */
  int feed_forward(const FeedForwardWeights<T> &w, T *hidden, T *spare, const Norm &next, T *raw, RowCount count,
                   cudaStream_t stream) {
    const int activation = static_cast<int>(s_.activation);
    LAT_DO(narrow_product(w.inner, of_rows(in_), activation, w.gated, hidden, w.outer.depth, count, stream));
    for (const Linear<T> &middle : w.middle) {
      LAT_DO(narrow_product(middle, narrow_of(hidden), activation, false, spare, w.outer.depth, count, stream));
      std::swap(hidden, spare);
    }
    LAT_DO(wide_product(w.outer, narrow_of(hidden), added_, d_, count, stream));
    RowBlock<T> rows = rows_of();
    rows.after = after(w.norm);
    rows.before = next;
    rows.raw = raw;
    return row_block<Makes::kAdded>(rows, count, stream);
  }

  int see_words(const DecoderLayer<T> &w, int i, RowCount count, cudaStream_t stream) {
    Kept<T> *keys = said_ + i * places() * 2 * a_;
    LAT_DO(query_key_value(w.self, query_, a_, keys, 2 * a_, place_, count, stream));
    Heads<T> heads = heads_of(query_, a_, keys, 2 * a_);
    heads.biases = decoder_biases_;
    heads.sentence = state.sentence;
    heads.early = true;
    heads.first = state.first_token;
    heads.ancestors = ancestors_;
    heads.leaves_ancestors = i == 0;
    LAT_DO((attend_heads<T, Sees::kAncestors>(heads, count, stream)));
    return end_attention(w.self, w.cross.norm, nullptr, nullptr, count, stream);
  }
  int see_average(const DecoderLayer<T> &w, int i, RowCount count, cudaStream_t stream) {
    RowBlock<T> rows = rows_of();
    rows.state = state_ + static_cast<int64_t>(i) * state.most_rows * d_;
    rows.next = next_;
    rows.before = before(w.average.norm);
    rows.out = mean_;
    LAT_DO(row_block<Makes::kMean>(rows, count, stream));
    LAT_DO(narrow_product(w.average.inner, of_rows(mean_), static_cast<int>(s_.average_activation), false,
                          average_hidden_, w.average.outer.depth, count, stream));
    Deal<T> deal;
    deal.wide = added_;
    deal.wide_stride = d_;
    deal.to = y_;
    deal.stride = depth_;
    deal.split = d_;
    LAT_DO(product(w.average.outer, narrow_of(average_hidden_), deal, count, stream));
    LAT_DO(wide_product(w.gates.part(0, d_), of_rows(in_), gates_, 2 * d_, count, stream));
    LAT_DO(wide_product(w.gates.part(d_, d_), narrow_of(y_), gates_ + d_, 2 * d_, count, stream));
    rows = rows_of();
    rows.after = after(w.average.norm);
    rows.before = before(w.cross.norm);
    return row_block<Makes::kAverage>(rows, count, stream);
  }
  int see_state(const DecoderLayer<T> &w, int i, RowCount count, cudaStream_t stream) {
    LAT_DO(wide_product(w.gates, of_rows(in_), gates_, 2 * d_, count, stream));
    RowBlock<T> rows = rows_of();
    rows.state = state_ + static_cast<int64_t>(i) * state.most_rows * d_;
    rows.next = next_;
    rows.after = after(w.gates_norm);
    rows.before = before(w.cross.norm);
    return row_block<Makes::kSsru>(rows, count, stream);
  }
  int see_source(const DecoderLayer<T> &w, int i, RowCount live, RowCount count, cudaStream_t stream) {
    LAT_DO(narrow_product(w.cross.query_key_value.part(0, a_), of_rows(in_), kNoActivation, false, query_, a_, count,
                          stream));
    Heads<T> heads = heads_of(query_, a_, source_ + static_cast<int64_t>(i) * options.tokens * 2 * a_, 2 * a_);
    heads.sentence = state.sentence;
    heads.early = true;
    heads.first = state.first_token;
    heads.length = state.length;
    heads.weights = i + 1 == s_.alignment_layer ? attention_ : nullptr;
    heads.kept_heads = state.attention_heads;
    LAT_DO((attend_heads<T, Sees::kSentence>(heads, live, stream)));
    // by now, all rows have read the layer's states of the previous step
    const bool moves = s_.autoregression != LAT_NMT_SELF_ATTENTION;
    return end_attention(w.cross, w.feed_forward.norm, moves ? next_ : nullptr,
                         moves ? state_ + static_cast<int64_t>(i) * state.most_rows * d_ : nullptr, count, stream);
  }

  const TransformerModel<T> &m_;
  const lat_nmt_transformer_settings &s_;
  int d_;
  int depth_;
  int a_; /* columns of queries, keys or values, even */
  int attended_depth_;
  using NetworkSearch<T>::options;
  using NetworkSearch<T>::state;
  using NetworkSearch<T>::join_;
  using NetworkSearch<T>::ids_;
  using NetworkSearch<T>::offset_;
  using NetworkSearch<T>::attention_;

  // rows of the decoder, or tokens being encoded
  float *x_;     /* the residual sum */
  T *in_;        /* the next block's input */
  T *raw_;       /* the same before normalization */
  float *added_; /* a block's output */
  T *attended_;
  Kept<T> *query_key_value_;
  T *encoder_hidden_;
  T *encoder_spare_; /* with middle layers */
  Kept<T> *query_;
  T *hidden_;
  T *spare_; /* with middle layers */
  float *positions_; /* [steps][width], or null if they are not computed */
  Biases encoder_biases_;
  Biases decoder_biases_;

  // of joining sentences
  int32_t *length_;
  int32_t *owner_;    /* per token */
  int32_t *position_;
  int32_t *token_place_;

  Kept<T> *source_; /* [layers][tokens][key, value], each a_ wide */
  Kept<T> *said_;   /* [layers][places][key, value] */
  Ancestors ancestors_;
  int32_t *place_; /* per row: place of its last word */

  float *state_; /* [layers][rows][width] */
  float *next_;
  float *gates_;
  T *mean_;
  T *average_hidden_;
  T *y_;
};

template <typename T>
int make_transformer(const lat_nmt_transformer_settings &settings, lat_nmt_model **model) {
  *model = new TransformerModel<T>(settings);
  return LAT_OK;
}

template <typename T>
int TransformerModel<T>::search(const lat_nmt_options &options, lat_nmt_report *report, lat_nmt_search **made) const {
  const int64_t places = options.tokens * options.factor * options.beam + options.sentences;
  LAT_REQUIRE(s_.autoregression != LAT_NMT_SELF_ATTENTION || places < (int64_t{1} << 31));
  DeviceSizes device{};
  LAT_TRY(device_sizes(&device));
  *made = new TransformerSearch<T>(*this, options, device, report);
  return LAT_OK;
}

}  // namespace lat::nmt
