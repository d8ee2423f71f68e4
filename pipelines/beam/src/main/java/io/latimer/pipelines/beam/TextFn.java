package io.latimer.pipelines.beam;

import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.SourcePosition;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/** Converts a text to a record. */
final class TextFn extends DoFn<String, Envelope> {
  private static final long serialVersionUID = 1L;

  private final SentenceReader reader;

  TextFn(SentenceReader reader) {
    this.reader = reader;
  }

  /**
   * Uses the current time for the minimum timestamp, which elements of most bounded sources have.
   */
  @ProcessElement
  public void process(
      @Element String text, @Timestamp org.joda.time.Instant time, OutputReceiver<Envelope> out) {
    Instant said =
        time.equals(BoundedWindow.TIMESTAMP_MIN_VALUE)
            ? Instant.now().truncatedTo(ChronoUnit.MILLIS)
            : Instant.ofEpochMilli(time.getMillis());
    SourcePosition origin = new SourcePosition("text", -1, -1L, said);
    out.output(reader.read(text.getBytes(StandardCharsets.UTF_8), null, List.of(), origin));
  }
}
