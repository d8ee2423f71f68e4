package io.latimer.operators.phrases.index;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A segment of another index, whose bytes are copied.
 *
 * @param file the other index
 * @param from the segment's number there
 */
record CopiedSegment(IndexFile file, int from, PhraseSettings.Segment settings)
    implements SegmentSections {
  private static final int SLICE = 1 << 26;

  @Override
  public void write(IndexFileWriter out, int number) {
    for (String part : Segment.PARTS) {
      long length = Segment.bytes(part, settings);
      out.add(PhraseSections.segment(number, part), pieces -> copy(part, length, pieces));
    }
  }

  private void copy(String part, long length, Consumer<ByteBuffer> out) {
    String section = PhraseSections.segment(from, part);
    for (long at = 0; at < length; at += SLICE) {
      out.accept(file.section(section, at, (int) Math.min(SLICE, length - at)));
    }
  }
}
