package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.ResidentMemoryContract;
import io.latimer.operators.testing.TestDevices;
import java.util.List;
import java.util.Random;

/** The device memory of a table of counts: its entries, and the room for those that overflow. */
class GpuHashTableMemoryTest extends ResidentMemoryContract {
  /** As many n-grams, all different, need a table of 2^22 entries, which 2^20 grow to at once. */
  private static final int NGRAMS = 2_000_000;

  private static final long ENTRIES = 1L << 22;

  /** A counter that has counted; what its texts and lists take has been taken before. */
  @Override
  protected AutoCloseable bring(Device device) {
    NgramOptions options = new NgramOptions(NgramUnit.BYTES, 8, NgramStrategy.HASH);
    byte[] text = new byte[NGRAMS + options.order() - 1];
    new Random(1).nextBytes(text);
    CountNgramsGpu<byte[]> counter = CountNgramsGpu.ofBytes(options, device);
    counter.apply(List.of(text));
    return counter;
  }

  @Override
  protected long bytes(AutoCloseable resident) {
    return ((CountNgramsGpu<?>) resident).bytes();
  }

  @Override
  protected long expected(AutoCloseable resident) throws Exception {
    CountNgramsGpu<?> counter = (CountNgramsGpu<?>) resident;
    assertThat(counter.counts().size()).isEqualTo(NGRAMS);
    return ENTRIES * GpuKernels.ENTRY + overflowBytes();
  }

  /** Beside the table, a counter holds the text. */
  @Override
  protected double padding() {
    return 0.02;
  }

  /** Bytes of the entries that a launch may leave over. */
  static long overflowBytes() {
    long[] entries = new long[1];
    TestDevices.openGpu().call("ngrams", "lat_ngram_hash_overflow", (Object) entries);
    return entries[0] * GpuKernels.ENTRY;
  }
}
