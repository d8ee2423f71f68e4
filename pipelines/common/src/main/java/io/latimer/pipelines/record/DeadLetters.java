package io.latimer.pipelines.record;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.SourcePosition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Creates dead letters. */
public final class DeadLetters {
  private DeadLetters() {}

  /**
   * Marks a record as failed.
   *
   * @param envelope is not changed
   * @param stage name of the refusing stage
   */
  public static Envelope refuse(Envelope envelope, String stage, Throwable reason) {
    return Envelopes.with(
        envelope,
        letter(
            envelope.getOriginal(),
            envelope.getKey(),
            Envelopes.headers(envelope),
            envelope.getOrigin(),
            stage,
            reason));
  }

  public static DeadLetter letter(
      ByteBuffer original,
      ByteBuffer key,
      List<Header> headers,
      SourcePosition origin,
      String stage,
      Throwable reason) {
    String message = reason.getMessage() == null ? "no message" : reason.getMessage();
    return DeadLetter.newBuilder()
        .setOriginal(original)
        .setKey(key)
        .setHeaders(headers)
        .setOrigin(origin)
        .setStage(stage)
        .setErrorClass(reason.getClass().getName())
        .setErrorMessage(wellFormed(message))
        .setTime(Instant.now().truncatedTo(ChronoUnit.MILLIS))
        .build();
  }

  /** Replaces unpaired surrogates in a message, which may quote an invalid text. */
  private static String wellFormed(String message) {
    return new String(message.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
