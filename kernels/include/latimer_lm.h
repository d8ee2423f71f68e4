/*
 * Scores words by a back-off model (Bogoychev and Lopez, "N-gram language models for massively parallel devices"), bit
 * for bit as KenLM: the log10 probability of the longest n-gram that ends in the word, plus the back-offs of the
 * unmatched contexts, shortest first.
 *
 * Texts are concatenated in d_tokens. A token is a word's id (below 2^30; ids from `words` on count as 0, the unknown
 * word) with two flags. The first token of d_tokens must have LAT_LM_FIRST. A decoder's state is passed as its words,
 * oldest first, as context.
 */
#ifndef LATIMER_LM_H
#define LATIMER_LM_H

#include "latimer_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAT_LM_FIRST 0x80000000u   /* the preceding tokens are not context of this token or later ones */
#define LAT_LM_CONTEXT 0x40000000u /* only context of later tokens: gets log10 0 and length 0 */
#define LAT_LM_NONE 0xffffffffu    /* takes the place of an id: none */
#define LAT_LM_MAX_ORDER 8
#define LAT_LM_MAX_NODE_KEYS 63
#define LAT_LM_TEXT_PADDING 16

/*
 * Results, one element per token. d_log10: log10 probability. d_lengths: words of the longest n-gram that ends here.
 * d_state_lengths (or NULL): words of KenLM's state after this token, the shortest context on which later scores can
 * depend. d_state_backoffs (or NULL): [tokens][order - 1], the back-offs of the contexts that end in this token,
 * shortest first; -0.0 for missing ones.
 *
 * Layout "hash": d_unigrams[words] of {prob, backoff}; d_table[buckets] of 32 bytes, two entries {parent, word, prob,
 * backoff}, as docs/formats.md has them. 1 to 2^31-1 buckets; order 1 to 8. Tokens: 0 to 2^32-1.
 */
LAT_API int lat_lm_hash_score(const uint32_t *d_tokens, uint64_t tokens, int order, const void *d_unigrams,
                              uint32_t words, const void *d_table, uint64_t buckets, float *d_log10,
                              uint8_t *d_lengths, uint8_t *d_state_lengths, float *d_state_backoffs, lat_stream stream);

/*
 * Like lat_lm_hash_score, for layout "btree": d_root[words] of {prob, backoff, tree, 0}; d_nodes of 32-bit words,
 * node_words of them. Nodes have at most LAT_LM_MAX_NODE_KEYS keys. An address outside d_nodes ends a descent.
 */
LAT_API int lat_lm_btree_score(const uint32_t *d_tokens, uint64_t tokens, int order, const void *d_root, uint32_t words,
                               const uint32_t *d_nodes, uint64_t node_words, float *d_log10, uint8_t *d_lengths,
                               uint8_t *d_state_lengths, float *d_state_backoffs, lat_stream stream);

/* Gathers the states of some tokens: d_lengths[i] and d_backoffs[i][order - 1] are those of token d_positions[i]. Order
 * 2 or higher. */
LAT_API int lat_lm_states(const uint32_t *d_positions, uint64_t positions, int order, const uint8_t *d_state_lengths,
                          const float *d_state_backoffs, uint8_t *d_lengths, float *d_backoffs, lat_stream stream);

/*
 * Converts words of raw text to tokens. The texts are concatenated in d_text, each followed by one separator byte, such
 * as a line feed: text i ends before d_ends[i], the position of that byte. The ends are strictly ascending; the last is
 * text_bytes - 1. Words are separated by NUL, TAB, LF, VT, FF, CR and space; texts may contain these and any other
 * bytes. text_bytes: 0 to 2^31-1; the text is read in 16-byte pieces, so LAT_LM_TEXT_PADDING bytes after it must be
 * readable.
 *
 * The vocabulary consists of the sections in docs/formats.md: d_word_text, d_word_starts[words + 1],
 * d_word_table[word_slots]. None of its words is longer than longest_word bytes. begin, end: ids to insert before and
 * after the words of each text (<s> as context), or LAT_LM_NONE.
 *
 * d_tokens needs room for (text_bytes + 1) / 2 + texts * (number of begin and end). The tokens of text i are
 * d_offsets[i] to d_offsets[i + 1] - 1; d_offsets has texts + 1 elements.
 */
LAT_API int lat_lm_tokens(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_ends, uint64_t texts,
                          const uint8_t *d_word_text, const uint32_t *d_word_starts, uint32_t words,
                          const void *d_word_table, uint32_t word_slots, uint32_t longest_word, uint32_t begin,
                          uint32_t end, uint32_t *d_tokens, uint32_t *d_offsets, void *d_scratch,
                          size_t *scratch_bytes, lat_stream stream);

/* Sums over the scored tokens of each text: d_totals, their log10, in order, each step rounded to float32; d_unknown,
 * the number of unknown words (id 0); d_unknown_totals, the log10 of those, in float64. */
LAT_API int lat_lm_sums(const uint32_t *d_tokens, const uint32_t *d_offsets, uint64_t texts, const float *d_log10,
                        float *d_totals, uint32_t *d_unknown, double *d_unknown_totals, lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
