package io.latimer.operators.ngram;

/** The same with so little memory that texts are cut and tables go to the host in between. */
class CountNgramsGpuLittleMemoryTest extends CountNgramsGpuTest {
  private static final int PIECE = 5000;

  /**
   * Room for the smallest hash table and what a launch may leave over, and for none that is larger.
   */
  private long memory(NgramOptions options) {
    return switch (options.strategy()) {
      case V1, V2 -> 2L << 30;
      case SORT -> 2L << 20;
      case AUTO, HASH -> GpuHashTableMemoryTest.overflowBytes() + (20L << 20);
    };
  }

  @Override
  protected CountNgrams<byte[]> bytes(NgramOptions options) {
    return new CountNgramsGpu<>(options, gpu.device(), memory(options), PIECE);
  }

  @Override
  protected CountNgrams<int[]> words(NgramOptions options) {
    return new CountNgramsGpu<>(options, gpu.device(), memory(options), PIECE);
  }
}
