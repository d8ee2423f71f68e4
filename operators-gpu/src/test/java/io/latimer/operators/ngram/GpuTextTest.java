package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuTextTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "8, 8",
    "9, 8;9",
    "11, 8;11",
    "12, 8;10;11;12",
    "15, 8;13;14;15",
    "16, 8;12;14;16",
    "17, 8;16;17",
    "119, 8;16;24;32;40;48;56;64;72;80;88;96;104;112;117;118;119"
  })
  void partsAreLargeButForTheLast(int copies, String ends) {
    String found =
        String.join(
            ";",
            java.util.Arrays.stream(GpuText.partEnds(copies)).mapToObj(String::valueOf).toList());
    assertThat(found).isEqualTo(ends);
  }
}
