package io.latimer.operators.phrases.index;

import io.latimer.operators.index.IndexFileWriter;

/** A segment to be written: one that is copied, or one that is made of a text. */
interface SegmentSections {
  PhraseSettings.Segment settings();

  /** Writes the sections. */
  void write(IndexFileWriter out, int number);
}
