package io.latimer.operators.smt;

import io.latimer.operators.testing.KernelHeader;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The structure of a batch has the same fields on both sides. */
class GpuSearchFieldTest {
  @Test
  void hasTheFieldsOfTheHeader() throws IOException {
    KernelHeader.assertFields(
        "latimer_smt.h",
        "lat_smt_batch",
        Arrays.stream(GpuSearchField.values()).map(field -> field.nameInC));
  }
}
