package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.device.Gpu;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What stays on a GPU takes of its memory what its file has; skipped by name without a GPU. */
public abstract class ResidentMemoryContract {
  /**
   * A device gives memory away in pieces of 2 MiB, and one process at a time uses it here: so much
   * may be lost or won beside what is asked for.
   */
  private static final long PIECES = 4L << 20;

  @RegisterExtension protected final TestGpu gpu = new TestGpu();

  /** Brings it to a device: always the same, and much larger than 4 MiB. */
  protected abstract AutoCloseable bring(Device device) throws Exception;

  /** Bytes that it holds by its own account. */
  protected abstract long bytes(AutoCloseable resident) throws Exception;

  /** Bytes of the sections, or of the entries, that it is made of. */
  protected abstract long expected(AutoCloseable resident) throws Exception;

  /** How much more than these it may hold, as a share: for padding. */
  protected double padding() {
    return 0;
  }

  @Test
  void takesWhatItsFileHasAndNoMore() throws Exception {
    Gpu device = TestDevices.openGpu();
    try (AutoCloseable first = bring(gpu.device())) {
      expected(first); // what the library's code takes is taken now
    }
    device.synchronize();
    long before = device.freeMemory();
    try (AutoCloseable resident = bring(gpu.device())) {
      device.synchronize();
      long lost = before - device.freeMemory();
      long held = bytes(resident); // now: to ask for more may take more
      long expected = expected(resident);
      assertThat(expected).as("bytes that tell").isGreaterThan(4 * PIECES);
      assertThat(held)
          .as("bytes by its own account")
          .isBetween(expected, (long) (expected * (1 + padding())) + 4096);
      assertThat(lost).as("bytes that the device lost").isBetween(held - PIECES, held + PIECES);
    }
    device.synchronize();
    assertThat(before - device.freeMemory()).as("bytes left behind").isLessThan(PIECES);
  }
}
