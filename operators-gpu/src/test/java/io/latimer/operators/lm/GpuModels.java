package io.latimer.operators.lm;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The models that a test has brought to a GPU; nothing of them may be left behind. */
final class GpuModels implements AutoCloseable {
  private final Device device = TestDevices.gpu();
  private final Map<String, Integer> before = TestDevices.openGpu().openResources();
  private final List<Runnable> opened = new ArrayList<>();

  LmOnGpu bring(LanguageModel model) {
    LmOnGpu made = new LmOnGpu(model, device);
    opened.add(made::close);
    return made;
  }

  /** A scorer that is closed with this, if the test does not close it. */
  ScoreWords closing(ScoreWords scorer) {
    opened.add(0, scorer::close);
    return scorer;
  }

  @Override
  public void close() {
    opened.forEach(Runnable::run);
    assertThat(TestDevices.openGpu().openResources()).isEqualTo(before);
  }
}
