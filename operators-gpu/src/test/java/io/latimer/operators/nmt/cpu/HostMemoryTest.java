package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import org.junit.jupiter.api.Test;

class HostMemoryTest {
  private static final String SYSTEM =
      "MemTotal:       24689000 kB\nMemFree:        100 kB\nMemAvailable:   19000000 kB\n";

  @Test
  void theContainersLimitCountsIfItIsLower() {
    assertThat(HostMemory.available(SYSTEM, "max\n")).isEqualTo(19_000_000L * 1024);
    assertThat(HostMemory.available(SYSTEM, "4294967296\n")).isEqualTo(1L << 32);
    assertThat(HostMemory.available(SYSTEM, "99999999999999\n")).isEqualTo(19_000_000L * 1024);
    assertThat(HostMemory.available("", "")).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void saysWhatIsNeededAndWhatThereIs() {
    assertThatCode(() -> HostMemory.check("m.lmx", 5_483_000_000L, 5_483_000_000L))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> HostMemory.check("m.lmx", 5_483_000_000L, 5_482_999_999L))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("m.lmx needs 5,483,000,000 bytes")
        .hasMessageContainingAll(
            String.format("%,d (-Xmx)", Runtime.getRuntime().maxMemory()),
            "5,482,999,999 are available");
  }
}
