package io.latimer.pipelines.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.SourcePosition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Records as a source emits them. */
public final class Records {
  private Records() {}

  public static Envelope envelope(long offset, String text) {
    return new SentenceReader(
            new InputConfig(InputConfig.Encoding.TEXT, "feed", "en", 1 << 20), Duration.ofDays(1))
        .read(
            text.getBytes(UTF_8),
            ByteBuffer.wrap(new byte[] {1}),
            List.of(new Header("h", null)),
            new SourcePosition("topic", 0, offset, Instant.ofEpochMilli(offset)));
  }

  /** A record that an earlier stage refused. */
  public static Envelope refused(long offset) {
    return DeadLetters.refuse(envelope(offset, "bad"), "earlier", new RuntimeException("refused"));
  }
}
