// Shared by searches of all kinds of network: joining sentences, the output layer, and memory.
#pragma once

#include <vector>

#include "nmt/model.cuh"

namespace lat::nmt {

#define LAT_DO(call)                  \
  do {                                \
    const int lat_do_status = (call); \
    if (lat_do_status != LAT_OK) {    \
      return lat_do_status;           \
    }                                 \
  } while (0)

template <typename T>
class NetworkSearch : public lat_nmt_search {
 public:
  NetworkSearch(const lat_nmt_options &o, const DeviceSizes &device, lat_nmt_report *report) : device_(device) {
    options = o;
    state.report = report;
  }
  uint64_t bytes() const final { return bytes_; }
  int place(void *memory, cudaStream_t stream) final {
    LAT_REQUIRE(memory != nullptr && reinterpret_cast<uintptr_t>(memory) % 256 == 0);
    Scratch there(memory);
    lay_out_all(there);
    if (listed_ != nullptr) {
      const OutputWeights<T> &weights = listed_->word_weights().output;
      shortlist_.table = listed_->shortlist;
      shortlist_.from_weights = reinterpret_cast<const char *>(weights.w);
      shortlist_.from_bias = weights.bias;
    }
    LAT_TRY(cudaMemsetAsync(memory, 0, bytes_, stream));
    LAT_DO(prepare(stream));
    return clear_search(state, stream);
  }

  int join(const lat_nmt_sentence *sentences, int count, const int32_t *ids, cudaStream_t stream) final {
    int64_t tokens = 0;
    int64_t words = 0; /* of prefixes */
    for (int i = 0; i < count; i++) {
      LAT_REQUIRE(sentences[i].length >= 1 && sentences[i].length <= options.longest);
      LAT_REQUIRE(i == 0 || sentences[i].length <= sentences[i - 1].length);
      LAT_REQUIRE(sentences[i].place >= 0 && sentences[i].place < options.sentences);
      LAT_REQUIRE(sentences[i].first_token >= 0 &&
                  sentences[i].first_token + static_cast<int64_t>(sentences[i].length) <= options.tokens);
      LAT_REQUIRE(sentences[i].limit >= 1 && sentences[i].limit <= options.factor * sentences[i].length);
      LAT_REQUIRE(sentences[i].prefix >= 0 && sentences[i].prefix < sentences[i].limit + (given_ != nullptr ? 1 : 0));
      LAT_REQUIRE(given_ == nullptr || sentences[i].prefix == sentences[i].limit);
      LAT_REQUIRE(sentences[i].may_loop == 0 || sentences[i].may_loop == 1);
      tokens += sentences[i].length;
      words += sentences[i].prefix;
    }
    LAT_REQUIRE(tokens <= options.join_tokens);
    LAT_TRY(cudaMemcpyAsync(join_, sentences, count * sizeof(lat_nmt_sentence), cudaMemcpyHostToDevice, stream));
    LAT_TRY(cudaMemcpyAsync(ids_, ids, (tokens + words) * sizeof(int32_t), cudaMemcpyHostToDevice, stream));
    LAT_DO(find_offsets(join_, count, false, offset_, stream));
    LAT_DO(encode(sentences, count, static_cast<int>(tokens), stream));
    if (words > 0) {
      LAT_DO(find_offsets(join_, count, true, prefix_offset_, stream));
      LAT_DO(add_prefixes(state, join_, count, ids_ + tokens, prefix_offset_, stream));
    }
    LAT_DO(add_sentences(state, join_, count, stream));
    return listed_ == nullptr ? LAT_OK
                              : add_shortlists(shortlist_, state, join_, count, ids_, offset_, stream);
  }

  int keep_to_shortlist(const lat_nmt_model &model) final {
    listed_ = static_cast<const NetworkModel<T> *>(&model);
    const OutputWeights<T> &weights = listed_->word_weights().output;
    shortlist_.words = weights.words;
    shortlist_.row_bytes = weights.depth * static_cast<int>(sizeof(T));
    size_up(words_);
    return LAT_OK;
  }

 protected:
  /* Places the network's own data. */
  virtual void lay_out_network(Scratch &memory) = 0;
  /* Fills what stays constant while the search is placed. */
  virtual int prepare(cudaStream_t) { return LAT_OK; }
  /* Encodes the sentences of join_, whose tokens are in ids_ and offset_. */
  virtual int encode(const lat_nmt_sentence *sentences, int count, int tokens, cudaStream_t stream) = 0;

  /* Called once the network is known; `words`: of its output layer. */
  void size_up(int64_t words) {
    words_ = static_cast<int>(words);
    Scratch none(nullptr);
    lay_out_all(none);
    bytes_ = none.size();
  }

  RowCount live(int most) const { return {state.live, most}; }
  /* The part of a step in which rows that are no longer live do no harm. */
  RowCount rows(int most) const { return {(state.flags & LAT_NMT_KEEP_ROWS) != 0 ? nullptr : state.live, most}; }

  /* For the kernel that begins a step. */
  static RowCount first_of_step(RowCount count) {
    count.first_of_step = true;
    return count;
  }

  /* The output layer for readouts, [rows][terms][depth]. */
  Output<T> output_of(const T *readout, int terms, const OutputWeights<T> &weights) const {
    Output<T> output{};
    take_terms(output.product, readout, terms, weights.depth);
    output.product.w = weights.w;
    output.product.outputs = weights.words;
    output.bias = weights.bias;
    output.shares = state.shares;
    output.k = state.candidates;
    output.allow_unknown = (state.flags & LAT_NMT_ALLOW_UNKNOWN) != 0;
    output.forbid_end = (state.flags & LAT_NMT_FORBID_END) != 0;
    if (listed_ != nullptr) {
      output.product.w = reinterpret_cast<const T *>(shortlist_.weights);
      output.bias = shortlist_.bias;
      output.columns = {shortlist_.columns, shortlist_.word, shortlist_.masks, shortlist_.stride, state.sentence};
    }
    return output;
  }
  Wanted wanted() const {
    return state.beam > 1 ? Wanted::kBeam : state.scored() ? Wanted::kScoredBest : Wanted::kBest;
  }
  OutputPlan plan(const Output<T> &output, int most) const {
    return plan_output<T>(most, output.product.outputs, output.k, device_);
  }

  /* The end of a step: the best words after each row's readout, and the next step's rows. */
  int say(const Output<T> &output, int most, cudaStream_t stream) {
    if (logits_ != nullptr) {
      LAT_DO(output_in_memory(output, logits_, (options.flags & LAT_NMT_LOGITS) != 0, rows(most), stream));
      return choose(state, 1, most, stream);
    }
    const OutputPlan of_rows = plan(output, most);
    if (given_ != nullptr) {
      const GivenWords words{state.sentence, state.step, state.first_token, state.node_word, state.factor, given_};
      LAT_DO(given_layer(output, words, live(most), stream));
    }
    LAT_DO(output_layer(output, wanted(), of_rows, rows(most), stream));
    return choose(state, of_rows.shares, most, stream);
  }

  // of joining sentences
  lat_nmt_sentence *join_;
  int32_t *ids_; /* tokens, then the words of prefixes, of which a sentence has fewer than `factor` per token */
  int32_t *offset_; /* per sentence: index of its first token in ids_ */

  float *attention_; /* [rows][state.attention_heads][longest], or null */

 private:
  void lay_out_all(Scratch &memory) {
    lay_out(state, options, memory);
    const uint64_t rows = state.most_rows;
    lay_out_network(memory);
    const bool alignment = (options.flags & LAT_NMT_ALIGNMENT) != 0;
    float *weights = memory.take<float>(alignment ? rows * state.attention_heads * options.longest : 0);
    attention_ = alignment ? weights : nullptr;
    state.attention = attention_;
    join_ = memory.take<lat_nmt_sentence>(options.join_sentences);
    ids_ = memory.take<int32_t>(options.join_tokens * (1 + options.factor));
    offset_ = memory.take<int32_t>(options.join_sentences);
    prefix_offset_ = memory.take<int32_t>(options.join_sentences);
    const bool in_memory = (options.flags & (LAT_NMT_SEPARATE | LAT_NMT_LOGITS)) != 0;
    float *logits = memory.take<float>(in_memory ? rows * words_ : 0);
    logits_ = in_memory ? logits : nullptr;
    const bool given = (options.flags & LAT_NMT_GIVEN) != 0;
    float *logits_of_given = memory.take<float>(given ? rows : 0);
    given_ = given ? logits_of_given : nullptr;
    state.given_logit = given_;
    const uint64_t lists = most_lists(rows);
    state.shares.max = memory.take<float>(lists);
    state.shares.sum = memory.take<double>(lists);
    state.shares.logit = memory.take<float>(lists * state.candidates);
    state.shares.id = memory.take<int32_t>(lists * state.candidates);
    if (listed_ != nullptr) {
      nmt::lay_out(shortlist_, options, memory);
    }
  }

  /* The maximum number of (row, share) pairs: few rows have many shares. */
  uint64_t most_lists(uint64_t rows) const {
    uint64_t most = 0;
    for (uint64_t n = 1;; n = n * 2 < rows ? n * 2 : rows) {
      // a plan for up to n rows has no more shares than one for half as many
      const uint64_t shares = plan_output<T>(static_cast<int>(n / 2 + 1), words_, state.candidates, {1024, device_.shared}).shares;
      most = n * shares > most ? n * shares : most;
      if (n == rows) {
        return most;
      }
    }
  }

  int32_t *prefix_offset_; /* per joining sentence: index of its first given word after those of all tokens */
  const NetworkModel<T> *listed_ = nullptr; /* the model, if sentences are restricted to its shortlist */
  ShortlistState shortlist_;
  float *logits_; /* if they are wanted in memory, or null */
  float *given_ = nullptr; /* per row, the logit of its given word; null if translations are searched */
  int words_ = 0;
  uint64_t bytes_ = 0;
  const DeviceSizes device_;
};

}  // namespace lat::nmt
