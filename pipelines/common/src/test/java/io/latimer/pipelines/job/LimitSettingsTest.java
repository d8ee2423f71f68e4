package io.latimer.pipelines.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.schemas.BatchLimits;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitSettingsTest {
  private static final MicroBatcher.Limits OLD = new MicroBatcher.Limits(3, 100, 50);

  private static BatchLimits parse(String... settings) {
    return LimitSettings.parse(List.of(settings));
  }

  @Test
  void onlyWhatIsNamedChanges() {
    BatchLimits records = parse("batch.max-records=7");
    assertThat(LimitSettings.apply(OLD, records)).isEqualTo(new MicroBatcher.Limits(7, 100, 50));
    BatchLimits others = parse("batch.max-wait=2s", "batch.max-tokens=1");
    assertThat(LimitSettings.apply(OLD, others)).isEqualTo(new MicroBatcher.Limits(3, 1, 2000));
    assertThat(LimitSettings.merge(records, others)).isEqualTo(new BatchLimits(7, 1, 2000L));
    assertThat(LimitSettings.merge(others, parse("batch.max-tokens=2")))
        .isEqualTo(new BatchLimits(null, 2, 2000L));
  }

  @Test
  void settingsAreWhatIsRead() {
    BatchLimits all = LimitSettings.toRecord(OLD);
    assertThat(LimitSettings.settings(all))
        .containsExactly("batch.max-records=3", "batch.max-tokens=100", "batch.max-wait=50ms");
    assertThat(LimitSettings.parse(LimitSettings.settings(all))).isEqualTo(all);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "batch.max-records=0 | batch.max-records: expected a whole number from 1 to 1048576",
        "batch.max-records=ten | batch.max-records: expected a whole number",
        "batch.max-tokens=1073741825 | batch.max-tokens: expected a whole number",
        "batch.max-wait=5 | batch.max-wait: expected a duration",
        "batch.max-wait=-5ms | batch.max-wait: expected a duration",
        "batch.max-record=5 | max-records",
        "batch.max-records='5' | batch.max-records: expected a whole number",
        "batch.in-flight=5 | in-flight",
        "max-records=5 | expected KEY=VALUE, such as batch.max-records=32, found max-records=5",
        "batch.max-records= | expected KEY=VALUE",
        "batch.max-records | expected KEY=VALUE",
      },
      quoteCharacter = '`')
  void whatIsNoLimitIsNamed(String setting, String problem) {
    assertThatThrownBy(() -> parse(setting))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1\nmax-tokens: 2", "1\u0000", "1\r"})
  void aValueIsOneLine(String value) {
    assertThatThrownBy(() -> parse("batch.max-records=" + value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected KEY=VALUE");
  }

  @Test
  void noneAndTwoOfOneAreRefused() {
    assertThatThrownBy(LimitSettingsTest::parse).hasMessageStartingWith("no limit to set");
    assertThatThrownBy(() -> parse("batch.max-records=1", "batch.max-records=2"))
        .hasMessage("batch.max-records is set twice");
    assertThatThrownBy(() -> LimitSettings.check(new BatchLimits(null, null, null)))
        .hasMessageStartingWith("no limit to set");
    assertThatThrownBy(() -> LimitSettings.check(new BatchLimits(1, Integer.MIN_VALUE, null)))
        .hasMessageStartingWith("batch.max-tokens: expected");
  }

  @Test
  void theJobFileWinsWhereItWasChanged() {
    BatchLimits change = new BatchLimits(7, null, 9L);
    BatchLimits then = LimitSettings.toRecord(OLD);
    assertThat(LimitSettings.unlessChanged(change, then, OLD)).isEqualTo(change);
    assertThat(LimitSettings.unlessChanged(change, then, new MicroBatcher.Limits(4, 100, 50)))
        .isEqualTo(new BatchLimits(null, null, 9L));
    assertThat(LimitSettings.unlessChanged(change, then, new MicroBatcher.Limits(4, 100, 51)))
        .isNull();
  }
}
