package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestNameTest {
  @Test
  void theNearestNameIsMeant() {
    List<String> names = List.of("beam", "nbest", "max-length-factor");
    assertThat(NearestName.of("baem", names)).contains("beam");
    assertThat(NearestName.of("n-best", names)).contains("nbest");
    assertThat(NearestName.of("max_lenght_factor", names)).contains(names.get(2));
    assertThat(NearestName.of("colour", names)).isEmpty();
    assertThat(NearestName.edits("", "abc")).isEqualTo(3);
    assertThat(NearestName.edits("abcd", "acbd")).isEqualTo(1);
    assertThat(NearestName.edits("kitten", "sitting")).isEqualTo(3);
  }
}
