package io.latimer.pipelines.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.record.Records;
import org.junit.jupiter.api.Test;

class TokenEstimateTest {

  @Test
  void alphabetsHaveAboutFourLettersAToken() {
    assertThat(TokenEstimate.of("")).isEqualTo(1);
    assertThat(TokenEstimate.of("Good morning, how are you today?")).isEqualTo(9);
    assertThat(TokenEstimate.of("x".repeat(4_000))).isEqualTo(1_001);
  }

  @Test
  void charactersOfChineseAndTheLikeAreTokens() {
    assertThat(TokenEstimate.of("\u4f60\u597d\u4e16\u754c")).isEqualTo(5);
  }

  @Test
  void aRecordThatCouldNotBeReadCountsAsOne() {
    assertThat(TokenEstimate.of(Records.envelope(0, "Good morning"))).isEqualTo(4);
    assertThat(
            TokenEstimate.of(
                io.latimer.schemas.Envelope.newBuilder(Records.envelope(0, "a"))
                    .setSentence(null)
                    .build()))
        .isEqualTo(1);
  }
}
