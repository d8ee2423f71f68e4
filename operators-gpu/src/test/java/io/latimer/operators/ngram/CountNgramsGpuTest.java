package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestDevices;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The GPU's counter does what every counter does; skipped by name where there is no GPU. */
class CountNgramsGpuTest extends CountNgramsContractTest {
  private Device device;
  private Map<String, Integer> arenas;

  @BeforeEach
  void findGpu() {
    device = TestDevices.gpu();
    arenas = TestDevices.openGpu().openArenas();
  }

  @AfterEach
  void leavesNoArenaOpen() {
    if (device != null) {
      assertThat(TestDevices.openGpu().openArenas()).isEqualTo(arenas);
    }
  }

  Device device() {
    return device;
  }

  @Override
  protected CountNgrams<byte[]> bytes(NgramOptions options) {
    return CountNgramsGpu.ofBytes(options, device);
  }

  @Override
  protected CountNgrams<int[]> words(NgramOptions options) {
    return CountNgramsGpu.ofWords(options, device);
  }
}
