package io.latimer.pipelines.flink;

import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Records for the tests. */
public final class Envelopes {
  private Envelopes() {}

  public static Envelope of(String text, long time) {
    return Envelope.newBuilder()
        .setSentence(
            new Sentence(
                text, "feed", "en", text, Instant.ofEpochMilli(time), List.of(), List.of()))
        .setOrigin(new SourcePosition("topic", 3, 7L, Instant.ofEpochMilli(time + 1)))
        .setOriginal(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)))
        .build();
  }

  public static Envelope translated(String text, long time) {
    Envelope envelope = of(text, time);
    envelope.setTranslation(
        Translation.newBuilder()
            .setSource(envelope.getSentence())
            .setTargetLanguage("de")
            .setText(text)
            .setModelId("test")
            .build());
    return envelope;
  }

  public static Envelope refused(String text, long time) {
    return DeadLetters.refuse(of(text, time), "test", new IllegalArgumentException("no good"));
  }

  public static Envelope tombstone(String key, List<Header> headers) {
    return new SentenceReader(InputConfig.DEFAULTS, Duration.ofDays(1))
        .tombstone(
            ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8)),
            headers,
            new SourcePosition("topic", 3, 7L, Instant.ofEpochMilli(20)));
  }

  public static List<String> texts(List<Envelope> envelopes) {
    return envelopes.stream().map(envelope -> envelope.getSentence().getText()).toList();
  }
}
