package io.latimer.operators.smt;

/** The fields of lat_smt_batch in latimer_smt.h, in its order; 64 bits each. */
enum GpuSearchField {
  UNIGRAMS("d_unigrams"),
  LM_WORDS("lm_words"),
  TABLE("d_table"),
  BUCKETS("buckets"),
  ORDER("order"),
  BEGIN("begin"),
  END("end"),
  STACK("stack"),
  CANDIDATES("candidates"),
  DISTORTION("distortion"),
  ALTERNATIVES("alternatives"),
  LM_WEIGHT("lm_weight"),
  DISTORTION_WEIGHT("distortion_weight"),
  FIXED("d_fixed"),
  EXPECTED("d_expected"),
  WORD_STARTS("d_word_starts"),
  WORDS("d_words"),
  CHOICES("choices"),
  PHRASES("d_phrases"),
  SENTENCE_SHAPES("d_sentences"),
  SENTENCES("sentences"),
  MOST_WORDS("most_words"),
  MOST_LONGEST("most_longest"),
  FOUND("d_found"),
  FOUND_PARTIALS("d_partials"),
  PARTIALS("partials"),
  REPORT("d_report"),
  SHARED_BYTES("shared_bytes");

  /** Its name in the header. */
  final String nameInC;

  GpuSearchField(String nameInC) {
    this.nameInC = nameInC;
  }
}
