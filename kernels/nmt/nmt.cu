// The library's functions for neural translation.
#include <memory>
#include <new>

#include "nmt/attention.cuh"
#include "nmt/model.cuh"

namespace {

constexpr int64_t kWidest = 1 << 24;
constexpr int64_t kMostRows = 1 << 21; /* a grid has at most 65,535 blocks in y, of at least 64 rows */
constexpr int kWidestAttention = 1 << 14;
constexpr int kWidestTransformer = 1 << 14;
constexpr int kWidestHead = 1 << 10;
constexpr int kLongest = 1 << 12;
static_assert(lat::nmt::attend_bytes(kWidestAttention, kLongest) <= lat::kLeastSharedMemory, "every card has room for it");

bool within(int64_t v, int64_t least, int64_t most) { return v >= least && v <= most; }

/* Whether rows that are needed as a whole fit into a block. */
bool rows_fit(const lat_nmt_rnn_settings &s) {
  const bool lstm = s.forward_cell != LAT_NMT_GRU || s.backward_cell != LAT_NMT_GRU || s.cell1 != LAT_NMT_GRU ||
                    s.cell2 != LAT_NMT_GRU;
  return s.normalization == 0 ||
         (s.embedding <= lat::nmt::kWidestRow && s.attention <= lat::nmt::kWidestRow &&
          (lstm ? 4 : 3) * s.state <= lat::nmt::kWidestRow);
}

bool valid(const lat_nmt_rnn_settings &s) {
  return rows_fit(s) && within(s.source_words, 2, kWidest) && within(s.words, 2, kWidest) && within(s.embedding, 1, 1 << 16) &&
         within(s.state, 1, 1 << 12) && within(s.attention, 1, kWidestAttention) && within(s.forward_cell, 0, 2) &&
         within(s.backward_cell, 0, 2) && within(s.encoder_transitions, 0, 64) && within(s.cell1, 0, 2) &&
         within(s.cell2, 0, 2) && within(s.decoder_transitions, 0, 64) && within(s.normalization, 0, 2) &&
         within(s.starts_cell, 0, 1) && within(s.shares_embeddings, 0, 1) && within(s.ties_output, 0, 1) &&
         (s.shares_embeddings == 0 || s.source_words == s.words);
}

bool valid_heads(const lat_nmt_transformer_settings &s) {
  if (!within(s.heads, 1, s.width) || !within(s.head_width, 0, kWidestHead)) {
    return false;
  }
  return s.head_width > 0 ? s.heads * s.head_width <= kWidestTransformer
                          : s.width % s.heads == 0 && s.width / s.heads <= kWidestHead;
}

bool valid_positions(const lat_nmt_transformer_settings &s) {
  const bool learned = s.positions == LAT_NMT_LEARNED;
  const bool relative = s.positions == LAT_NMT_RELATIVE;
  return within(s.positions, 0, 2) && within(s.first_position, 0, s.positions == LAT_NMT_SINUSOIDAL ? 1024 : 0) &&
         within(s.position_rows, learned ? 1 : 0, learned ? kWidest : 0) &&
         within(s.relative_buckets, relative ? 4 : 0, relative ? 1024 : 0) && s.relative_buckets % 2 == 0 &&
         within(s.relative_distance, relative ? s.relative_buckets / 2 + 1 : 0, relative ? 1 << 16 : 0);
}

bool valid(const lat_nmt_transformer_settings &s) {
  const bool averages = s.autoregression == LAT_NMT_AVERAGE_ATTENTION;
  return within(s.source_words, 2, kWidest) && within(s.words, 2, kWidest) && within(s.width, 4, kWidestTransformer) &&
         s.width % 2 == 0 && valid_heads(s) && valid_positions(s) &&
         within(s.encoder_layers, 1, 64) && within(s.decoder_layers, 1, 64) &&
         within(s.encoder_feed_forward, 1, 1 << 16) && within(s.decoder_feed_forward, 1, 1 << 16) &&
         within(s.activation, 0, 4) && within(s.autoregression, 0, 2) &&
         within(s.average_feed_forward, averages ? 1 : 0, averages ? 1 << 16 : 0) &&
         within(s.average_activation, 0, 4) && within(s.normalization, 0, 2) && within(s.normalizes_top, 0, 1) &&
         within(s.alignment_layer, 1, s.decoder_layers) && within(s.shares_embeddings, 0, 1) &&
         within(s.ties_output, 0, 1) && (s.shares_embeddings == 0 || s.source_words == s.words) &&
         within(s.scales_embeddings, 0, 1) && within(s.normalizes_embeddings, 0, 1) &&
         within(s.root_mean_square, 0, 1) && s.epsilon >= 0 && s.epsilon <= 0.1 &&
         within(s.gated_feed_forward, 0, 1) && within(s.scales_attention, 0, 1) && within(s.start, -1, s.words - 1) &&
         within(s.alignment_heads, 1, s.heads) && within(s.middle_layers, 0, 8);
}

constexpr int64_t kEndings = LAT_NMT_FIRST_ENDED | LAT_NMT_BEST_ENDED;

bool valid_given(const lat_nmt_options &o) {
  constexpr int64_t kNot = LAT_NMT_SHORTLIST | LAT_NMT_SEPARATE | LAT_NMT_LOGITS;
  return (o.flags & LAT_NMT_GIVEN) == 0 ||
         (o.beam == 1 && (o.flags & LAT_NMT_SCORES) != 0 && (o.flags & kNot) == 0);
}

bool valid(const lat_nmt_options &o) {
  return within(o.beam, 1, LAT_NMT_MAX_BEAM) && within(o.n_best, 1, o.beam) && within(o.flags, 0, 4095) &&
         (o.flags & kEndings) != kEndings && valid_given(o) &&
         o.alpha >= 0 && o.alpha <= 100 && within(o.sentences, 1, kMostRows / o.beam) && within(o.tokens, 1, 1 << 28) &&
         within(o.factor, 1, 100) && within(o.join_sentences, 1, o.sentences) && within(o.join_tokens, 1, kMostRows) &&
         within(o.longest, 1, kLongest) && within(o.attention, 0, int64_t{1} << 34);
}

/* Calls with a zero of the factors' type. */
template <typename MAKE>
int with_precision(int precision, MAKE make) {
  try {
    switch (precision) {
      case LAT_NMT_FLOAT32:
        return make(float{});
      case LAT_NMT_FLOAT16:
        return make(__half{});
      case LAT_NMT_BFLOAT16:
        return make(__nv_bfloat16{});
      default:
        return LAT_BAD_ARGUMENT;
    }
  } catch (const std::bad_alloc &) {
    return cudaErrorMemoryAllocation;
  }
}

}  // namespace

int lat_nmt_rnn_create(const lat_nmt_rnn_settings *settings, int precision, lat_nmt_model **model) {
  LAT_REQUIRE(settings != nullptr && model != nullptr && valid(*settings));
  return with_precision(precision, [&](auto zero) { return lat::nmt::make_rnn<decltype(zero)>(*settings, model); });
}
int lat_nmt_transformer_create(const lat_nmt_transformer_settings *settings, int precision, lat_nmt_model **model) {
  LAT_REQUIRE(settings != nullptr && model != nullptr && valid(*settings));
  return with_precision(precision,
                        [&](auto zero) { return lat::nmt::make_transformer<decltype(zero)>(*settings, model); });
}

void lat_nmt_model_destroy(lat_nmt_model *model) { delete model; }
uint64_t lat_nmt_model_bytes(const lat_nmt_model *model) { return model->bytes(); }
int lat_nmt_model_place(lat_nmt_model *model, void *d_memory, lat_stream stream) {
  LAT_REQUIRE(model != nullptr);
  return model->place(d_memory, lat::stream_of(stream));
}
int lat_nmt_model_tensor(lat_nmt_model *model, const char *name, const float *d_values, uint64_t rows, uint64_t cols,
                         lat_stream stream) {
  LAT_REQUIRE(model != nullptr && name != nullptr && d_values != nullptr);
  return model->tensor(name, d_values, rows, cols, lat::stream_of(stream));
}
int lat_nmt_model_shortlist(lat_nmt_model *model, int64_t first, int own_words, const int32_t *d_starts,
                            const int32_t *d_words) {
  LAT_REQUIRE(model != nullptr && d_starts != nullptr && d_words != nullptr && first >= 2 && first <= model->words() &&
              within(own_words, 0, 1));
  model->shortlist = {d_starts, d_words, static_cast<int>(first), own_words != 0};
  return LAT_OK;
}
uint64_t lat_nmt_model_missing(const lat_nmt_model *model) { return model->missing(); }

int lat_nmt_search_create(const lat_nmt_model *model, const lat_nmt_options *options, lat_nmt_report *report,
                          lat_nmt_search **search) {
  LAT_REQUIRE(model != nullptr && options != nullptr && report != nullptr && search != nullptr && valid(*options));
  const bool listed = (options->flags & LAT_NMT_SHORTLIST) != 0;
  LAT_REQUIRE(!listed || (model->shortlist.starts != nullptr && (options->flags & (LAT_NMT_SEPARATE | LAT_NMT_LOGITS)) == 0));
  try {
    const int status = model->search(*options, report, search);
    if (status != LAT_OK || !listed) {
      return status;
    }
    std::unique_ptr<lat_nmt_search> made(*search);
    *search = nullptr;
    const int kept = made->keep_to_shortlist(*model);
    if (kept == LAT_OK) {
      *search = made.release();
    }
    return kept;
  } catch (const std::bad_alloc &) {
    return cudaErrorMemoryAllocation;
  }
}
void lat_nmt_search_destroy(lat_nmt_search *search) { delete search; }
uint64_t lat_nmt_search_bytes(const lat_nmt_search *search) { return search->bytes(); }
int lat_nmt_search_place(lat_nmt_search *search, void *d_memory, lat_stream stream) {
  LAT_REQUIRE(search != nullptr);
  return search->place(d_memory, lat::stream_of(stream));
}
int lat_nmt_join(lat_nmt_search *search, const lat_nmt_sentence *sentences, int64_t count, const int32_t *ids,
                 lat_stream stream) {
  LAT_REQUIRE(search != nullptr && count >= 0 && count <= search->options.join_sentences);
  if (count == 0) {
    return LAT_OK;
  }
  LAT_REQUIRE(sentences != nullptr && ids != nullptr);
  return search->join(sentences, static_cast<int>(count), ids, lat::stream_of(stream));
}
int lat_nmt_step(lat_nmt_search *search, int64_t most_rows, lat_stream stream) {
  LAT_REQUIRE(search != nullptr && most_rows >= 1 && most_rows <= search->state.most_rows);
  return search->step(static_cast<int>(most_rows), lat::stream_of(stream));
}
int64_t lat_nmt_result_words(const lat_nmt_search *search, int64_t length, int64_t limit) {
  return 2 + search->options.n_best *
                 lat::nmt::hypothesis_words(static_cast<int>(search->options.flags), length, limit);
}
int lat_nmt_drain(lat_nmt_search *search, const lat_nmt_ended *ended, int64_t count, int32_t *results,
                  lat_stream stream) {
  LAT_REQUIRE(search != nullptr && count >= 0 && count <= search->options.sentences);
  return lat::nmt::drain(search->state, ended, static_cast<int>(count), results, lat::stream_of(stream));
}
