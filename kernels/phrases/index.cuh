// A phrase index in memory, of the device or of the host: everything here also compiles for the CPU, where the tests
// compare it with a plain reference.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "common/both.cuh"
#include "common/fmix64.cuh"
#include "latimer_phrases.h"

namespace lat::phrases {

constexpr int32_t kEnd = 0;
constexpr int kUnaligned = 0xffff; /* the first place of a word that is not aligned; its last is 0 */
constexpr double kNeverLinked = 99;

/* What the alignment says of a word. */
struct Extent {
  int first;
  int last;
  int place; /* of a source word, in its sentence */
  bool end;  /* behind a source sentence; then the rest says nothing */
};

/* A segment as its sections are; another layout of the suffixes has the same functions. */
struct Segment {
  const int32_t *source_text;
  const int32_t *suffixes;
  const uint32_t *prefixes;
  const int32_t *starts;
  const void *extents;
  const int32_t *target_text;
  const void *target_extents;
  int32_t source_length;
  int32_t target_length;
  int32_t source_words;
  bool wide;

  LAT_BOTH explicit Segment(const lat_phrases_segment *from)
      : source_text(from->d_source),
        suffixes(from->d_suffixes),
        prefixes(from->d_prefixes),
        starts(from->d_starts),
        extents(from->d_extents),
        target_text(from->d_target),
        target_extents(from->d_target_extents),
        source_length(static_cast<int32_t>(from->source_length)),
        target_length(static_cast<int32_t>(from->target_length)),
        source_words(static_cast<int32_t>(from->source_words)),
        wide(from->wide != 0) {}

  /* The word at a position of the source text; behind its end as at the end of a sentence. */
  LAT_BOTH int32_t source(int64_t position) const {
    return position < source_length ? load(source_text + position) : kEnd;
  }
  LAT_BOTH int32_t target(int64_t position) const { return load(target_text + position); }
  LAT_BOTH int32_t suffix(int32_t rank) const { return load(suffixes + rank); }
  /* The words that the suffix shares with the lower bound of its search, and in the upper half with the upper one. */
  LAT_BOTH uint32_t prefix(int32_t rank) const { return load(prefixes + rank); }
  LAT_BOTH int32_t start(int32_t word) const { return load(starts + word); }
  /* Whether a word occurs, and may be passed to start(). */
  LAT_BOTH bool has(int32_t word) const {
    return word > kEnd && word < source_words && start(word) < start(word + 1);
  }

  LAT_BOTH Extent extent(int64_t position) const {
    if (wide) {
      const uint64_t raw = load(static_cast<const uint64_t *>(extents) + position + 1);
      return {static_cast<int>(raw & 0xffff), static_cast<int>(raw >> 16 & 0xffff),
              static_cast<int>(raw >> 32 & 0xffff), raw >> 63 != 0};
    }
    const uint32_t raw = load(static_cast<const uint32_t *>(extents) + position + 1);
    return {widened(raw & 0xff), static_cast<int>(raw >> 8 & 0xff), static_cast<int>(raw >> 16 & 0xff), raw >> 31 != 0};
  }
  /* The position of the target sentence whose source sentence starts at a position. */
  LAT_BOTH int64_t target_start(int64_t sentence_start) const {
    const uint32_t raw =
        wide ? static_cast<uint32_t>(load(static_cast<const uint64_t *>(extents) + sentence_start))
             : load(static_cast<const uint32_t *>(extents) + sentence_start);
    return raw & 0x7fffffffu;
  }
  LAT_BOTH Extent target_extent(int64_t position) const {
    if (wide) {
      const uint32_t raw = load(static_cast<const uint32_t *>(target_extents) + position);
      return {static_cast<int>(raw & 0xffff), static_cast<int>(raw >> 16), 0, false};
    }
    const uint16_t raw = load(static_cast<const uint16_t *>(target_extents) + position);
    return {widened(raw & 0xffu), raw >> 8, 0, false};
  }

 private:
  static LAT_BOTH int widened(uint32_t first) { return first == 0xff ? kUnaligned : static_cast<int>(first); }
};

/* A hash table of pairs of words that always has a free slot. */
struct LinkTable {
  const uint4 *slots;
  uint64_t size;

  LAT_BOTH uint32_t links(uint32_t source, uint32_t target) const {
    uint64_t at = (fmix64(static_cast<uint64_t>(source) << 32 | target) >> 32) * size >> 32;
    for (uint64_t left = size; left > 0; left--) {
      const uint4 slot = load(slots + at);
      if (slot.z == 0 || (slot.x == source && slot.y == target)) {
        return slot.z;
      }
      at = at + 1 == size ? 0 : at + 1;
    }
    return 0;
  }
};

/* How often words are linked: in the index, and in learned pairs. */
struct Lexicon {
  LinkTable base;
  LinkTable added; /* empty without learned pairs */
  const uint32_t *source_links;
  const uint32_t *target_links;
  uint64_t source_words;
  uint64_t target_words;

  LAT_BOTH explicit Lexicon(const lat_phrases_index &index)
      : base{static_cast<const uint4 *>(index.d_lexicon), index.lexicon_slots},
        added{static_cast<const uint4 *>(index.d_added), index.added_slots},
        source_links(index.d_source_links),
        target_links(index.d_target_links),
        source_words(index.source_words),
        target_words(index.target_words) {}

  LAT_BOTH uint32_t links(uint32_t source, uint32_t target) const {
    return base.links(source, target) + (added.size == 0 ? 0 : added.links(source, target));
  }
  /* w(y|x) and w(x|y); 0 for words that are never linked. */
  LAT_BOTH double target_given_source(uint32_t source, uint32_t target) const {
    const uint32_t found = links(source, target);
    return found == 0 || source >= source_words ? 0 : static_cast<double>(found) / load(source_links + source);
  }
  LAT_BOTH double source_given_target(uint32_t source, uint32_t target) const {
    const uint32_t found = links(source, target);
    return found == 0 || target >= target_words ? 0 : static_cast<double>(found) / load(target_links + target);
  }
  static LAT_BOTH double cost(double probability) {
    return probability == 0 ? kNeverLinked : -log10(probability);
  }
};

}  // namespace lat::phrases
