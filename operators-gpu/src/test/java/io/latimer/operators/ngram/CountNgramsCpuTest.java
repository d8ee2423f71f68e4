package io.latimer.operators.ngram;

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
}
