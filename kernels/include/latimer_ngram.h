/*
 * Counts n-grams of bytes and words (Bianco, "NGrams with CUDA").
 *
 * A text is a sequence of units: bytes, or words as 32-bit ids. The window of order n at position p consists of the
 * units p .. p+n-1. A text of u units has u-n+1 windows, or none. If records are concatenated, only windows within one
 * record count; a bitmap marks them (lat_ngram_valid), and NULL in its place means that all windows count.
 *
 * Keys. Bytes: the n bytes as a big-endian number, so keys are below 256^n and sort like the n-grams. Words: the ids as
 * digits of word_bits bits, first word most significant.
 *
 * Byte texts and bitmaps are read in 16-byte pieces: LAT_NGRAM_PADDING bytes after the text must be readable (their
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

/* Size in bytes of the bitmap for a text: a multiple of 4. */
LAT_API uint64_t lat_ngram_valid_bytes(uint64_t units);

/*
 * Writes the bitmap of windows within one record: bit p % 32 of word p / 32 is 1 if window p counts. d_ends: per record
 * the position after its last unit, ascending (repeated for an empty record); the last is units.
 */
LAT_API int lat_ngram_valid(const uint64_t *d_ends, uint64_t records, uint64_t units, int order, uint32_t *d_valid,
                            lat_stream stream);

/* Strategy V1 (section "one histogram"): adds every window to d_counts[256^order] with global atomics. Order 1 to 4.
 * Counts wrap at 2^32: the caller must read them out before it adds that many windows. */
LAT_API int lat_ngram_v1(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                         uint32_t *d_counts, lat_stream stream);

/* Strategy V2: adds to one of `copies` private histograms, d_copies[copies][256^order]; otherwise like V1. */
LAT_API int lat_ngram_v2(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                         uint32_t copies, uint32_t *d_copies, lat_stream stream);
/* Sums the private histograms into the first of them, and clears the others. */
LAT_API int lat_ngram_v2_reduce(uint32_t *d_copies, uint32_t copies, int order, lat_stream stream);

/* Histograms in each block's shared memory, added to d_counts[256^order] at its end. Order 1 or 2; order 2 is faster if
 * a block may have 128 KiB of shared memory. */
LAT_API int lat_ngram_shared(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                             uint64_t *d_counts, lat_stream stream);

/*
 * Lists the nonzero counts of a dense table, unordered: (d_keys[i], d_list_counts[i]), i < *d_size. Exactly one of
 * d_counts32 and d_counts64 is given, the other is NULL. *d_size is the total number, even if it exceeds the capacity
 * (then an arbitrary `capacity` of them are written).
 */
LAT_API int lat_ngram_dense_list(const uint32_t *d_counts32, const uint64_t *d_counts64, int order, uint64_t *d_keys,
                                 uint64_t *d_list_counts, uint64_t capacity, uint64_t *d_size, lat_stream stream);

/* Sorts a list by key (below 2^key_bits) into the second pair of arrays. Keys are distinct. */
LAT_API int lat_ngram_list_sort(const uint64_t *d_keys, const uint64_t *d_counts, uint64_t size, int key_bits,
                                uint64_t *d_sorted_keys, uint64_t *d_sorted_counts, void *d_scratch,
                                size_t *scratch_bytes, lat_stream stream);

/*
 * Strategy B (map, sort, reduce): the windows of a byte text as a list sorted by key. Order 1 to 8. windows: number of
 * windows that count (the bits set in d_valid, or text_bytes-order+1), 1 to 2^31-1. *d_size and capacity as in
 * lat_ngram_dense_list; the first `capacity` by key are written.
 */
LAT_API int lat_ngram_sort(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, uint64_t windows,
                           int order, uint64_t *d_keys, uint64_t *d_counts, uint64_t capacity, uint64_t *d_size,
                           void *d_scratch, size_t *scratch_bytes, lat_stream stream);

/*
 * Like lat_ngram_sort, for words, order 1 to 5: every id is below 2^word_bits (word_bits 1 to 32). d_ngrams[i * order +
 * k] is word k of n-gram i.
 */
LAT_API int lat_ngram_words_sort(const uint32_t *d_words, uint64_t words, const uint32_t *d_valid, uint64_t windows,
                                 int order, int word_bits, uint32_t *d_ngrams, uint64_t *d_counts, uint64_t capacity,
                                 uint64_t *d_size, void *d_scratch, size_t *scratch_bytes, lat_stream stream);

/*
 * The hash table of strategy "hash": an open-addressing table in device memory, fed by a small table in each block's
 * shared memory that absorbs the frequent n-grams. An entry is 16 bytes.
 */
typedef struct {
  uint64_t mixed; /* a bijective mix of the key; all ones if the entry is free */
  uint64_t count;
} lat_ngram_entry;

/* The progress of a table's work; in device memory, 384 bytes. */
typedef struct {
  uint64_t used;     /* occupied entries, not counting the one of `ones` */
  uint64_t next;     /* first uncounted tile of the text's lat_ngram_byte_tiles or lat_ngram_word_tiles */
  uint64_t overflow; /* entries in d_overflow */
  uint64_t ones;     /* count of the n-gram whose mixed key is all ones */
  uint8_t code[256];   /* internal: codes of the frequent bytes of the last text */
  uint8_t symbol[64];  /* internal: the byte of each code */
  uint64_t reserved[4];
} lat_ngram_progress;

/* Entries for which d_overflow needs room, on the current device. Counting also uses what its entries leave free. */
LAT_API int lat_ngram_hash_overflow(uint64_t *entries);
/* Number of tiles of a text: it is fully counted when progress.next is at least this. */
LAT_API uint64_t lat_ngram_byte_tiles(uint64_t text_bytes);
LAT_API uint64_t lat_ngram_word_tiles(uint64_t words);
/* Empties a table of `capacity` entries (a power of two, 1024 or more) and its progress. */
LAT_API int lat_ngram_hash_clear(lat_ngram_entry *d_table, uint64_t capacity, lat_ngram_progress *d_progress,
                                 lat_stream stream);
/*
 * Counts tiles of a byte text of less than 2^32 bytes, order 1 to 8, from progress.next on, until the text ends, the
 * table is 60 % full, or 2^16 entries have found no free slot within 64 probes; these go to d_overflow. The caller then
 * reads the progress. If the text is not fully counted, or entries have overflowed, it makes a larger table and moves
 * all entries there (lat_ngram_hash_insert of the old table and of the overflow), or reads the table out and clears it;
 * then it sets progress.overflow to 0 and calls again. Before a new text it sets progress.next to 0.
 */
LAT_API int lat_ngram_hash(const uint8_t *d_text, uint64_t text_bytes, const uint32_t *d_valid, int order,
                           lat_ngram_entry *d_table, uint64_t capacity, lat_ngram_progress *d_progress,
                           lat_ngram_entry *d_overflow, lat_stream stream);
/* Like lat_ngram_hash, for words; word_bits * order is at most 64. */
LAT_API int lat_ngram_words_hash(const uint32_t *d_words, uint64_t words, const uint32_t *d_valid, int order,
                                 int word_bits, lat_ngram_entry *d_table, uint64_t capacity,
                                 lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow, lat_stream stream);
/*
 * Writes used, next, overflow and ones of a progress to memory that the device can write: device memory or page-locked
 * host memory. A kernel does this, so that it does not queue behind copies in flight.
 */
LAT_API int lat_ngram_hash_report(const lat_ngram_progress *d_progress, uint64_t *report, lat_stream stream);
/* Adds the entries of another table, or of a list of entries, to a table. Free entries are skipped. Entries that find
 * no free slot within 64 probes are counted in progress.overflow and written to d_overflow as far as it has room
 * (lat_ngram_hash_overflow; none if it is NULL): if progress.overflow is not 0, entries may be lost, and the caller
 * starts again with a larger table. */
LAT_API int lat_ngram_hash_insert(const lat_ngram_entry *d_entries, uint64_t entries, lat_ngram_entry *d_table,
                                  uint64_t capacity, lat_ngram_progress *d_progress, lat_ngram_entry *d_overflow,
                                  lat_stream stream);
/* Lists a table like lat_ngram_dense_list, including the entry of progress.ones. */
LAT_API int lat_ngram_hash_list(const lat_ngram_entry *d_table, uint64_t capacity,
                                const lat_ngram_progress *d_progress, uint64_t *d_keys, uint64_t *d_list_counts,
                                uint64_t list_capacity, uint64_t *d_size, lat_stream stream);

#ifdef __cplusplus
}
#endif
#endif
