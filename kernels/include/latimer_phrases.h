/*
 * Phrases of sentences that occur in an indexed parallel text, and their translations: He, Lin and Lopez, "Massively
 * Parallel Suffix Array Queries and On-Demand Phrase Extraction for Statistical Machine Translation Using GPUs" (2013).
 *
 * A batch passes through six functions, in the order of this file. Each reads what the ones before it wrote, and ends
 * with sizes in lat_phrases_batch.d_report, from which the caller allocates the arrays of the next one. All of them
 * take the same two structures, in host memory, whose fields are all 64 bits wide.
 *
 * Positions count words and sentence ends of one side of a segment from 0, ranks its sorted suffixes. Word 0 ends a
 * sentence; it also stands for every word that the index lacks. The results are those of the CPU's implementation
 * (ExtractPhrasesCpu) to the last bit, except for the logarithms of the lexical weights: within 1e-12 of them.
 */
#ifndef LATIMER_PHRASES_H
#define LATIMER_PHRASES_H

#include "latimer_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAT_PHRASES_MAX_SEGMENTS 65 /* 64 of an index file, and one of learned pairs */
#define LAT_PHRASES_MAX_WORDS 65534 /* of a sentence, in the index or in a batch */
#define LAT_PHRASES_NONE 0xffffffffu

/* A segment of an index: its sections (docs/formats.md), and their sizes. Every number in them must have been checked
 * as Segment.check does; the prefix lengths alone need not be. */
typedef struct {
  const int32_t *d_source;
  const int32_t *d_suffixes;
  const uint32_t *d_prefixes;
  const int32_t *d_starts;
  const void *d_extents;
  const int32_t *d_target;
  const void *d_target_extents;
  uint64_t source_length; /* below 2^31 */
  uint64_t target_length; /* below 2^31 */
  uint64_t source_words;
  uint64_t wide; /* 1: places take two bytes */
} lat_phrases_segment;

typedef struct {
  const lat_phrases_segment *d_segments; /* the array is in device memory, too */
  uint64_t segments;                     /* 1 to LAT_PHRASES_MAX_SEGMENTS */
  const void *d_lexicon;                 /* slots of 16 bytes, checked as Lexicon.check does */
  uint64_t lexicon_slots;
  const uint32_t *d_source_links;
  uint64_t source_words;
  const uint32_t *d_target_links;
  uint64_t target_words;
  const void *d_added;  /* slots of the links that learned pairs add; 0 without them. d_source_links and */
  uint64_t added_slots; /* d_target_links count the links of both tables */
  uint64_t learned;     /* 1: the last segment, which is not the first, has learned pairs */
} lat_phrases_index;

/* Places in d_report, which has LAT_PHRASES_REPORT numbers of 64 bits. */
#define LAT_PHRASES_ENTRIES 0
#define LAT_PHRASES_PHRASES 1
#define LAT_PHRASES_PLACES 2
#define LAT_PHRASES_SAMPLES 3
#define LAT_PHRASES_PAIRS 4
#define LAT_PHRASES_GROUPS 5
#define LAT_PHRASES_CORRUPT 6    /* not 0: the index contradicts itself; the results are useless */
#define LAT_PHRASES_COLLISIONS 7 /* pairs whose target hash was that of other words; resolved */
#define LAT_PHRASES_REPORT 8

typedef struct {
  /* The batch. */
  const int32_t *d_words; /* of all sentences, each followed by a 0 */
  uint64_t words;         /* including these zeros; below 2^31 */
  /* The next two need be aligned to 4 bytes only. */
  const uint32_t *d_sentences;       /* per word and per 0, the number of its sentence */
  const uint32_t *d_sentence_starts; /* sentences + 1: its first word; the last is words */
  uint64_t sentences;
  uint64_t samples;    /* most occurrences of a phrase that are looked at: so many of those in the index, and as many of
                          those in learned pairs; 0 for all; below 2^31 */
  uint64_t max_source; /* words of the longest source phrase; 0 for no limit */
  uint64_t max_target; /* words of the longest target phrase; 0 for no limit */
  uint64_t loose;      /* 1: the words at the edges may be unaligned */
  uint64_t repeats;    /* 1: a phrase is extracted for each sentence that has it; 0: once. For benches */
  uint64_t hash_bits;  /* of target phrases; 0 for the default. For tests: few bits collide */
  uint64_t *d_report;
  /* Of lat_phrases_match: */
  uint16_t *d_matches;      /* words * segments: [word][segment] the longest match */
  uint64_t *d_entry_starts; /* words + 1: the first of the phrases that start with a word */
  /* Of lat_phrases_find: */
  uint64_t entries;         /* d_report[ENTRIES]; below 2^31 */
  uint32_t *d_place_starts; /* sentences + 1: the first of d_place_from and d_place_phrase that belongs to it */
  uint32_t *d_place_from;   /* entries: in its sentence, the first place of a phrase, by place, then by length */
  uint32_t *d_place_phrase; /* entries: the number of the phrase */
  uint64_t *d_keys;         /* entries: per phrase, first segment << 47 | rank of its first suffix there << 16 | words */
  uint32_t *d_at;           /* entries: per phrase, its first word in d_words */
  /* Of lat_phrases_bounds: */
  uint64_t phrases;          /* d_report[PHRASES] */
  int32_t *d_ranges;         /* phrases * segments * 2: the first rank, and the rank after the last */
  int64_t *d_occurrences;    /* phrases */
  uint32_t *d_samples;       /* phrases */
  uint32_t *d_phrase_words;  /* phrases */
  uint64_t *d_sample_starts; /* phrases + 1 */
  /* Of lat_phrases_extract: */
  uint64_t all_samples;      /* d_report[SAMPLES] */
  uint32_t *d_outcomes;      /* phrases * 5: extracted, unaligned, loose, inconsistent, too long */
  uint64_t *d_found;         /* all_samples: segment << 47 | target words << 31 | target position; or all ones */
  uint64_t *d_found_starts;  /* all_samples + 1: the first pair of a sample */
  /* Of lat_phrases_group; these pairs are not sorted: */
  uint64_t pairs;           /* d_report[PAIRS]; below 2^31 */
  uint32_t *d_group_phrase; /* pairs: per distinct pair, the phrase */
  uint64_t *d_group_target; /* pairs: per distinct pair, its first occurrence in sample order, as in d_found */
  uint32_t *d_group_count;  /* pairs */
  /* Of lat_phrases_finish: of each phrase the most frequent pair first, equally frequent ones by their target words. */
  uint64_t groups;          /* d_report[GROUPS] */
  uint32_t *d_pair_starts;  /* phrases + 1 */
  uint8_t *d_pair_segment;  /* groups: where the target phrase occurs */
  uint32_t *d_pair_target;  /* groups: its position */
  uint32_t *d_pair_words;   /* groups: its length */
  uint32_t *d_pair_count;   /* groups */
  double *d_target_given_source; /* groups: the sum of -log10 w(y|x), 0 or more; 99 per word without a link */
  double *d_source_given_target; /* groups */
} lat_phrases_batch;

/* Finds the longest match at every word in every segment (the paper's first pass). Clears d_report. */
LAT_API int lat_phrases_match(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                              size_t *scratch_bytes, lat_stream stream);
/* Finds all phrases (the second pass), and removes repeated ones: across the batch, and in each sentence. */
LAT_API int lat_phrases_find(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                             size_t *scratch_bytes, lat_stream stream);
/* Finds where the distinct phrases occur, and how many of their occurrences are looked at. */
LAT_API int lat_phrases_bounds(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                               size_t *scratch_bytes, lat_stream stream);
/* Extracts the translations of all samples (Algorithm 2), and counts them. */
LAT_API int lat_phrases_extract(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                                size_t *scratch_bytes, lat_stream stream);
/* Groups equal translations of a phrase. Different ones with equal hashes are told apart by their words. */
LAT_API int lat_phrases_group(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                              size_t *scratch_bytes, lat_stream stream);
/* Sorts the distinct pairs and computes their lexical weights. */
LAT_API int lat_phrases_finish(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                               size_t *scratch_bytes, lat_stream stream);

/* All of that at once, for batches of a few sentences: one kernel that needs no sizes from the caller. Needs the batch
 * alone, and takes all arrays from the scratch memory, of which it uses as much as there is. That begins with the batch
 * as the six functions leave it, followed by d_report and the arrays of results: all but d_matches, d_entry_starts,
 * d_keys, d_at, d_ranges, d_sample_starts, those of lat_phrases_extract but d_outcomes, and those of lat_phrases_group,
 * which are at its end. d_pair_starts is NULL if the memory was too little. */
LAT_API int lat_phrases_whole(const lat_phrases_index *index, const lat_phrases_batch *batch, void *d_scratch,
                              size_t *scratch_bytes, lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
