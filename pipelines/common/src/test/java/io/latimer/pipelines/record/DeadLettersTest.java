package io.latimer.pipelines.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.RecordException;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordCodec;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DeadLettersTest {

  @Test
  void aRefusedRecordKeepsAllThatItHad() {
    Envelope envelope = Records.envelope(5, "text");
    Envelope before = Envelope.newBuilder(envelope).build();
    Envelope refused = DeadLetters.refuse(envelope, "translate", new RecordException("too long"));
    assertThat(envelope).isEqualTo(before);
    assertThat(refused.getSentence()).isEqualTo(envelope.getSentence());
    assertThat(refused.getFailure().getOriginal()).isEqualTo(envelope.getOriginal());
    assertThat(refused.getFailure().getKey()).isEqualTo(envelope.getKey());
    assertThat(refused.getFailure().getHeaders())
        .isEqualTo(envelope.getSentence().getHeaders())
        .isNotEmpty();
    assertThat(refused.getFailure().getOrigin()).isEqualTo(envelope.getOrigin());
    assertThat(refused.getFailure().getStage()).isEqualTo("translate");
    assertThat(refused.getFailure().getErrorClass())
        .isEqualTo("io.latimer.operators.RecordException");
    assertThat(refused.getFailure().getErrorMessage()).isEqualTo("too long");
    assertThat(Duration.between(refused.getFailure().getTime(), Instant.now()).abs())
        .isLessThan(Duration.ofHours(1));
  }

  @Test
  void anyMessageCanBeWritten() {
    for (String message : new String[] {null, "", "unpaired \ud83d here"}) {
      Envelope refused =
          DeadLetters.refuse(Records.envelope(0, "x"), "s", new IllegalStateException(message));
      assertThat(RecordCodec.of(Envelope.class).encode(refused)).isNotEmpty();
    }
  }
}
