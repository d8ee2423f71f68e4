/*
 * Membership of sentences in a context-free language by the CYK algorithm, after Kim, Choi, Lee, Man and Han, "Parallel
 * CYK Membership Test on GPUs" (2014); all sentences of a batch at once, and 32 splits of a cell per machine word.
 *
 * Variables that derive each other by unary rules are one class; everything here is about classes, numbered from 0.
 * Cell (i, j) of a sentence, 0 <= i < j <= n, holds the classes that derive its words i to j - 1. The results are those
 * of the CPU's implementation, to the last bit.
 */
#ifndef LATIMER_GRAMMAR_H
#define LATIMER_GRAMMAR_H

#include "latimer_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAT_GRAMMAR_MAX_CLASSES 65535
#define LAT_GRAMMAR_MAX_WORDS 8192 /* of a sentence */

/* A grammar: its arrays, and their sizes. Every number in them must have been checked: they index other arrays. */
typedef struct {
  uint64_t classes;
  uint64_t start;                    /* the class that derives a sentence */
  uint64_t pairs;                    /* distinct right-hand sides of binary rules; below 2^31 */
  const uint32_t *d_pairs;           /* pairs: left class | right class << 16; sorted by left class is fastest */
  uint64_t rules;                    /* binary rules; below 2^31 */
  const uint32_t *d_rule_starts;     /* classes + 1: the first rule with this left side */
  const uint32_t *d_rules;           /* rules: the number of its pair, by left side */
  uint64_t ancestors;                /* below 2^31 */
  const uint32_t *d_ancestor_starts; /* classes + 1 */
  const uint32_t *d_ancestors;       /* classes that derive this one by unary rules in zero or more steps */
  uint64_t words;
  const uint32_t *d_word_starts;  /* words + 1 */
  const uint32_t *d_word_classes; /* classes that derive a word, unary rules included */
} lat_grammar_index;

/* How a batch is divided. The longest sentences come first: those of the groups, whose charts are in device memory;
 * then those of the tiles, whose charts are in shared memory. A shape is the number of 32-bit words for 1 bit per
 * split: shape 0 has 8 words and takes sentences of at most 256 words, shape 1 has 4 words, shape 2 two, shape 3 one.
 * The words may be divided among the blocks of a cluster. */
#define LAT_GRAMMAR_SHAPES 4
typedef struct {
  uint64_t sentences;                 /* that have words */
  uint64_t groups;                    /* parts of the batch for the charts in device memory */
  uint64_t tiles[LAT_GRAMMAR_SHAPES]; /* parts for the charts in shared memory */
  uint64_t blocks[LAT_GRAMMAR_SHAPES]; /* of a tile: a cluster if there are several */
  uint64_t slots[LAT_GRAMMAR_SHAPES]; /* room of a tile; a sentence of n words takes n + 1 slots */
  uint64_t threads[LAT_GRAMMAR_SHAPES]; /* of a block */
  uint64_t memory; /* bytes of the largest group */
} lat_grammar_plan;

typedef struct {
  uint64_t sentences;
  const uint32_t *lengths; /* host: sentences: words */
  const uint32_t *order;   /* host: of lat_grammar_divide */
  const uint32_t *slots;   /* host: of lat_grammar_divide */
  const uint32_t *parts;   /* host: of lat_grammar_divide */
  const int32_t *d_words;  /* ids of the words of all sentences; one outside of 0 to index.words - 1 has no class */
  const uint32_t *d_word_starts; /* sentences + 1: the first word of a sentence */
  const uint32_t *d_order;       /* sentences: copies of the above */
  const uint32_t *d_slots;       /* sentences */
  const uint32_t *d_parts;       /* sentences + 1 */
  uint32_t *d_results; /* sentences * LAT_GRAMMAR_RESULTS */
  uint32_t *d_roots;   /* sentences * ceil(classes / 32): classes that derive the sentence, one bit each */
  uint32_t *d_chart;   /* or NULL: per sentence [class][i][ceil(n / 32)]: bit j - 1 for cell (i, j); otherwise 0 */
  const uint64_t *d_chart_starts; /* sentences; unused without d_chart */
} lat_grammar_batch;

/* Places in d_results; all are 0 for a sentence without words. */
#define LAT_GRAMMAR_ACCEPTED 0 /* 1: the start class derives the sentence */
#define LAT_GRAMMAR_LONGEST 1  /* words of its longest accepted prefix */
#define LAT_GRAMMAR_PREFIXES 2 /* accepted prefixes */
#define LAT_GRAMMAR_RESULTS 3

/* Divides a batch; runs on the host, for the current device. memory: bytes that a group may take; one sentence may take
 * more. order, slots: sentences each; parts: sentences + 1. Of index, only the sizes are read. */
LAT_API int lat_grammar_divide(const lat_grammar_index *index, const uint32_t *lengths, uint64_t sentences,
                               uint64_t memory, lat_grammar_plan *plan, uint32_t *order, uint32_t *slots,
                               uint32_t *parts);
/* Fills d_results, d_roots and d_chart. */
LAT_API int lat_grammar_check(const lat_grammar_index *index, const lat_grammar_batch *batch,
                              const lat_grammar_plan *plan, void *d_scratch, size_t *scratch_bytes, lat_stream stream);

/* The most probable derivations, for a grammar with weights: variables, not classes.
 *
 * Weights are natural logarithms. Sums are of 32-bit floats, in this order, and ties are decided so:
 * - base(A, i, i + 1): the weight of the lexical rule A -> word.
 * - base(A, i, j): the highest (best(B, i, k) + best(C, k, j)) + weight of a rule A -> B C and a split k; of equal
 *   ones, the first rule that can give it, then the first split with the highest best(B, i, k) + best(C, k, j).
 * - best(A, i, j): the highest of base(A, i, j) and, for each path from A to another variable D by unary rules,
 *   base(D, i, j) + its weight; of equal ones A itself, then the first path. */
typedef struct {
  uint64_t variables; /* 1 to LAT_GRAMMAR_MAX_CLASSES */
  uint64_t start;
  uint64_t pairs;                /* distinct right-hand sides of binary rules; below 2^31 */
  const uint32_t *d_pairs;       /* pairs: left | right << 16; sorted by left is fastest */
  const uint32_t *d_pair_starts; /* pairs + 1: the first of the rules with this right-hand side in the next two */
  const uint32_t *d_parents;     /* rules */
  const float *d_weights;        /* rules */
  uint64_t rules;                /* below 2^31 */
  const uint32_t *d_rule_starts; /* variables + 1: the first of the rules with this left side in the next two */
  const uint32_t *d_rules;       /* rules: left | right << 16 */
  const float *d_rule_weights;   /* rules */
  const uint32_t *d_path_starts; /* variables + 1: by the variable where a path begins */
  const uint32_t *d_path_ends;   /* ascending for each variable, without itself */
  const float *d_path_weights;
  uint64_t words;
  const uint32_t *d_word_starts;    /* words + 1 */
  const uint32_t *d_word_variables; /* distinct for each word */
  const float *d_word_weights;
} lat_grammar_weights;

/* As lat_grammar_divide, into groups only. */
LAT_API int lat_grammar_viterbi_divide(const lat_grammar_weights *weights, const uint32_t *lengths, uint64_t sentences,
                                       uint64_t memory, lat_grammar_plan *plan, uint32_t *order, uint32_t *slots,
                                       uint32_t *parts);
/* Finds the best tree of each sentence. Of batch, its results, roots and chart are not used.
 *
 * d_scores: sentences: best(start, 0, n), or minus infinity; unchanged for a sentence without words. d_nodes: 4 per
 * word: the nodes of a tree in preorder, from 4 * the number of words before the sentence; two numbers for each:
 * variable | end of its path << 16 (itself without a path), and the words of its left part, or 0 if it derives a word.
 * A sentence of n words has 2 n - 1 nodes, or none. */
LAT_API int lat_grammar_viterbi(const lat_grammar_weights *weights, const lat_grammar_batch *batch,
                                const lat_grammar_plan *plan, float *d_scores, uint32_t *d_nodes, void *d_scratch,
                                size_t *scratch_bytes, lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
