/*
 * Translation by phrases: a beam search over the phrases of each sentence, scored by their features and a language
 * model (Koehn 2004, "Pharaoh: A Beam Search Decoder for Phrase-Based Statistical Machine Translation Models").
 *
 * The search is that of the CPU (StackSearch), bit for bit: a stack of partial translations for each number of
 * translated source words. A step takes the most promising extensions of the stacks before it (by promise, then in the
 * order of stacks by phrase length, of the stack's groups, of source words, of partial translations, of choices),
 * scores their words, keeps of those that are equal for the future the best one, and of these the most promising. What
 * is found for a sentence does not depend on the others.
 */
#ifndef LATIMER_SMT_H
#define LATIMER_SMT_H

#include "latimer_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAT_SMT_MAX_WORDS 4096 /* of a sentence */
#define LAT_SMT_MAX_PHRASE 31  /* source words of a phrase */
#define LAT_SMT_MAX_DISTORTION 32
#define LAT_SMT_MAX_STACK 0x100000u /* also of candidates, and of choices for a phrase */
#define LAT_SMT_NONE 0xffffffffu
#define LAT_SMT_NEAR_BEST 1e-6

/* The choices for a source phrase are neighbours, best first. */
typedef struct {
  uint32_t first;
  uint32_t count; /* 0: there are none, and the phrase is not used */
} lat_smt_phrase;

typedef struct {
  uint64_t phrases; /* the sentence's first in d_phrases: that of word w and of n + 1 words is at w * longest + n. Each
                       word has choices of its own */
  uint32_t words;
  uint32_t longest; /* source words of its longest phrase, 1 or more; a phrase beyond the end has no choices */
} lat_smt_sentence;

/* A partial translation that is part of the results. */
typedef struct {
  double score;         /* the sum of the features so far times their weights */
  float log10;          /* of the probability of the last phrase's target words */
  float end;            /* of a complete one: log10 of the probability of the sentence's end; else 0 */
  uint32_t before;      /* the partial translation before the last phrase; LAT_SMT_NONE for the empty one */
  uint32_t from;        /* the first source word of the last phrase */
  uint32_t choice;      /* the last phrase's */
  uint32_t alternative; /* one that is worse but equal for the future, and may have more such; or LAT_SMT_NONE */
} lat_smt_partial;

/* The results of a sentence: the partial translations that lead to complete ones; before and alternative count from
 * the first of these. */
typedef struct {
  uint32_t first; /* in d_partials */
  uint32_t partials;
  uint32_t complete;       /* the first complete one; the others follow it, in the order of their stack */
  uint32_t complete_count; /* 1 or more. Without alternatives, those that may be the best: with the sentence's end, they
                              score at most LAT_SMT_NEAR_BEST times 1 + the largest |score| less */
} lat_smt_found;

/* All fields are 64 bits wide. */
typedef struct {
  /* The language model, in the layout "hash": see lat_lm_hash_score. */
  const void *d_unigrams;
  uint64_t lm_words;
  const void *d_table;
  uint64_t buckets;
  uint64_t order;
  uint64_t begin; /* ids of the sentence's begin and end */
  uint64_t end;
  /* How to search. */
  uint64_t stack;        /* 1 to LAT_SMT_MAX_STACK */
  uint64_t candidates;   /* 1 to LAT_SMT_MAX_STACK */
  uint64_t distortion;   /* 0 to LAT_SMT_MAX_DISTORTION */
  uint64_t alternatives; /* 1: the results have alternatives, for n-best lists */
  double lm_weight;
  double distortion_weight;
  /* Choices: the score of each without the language model, and what the search expects of it. */
  const double *d_fixed;
  const double *d_expected;
  const uint32_t *d_word_starts; /* choices + 1: the first of its words in d_words */
  const uint32_t *d_words;       /* ids in the language model, each below lm_words; 1 or more for a choice */
  uint64_t choices;              /* below 2^31 */
  /* Sentences, those with most words first. */
  const lat_smt_phrase *d_phrases;
  const lat_smt_sentence *d_sentences;
  uint64_t sentences;    /* below 2^31 */
  uint64_t most_words;   /* of a sentence; 0 to LAT_SMT_MAX_WORDS */
  uint64_t most_longest; /* the highest of the sentences' `longest`; 1 to LAT_SMT_MAX_PHRASE */
  /* Results. */
  lat_smt_found *d_found;       /* sentences */
  lat_smt_partial *d_partials;  /* `partials` of them; lat_smt_workspace says how many a sentence may need */
  uint64_t partials;            /* below 2^32. If there are too few, the sentences without room have LAT_SMT_NONE as
                                   first, and complete_count 0 */
  uint64_t *d_report;           /* two: sentences begun, and elements of d_partials used */
  uint64_t shared_bytes;        /* most shared memory of a block; 0 for the default. For tests and benches */
} lat_smt_batch;

/*
 * What a batch needs: *partials, the most results of a sentence of most_words words; *bytes, the scratch memory of a
 * sentence that is searched; *sentences, how many sentences the device searches at a time. Reads only sizes and
 * options, and no memory of the device.
 */
LAT_API int lat_smt_workspace(const lat_smt_batch *batch, uint64_t *partials, uint64_t *bytes, uint64_t *sentences);

/*
 * Searches all sentences. d_scratch: scratch_bytes for at least one sentence; with more, more are searched at a time.
 * LAT_UNSUPPORTED if a sentence may have 2^31 partial translations or more.
 */
LAT_API int lat_smt_search(const lat_smt_batch *batch, void *d_scratch, uint64_t scratch_bytes, lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
