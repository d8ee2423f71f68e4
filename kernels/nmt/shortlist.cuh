// Shortlists: which words the sentences of a search may say.
//
// Each sentence has a bitmap over the vocabulary, made when it joins. The words of all that live then are the columns of
// the output layer until others join: their weights are gathered side by side, and each sentence's bitmap is made once
// more, over columns. So the output layer's work grows with the words that somebody may say, and who may say them
// is a bit a row and column. All of it happens when sentences join; a step only reads.
#pragma once

#include "nmt/search.cuh"

namespace lat::nmt {

/* A model's table, in memory of the caller's: the target words of source word i are words[starts[i]] to
 * words[starts[i + 1] - 1]. */
struct ShortlistTable {
  const int32_t *starts = nullptr; /* null: there is none */
  const int32_t *words = nullptr;
  int first = 0;
  bool own_words = false;
};

/* What a search keeps of it. */
struct ShortlistState {
  ShortlistTable table;
  int words = 0;     /* of the vocabulary */
  int row_bytes = 0; /* of a word's weights, a multiple of 16 */
  int stride = 0;    /* 32-bit words of a bitmap: whole tiles of the output layer */
  const char *from_weights = nullptr;
  const float *from_bias = nullptr;

  uint32_t *said;   /* [sentences][stride]: a bit a word of the vocabulary */
  uint32_t *all;    /* [stride]: of all that lived when somebody joined last */
  int32_t *columns; /* [1]: how many */
  int32_t *word;    /* [words]: of each column, rising */
  uint32_t *masks;  /* [sentences][stride]: a bit a column */
  char *weights;    /* [words][row_bytes], gathered */
  float *bias;      /* [words] */
};

/* Sizes the arrays, and places them where there is memory; words and row_bytes are known. */
void lay_out(ShortlistState &shortlist, const lat_nmt_options &options, Scratch &memory);

/* Sentences have been added: takes their source words, and makes columns for all that live now. */
int add_shortlists(const ShortlistState &shortlist, const SearchState &state, const lat_nmt_sentence *d_sentences,
                   int count, const int32_t *ids, const int32_t *offset, cudaStream_t stream);

}  // namespace lat::nmt
