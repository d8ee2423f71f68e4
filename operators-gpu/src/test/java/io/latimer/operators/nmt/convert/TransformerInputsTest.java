package io.latimer.operators.nmt.convert;

import static io.latimer.operators.nmt.convert.TransformerConverterTest.load;
import static io.latimer.operators.nmt.convert.TransformerConverterTest.put;
import static io.latimer.operators.nmt.convert.TransformerConverterTest.tiny;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What Marian's transformers add to embeddings, and what they do with the sums. */
final class TransformerInputsTest {
  @Test
  void readsTrainedPositions() {
    ChangedWeights changed = tiny();
    put(changed, new Random(5), "Wpos", 50, 32);
    float[] rows = changed.floats("Wpos").floats();
    changed.settings("position-embeddings: false", "position-embeddings: true");
    Network read = load(changed);
    TransformerVariant variant = read.settings(TransformerSettings.class).variant();
    assertThat(variant.positions()).isEqualTo(Positions.LEARNED);
    assertThat(variant.positionRows()).isEqualTo(50);
    assertThat(variant.scalesEmbeddings()).isFalse();
    assertThat(variant.start()).isEqualTo(TransformerVariant.NO_START);
    assertThat(read.settings().longest()).isEqualTo(50);
    for (String side : List.of("source", "target")) {
      Tensor table = read.tensor(side + ".positions");
      assertThat(table.floats()).isEqualTo(rows);
      assertThat(table.shape()).isEqualTo("50 x 32");
    }
    assertThatThrownBy(() -> load(changed.put("Wpos", 50, 31)))
        .hasMessage("model.npz: tensor Wpos: expected positions x 32, found 50 x 31");
    assertThatThrownBy(() -> load(changed.put("Wpos", 0, 32)))
        .hasMessage("model.npz: tensor Wpos: expected positions x 32, found 0 x 32");
  }

  /** Marian computes v·W1 + b1 then, without an activation. */
  @Test
  void oneLayerBecomesTwoThatComputeTheSame() {
    ChangedWeights changed =
        tiny().settings("transformer-ffn-depth: 2", "transformer-ffn-depth: 1");
    Random random = new Random(8);
    for (String layer : List.of("encoder_l1", "encoder_l2", "decoder_l1", "decoder_l2")) {
      put(changed, random, layer + "_ffn_W1", 32, 32);
      put(changed, random, layer + "_ffn_b1", 1, 32);
      changed.remove(layer + "_ffn_W2").remove(layer + "_ffn_b2");
    }
    Network read = load(changed);
    TransformerSettings settings = read.settings(TransformerSettings.class);
    assertThat(settings.activation()).isEqualTo(Activation.RELU);
    assertThat(settings.decoderFeedForward()).isEqualTo(64);
    String to = "decoder.layer2.feedforward.";
    Tensor w = changed.floats("decoder_l2_ffn_W1");
    float[] v = new float[32];
    for (int i = 0; i < v.length; i++) {
      v[i] = i - 15.5f;
    }
    float[] expected = add(times(v, w), changed.floats("decoder_l2_ffn_b1").floats());
    float[] hidden = add(times(v, read.tensor(to + "inner.W")), read.vector(to + "inner.bias"));
    for (int i = 0; i < hidden.length; i++) {
      hidden[i] = Math.max(0, hidden[i]);
    }
    assertThat(add(times(hidden, read.tensor(to + "outer.W")), read.vector(to + "outer.bias")))
        .isEqualTo(expected);
    assertThat(expected).doesNotContain(0f);
  }

  private static float[] times(float[] v, Tensor w) {
    float[] product = new float[w.cols()];
    for (int i = 0; i < v.length; i++) {
      for (int j = 0; j < product.length; j++) {
        product[j] += v[i] * w.get(i, j);
      }
    }
    return product;
  }

  private static float[] add(float[] a, float[] b) {
    float[] sum = new float[a.length];
    for (int i = 0; i < sum.length; i++) {
      sum[i] = a[i] + b[i];
    }
    return sum;
  }

  @Test
  void readsNormalizedEmbeddings() {
    ChangedWeights changed = tiny();
    Random random = new Random(6);
    for (String side : List.of("encoder", "decoder")) {
      put(changed, random, side + "_emb_ln_scale_pre", 1, 32);
      put(changed, random, side + "_emb_ln_bias_pre", 1, 32);
    }
    assertThatThrownBy(() -> load(changed))
        .hasMessageContaining("tensor encoder_emb_ln_scale_pre belongs to an unsupported variant");
    changed.settings("postprocess-emb: d", "postprocess-emb: nd");
    Network read = load(changed);
    TransformerVariant variant = read.settings(TransformerSettings.class).variant();
    assertThat(variant.normalizesEmbeddings()).isTrue();
    assertThat(variant.scalesEmbeddings()).isTrue();
    assertThat(variant.positions()).isEqualTo(Positions.SINUSOIDAL);
    assertThat(variant.epsilon()).isEqualTo(TransformerVariant.MARIAN.epsilon());
    assertThat(read.tensor("source.norm.gain").floats())
        .isEqualTo(changed.floats("encoder_emb_ln_scale_pre").floats());
    assertThat(read.tensor("target.norm.shift").floats())
        .isEqualTo(changed.floats("decoder_emb_ln_bias_pre").floats());
  }
}
