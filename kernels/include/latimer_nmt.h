/*
 * Decoding with recurrent models (Hoang et al., "Fast Neural Machine Translation Implementation") and transformers. A
 * model holds weights; a search holds the sentences being translated with all their hypotheses. These functions create
 * both as small host objects; the caller owns their device memory. Calls for one object must not be concurrent.
 *
 * The rows of a step are exactly the live hypotheses (Algorithm 2 there). Sentences join between steps, and each leaves
 * on its own when its beam is empty, so a search can run for as long as there are sentences.
 */
#ifndef LATIMER_NMT_H
#define LATIMER_NMT_H

#include "latimer_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAT_NMT_MAX_BEAM 64

#define LAT_NMT_FLOAT32 0  /* 32-bit products, no tf32 */
#define LAT_NMT_FLOAT16 1  /* 16-bit weights and factors on tensor cores; 32-bit sums and states */
#define LAT_NMT_BFLOAT16 2

#define LAT_NMT_GRU 0
#define LAT_NMT_LSTM 1
#define LAT_NMT_MLSTM 2

typedef struct lat_nmt_model lat_nmt_model;
typedef struct lat_nmt_search lat_nmt_search;

/* The shape of a recurrent model, as in the settings of an .lmx (docs/formats.md). */
typedef struct {
  int64_t source_words; /* 2 to 2^24, like words */
  int64_t words;
  int64_t embedding; /* 1 to 65536; with normalization to 12288 */
  int64_t state;     /* 1 to 4096; with normalization and a cell other than GRU to 3072 */
  int64_t attention; /* 1 to 16384; with normalization to 12288 */
  int64_t forward_cell; /* LAT_NMT_GRU etc. */
  int64_t backward_cell;
  int64_t encoder_transitions; /* 0 to 64, like the decoder's */
  int64_t cell1;
  int64_t cell2;
  int64_t decoder_transitions;
  int64_t normalization; /* 0 none, 1 joint (epsilon 1e-9), 2 separate (1e-5) */
  int64_t starts_cell;   /* 1: the decoder's cell state starts as a copy of its state, 0: as zeros */
  int64_t shares_embeddings;
  int64_t ties_output;
} lat_nmt_rnn_settings;

LAT_API int lat_nmt_rnn_create(const lat_nmt_rnn_settings *settings, int precision, lat_nmt_model **model);

#define LAT_NMT_RELU 0
#define LAT_NMT_SWISH 1
#define LAT_NMT_GELU 2 /* x * sigmoid(1.702 x) */
#define LAT_NMT_GELU_ERF 3  /* x / 2 * (1 + erf(x / sqrt(2))) */
#define LAT_NMT_GELU_TANH 4 /* x * sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)) */

#define LAT_NMT_SELF_ATTENTION 0
#define LAT_NMT_AVERAGE_ATTENTION 1
#define LAT_NMT_SSRU 2

#define LAT_NMT_POST 0
#define LAT_NMT_PRE 1
#define LAT_NMT_PRE_QUERIES 2

#define LAT_NMT_SINUSOIDAL 0 /* sines and cosines, added to the embeddings */
#define LAT_NMT_LEARNED 1    /* trained vectors, added to the embeddings */
#define LAT_NMT_RELATIVE 2   /* trained biases of self-attention by the distance of two words */

/* The shape of a transformer, as in the settings of an .lmx (docs/formats.md). */
typedef struct {
  int64_t source_words; /* 2 to 2^24, like words */
  int64_t words;
  int64_t width; /* even, 4 to 16384 */
  int64_t heads; /* 1 to width; each of width at most 1024, all together at most 16384 */
  int64_t encoder_layers; /* 1 to 64, like the decoder's */
  int64_t decoder_layers;
  int64_t encoder_feed_forward; /* 1 to 65536, like the others */
  int64_t decoder_feed_forward;
  int64_t activation;     /* LAT_NMT_RELU etc. */
  int64_t autoregression; /* LAT_NMT_SELF_ATTENTION etc. */
  int64_t average_feed_forward;
  int64_t average_activation;
  int64_t normalization; /* LAT_NMT_POST etc. */
  int64_t normalizes_top;
  int64_t alignment_layer; /* from 1 */
  int64_t shares_embeddings;
  int64_t ties_output;
  int64_t positions;             /* LAT_NMT_SINUSOIDAL etc. */
  int64_t first_position;        /* of a sentence's first word, 0 to 1024; 0 unless sinusoidal */
  int64_t position_rows;         /* rows of the tables of trained positions, 1 to 2^24; 0 unless learned */
  int64_t relative_buckets;      /* distances told apart, even, 4 to 1024; 0 unless relative */
  int64_t relative_distance;     /* above relative_buckets / 2, to 65536: from here on all are one; 0 unless relative */
  int64_t scales_embeddings;     /* 1: by the square root of the width */
  int64_t normalizes_embeddings; /* 1: the sums of embeddings and positions are normalized */
  int64_t root_mean_square;      /* 1: normalization divides by the root mean square, without a mean or a shift */
  double epsilon;                /* of normalization, 0 to 0.1 */
  int64_t gated_feed_forward;
  int64_t scales_attention; /* 1: by the inverse square root of the head's width */
  int64_t head_width;       /* 0: width / heads, of which heads must then be a divisor */
  int64_t start;            /* the decoder's first input, a target word; -1: an embedding of zeros */
  int64_t alignment_heads;  /* heads of alignment_layer, from the first, whose mean is the alignment: 1 to heads */
  int64_t middle_layers;    /* activated layers between the inner and the outer one of feed-forward networks, 0 to 8 */
} lat_nmt_transformer_settings;

/* Creates a transformer; from here on it is used like a recurrent model. */
LAT_API int lat_nmt_transformer_create(const lat_nmt_transformer_settings *settings, int precision,
                                       lat_nmt_model **model);
LAT_API void lat_nmt_model_destroy(lat_nmt_model *model);
/* Size of the device memory for its weights. */
LAT_API uint64_t lat_nmt_model_bytes(const lat_nmt_model *model);
/* Sets and clears that memory, aligned to 256 bytes; it must stay valid as long as the model. */
LAT_API int lat_nmt_model_place(lat_nmt_model *model, void *d_memory, lat_stream stream);
/* Writes a tensor, named as in an .lmx without "tensor/", row major in 32 bits. LAT_BAD_ARGUMENT if the model has no
 * such tensor or it has another shape. */
LAT_API int lat_nmt_model_tensor(lat_nmt_model *model, const char *name, const float *d_values, uint64_t rows,
                                 uint64_t cols, lat_stream stream);
/*
 * Sets the table of words that sentences allow (docs/formats.md, shortlist section): d_starts[source_words + 1],
 * d_words[d_starts[source_words]], target words below `words`. Both must stay valid as long as the model; searches with
 * LAT_NMT_SHORTLIST use them. first: 2 to `words`; own_words: 1 if source words are allowed, too, else 0.
 */
LAT_API int lat_nmt_model_shortlist(lat_nmt_model *model, int64_t first, int own_words, const int32_t *d_starts,
                                    const int32_t *d_words);
/* Number of tensors not written yet; 0 when the model is ready. */
LAT_API uint64_t lat_nmt_model_missing(const lat_nmt_model *model);

#define LAT_NMT_SCORES 1        /* compute scores; without them, a beam of 1 skips the softmax */
#define LAT_NMT_ALLOW_UNKNOWN 2 /* allow word 1 */
#define LAT_NMT_ALIGNMENT 4     /* keep the attention */
#define LAT_NMT_FORBID_END 8    /* never produce word 0: for benches with random weights */

/* When a hypothesis ends, the next best takes its place; without, the beam is smaller from then on. Greedy search is
 * the same either way. At most one of them; each hypothesis offers at most LAT_NMT_MAX_BEAM continuations. */
#define LAT_NMT_FIRST_ENDED 256 /* the sentence ends once as many hypotheses as the beam has places have ended */
#define LAT_NMT_BEST_ENDED 512  /* the best ended ones are kept, as many as the beam has places; the sentence ends once
                                 * they are so many and no live one has a better normalized score than the worst */

/* Switch off ideas of the paper, for benches; results are the same. */
#define LAT_NMT_KEEP_ROWS 16 /* every step computes most_rows rows, including those of ended hypotheses */
#define LAT_NMT_SEPARATE 32  /* logits go to memory; bias with softmax, and k-best, are separate kernels */
#define LAT_NMT_LOGITS 128   /* logits go to memory; bias, softmax and k-best are one kernel, as in the paper */

/* Hypotheses that run in a loop end. A hypothesis loops where its last n words repeat the same p words, with p up to
 * LAT_NMT_LOOP_PERIOD and n = max(LAT_NMT_LOOP_WORDS, 3 p); it is looked at after every LAT_NMT_LOOP_WORDS words. Live
 * ones that loop go without a result, unless all do and none has ended: then the next word is their last. Results that
 * loop somewhere are ranked after all others. */
#define LAT_NMT_END_LOOPS 1024
#define LAT_NMT_LOOP_PERIOD 16
#define LAT_NMT_LOOP_WORDS 16

/* Nothing is searched: a sentence's prefix is its whole translation, which gets its log-probabilities. Only with a beam
 * of 1 and LAT_NMT_SCORES; not together with LAT_NMT_SHORTLIST, LAT_NMT_SEPARATE or LAT_NMT_LOGITS. */
#define LAT_NMT_GIVEN 2048

/* Restricts each sentence, and its softmax, to the words that the model's shortlist allows. The model must have a
 * shortlist; not together with LAT_NMT_SEPARATE or LAT_NMT_LOGITS. */
#define LAT_NMT_SHORTLIST 64

/* The capacity and options of a search. */
typedef struct {
  int64_t beam;          /* 1 to LAT_NMT_MAX_BEAM */
  int64_t n_best;        /* 1 to beam */
  int64_t flags;         /* LAT_NMT_SCORES etc. */
  double alpha;          /* hypotheses are ranked by score / length^alpha */
  int64_t sentences;     /* places for sentences, at least 1; sentences * beam, the maximum of live hypotheses, at most 2^21 */
  int64_t tokens;        /* places for the source tokens of all sentences, 1 to 2^28 */
  int64_t factor;        /* a sentence of t tokens has room for factor * t steps, 1 to 100 */
  int64_t join_sentences; /* maximum number of sentences that join together */
  int64_t join_tokens;   /* maximum number of tokens that join together, 1 to 2^21 */
  int64_t longest;       /* maximum number of tokens of a sentence, 1 to 4096 */
  int64_t attention;     /* with LAT_NMT_ALIGNMENT: places for attention weights (floats), at most 2^34; else 0 */
} lat_nmt_options;

/* A search's report in page-locked host memory, written at the end of every step. */
typedef struct {
  int32_t rows;     /* live hypotheses */
  uint32_t ended;   /* number of sentences that ended since the search was placed, modulo 2^32 */
  int32_t queue[1]; /* [sentences]: place of the i-th sentence that ended, at i modulo sentences */
} lat_nmt_report;

LAT_API int lat_nmt_search_create(const lat_nmt_model *model, const lat_nmt_options *options, lat_nmt_report *report,
                                  lat_nmt_search **search);
LAT_API void lat_nmt_search_destroy(lat_nmt_search *search);
LAT_API uint64_t lat_nmt_search_bytes(const lat_nmt_search *search);
/* Sets device memory, aligned to 256 bytes, and empties the search. The model must be ready. */
LAT_API int lat_nmt_search_place(lat_nmt_search *search, void *d_memory, lat_stream stream);

/* A sentence that joins. Its places must be free: never used, or those of a sentence that has been drained. */
typedef struct {
  int32_t place;        /* below options.sentences */
  int32_t length;       /* source tokens including the end token, 1 to options.longest */
  int32_t first_token;  /* its token places are first_token .. first_token + length - 1 */
  int32_t limit;        /* maximum number of target words, 1 to factor * length */
  int64_t first_weight; /* with LAT_NMT_ALIGNMENT: start of its limit * beam * length attention places */
  int32_t prefix;       /* number of words that each translation begins with, 0 to limit - 1; with LAT_NMT_GIVEN limit */
  int32_t may_loop;     /* 1: LAT_NMT_END_LOOPS does not hold for it, because it repeats itself; else 0 */
} lat_nmt_sentence;

/*
 * Encodes sentences and adds each with one empty hypothesis; more may join before the next step. Both arrays are in
 * page-locked host memory and can be reused once the stream has reached this point. sentences: longest first. ids: the
 * tokens of all sentences, below source_words; after them the prefixes of all, in the same order, below `words`.
 * A prefix may have any words: none of them ends a translation, must be in the shortlist, or changes the score (their
 * log-probabilities are 0, except with LAT_NMT_GIVEN). They count towards the length. If the model's positions are
 * learned, no length and no limit may be above position_rows.
 */
LAT_API int lat_nmt_join(lat_nmt_search *search, const lat_nmt_sentence *sentences, int64_t count, const int32_t *ids,
                         lat_stream stream);
/*
 * One step of all hypotheses, of which there must be at most most_rows; the function does not check this. Some recurrent
 * models do up to 8 steps at once while at most 16 hypotheses are live. May be captured in a graph, which stays valid
 * until the search is placed again. Does nothing if no hypothesis is live.
 */
LAT_API int lat_nmt_step(lat_nmt_search *search, int64_t most_rows, lat_stream stream);

/* A sentence that has ended, and the destination of its result. */
typedef struct {
  int32_t place;
  int32_t at; /* offset from `results` in 4-byte words; even */
} lat_nmt_ended;

/* Size of a sentence's result in 4-byte words; even. */
LAT_API int64_t lat_nmt_result_words(const lat_nmt_search *search, int64_t length, int64_t limit);
/*
 * Writes results to page-locked host memory, which also contains `ended`. May be queued on a stream other than that of
 * the steps, once the report has named the sentences. A result is
 *   int32 hypotheses (at most n_best; -1: a score was not finite), int32 0, and for each hypothesis, best first,
 *   int32 length, int32 0, double score, double normalized score,
 *   int32 words[length], float log-probabilities[length], with LAT_NMT_ALIGNMENT float attention[length][source length],
 *   and a padding word of 4 bytes if that is an odd number.
 */
LAT_API int lat_nmt_drain(lat_nmt_search *search, const lat_nmt_ended *ended, int64_t count, int32_t *results,
                          lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
