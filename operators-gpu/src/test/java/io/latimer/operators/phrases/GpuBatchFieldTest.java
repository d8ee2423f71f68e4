package io.latimer.operators.phrases;

import io.latimer.operators.testing.KernelHeader;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The structure of a batch has the same fields on both sides. */
class GpuBatchFieldTest {
  @Test
  void hasTheFieldsOfTheHeader() throws IOException {
    KernelHeader.assertFields(
        "latimer_phrases.h",
        "lat_phrases_batch",
        Arrays.stream(GpuBatchField.values()).map(field -> field.nameInC));
  }
}
