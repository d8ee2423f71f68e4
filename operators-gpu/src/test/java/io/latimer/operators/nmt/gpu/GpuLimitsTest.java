package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.TransformerSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A model that is too large for the kernels is refused by what is too large. */
class GpuLimitsTest {

  @Test
  void aModelThatIsLargerThanTheFreeMemory() {
    String device = "gpu:1";
    assertThatCode(() -> GpuLimits.checkMemory("m.lmx", device, 2000, 500, 2500))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> GpuLimits.checkMemory("m.lmx", device, 2000, 500, 2499))
        .isInstanceOf(DeviceMemoryException.class)
        .hasMessageStartingWith("m.lmx needs 2,500 bytes of gpu:1's memory")
        .hasMessageContainingAll("2,000 to keep", "2,499 are free", "CPU");
  }

  @ParameterizedTest
  @CsvSource({
    "65537, 512, 1024, embedding, 65537, 65536",
    "512, 4097, 1024, state, 4097, 4096",
    "512, 512, 16385, attention, 16385, 16384"
  })
  void aRecurrentModel(
      int embedding, int state, int attention, String what, String found, String most) {
    assertThatThrownBy(() -> GpuLimits.check(recurrent(embedding, state, attention)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContainingAll("model's " + what + " is " + found, "at most " + most, "CPU");
  }

  @ParameterizedTest
  @CsvSource({
    "12289, 512, 1024, GRU, embedding, 12289, 12288",
    "512, 3073, 1024, LSTM, state, 3073, 3072",
    "512, 512, 12289, GRU, attention, 12289, 12288"
  })
  void aRecurrentModelWithNormalizedLayers(
      int embedding,
      int state,
      int attention,
      CellKind cell,
      String what,
      String found,
      String most) {
    RnnSettings settings = recurrent(embedding, state, attention, cell, LayerNormalization.JOINT);
    assertThatThrownBy(() -> GpuLimits.check(settings))
        .isInstanceOf(OperatorException.class)
        .hasMessageContainingAll(
            "model's " + what + " (with normalized layers) is " + found, "at most " + most, "CPU");
  }

  @ParameterizedTest
  @CsvSource({
    "16386, 6, 0, 2048, width, 16386",
    "2052, 2, 0, 2048, width of a head, 1026",
    "512, 8, 1025, 2048, width of a head, 1025",
    "512, 17, 1024, 2048, width of all heads, 17408",
    "512, 8, 0, 65537, encoderFeedForward, 65537"
  })
  void aTransformer(
      int width, int heads, int headWidth, int feedForward, String what, String found) {
    assertThatThrownBy(() -> GpuLimits.check(transformer(width, heads, headWidth, feedForward)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContainingAll("model's " + what + " is " + found, "CPU");
  }

  @Test
  void whatIsAsLargeAsMayBeIsTaken() {
    assertThatCode(() -> GpuLimits.check(recurrent(65536, 4096, 16384))).doesNotThrowAnyException();
    RnnSettings normalized =
        recurrent(12288, 4096, 12288, CellKind.GRU, LayerNormalization.SEPARATE);
    assertThatCode(() -> GpuLimits.check(normalized)).doesNotThrowAnyException();
    assertThatCode(() -> GpuLimits.check(transformer(16384, 16, 0, 65536)))
        .doesNotThrowAnyException();
    assertThatCode(() -> GpuLimits.check(transformer(512, 16, 1024, 65536)))
        .doesNotThrowAnyException();
  }

  private static RnnSettings recurrent(int embedding, int state, int attention) {
    return recurrent(embedding, state, attention, CellKind.GRU, LayerNormalization.NONE);
  }

  private static RnnSettings recurrent(
      int embedding, int state, int attention, CellKind cell, LayerNormalization normalization) {
    return RnnSettings.plain(100, 100, embedding, state, attention, cell, normalization);
  }

  private static TransformerSettings transformer(
      int width, int heads, int headWidth, int feedForward) {
    return new TransformerSettings(
        100,
        100,
        width,
        heads,
        1,
        1,
        feedForward,
        64,
        Activation.RELU,
        Autoregression.SELF_ATTENTION,
        0,
        Activation.RELU,
        NormPlacement.POST,
        true,
        1,
        false,
        false,
        RandomModels.marian(0, headWidth));
  }
}
