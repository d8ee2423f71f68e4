package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuTextTest {
  @ParameterizedTest
  @CsvSource({
    "BYTES, 5, 1, 1",
    "BYTES, 5, 4, 4",
    "BYTES, 5, 5, 4;5",
    "BYTES, 1, 17, 4;8;12;16;17",
    "WORDS, 5, 9, 8;9",
    "BYTES, 7, 1, 1",
    "BYTES, 6, 6, 4;6",
    "BYTES, 7, 17, 6;12;17",
    "BYTES, 8, 1, 1",
    "BYTES, 8, 12, 6;12",
  })
  void partsAreAsLargeAsSuitsTheCounting(NgramUnit unit, int order, int copies, String ends) {
    String found =
        String.join(
            ";",
            java.util.Arrays.stream(GpuText.partEnds(copies, unit, order))
                .mapToObj(String::valueOf)
                .toList());
    assertThat(found).isEqualTo(ends);
  }
}
