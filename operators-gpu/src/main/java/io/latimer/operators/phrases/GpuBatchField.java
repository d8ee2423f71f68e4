package io.latimer.operators.phrases;

/** The fields of lat_phrases_batch in latimer_phrases.h, in its order; 64 bits each. */
enum GpuBatchField {
  TEXT("d_words"),
  WORDS("words"),
  SENTENCE_NUMBERS("d_sentences"),
  SENTENCE_STARTS("d_sentence_starts"),
  SENTENCES("sentences"),
  MOST_SAMPLES("samples"),
  MAX_SOURCE("max_source"),
  MAX_TARGET("max_target"),
  LOOSE("loose"),
  REPEATS("repeats"),
  HASH_BITS("hash_bits"),
  REPORT("d_report"),
  MATCHES("d_matches"),
  ENTRY_STARTS("d_entry_starts"),
  ENTRIES("entries"),
  PLACE_STARTS("d_place_starts"),
  PLACE_FROM("d_place_from"),
  PLACE_PHRASE("d_place_phrase"),
  KEYS("d_keys"),
  AT("d_at"),
  PHRASES("phrases"),
  RANGES("d_ranges"),
  OCCURRENCES("d_occurrences"),
  SAMPLES("d_samples"),
  PHRASE_WORDS("d_phrase_words"),
  SAMPLE_STARTS("d_sample_starts"),
  ALL_SAMPLES("all_samples"),
  OUTCOMES("d_outcomes"),
  FOUND("d_found"),
  FOUND_STARTS("d_found_starts"),
  PAIRS("pairs"),
  GROUP_PHRASE("d_group_phrase"),
  GROUP_TARGET("d_group_target"),
  GROUP_COUNT("d_group_count"),
  GROUPS("groups"),
  PAIR_STARTS("d_pair_starts"),
  PAIR_SEGMENT("d_pair_segment"),
  PAIR_TARGET("d_pair_target"),
  PAIR_WORDS("d_pair_words"),
  PAIR_COUNT("d_pair_count"),
  TARGET_GIVEN_SOURCE("d_target_given_source"),
  SOURCE_GIVEN_TARGET("d_source_given_target");

  /** Its name in the header. */
  final String nameInC;

  GpuBatchField(String nameInC) {
    this.nameInC = nameInC;
  }

  /** Whether it is the address of an array. */
  boolean isArray() {
    return nameInC.startsWith("d_");
  }
}
