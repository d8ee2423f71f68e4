package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The decoders that a test has made on a GPU; nothing of them may be left behind. Registered as an
 * extension it skips tests where there is no GPU.
 */
final class GpuDecoders implements BeforeEachCallback, AfterEachCallback {
  private Device device;
  private Map<String, Integer> before;
  private final List<Runnable> opened = new ArrayList<>();

  @Override
  public void beforeEach(ExtensionContext context) {
    device = TestDevices.gpu();
    before = TestDevices.openGpu().openResources();
  }

  /** A model on the device, closed with this. */
  NmtOnGpu bring(Network model, NmtPrecision precision) {
    NmtOnGpu made = new NmtOnGpu(model, device, precision);
    opened.add(0, made::close);
    return made;
  }

  /** A decoder with a model of its own; both are closed with this, if not by the test. */
  Decode open(
      Network model, NmtPrecision precision, DecodeOptions options, DecodeGpu.Tuning tuning) {
    return open(bring(model, precision), options, tuning);
  }

  /** A decoder; closed with this, if not by the test. */
  Decode open(NmtOnGpu model, DecodeOptions options, DecodeGpu.Tuning tuning) {
    DecodeGpu made = new DecodeGpu(model, options, tuning);
    opened.add(0, made::close);
    return made;
  }

  /** A decoder that has memory for one sentence of so many tokens. */
  Decode openFor(int tokens, Network model, DecodeOptions options) {
    NmtOnGpu resident = bring(model, NmtPrecision.FLOAT32);
    long bytes = GpuSearch.bytes(resident, options, SearchRoom.alone(options, tokens));
    // an arena rounds up
    return open(resident, options, DecodeGpu.Tuning.DEFAULT.withMemory(bytes + 256));
  }

  static List<Hypothesis> best(List<Result<Decoded>> results) {
    return results.stream().map(result -> result.orElseThrow().best()).toList();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (before != null) {
      opened.forEach(Runnable::run);
      assertThat(TestDevices.openGpu().openResources()).isEqualTo(before);
    }
  }
}
