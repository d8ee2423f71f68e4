package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.CpuThreads;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** The CPU's counter does what every counter does, also with more threads than cores. */
class CountNgramsCpuTest extends CountNgramsContractTest {
  @Override
  protected CountNgrams<byte[]> bytes(NgramOptions options) {
    return CountNgramsCpu.ofBytes(options, 3);
  }

  @Override
  protected CountNgrams<int[]> words(NgramOptions options) {
    return CountNgramsCpu.ofWords(options, 3);
  }

  /**
   * Texts are untrusted: all n-grams of this one would belong into the first slot of a table whose
   * factors were the GPU's, which everybody may read.
   */
  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // it would take half an hour
  void countsATextThatIsMadeToCrowdATable() {
    int different = 1_000_000;
    List<byte[]> records =
        LongStream.range(0, different)
            .mapToObj(i -> ByteBuffer.allocate(8).putLong(GpuHashTable.unmix(i)).array())
            .toList();
    try (CountNgrams<byte[]> counter = bytes(NgramOptions.of(NgramUnit.BYTES, 8))) {
      counter.apply(records);
      counter.apply(records);
      NgramCounts counts = counter.counts();
      assertThat(counts.size()).isEqualTo(different);
      assertThat(counts.total()).isEqualTo(2L * different);
    }
  }

  @Test
  void itsThreadsAreThoseOfTheProperty() {
    NgramOptions bytes = NgramOptions.of(NgramUnit.BYTES, 3);
    NgramOptions words = NgramOptions.of(NgramUnit.WORDS, 3);
    CpuThreads.assertTeams(1, () -> CountNgrams.ofBytes(bytes, Device.CPU));
    CpuThreads.assertTeams(1, () -> CountNgrams.ofWords(words, Device.CPU));
  }
}
