/*
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
#ifndef LATIMER_NGRAM_H
#define LATIMER_NGRAM_H

#include "latimer_common.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Histograms in the shared memory of each block, added to d_counts[256^order] at its end. Order 1 or 2; order 2 is faster
 * where a block may have 128 KiB of shared memory. */
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
 * by. What finds no room within 64 probes is counted in progress.overflow and goes to d_overflow, as far as that has room
 * (lat_ngram_hash_overflow; none at all where it is NULL): where progress.overflow is not 0, not all may be there, and the
 * caller begins anew with a larger table. */
LAT_API int lat_ngram_hash_insert(const lat_ngram_entry *d_entries, uint64_t entries, lat_ngram_entry *d_table,
                                  uint64_t capacity, lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow,
                                  lat_stream stream);
/* Lists a table as lat_ngram_dense_list does; the entry of progress.ones is among them. */
LAT_API int lat_ngram_hash_list(const lat_ngram_entry *d_table, uint64_t capacity,
                                const lat_ngram_progress *d_progress, uint64_t *d_keys, uint64_t *d_list_counts,
                                uint64_t list_capacity, uint64_t *d_size, lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
