package io.latimer.operators.testing;

import io.latimer.operators.device.Device;
import io.latimer.operators.device.Devices;
import io.latimer.operators.device.Gpu;
import org.junit.jupiter.api.Assumptions;

/** The devices of the machine that tests run on. */
public final class TestDevices {
  /** System property: fail instead of skipping where there is no GPU, for hosts that have one. */
  public static final String REQUIRE = "latimer.test.gpu";

  private TestDevices() {}

  /** A GPU, or the test is skipped with the reason why there is none. */
  public static Device gpu() {
    if (Devices.firstGpu().isEmpty()) {
      String reason = "GPU half skipped: " + Devices.report().problem().orElse("no GPU");
      if (Boolean.getBoolean(REQUIRE)) {
        throw new AssertionError(reason + ", but -D" + REQUIRE + "=true asks for it");
      }
      Assumptions.abort(reason);
    }
    return Devices.firstGpu().orElseThrow();
  }

  /** The same, opened. */
  public static Gpu openGpu() {
    return Gpu.open(gpu());
  }
}
