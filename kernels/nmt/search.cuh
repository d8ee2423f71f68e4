// Beam search on the device: which hypotheses are live, their words, and which sentences have ended.
//
// The rows of a step are the live hypotheses, those of a sentence adjacent, best first. Every continuation that lives on
// becomes a node {word, previous node, log-probability} at a place determined by its sentence, step and rank, so
// nothing is ever moved; a result is read by following the links back from its last word.
#pragma once

#include "common/launch.cuh"
#include "nmt/output.cuh"

namespace lat::nmt {

constexpr int kFewRows = 16; /* of a step that few blocks do */

/* A search's data on the device, and its sizes. */
struct SearchState {
  int beam;
  int candidates; /* continuations that each hypothesis offers */
  int n_best;
  int flags;
  double alpha;
  int sentences;
  int factor;
  int longest;
  int most_rows; /* sentences * beam: followed by the state rows of joining sentences, one per place */

  // rows
  int32_t *live; /* [1] */
  int32_t *word; /* last word, -1 before the first */
  int32_t *from; /* row of the states it continues from */
  int32_t *sentence;
  int32_t *node; /* rank in the previous step */
  double *score;

  // sentences
  int32_t *length;
  int32_t *first_token;
  int32_t *limit;
  int32_t *prefix; /* number of words that are given: nodes of rank 0, made when the sentence joins */
  int32_t *may_loop;
  int32_t *step; /* number of words so far */
  int32_t *finished;
  int64_t *first_weight;

  // nodes: (first_token * factor + step) * beam + rank
  int32_t *node_word;
  uint8_t *node_before;
  float *node_log;
  float *weights; /* attention of the hypotheses that a step continued, by their rank, which is a node's node_before */

  // finished hypotheses, with their last words: sentence * beam + i
  int32_t *finished_step;
  int32_t *finished_word;
  uint8_t *finished_before;
  float *finished_log;
  double *finished_score;
  double *finished_normalized; /* if the beam is refilled */

  // from a step's choice to the next step's rows
  int32_t *rows_before; /* [1] */
  int32_t *survivors;   /* of the sentence that starts at a row */
  int32_t *survivor_sentence;
  int32_t *survivor_word; /* sentence * beam + i */
  int32_t *survivor_from;
  double *survivor_score;

  uint32_t *ended; /* [1] */
  lat_nmt_report *report;
  Shares shares;
  const float *given_logit; /* per row, of the word that it is given next; with LAT_NMT_GIVEN */
  const float *attention; /* [rows][heads][longest], of this step */
  int attention_heads = 1; /* whose mean is kept */

  __host__ __device__ bool scored() const {
    return beam > 1 || (flags & (LAT_NMT_SCORES | LAT_NMT_SEPARATE | LAT_NMT_LOGITS)) != 0;
  }
  __host__ __device__ bool ends_loops() const { return (flags & LAT_NMT_END_LOOPS) != 0; }
  /* The node of a sentence's best hypothesis at a step. */
  __device__ __forceinline__ int64_t node_of(int at, int of_step) const {
    return (static_cast<int64_t>(first_token[at]) * factor + of_step) * beam;
  }
  /* Whether the next best hypothesis takes the place of one that ends. */
  __host__ __device__ bool refills() const {
    return beam > 1 && (flags & (LAT_NMT_FIRST_ENDED | LAT_NMT_BEST_ENDED)) != 0;
  }
};

/* A hypothesis' score by which those of several lengths are compared. */
__device__ __forceinline__ double normalize(double score, int words, double alpha) {
  return score / pow(static_cast<double>(words), alpha);
}

/* Computes the sizes of the arrays, and places them if there is memory. */
void lay_out(SearchState &state, const lat_nmt_options &options, Scratch &memory);

int clear_search(const SearchState &state, cudaStream_t stream);

/* The start of each sentence's ids, or of its prefix, in their concatenation. */
int find_offsets(const lat_nmt_sentence *d_sentences, int count, bool of_prefixes, int32_t *offset,
                 cudaStream_t stream);

/* Makes the nodes of the prefixes of joining sentences, whose words are concatenated. */
int add_prefixes(const SearchState &state, const lat_nmt_sentence *d_sentences, int count, const int32_t *words,
                 const int32_t *offset, cudaStream_t stream);

/* Adds encoded sentences; their states are at row most_rows + place. */
int add_sentences(const SearchState &state, const lat_nmt_sentence *d_sentences, int count, cudaStream_t stream);

/* Selects the best continuations of every sentence and makes the rows of the next step. */
int choose(const SearchState &state, int shares, int most_rows, cudaStream_t stream);

int drain(const SearchState &state, const lat_nmt_ended *ended, int count, int32_t *results, cudaStream_t stream);

/* Sizes of a result, and of a hypothesis in it, in 4-byte words. */
__host__ __device__ inline int64_t hypothesis_words(int flags, int64_t length, int64_t words) {
  const int64_t all = 6 + 2 * words + ((flags & LAT_NMT_ALIGNMENT) != 0 ? words * length : 0);
  return (all + 1) / 2 * 2;
}

}  // namespace lat::nmt
