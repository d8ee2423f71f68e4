// Beam search on the device: which hypotheses live, what they have said, and which sentences have ended.
//
// The rows of a step are the live hypotheses, those of a sentence side by side, best first. Every continuation that is
// kept becomes a node {word, node before, log-probability} at a place that belongs to its sentence, step and rank, so
// nothing is ever moved; a result is read off by going back from its last node.
#pragma once

#include "common/launch.cuh"
#include "nmt/output.cuh"

namespace lat::nmt {

/* All that a search keeps on the device, and its sizes. */
struct SearchState {
  int beam;
  int n_best;
  int flags;
  double alpha;
  int sentences;
  int factor;
  int longest;
  int most_rows; /* sentences * beam: state rows of sentences that join follow behind them, one for each place */

  // rows
  int32_t *live; /* [1] */
  int32_t *word; /* last word, -1 before the first */
  int32_t *from; /* row of the states it goes on from */
  int32_t *sentence;
  int32_t *node; /* rank at the step before */
  double *score;

  // sentences
  int32_t *length;
  int32_t *first_token;
  int32_t *limit;
  int32_t *step; /* words so far */
  int32_t *finished;
  int64_t *first_weight;

  // nodes: (first_token * factor + step) * beam + rank
  int32_t *node_word;
  uint8_t *node_before;
  float *node_log;
  float *weights;

  // finished hypotheses: sentence * beam + i
  int32_t *finished_step;
  int32_t *finished_rank;
  double *finished_score;

  // from a step's choice to the next step's rows
  int32_t *rows_before; /* [1] */
  int32_t *survivors;   /* of the sentence that begins at a row */
  int32_t *survivor_sentence;
  int32_t *survivor_word; /* sentence * beam + i */
  int32_t *survivor_from;
  int32_t *survivor_node;
  double *survivor_score;

  uint32_t *ended; /* [1] */
  lat_nmt_report *report;
  Shares shares;
  const float *attention; /* [rows][longest], of this step */

  __host__ __device__ bool scored() const {
    return beam > 1 || (flags & (LAT_NMT_SCORES | LAT_NMT_SEPARATE | LAT_NMT_LOGITS)) != 0;
  }
};

/* Sizes the arrays, and places them where there is memory. */
void lay_out(SearchState &state, const lat_nmt_options &options, Scratch &memory);

int clear_search(const SearchState &state, cudaStream_t stream);

/* Where the ids of each sentence begin when they lie one behind the other. */
int find_offsets(const lat_nmt_sentence *d_sentences, int count, int32_t *offset, cudaStream_t stream);

/* Adds sentences that have been encoded; their states lie at row most_rows + place. */
int add_sentences(const SearchState &state, const lat_nmt_sentence *d_sentences, int count, cudaStream_t stream);

/* Takes the best continuations of every sentence and makes the rows of the next step. */
int choose(const SearchState &state, int shares, int most_rows, cudaStream_t stream);

int drain(const SearchState &state, const lat_nmt_ended *ended, int count, int32_t *results, cudaStream_t stream);

/* Words of 4 bytes of a result and of a hypothesis in it. */
__host__ __device__ inline int64_t hypothesis_words(int flags, int64_t length, int64_t words) {
  const int64_t all = 6 + 2 * words + ((flags & LAT_NMT_ALIGNMENT) != 0 ? words * length : 0);
  return (all + 1) / 2 * 2;
}

}  // namespace lat::nmt
