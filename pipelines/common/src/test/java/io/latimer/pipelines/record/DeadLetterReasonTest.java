package io.latimer.pipelines.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.RecordException;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.SourcePosition;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadLetterReasonTest {
  @Test
  void theStageAndTheErrorSayTheReason() {
    RecordException refusal = new RecordException("too many words");
    assertThat(reason(DeadLetterReason.READ, refusal)).isEqualTo(DeadLetterReason.UNREADABLE);
    assertThat(reason(DeadLetterReason.SINK, refusal)).isEqualTo(DeadLetterReason.TOO_LONG);
    assertThat(reason("score", refusal)).isEqualTo(DeadLetterReason.REFUSED);
    assertThat(reason("score", new HangingRecordException("too slow")))
        .isEqualTo(DeadLetterReason.TIMEOUT);
  }

  @Test
  void theReasonsOfAStageAreThoseThatItsLettersCanHave() {
    for (String stage : List.of(DeadLetterReason.READ, DeadLetterReason.SINK, "score")) {
      assertThat(DeadLetterReason.ofStage(stage))
          .contains(reason(stage, new RecordException("refused")));
    }
    assertThat(DeadLetterReason.ofStage("score")).contains(DeadLetterReason.TIMEOUT);
  }

  private static DeadLetterReason reason(String stage, Throwable error) {
    DeadLetter letter =
        DeadLetters.letter(
            ByteBuffer.allocate(0),
            null,
            List.of(),
            new SourcePosition("topic", 0, 0L, Instant.EPOCH),
            stage,
            error);
    return DeadLetterReason.of(letter);
  }
}
