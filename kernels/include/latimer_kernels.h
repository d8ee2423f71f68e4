/*
 * The C ABI of Latimer's kernels: the one header of liblatimer_kernels.so.
 *
 * Conventions
 * - Every function that does work returns a status: 0 done; 1 to 9999 a CUDA error (a cudaError_t); negative one of
 *   the LAT_ codes below. lat_error_name and lat_error_text speak of all of them.
 * - Pointers named d_... point to device memory, aligned to 256 bytes unless said otherwise; the caller owns them.
 *   Nothing here allocates device memory. Other pointers point to host memory.
 * - Sizes are in the unit that their name says: _bytes, or elements otherwise.
 * - Work is queued on the stream (a CUstream or cudaStream_t, of the context that is current on the calling thread) and
 *   has not finished when the function returns, unless said otherwise. Functions do not synchronise.
 * - Scratch: a function that takes (d_scratch, scratch_bytes) is called with d_scratch = NULL first; it then only writes
 *   the number of bytes that it needs to *scratch_bytes. Scratch need not be cleared and holds nothing afterwards.
 * - Functions may be called from several threads at once, on different streams and buffers.
 */
#ifndef LATIMER_KERNELS_H
#define LATIMER_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LAT_API __attribute__((visibility("default")))
#else
#define LAT_API
#endif

/* Raised whenever a signature or a documented layout changes; Java refuses a library of another version. */
#define LAT_ABI_VERSION 1

#define LAT_OK 0
#define LAT_BAD_ARGUMENT -1    /* a size, an order or a pointer is outside its documented range */
#define LAT_SCRATCH_TOO_SMALL -2 /* scratch_bytes is less than what the query asked for */
#define LAT_UNSUPPORTED -3       /* the device lacks what this function needs, such as shared memory */

typedef void *lat_stream;

/* ---- library ---- */

LAT_API int lat_abi_version(void);
/* Name of a status, such as "cudaErrorIllegalAddress" or "LAT_BAD_ARGUMENT"; never NULL, static. */
LAT_API const char *lat_error_name(int status);
/* One sentence about a status; never NULL, static. */
LAT_API const char *lat_error_text(int status);
/* What the library was compiled for, separated by spaces: "sm_80 sm_90 compute_90" (compute_ is PTX). */
LAT_API const char *lat_architectures(void);
/* Whether the current device can run this library's code (loads it): a status, cudaErrorNoKernelImageForDevice if not. */
LAT_API int lat_can_run(void);

/* ---- n-grams ----
 *
 * Counting of n-grams of bytes and of words (Bianco, "NGrams with CUDA").
 *
 * A text is a sequence of units: bytes, or words as 32-bit ids. The window at position p of order n is the units
 * p .. p+n-1. A text of u units has u-n+1 windows, or none. Of several records laid end to end, only the windows that
 * lie within one record count: a bitmap says which (lat_ngram_valid); NULL in its place means all of them.
 *
 * Keys. Bytes: the n bytes as a big-endian number, so keys are below 256^n and sort as the n-grams do. Words: the ids
 * as word_bits wide digits, the first word the most significant.
 *
 * A byte text and a bitmap are read in 16-byte pieces: LAT_NGRAM_PADDING bytes after the text must be readable (their
 * values do not matter), and d_valid has lat_ngram_valid_bytes(units) bytes.
 */

#define LAT_NGRAM_PADDING 32
#define LAT_NGRAM_MAX_BYTE_ORDER 8
#define LAT_NGRAM_MAX_WORD_ORDER 5
#define LAT_NGRAM_MAX_DENSE_ORDER 4 /* 256^4 32-bit counts are 16 GiB */
#define LAT_NGRAM_MAX_SHARED_ORDER 2

/* Bytes of the bitmap for a text: a multiple of 4. */
LAT_API uint64_t lat_ngram_valid_bytes(uint64_t units);

/*
 * Writes the bitmap of windows that lie within one record: bit p % 32 of word p / 32 is 1 where window p counts.
 * d_ends: for each record the position after its last unit, rising (equal for an empty record); the last is units.
 */
LAT_API int lat_ngram_valid(const uint64_t *d_ends, uint64_t records, uint64_t units, int order, uint32_t *d_valid,
                            lat_stream stream);

/* Strategy V1 (section "one histogram"): adds every window to d_counts[256^order] with global atomics. Order 1 to 4.
 * A count wraps at 2^32: the caller sees to it that fewer windows are added before the counts are taken out. */
LAT_API int lat_ngram_v1(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                         uint32_t *d_counts, lat_stream stream);

/* Strategy V2: adds to one of `copies` private histograms, d_copies[copies][256^order]; as V1 otherwise. */
LAT_API int lat_ngram_v2(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                         uint32_t copies, uint32_t *d_copies, lat_stream stream);
/* Sums the private histograms into the first of them and clears the others. */
LAT_API int lat_ngram_v2_reduce(uint32_t *d_copies, uint32_t copies, int order, lat_stream stream);

/* Histograms in the shared memory of each block, added to d_counts[256^order] at its end. Order 1 or 2;
 * order 2 needs 128 KiB of shared memory a block (LAT_UNSUPPORTED where a device has less). */
LAT_API int lat_ngram_shared(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                             uint64_t *d_counts, lat_stream stream);

/*
 * Lists the counts of a dense table that are not zero, in no order: (d_keys[i], d_list_counts[i]), i < *d_size.
 * Exactly one of d_counts32 and d_counts64 is given, the other NULL. *d_size is the number there is, also where it is
 * more than the capacity (then the first `capacity` that came are written).
 */
LAT_API int lat_ngram_dense_list(const uint32_t *d_counts32, const uint64_t *d_counts64, int order, uint64_t *d_keys,
                                 uint64_t *d_list_counts, uint64_t capacity, uint64_t *d_size, lat_stream stream);

/* Sorts a list by key (below 2^key_bits) into the second pair of arrays. Keys are distinct. */
LAT_API int lat_ngram_list_sort(const uint64_t *d_keys, const uint64_t *d_counts, uint64_t size, int key_bits,
                                uint64_t *d_sorted_keys, uint64_t *d_sorted_counts, void *d_scratch,
                                size_t *scratch_bytes, lat_stream stream);

/*
 * Strategy B (map, sort, reduce): the windows of a byte text as a list sorted by key. Order 1 to 8.
 * windows: how many windows count (the bits set in d_valid, or text_bytes-order+1), 1 to 2^31-1.
 * *d_size and capacity as in lat_ngram_dense_list; the first `capacity` by key are written.
 */
LAT_API int lat_ngram_sort(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, uint64_t windows,
                           int order, uint64_t *d_keys, uint64_t *d_counts, uint64_t capacity, uint64_t *d_size,
                           void *d_scratch, size_t *scratch_bytes, lat_stream stream);

/*
 * The same for words, order 1 to 5: every id below 2^word_bits (word_bits 1 to 32).
 * d_ngrams[i * order + k] is word k of n-gram i.
 */
LAT_API int lat_ngram_words_sort(const uint32_t *d_words, uint64_t words, const uint32_t *d_valid, uint64_t windows,
                                 int order, int word_bits, uint32_t *d_ngrams, uint64_t *d_counts, uint64_t capacity,
                                 uint64_t *d_size, void *d_scratch, size_t *scratch_bytes, lat_stream stream);

/*
 * The hash table of strategy "hash": an open-addressing table in device memory, fed by a small table in the shared
 * memory of each block that takes the frequent n-grams. An entry is 16 bytes.
 */
typedef struct {
  uint64_t mixed; /* a bijective mix of the key; all ones where the entry is free */
  uint64_t count;
} lat_ngram_entry;

/* What a table's work has come to; in device memory, 384 bytes. */
typedef struct {
  uint64_t used;     /* entries that are taken (the one of `ones` not among them) */
  uint64_t next;     /* first tile of the text that has not been counted; of lat_ngram_byte_tiles or lat_ngram_word_tiles there are */
  uint64_t overflow; /* entries in d_overflow */
  uint64_t ones;     /* count of the n-gram whose mixed key is all ones */
  uint8_t code[256];   /* the library's own: codes of the frequent bytes of the last text */
  uint8_t symbol[64];  /* the library's own: the byte of each code */
  uint64_t reserved[4];
} lat_ngram_progress;

/* Entries that d_overflow must hold, on the current device. */
LAT_API int lat_ngram_hash_overflow(uint64_t *entries);
/* Tiles of a text: it is counted when progress.next is at least this. */
LAT_API uint64_t lat_ngram_byte_tiles(uint64_t text_bytes);
LAT_API uint64_t lat_ngram_word_tiles(uint64_t words);
/* Empties a table of `capacity` entries (a power of two, 1024 or more) and its progress. */
LAT_API int lat_ngram_hash_clear(lat_ngram_entry *d_table, uint64_t capacity, lat_ngram_progress *d_progress,
                                 lat_stream stream);
/*
 * Counts tiles of a byte text of less than 2^32 bytes, order 1 to 8, from progress.next on, until the text ends, the table
 * is filled to six tenths, or 2^16 entries have found no room within 64 probes; these go to d_overflow. The caller reads the
 * progress then; where the text has not been counted, or anything has overflown, it makes a larger table, moves what there is
 * there (lat_ngram_hash_insert of the old table and of the overflow), or takes it away and empties the table, sets
 * progress.overflow to 0, and calls again. Before a new text it sets progress.next to 0.
 */
LAT_API int lat_ngram_hash(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                           lat_ngram_entry *d_table, uint64_t capacity, lat_ngram_progress *d_progress,
                           lat_ngram_entry *d_overflow, lat_stream stream);
/* The same for words; word_bits * order is at most 64. */
LAT_API int lat_ngram_words_hash(const uint32_t *d_words, uint64_t words, const uint32_t *d_valid, int order,
                                 int word_bits, lat_ngram_entry *d_table, uint64_t capacity,
                                 lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow, lat_stream stream);
/*
 * Writes used, next, overflow and ones of a progress to memory that the device can write: device memory, or page-locked
 * host memory. A kernel does it, so that it need not wait for copies that are under way.
 */
LAT_API int lat_ngram_hash_report(const lat_ngram_progress *d_progress, uint64_t *report, lat_stream stream);
/* Adds the entries of another table, or of a list of entries, to a table that has room for them. Free ones are passed
 * by. What finds no room within 64 probes goes to d_overflow, as far as that has room (lat_ngram_hash_overflow): where
 * progress.overflow is not 0, not all may be there, and the caller begins anew with a larger table. */
LAT_API int lat_ngram_hash_insert(const lat_ngram_entry *d_entries, uint64_t entries, lat_ngram_entry *d_table,
                                  uint64_t capacity, lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow,
                                  lat_stream stream);
/* Lists a table as lat_ngram_dense_list does; the entry of progress.ones is among them. */
LAT_API int lat_ngram_hash_list(const lat_ngram_entry *d_table, uint64_t capacity,
                                const lat_ngram_progress *d_progress, uint64_t *d_keys, uint64_t *d_list_counts,
                                uint64_t list_capacity, uint64_t *d_size, lat_stream stream);

/* ---- language model ----
 *
 * Scores of words under a back-off model (Bogoychev and Lopez, "N-gram language models for massively parallel devices"),
 * to the bit as KenLM makes them: the log10 probability of the longest n-gram that ends in the word, then the back-offs
 * of the contexts that did not match, the shortest first.
 *
 * Texts lie end to end in d_tokens. A token is a word's id (below 2^30; from `words` on it counts as 0, the unknown
 * word) with two flags. The first token of d_tokens must have LAT_LM_FIRST. A decoder's state comes in as its words,
 * the oldest first, as context.
 */

#define LAT_LM_FIRST 0x80000000u   /* what lies before this token is no context of it, nor of what follows */
#define LAT_LM_CONTEXT 0x40000000u /* only a context of what follows: it gets log10 0 and length 0 */
#define LAT_LM_NONE 0xffffffffu    /* in place of an id: none */
#define LAT_LM_MAX_ORDER 8
#define LAT_LM_MAX_NODE_KEYS 63
#define LAT_LM_TEXT_PADDING 16

/*
 * Results, an element a token. d_log10: log10 probability. d_lengths: words of the longest n-gram that ends here.
 * d_state_lengths (or NULL): words of KenLM's state behind this token, the shortest context that a later score can
 * depend on. d_state_backoffs (or NULL): [tokens][order - 1], the back-offs of the contexts that end in this token, the
 * shortest first; -0.0 where there is none.
 *
 * Layout "hash": d_unigrams[words] of {prob, backoff}; d_table[buckets] of 32 bytes, two entries {parent, word, prob,
 * backoff}, as docs/formats.md has them. 1 to 2^31-1 buckets; order 1 to 8. Tokens: 0 to 2^32-1.
 */
LAT_API int lat_lm_hash_score(const uint32_t *d_tokens, uint64_t tokens, int order, const void *d_unigrams,
                              uint32_t words, const void *d_table, uint64_t buckets, float *d_log10,
                              uint8_t *d_lengths, uint8_t *d_state_lengths, float *d_state_backoffs, lat_stream stream);

/*
 * The same, layout "btree": d_root[words] of {prob, backoff, tree, 0}; d_nodes of 32-bit words, node_words of them.
 * Every node has at most LAT_LM_MAX_NODE_KEYS keys. An address that leads out of d_nodes ends a descent.
 */
LAT_API int lat_lm_btree_score(const uint32_t *d_tokens, uint64_t tokens, int order, const void *d_root, uint32_t words,
                               const uint32_t *d_nodes, uint64_t node_words, float *d_log10, uint8_t *d_lengths,
                               uint8_t *d_state_lengths, float *d_state_backoffs, lat_stream stream);

/* Picks states of a few tokens: d_lengths[i] and d_backoffs[i][order - 1] are those of token d_positions[i]. Order 2 up. */
LAT_API int lat_lm_states(const uint32_t *d_positions, uint64_t positions, int order, const uint8_t *d_state_lengths,
                          const float *d_state_backoffs, uint8_t *d_lengths, float *d_backoffs, lat_stream stream);

/*
 * Words of raw text to tokens. The texts lie one behind the other in d_text, each followed by one byte of its own that
 * parts words, such as a line feed: text i ends before d_ends[i], where that byte is. The ends rise strictly, the last
 * is text_bytes - 1. Words part at NUL, TAB, LF, VT, FF, CR and space; a text may hold any of them, and any bytes.
 * text_bytes: 0 to 2^31-1; the text is read in 16-byte pieces, so LAT_LM_TEXT_PADDING bytes behind it must be readable.
 *
 * The vocabulary is that of docs/formats.md, as its sections are: d_word_text, d_word_starts[words + 1],
 * d_word_table[word_slots]. No word of it has more than longest_word bytes. begin, end: ids that go before and behind the
 * words of each text (<s> as context), or LAT_LM_NONE.
 *
 * d_tokens has room for (text_bytes + 1) / 2 + texts * (number of begin and end). The tokens of text i are
 * d_offsets[i] to d_offsets[i + 1] - 1; d_offsets has texts + 1 elements.
 */
LAT_API int lat_lm_tokens(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_ends, uint64_t texts,
                          const uint8_t *d_word_text, const uint32_t *d_word_starts, uint32_t words,
                          const void *d_word_table, uint32_t word_slots, uint32_t longest_word, uint32_t begin,
                          uint32_t end, uint32_t *d_tokens, uint32_t *d_offsets, void *d_scratch,
                          size_t *scratch_bytes, lat_stream stream);

/* What a text's scored tokens come to: d_totals, the sum of their log10, each step of it rounded to float32, in their
 * order; d_unknown, how many of them are the unknown word (id 0); d_unknown_totals, the sum of log10 of those, in float64. */
LAT_API int lat_lm_sums(const uint32_t *d_tokens, const uint32_t *d_offsets, uint64_t texts, const float *d_log10,
                        float *d_totals, uint32_t *d_unknown, double *d_unknown_totals, lat_stream stream);

/* ---- neural translation ----
 *
 * Decoding with recurrent models (Hoang et al., "Fast Neural Machine Translation Implementation") and transformers. A model holds weights,
 * a search holds the sentences that are being translated and all hypotheses of theirs. Both are made by these functions
 * as small objects on the host; their device memory is the caller's. Calls for one object come from one thread at a time.
 *
 * The rows of a step are exactly the live hypotheses (Algorithm 2 there). Sentences join between steps and leave when
 * their beam is empty, each by itself, so a search may run as long as there are sentences.
 */

#define LAT_NMT_MAX_BEAM 64

#define LAT_NMT_FLOAT32 0  /* products in 32 bits, no tf32 */
#define LAT_NMT_FLOAT16 1  /* weights and factors in 16 bits on tensor cores, sums in 32; states in 32 bits */
#define LAT_NMT_BFLOAT16 2

#define LAT_NMT_GRU 0
#define LAT_NMT_LSTM 1
#define LAT_NMT_MLSTM 2

typedef struct lat_nmt_model lat_nmt_model;
typedef struct lat_nmt_search lat_nmt_search;

/* The shape of a recurrent model, as the settings of an .lmx have it (docs/formats.md). */
typedef struct {
  int64_t source_words; /* 2 to 2^24, as words */
  int64_t words;
  int64_t embedding; /* 1 to 65536; with normalization to 12288 */
  int64_t state;     /* 1 to 4096; with normalization and a cell of another kind than GRU to 3072 */
  int64_t attention; /* 1 to 16384; with normalization to 12288 */
  int64_t forward_cell; /* LAT_NMT_GRU and so on */
  int64_t backward_cell;
  int64_t encoder_transitions; /* 0 to 64, as the decoder's */
  int64_t cell1;
  int64_t cell2;
  int64_t decoder_transitions;
  int64_t normalization; /* 0 none, 1 joint (epsilon 1e-9), 2 separate (1e-5) */
  int64_t starts_cell;   /* 1: the decoder's cell state starts as its state, 0: as zeros */
  int64_t shares_embeddings;
  int64_t ties_output;
} lat_nmt_rnn_settings;

LAT_API int lat_nmt_rnn_create(const lat_nmt_rnn_settings *settings, int precision, lat_nmt_model **model);

#define LAT_NMT_RELU 0
#define LAT_NMT_SWISH 1
#define LAT_NMT_GELU 2 /* x * sigmoid(1.702 x) */

#define LAT_NMT_SELF_ATTENTION 0
#define LAT_NMT_AVERAGE_ATTENTION 1
#define LAT_NMT_SSRU 2

#define LAT_NMT_POST 0
#define LAT_NMT_PRE 1
#define LAT_NMT_PRE_QUERIES 2

/* The shape of a transformer, as the settings of an .lmx have it (docs/formats.md). */
typedef struct {
  int64_t source_words; /* 2 to 2^24, as words */
  int64_t words;
  int64_t width; /* even, 4 to 16384 */
  int64_t heads; /* each at most 1024 wide */
  int64_t encoder_layers; /* 1 to 64, as the decoder's */
  int64_t decoder_layers;
  int64_t encoder_feed_forward; /* 1 to 65536, as the others */
  int64_t decoder_feed_forward;
  int64_t activation;     /* LAT_NMT_RELU and so on */
  int64_t autoregression; /* LAT_NMT_SELF_ATTENTION and so on */
  int64_t average_feed_forward;
  int64_t average_activation;
  int64_t normalization; /* LAT_NMT_POST and so on */
  int64_t normalizes_top;
  int64_t alignment_layer; /* from 1 */
  int64_t shares_embeddings;
  int64_t ties_output;
} lat_nmt_transformer_settings;

/* A transformer: used like a recurrent model from here on. */
LAT_API int lat_nmt_transformer_create(const lat_nmt_transformer_settings *settings, int precision,
                                       lat_nmt_model **model);
LAT_API void lat_nmt_model_destroy(lat_nmt_model *model);
/* Device memory for its weights. */
LAT_API uint64_t lat_nmt_model_bytes(const lat_nmt_model *model);
/* Gives that memory, aligned to 256 bytes, and clears it; it stays as long as the model. */
LAT_API int lat_nmt_model_place(lat_nmt_model *model, void *d_memory, lat_stream stream);
/* Writes a tensor, by its name in an .lmx without "tensor/", row major in 32 bits. LAT_BAD_ARGUMENT if the model has no such tensor or the
 * shape is another. */
LAT_API int lat_nmt_model_tensor(lat_nmt_model *model, const char *name, const float *d_values, uint64_t rows,
                                 uint64_t cols, lat_stream stream);
/*
 * Gives a table of words that sentences may say (docs/formats.md, shortlist section): d_starts[source_words + 1],
 * d_words[d_starts[source_words]], target words below `words`. Both stay where they are as long as the model; searches with
 * LAT_NMT_SHORTLIST keep to it. first: 2 to `words`; own_words: 1 where source words may be said, too, else 0.
 */
LAT_API int lat_nmt_model_shortlist(lat_nmt_model *model, int64_t first, int own_words, const int32_t *d_starts,
                                    const int32_t *d_words);
/* Tensors that have not been written yet: 0 when the model may be used. */
LAT_API uint64_t lat_nmt_model_missing(const lat_nmt_model *model);

#define LAT_NMT_SCORES 1        /* scores are wanted; without, a beam of 1 skips the softmax */
#define LAT_NMT_ALLOW_UNKNOWN 2 /* word 1 may be produced */
#define LAT_NMT_ALIGNMENT 4     /* attention is kept */
#define LAT_NMT_FORBID_END 8    /* word 0 is never produced: for benches with random weights */

/* Ideas of the paper switched off, for benches; results are the same. */
#define LAT_NMT_KEEP_ROWS 16 /* every step computes most_rows rows, also those of hypotheses that have ended */
#define LAT_NMT_SEPARATE 32  /* logits go to memory; bias and softmax, and k-best, are kernels of their own */
#define LAT_NMT_LOGITS 128   /* logits go to memory; bias, softmax and k-best are one kernel, as in the paper */

/* A sentence may say the words that the model's shortlist has for it, and no others: the softmax is over these. The model must
 * have one; not together with LAT_NMT_SEPARATE or LAT_NMT_LOGITS. */
#define LAT_NMT_SHORTLIST 64

/* What a search has room for. */
typedef struct {
  int64_t beam;          /* 1 to LAT_NMT_MAX_BEAM */
  int64_t n_best;        /* 1 to beam */
  int64_t flags;         /* LAT_NMT_SCORES and so on */
  double alpha;          /* hypotheses are ranked by score / length^alpha */
  int64_t sentences;     /* places for sentences, 1 up; live hypotheses are at most sentences * beam, to 2^21 */
  int64_t tokens;        /* places for source tokens of all sentences there, 1 to 2^28 */
  int64_t factor;        /* a sentence of t tokens has room for factor * t steps, 1 to 100 */
  int64_t join_sentences; /* most sentences that join at once */
  int64_t join_tokens;   /* most tokens that join at once, 1 to 2^21 */
  int64_t longest;       /* tokens of the longest sentence, 1 to 4096 */
  int64_t attention;     /* with LAT_NMT_ALIGNMENT: places for attention weights (floats), at most 2^34, else 0 */
} lat_nmt_options;

/* What a search reports, in page-locked host memory; written at the end of every step. */
typedef struct {
  int32_t rows;     /* live hypotheses */
  uint32_t ended;   /* sentences that have ended since the search was placed, modulo 2^32 */
  int32_t queue[1]; /* [sentences]: place of the i-th sentence that ended, at i modulo sentences */
} lat_nmt_report;

LAT_API int lat_nmt_search_create(const lat_nmt_model *model, const lat_nmt_options *options, lat_nmt_report *report,
                                  lat_nmt_search **search);
LAT_API void lat_nmt_search_destroy(lat_nmt_search *search);
LAT_API uint64_t lat_nmt_search_bytes(const lat_nmt_search *search);
/* Gives device memory, aligned to 256 bytes, and empties the search. */
LAT_API int lat_nmt_search_place(lat_nmt_search *search, void *d_memory, lat_stream stream);

/* A sentence that joins. Its places must be free: nobody else's, or of a sentence that has been drained. */
typedef struct {
  int32_t place;        /* below options.sentences */
  int32_t length;       /* source tokens with the end token, 1 to options.longest */
  int32_t first_token;  /* its places for tokens: first_token .. first_token + length - 1 */
  int32_t limit;        /* most target words, 1 to factor * length */
  int64_t first_weight; /* with LAT_NMT_ALIGNMENT: its places for attention, limit * beam * length from here on */
} lat_nmt_sentence;

/*
 * Encodes sentences and adds each with one empty hypothesis; others may join before the next step. Both arrays are in page-locked host memory and may be used
 * again when the stream has come this far. sentences: longest first. ids: theirs, end to end, all below source_words.
 */
LAT_API int lat_nmt_join(lat_nmt_search *search, const lat_nmt_sentence *sentences, int64_t count, const int32_t *ids,
                         lat_stream stream);
/*
 * One step of all hypotheses, of which there are at most most_rows: more are an error that the caller makes. May be captured in
 * a graph, which stays good until the search is placed again. Does nothing where nothing lives.
 */
LAT_API int lat_nmt_step(lat_nmt_search *search, int64_t most_rows, lat_stream stream);

/* A sentence that has ended, and where its result goes. */
typedef struct {
  int32_t place;
  int32_t at; /* in words of 4 bytes from `results` on; even */
} lat_nmt_ended;

/* Words of 4 bytes that the result of a sentence takes; even. */
LAT_API int64_t lat_nmt_result_words(const lat_nmt_search *search, int64_t length, int64_t limit);
/*
 * Writes results to page-locked host memory; `ended` lies there too. May be queued on another stream than the steps,
 * once the report has named the sentences. A result is
 *   int32 hypotheses (at most n_best; -1: a score was no finite number), int32 0, and for each hypothesis, best first,
 *   int32 length, int32 0, double score, double normalized score,
 *   int32 words[length], float log-probabilities[length], with LAT_NMT_ALIGNMENT float attention[length][source length],
 *   and one more word of 4 bytes where that is an odd number.
 */
LAT_API int lat_nmt_drain(lat_nmt_search *search, const lat_nmt_ended *ended, int64_t count, int32_t *results,
                          lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
