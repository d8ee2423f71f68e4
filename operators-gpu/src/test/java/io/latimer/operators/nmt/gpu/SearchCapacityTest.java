package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.KernelLibrary;
import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SearchCapacityTest {
  @ParameterizedTest
  @CsvSource({"1, 13, 8192, 128", "5, 13, 2048, 128", "5, 129, 2048, 256", "64, 4096, 256, 4096"})
  void isAsLargeAsIsOfUse(int beam, int length, int sentences, int longest) {
    SearchCapacity capacity = SearchCapacity.of(DecodeOptions.beam(beam), length);
    assertThat(capacity.sentences()).isEqualTo(sentences);
    assertThat(capacity.longest()).isEqualTo(longest);
    assertThat(capacity.tokens()).isEqualTo(64 * sentences);
    assertThat(capacity.weights()).isZero();
    assertThat((long) sentences * beam).as("live hypotheses").isLessThanOrEqualTo(1 << 21);
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "5, 100", "64, 4096"})
  void getsSmallerDownToOneSentenceAlone(int beam, int length) {
    DecodeOptions options = DecodeOptions.beam(beam).withAlignment(true);
    List<SearchCapacity> capacities = new ArrayList<>();
    Optional<SearchCapacity> capacity = Optional.of(SearchCapacity.of(options, length));
    while (capacity.isPresent()) {
      capacities.add(capacity.get());
      assertSound(capacity.get(), options, length);
      capacity = capacity.get().smaller(options, length);
    }
    for (int i = 1; i < capacities.size(); i++) {
      assertThat(capacities.get(i).sentences())
          .isLessThanOrEqualTo(capacities.get(i - 1).sentences());
      assertThat(capacities.get(i).tokens()).isLessThanOrEqualTo(capacities.get(i - 1).tokens());
      assertThat(capacities.get(i).weights()).isLessThanOrEqualTo(capacities.get(i - 1).weights());
    }
    assertThat(capacities.get(capacities.size() - 1))
        .isEqualTo(SearchCapacity.alone(options, length));
  }

  @Test
  void isForShorterSentencesBeforeItIsForFewer() {
    DecodeOptions options = DecodeOptions.beam(16).withNBest(16).withAlignment(true);
    SearchCapacity capacity = SearchCapacity.of(options, 2100);
    assertThat(capacity.longest()).isEqualTo(4096);
    assertThat(SearchCapacity.resultWords(options, 4096))
        .isGreaterThan(SearchCapacity.MOST_RESULT_WORDS);
    SearchCapacity smaller = capacity.smaller(options, 2100).orElseThrow();
    assertThat(smaller.longest()).isEqualTo(2100);
    assertThat(smaller.sentences()).isEqualTo(capacity.sentences());
    assertThat(SearchCapacity.resultWords(options, 2100))
        .isLessThan(SearchCapacity.MOST_RESULT_WORDS);
  }

  @Test
  void knowsWhatItIsFor() {
    DecodeOptions options = DecodeOptions.beam(5);
    assertThat(SearchCapacity.of(options, 4096).isForTheLongest(options)).isFalse();
    assertThat(SearchCapacity.alone(options, 20).isForTheLongest(options)).isTrue();
    DecodeOptions aligned = options.withAlignment(true);
    assertThat(SearchCapacity.of(aligned, 128).isForTheLongest(aligned)).isFalse();
    assertThat(SearchCapacity.of(aligned, 4096).isForTheLongest(aligned)).isTrue();
  }

  /** A result: its number of translations and a word, then each with its scores and words. */
  @Test
  void aResultHasRoomForEveryTranslation() {
    DecodeOptions options = DecodeOptions.beam(4).withNBest(3).withMaxLengthFactor(2);
    assertThat(SearchCapacity.resultWords(options, 5)).isEqualTo(2 + 3 * (6 + 2 * 10));
    assertThat(SearchCapacity.resultWords(options.withAlignment(true), 5))
        .isEqualTo(2 + 3 * (6 + 2 * 10 + 10 * 5));
  }

  /** The library writes what Java has made room for: the same question to both, side by side. */
  @Test
  void aResultIsAsLargeAsTheLibrarySays() {
    KernelLibrary.require();
    long[] model = new long[1];
    // lat_nmt_rnn_settings of the smallest GRU
    long[] settings = {5, 5, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    KernelLibrary.call("lat_nmt_rnn_create", settings, 0, model);
    long[] report = {0, 0}; // lat_nmt_report; no step is made that would write it
    try {
      for (boolean alignment : new boolean[] {false, true}) {
        for (int nBest : new int[] {1, 3, 64}) {
          for (float factor : new float[] {1, 2.5f, 100}) {
            DecodeOptions options =
                DecodeOptions.beam(64)
                    .withNBest(nBest)
                    .withMaxLengthFactor(factor)
                    .withAlignment(alignment);
            assertAsLarge(model[0], report, options);
          }
        }
      }
    } finally {
      KernelLibrary.run("lat_nmt_model_destroy", model[0]);
    }
  }

  private static void assertAsLarge(long model, long[] report, DecodeOptions options) {
    int alignment = options.alignment() ? 4 : 0; // LAT_NMT_ALIGNMENT
    long[] words = {
      options.beamSize(),
      options.nBest(),
      1 | alignment, // LAT_NMT_SCORES
      Double.doubleToRawLongBits(0),
      1,
      4096,
      options.limit(1),
      1,
      4096,
      4096,
      options.alignment() ? SearchCapacity.MOST_WEIGHTS : 0
    };
    long[] search = new long[1];
    KernelLibrary.call("lat_nmt_search_create", model, words, report, search);
    try {
      for (int length : new int[] {1, 2, 5, 127, 128, 4095, 4096}) {
        assertThat(SearchCapacity.resultWords(options, length))
            .as("%s, %s tokens", options, length)
            .isEqualTo(
                KernelLibrary.number(
                    "lat_nmt_result_words",
                    search[0],
                    (long) length,
                    (long) options.limit(length)));
      }
    } finally {
      KernelLibrary.run("lat_nmt_search_destroy", search[0]);
    }
  }

  @Test
  void neverKeepsMoreAttentionThanTheLibraryCounts() {
    DecodeOptions options = DecodeOptions.beam(64).withAlignment(true).withMaxLengthFactor(17);
    SearchCapacity capacity = SearchCapacity.of(options, 3000);
    assertThat(capacity.longest()).isEqualTo(4096);
    assertThat(capacity.weights()).isEqualTo(SearchCapacity.MOST_WEIGHTS);
    assertThat(capacity.holds(options, 3000)).isTrue();
    assertThat(capacity.holds(options, 4096)).isFalse();
  }

  private static void assertSound(SearchCapacity capacity, DecodeOptions options, int length) {
    assertThat(capacity.holds(options, length)).isTrue();
    assertThat(capacity.holds(options, capacity.longest() + 1)).isFalse();
    assertThat(capacity.tokens()).isGreaterThanOrEqualTo(capacity.longest());
    assertThat(capacity.joinTokens()).isBetween(capacity.longest(), capacity.tokens());
    assertThat(capacity.joinSentences()).isBetween(1, capacity.sentences());
    assertThat(Integer.bitCount(capacity.sentences())).isEqualTo(1);
    assertThat(capacity.weights())
        .isGreaterThanOrEqualTo(SearchCapacity.weights(options, capacity.longest()));
  }
}
