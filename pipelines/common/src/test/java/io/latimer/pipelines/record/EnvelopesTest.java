package io.latimer.pipelines.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.Translation;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class EnvelopesTest {

  @Test
  void aDerivedEnvelopeSharesAllOtherFields() {
    Envelope envelope = Records.refused(7);
    Translation translation = Envelopes.draft(envelope, "m");
    Envelope translated = Envelopes.with(envelope, translation);
    Envelope refused = DeadLetters.refuse(translated, "late", new RuntimeException("reason"));
    assertThat(translated.getTranslation()).isSameAs(translation);
    assertThat(refused.getFailure().getStage()).isEqualTo("late");
    assertThat(envelope.getTranslation()).isNull();
    assertThat(translated.getFailure().getStage()).isEqualTo("earlier");
    for (Schema.Field field : envelope.getSchema().getFields()) {
      int pos = field.pos();
      if (!field.name().equals("translation")) {
        assertThat(translated.get(pos)).as(field.name()).isSameAs(envelope.get(pos)).isNotNull();
      }
      if (!field.name().equals("failure")) {
        assertThat(refused.get(pos)).as(field.name()).isSameAs(translated.get(pos));
      }
    }
  }
}
