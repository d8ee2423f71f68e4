package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.TestGpu;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
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

  /**
   * Texts are untrusted: all n-grams of this one belong into the first slot of every hash table.
   */
  @Test
  void countsATextThatIsMadeToCrowdAHashTable() {
    int different = 100_000;
    NgramOptions options = new NgramOptions(NgramUnit.BYTES, 8, NgramStrategy.HASH);
    try (CountNgrams<byte[]> counter = bytes(options)) {
      Map<Long, Long> expected = new HashMap<>();
      for (int batch = 1; batch <= 2; batch++) {
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < different * batch; i++) {
          long key = GpuHashTable.unmix(i % different);
          records.add(ByteBuffer.allocate(8).putLong(key).array());
          expected.merge(key, 1L, Long::sum);
        }
        counter.apply(records);
      }
      NgramCounts counts = counter.counts();
      assertThat(counts.size()).isEqualTo(different);
      for (int i = 0; i < different; i++) {
        assertThat(counts.count(i)).isEqualTo(expected.get(counts.byteKey(i))).isEqualTo(3);
      }
    }
  }
}
