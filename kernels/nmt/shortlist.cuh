// Shortlists: which words the sentences of a search allow.
//
// Each sentence has a bitmap over the vocabulary, made when it joins. The union over all live sentences becomes the
// columns of the output layer until others join: the weights are gathered side by side, and each sentence's bitmap is
// converted to columns. So the work of the output layer grows with the number of words that any sentence allows, and
// each row's restriction costs one bit per column. All of this happens when sentences join; a step only reads it.
#pragma once

#include "nmt/search.cuh"

namespace lat::nmt {

/* A model's table, in the caller's memory: the target words of source word i are words[starts[i]] to words[starts[i +
 * 1] - 1]. */
struct ShortlistTable {
  const int32_t *starts = nullptr; /* null: no table */
  const int32_t *words = nullptr;
  int first = 0;
  bool own_words = false;
};

/* A search's shortlist data. */
struct ShortlistState {
  ShortlistTable table;
  int words = 0;     /* in the vocabulary */
  int row_bytes = 0; /* bytes of a word's weights, a multiple of 16 */
  int stride = 0;    /* 32-bit words of a bitmap: whole tiles of the output layer */
  const char *from_weights = nullptr;
  const float *from_bias = nullptr;

  uint32_t *said;   /* [sentences][stride]: one bit per word of the vocabulary */
  uint32_t *all;    /* [stride]: union over the sentences that were live at the last join */
  int32_t *columns; /* [1]: their number */
  int32_t *word;    /* [words]: per column, ascending */
  uint32_t *masks;  /* [sentences][stride]: one bit per column */
  char *weights;    /* [words][row_bytes], gathered */
  float *bias;      /* [words] */
};

/* Computes the sizes of the arrays, and places them if there is memory; words and row_bytes are already set. */
void lay_out(ShortlistState &shortlist, const lat_nmt_options &options, Scratch &memory);

/* After sentences were added: takes their source words, and makes columns for all live sentences. */
int add_shortlists(const ShortlistState &shortlist, const SearchState &state, const lat_nmt_sentence *d_sentences,
                   int count, const int32_t *ids, const int32_t *offset, cudaStream_t stream);

}  // namespace lat::nmt
