package io.latimer.operators.ngram;

import io.latimer.operators.testing.TestGpu;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The GPU's counter does what every counter does; skipped by name where there is no GPU. */
class CountNgramsGpuTest extends CountNgramsContractTest {
  @RegisterExtension final TestGpu gpu = new TestGpu();

  @Override
  protected CountNgrams<byte[]> bytes(NgramOptions options) {
    return CountNgramsGpu.ofBytes(options, gpu.device());
  }

  @Override
  protected CountNgrams<int[]> words(NgramOptions options) {
    return CountNgramsGpu.ofWords(options, gpu.device());
  }
}
