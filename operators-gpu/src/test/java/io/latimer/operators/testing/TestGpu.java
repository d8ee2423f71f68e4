package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A GPU for each test of a class that registers this as an extension: tests are skipped by name
 * where there is none, and a test that leaves something open on it fails.
 */
public class TestGpu implements BeforeEachCallback, AfterEachCallback {
  private final Deque<Runnable> closing = new ArrayDeque<>();
  private Device device;
  private Map<String, Integer> before;

  @Override
  public final void beforeEach(ExtensionContext context) {
    device = TestDevices.gpu();
    before = TestDevices.openGpu().openResources();
  }

  /** The device. */
  public final Device device() {
    return device;
  }

  /** Does something after the test, before what was given to this earlier. */
  protected final void afterwards(Runnable close) {
    closing.push(close);
  }

  @Override
  public final void afterEach(ExtensionContext context) {
    if (before != null) {
      closing.forEach(Runnable::run);
      assertThat(TestDevices.openGpu().openResources()).isEqualTo(before);
    }
  }
}
