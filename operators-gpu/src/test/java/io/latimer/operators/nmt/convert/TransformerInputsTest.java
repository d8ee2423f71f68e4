package io.latimer.operators.nmt.convert;

import static io.latimer.operators.nmt.convert.TransformerConverterTest.load;
import static io.latimer.operators.nmt.convert.TransformerConverterTest.put;
import static io.latimer.operators.nmt.convert.TransformerConverterTest.tiny;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
