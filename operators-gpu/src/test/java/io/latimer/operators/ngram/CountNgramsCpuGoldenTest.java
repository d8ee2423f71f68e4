package io.latimer.operators.ngram;

/** The CPU's counter gives the tables of another program. */
class CountNgramsCpuGoldenTest extends CountNgramsGoldenTest {
  @Override
  protected CountNgrams<byte[]> open(NgramOptions options) {
    return CountNgramsCpu.ofBytes(options, Runtime.getRuntime().availableProcessors());
  }
}
