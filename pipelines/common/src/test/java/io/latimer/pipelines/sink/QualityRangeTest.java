package io.latimer.pipelines.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.Translation;
import org.junit.jupiter.api.Test;

final class QualityRangeTest {
  private static Envelope record(Double quality) {
    Translation translation = new Translation();
    translation.setQuality(quality);
    Envelope envelope = new Envelope();
    envelope.setTranslation(translation);
    return envelope;
  }

  @Test
  void twoSinksShareTheRecordsBetweenThem() {
    QualityRange good = new QualityRange(0.5, QualityRange.NO_END);
    QualityRange doubtful = new QualityRange(0, 0.5);
    for (Double quality : new Double[] {0.0, 0.4999, 0.5, 0.75, 1.0, null}) {
      boolean isGood = quality == null || quality >= 0.5;
      assertThat(good.contains(record(quality))).as("%s", quality).isEqualTo(isGood);
      assertThat(doubtful.contains(record(quality))).as("%s", quality).isEqualTo(!isGood);
    }
    assertThat(good.contains(new Envelope())).as("no translation").isTrue();
    assertThat(QualityRange.ALL.contains(record(0.0))).isTrue();
    assertThat(QualityRange.ALL.contains(record(1.0))).isTrue();
  }

  @Test
  void aSinkMayGetOnlyWhatIsCertain() {
    QualityRange certain = new QualityRange(1, QualityRange.NO_END);
    assertThat(certain.contains(record(1.0))).isTrue();
    assertThat(certain.contains(record(0.999))).isFalse();
    assertThat(certain.contains(record(null))).isTrue();
  }

  @Test
  void anEmptyRangeIsRefused() {
    assertThatThrownBy(() -> new QualityRange(0.6, 0.4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("quality-from 0.6 is not below quality-below 0.4: the sink would get nothing");
    assertThatThrownBy(() -> new QualityRange(0, 0))
        .hasMessage("quality-from 0.0 is not below quality-below 0.0: the sink would get nothing");
    assertThatThrownBy(() -> new QualityRange(0.5, 0.5))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new QualityRange(1, 0.9)).isInstanceOf(IllegalArgumentException.class);
  }
}
