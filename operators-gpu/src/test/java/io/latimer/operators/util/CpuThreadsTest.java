package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.testing.CpuThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@value Team#THREADS} says how many threads an operator has; each one's own test checks it. */
class CpuThreadsTest {

  @Test
  void theyAreThoseOfEstimatesUnlessToldOtherwise() {
    CpuThreads.with("7", () -> assertThat(EstimateOptions.of(3).threads()).isEqualTo(7));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-2", "two", "1.5", "1025", "4294967297"})
  void anythingElseIsRefusedByName(String value) {
    CpuThreads.with(
        value,
        () ->
            assertThatThrownBy(Team::defaultThreads)
                .isInstanceOf(OperatorException.class)
                .hasMessage(
                    "the system property latimer.cpu.threads must be a whole number from 1 to 1024,"
                        + " found %s",
                    value));
  }

  @Test
  void withoutItThereIsOneForEachCore() {
    int cores = Runtime.getRuntime().availableProcessors();
    CpuThreads.with(null, () -> assertThat(Team.defaultThreads()).isEqualTo(cores));
  }
}
