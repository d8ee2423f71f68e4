package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.testing.SharedData;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every variant of model file becomes one canonical form, and wrong ones are refused by name. */
class RnnConverterTest {
  private static final Map<String, Numpy> FILES = new HashMap<>();

  private static ChangedWeights weights(String folder) {
    return new ChangedWeights(
        FILES.computeIfAbsent(
            folder, f -> new Numpy(SharedData.require("models/" + f + "/model.npz"))));
  }

  private static Network load(WeightSource source) {
    return NetworkReader.read(source, Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    // folder, cells of encoder and decoder, transitions, normalization, c from state, shared, tied
    "m30k-ende-gru, GRU, GRU, GRU, 0, 0, NONE, false, false, false",
    "m30k-ende-mlstm, MLSTM, MLSTM, GRU, 0, 0, NONE, false, false, false",
    "tatoeba-ende-gru, GRU, GRU, GRU, 0, 0, NONE, false, false, false",
    "marian-tiny/amun-plain, GRU, GRU, GRU, 0, 0, NONE, false, false, false",
    "marian-tiny/amun-ln-tied, GRU, GRU, GRU, 0, 0, JOINT, false, false, true",
    "marian-tiny/amun-tied-all, GRU, GRU, GRU, 0, 0, NONE, false, true, true",
    "marian-tiny/nematus-deep-ln, GRU, GRU, GRU, 1, 2, SEPARATE, false, false, false",
    "marian-tiny/s2s-mlstm, MLSTM, MLSTM, MLSTM, 0, 0, NONE, true, false, false",
    "marian-tiny/s2s-lstm-ln, LSTM, LSTM, LSTM, 0, 0, JOINT, true, false, false",
  })
  void readsEveryVariantWithAndWithoutItsSettings(
      String folder,
      CellKind encoder,
      CellKind cell1,
      CellKind cell2,
      int encoderTransitions,
      int decoderTransitions,
      LayerNormalization normalization,
      boolean cellFromState,
      boolean shared,
      boolean tied) {
    for (ChangedWeights source :
        new ChangedWeights[] {weights(folder), weights(folder).withoutSettings()}) {
      RnnSettings s = load(source).settings(RnnSettings.class);
      assertThat(s.forwardCell()).isEqualTo(encoder);
      assertThat(s.backwardCell()).isEqualTo(encoder);
      assertThat(s.decoderCell1()).isEqualTo(cell1);
      assertThat(s.decoderCell2()).isEqualTo(cell2);
      assertThat(s.encoderTransitions()).isEqualTo(encoderTransitions);
      assertThat(s.decoderTransitions()).isEqualTo(decoderTransitions);
      assertThat(s.normalization()).isEqualTo(normalization);
      assertThat(s.startsCellFromState()).isEqualTo(cellFromState);
      assertThat(s.sharesEmbeddings()).isEqualTo(shared);
      assertThat(s.tiesOutput()).isEqualTo(tied);
    }
  }

  @Test
  void aCanonicalModelIsMadeOfItsOwnTensorsAgain() {
    Network model = load(weights("marian-tiny/s2s-mlstm"));
    Network again = Network.of(model.settings(), model.tensors());
    assertThat(again.tensors().keySet())
        .containsExactlyElementsOf(model.settings().shapes().keySet());
  }

  @Test
  void canonicalTensorsMustBeExactlyThoseOfTheSettings() {
    Network model = load(weights("marian-tiny/amun-plain"));
    Map<String, Tensor> missing = new LinkedHashMap<>(model.tensors());
    missing.remove("attention.key.W");
    assertThatThrownBy(() -> Network.of(model.settings(), missing))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage("tensor attention.key.W is missing, expected 96 x 96");

    Map<String, Tensor> more = new LinkedHashMap<>(model.tensors());
    more.put("other", Tensor.of("other", 1, 1, new float[1]));
    assertThatThrownBy(() -> Network.of(model.settings(), more))
        .hasMessage("tensor other does not belong to this model");

    Map<String, Tensor> misshapen = new LinkedHashMap<>(model.tensors());
    misshapen.put("start.W", Tensor.of("start.W", 48, 96, new float[48 * 96]));
    assertThatThrownBy(() -> Network.of(model.settings(), misshapen))
        .hasMessage("tensor start.W: expected 96 x 48, found 48 x 96");

    Map<String, Tensor> infinite = new LinkedHashMap<>(model.tensors());
    float[] values = new float[48];
    values[7] = Float.POSITIVE_INFINITY;
    infinite.put("start.bias", Tensor.of("start.bias", 1, 48, values));
    assertThatThrownBy(() -> Network.of(model.settings(), infinite))
        .hasMessage(
            "tensor start.bias: expected finite weights, found Infinity in row 0, column 7");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "marian-tiny/amun-plain",
        "marian-tiny/amun-ln-tied",
        "marian-tiny/nematus-deep-ln",
        "marian-tiny/s2s-mlstm",
        "marian-tiny/s2s-lstm-ln"
      })
  void aMissingTensorIsNamed(String folder) {
    ChangedWeights whole = weights(folder);
    for (String name : whole.names()) {
      if (name.equals("decoder_c_tt")) {
        continue;
      }
      assertThatThrownBy(() -> load(weights(folder).remove(name)), name)
          .isInstanceOf(ModelFormatException.class)
          .hasMessageStartingWith("model.npz");
    }
  }

  @Test
  void aMissingTensorIsToldFromAMisshapenOne() {
    assertThatThrownBy(() -> load(weights("m30k-ende-gru").remove("decoder_bx_nl")))
        .hasMessage("model.npz: tensor decoder_bx_nl is missing, expected 1 x 512");
    assertThatThrownBy(() -> load(weights("m30k-ende-gru").put("encoder_r_Ux", 512, 511)))
        .hasMessage("model.npz: tensor encoder_r_Ux: expected 512 x 512, found 512 x 511");
    assertThatThrownBy(() -> load(weights("m30k-ende-gru").put("ff_logit_W", 256, 4531)))
        .hasMessage("model.npz: tensor ff_logit_W: expected 256 x 4530, found 256 x 4531");
    assertThatThrownBy(() -> load(weights("marian-tiny/amun-plain").remove("encoder_Wx")))
        .hasMessage("model.npz: tensor encoder_Wx is missing, expected 32 x 48");
  }

  @Test
  void weightsThatAreNotFiniteAreRefused() {
    assertThatThrownBy(() -> load(weights("m30k-ende-gru").set("Wemb_dec", 256 * 3 + 9, Float.NaN)))
        .hasMessage(
            "model.npz: tensor Wemb_dec: expected finite weights, found NaN in row 3, column 9");
  }

  @Test
  void unknownTensorsThatNobodyNeedsAreIgnored() {
    ChangedWeights source =
        weights("m30k-ende-gru").put("uidx", 1, 1).put("adam_t", 1, 1).put("history_errs", 1, 0);
    assertThat(load(source).settings(RnnSettings.class).state()).isEqualTo(512);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "encoder_2_W        | tensor encoder_2_W belongs to a second stacked layer",
        "decoder_2_U_nl     | tensor decoder_2_U_nl belongs to a second stacked layer",
        "encoder_bi_l2_cell1_U | tensor encoder_bi_l2_cell1_U belongs to a second stacked layer",
        "Wemb1              | tensor Wemb1 is the embedding of a source factor",
        "encoder_l1_self_Wq | tensor encoder_l1_self_Wq belongs to a transformer",
        "encoder_U_drt_2    | tensor encoder_U_drt_2 belongs to an unsupported variant",
        "decoder_att_gamma1 | tensor decoder_att_gamma1 belongs to an unsupported variant",
      })
  void variantsThatAreNotSupportedAreNamed(String tensor, String message) {
    assertThatThrownBy(() -> load(weights("m30k-ende-gru").put(tensor, 1, 1)))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type: amun | type: transformer | tensor encoder_l1_ffn_W1 is missing",
        "type: amun | type: multi-s2s | the model type is \"multi-s2s\"",
        "enc-depth: 1 | enc-depth: 2 | stacked layers",
        "skip: false | skip: true | skip connections",
        "enc-cell: gru | enc-cell: ssru | enc-cell is \"ssru\"; supported cells are",
        "enc-cell: gru | enc-cell: lstm | says that enc-cell is lstm",
        "dim-rnn: 48 | dim-rnn: 64 | expected 64",
        "dim-emb: 32 | dim-emb: 64 | dim-emb is 64, the tensors show 32",
        "- 468 | - 469 | dim-vocabs (target) is 469, the tensors show 468",
        "layer-normalization: false | layer-normalization: true | layer-normalization is true",
        "dec-cell-base-depth: 2 | dec-cell-base-depth: 4 | dec-cell-base-depth is 4",
        "dim-rnn: 48 | dim-rnn: [ | is not YAML",
        "dim-rnn: 48 | dim-rnn: many | dim-rnn: expected a whole number, found many",
      })
  void settingsAreCheckedAgainstTheTensors(String from, String to, String message) {
    assertThatThrownBy(() -> load(weights("marian-tiny/amun-plain").settings(from, to)))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith("model.npz")
        .hasMessageContaining(message);
  }

  @Test
  void anOutputMatrixThatMustNotBeTiedIsMissed() {
    assertThatThrownBy(
            () -> load(weights("marian-tiny/amun-plain").remove("decoder_ff_logit_l2_Wt")))
        .hasMessageContaining("tensor decoder_ff_logit_l2_Wt is missing, expected 468 x 32");
  }

  @Test
  void theOutputMatrixIsFoundInTheOrderOfTheFormat() {
    ChangedWeights both = weights("marian-tiny/amun-plain").put("ff_logit_W", 32, 468);
    both.set("ff_logit_W", 468 * 2 + 5, 0.5f);
    Tensor output = load(both).output();
    assertThat(output.get(5, 2)).isEqualTo(0.5f);

    ChangedWeights tied =
        weights("marian-tiny/amun-plain").withoutSettings().remove("decoder_ff_logit_l2_Wt");
    assertThat(load(tied).settings().tiesOutput()).isTrue();
  }

  @Test
  void amunsConfigurationMustAgree() {
    WeightSource mlstm = weights("m30k-ende-mlstm");
    AmunCells right = AmunCells.parse("amun.yml", "mlstm", "mlstm", "mlstm", "gru");
    assertThat(
            NetworkReader.read(mlstm, Optional.of(right))
                .settings(RnnSettings.class)
                .decoderCell1())
        .isEqualTo(CellKind.MLSTM);
    AmunCells wrong = AmunCells.parse("amun.yml", null, null, "lstm", null);
    assertThatThrownBy(() -> NetworkReader.read(mlstm, Optional.of(wrong)))
        .hasMessageContaining("decoder.cell1 is a LSTM, its tensors are those of a MLSTM");
  }

  @Test
  void mergedAndSeparateLstmGatesAreTheSameModel() {
    ChangedWeights separate = weights("m30k-ende-mlstm");
    ChangedWeights merged = weights("m30k-ende-mlstm");
    for (String p : new String[] {"encoder", "encoder_r", "decoder"}) {
      for (String part : new String[] {"W", "U", "b"}) {
        String candidate = p + "_" + (part.equals("b") ? "bx" : part + "x");
        merged.put(
            p + "_" + part, join(separate.floats(p + "_" + part), separate.floats(candidate)));
        merged.remove(candidate);
      }
    }
    Network a = load(separate);
    Network b = load(merged);
    assertThat(b.settings()).isEqualTo(a.settings());
    a.tensors().forEach((name, t) -> assertThat(b.tensor(name).floats()).isEqualTo(t.floats()));
  }

  private static Tensor join(Tensor left, Tensor right) {
    int cols = left.cols() + right.cols();
    float[] both = new float[left.rows() * cols];
    for (int r = 0; r < left.rows(); r++) {
      left.numbers().read(r * left.cols(), both, r * cols, left.cols());
      right.numbers().read(r * right.cols(), both, r * cols + left.cols(), right.cols());
    }
    return Tensor.of(left.name(), left.rows(), cols, both);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "marian-tiny/amun-plain",
        "marian-tiny/amun-ln-tied",
        "marian-tiny/amun-tied-all",
        "m30k-ende-gru"
      })
  void marianNamesOfAGruModelAreTheSameModel(String folder) {
    boolean tiedAll = folder.endsWith("tied-all");
    ChangedWeights renamed =
        weights(folder).settings("type: amun", "type: s2s").rename(n -> marianName(n, tiedAll));
    Network amun = load(weights(folder));
    Network marian = load(renamed);
    assertThat(marian.tensors().keySet()).isEqualTo(amun.tensors().keySet());
    amun.tensors()
        .forEach(
            (name, t) -> assertThat(marian.tensor(name).floats()).as(name).isEqualTo(t.floats()));
  }

  private static String marianName(String name, boolean tiedAll) {
    return switch (name) {
      case "Wemb" -> tiedAll ? name : "encoder_Wemb";
      case "Wemb_dec" -> "decoder_Wemb";
      case "decoder_Wc" -> "decoder_cell2_W";
      case "decoder_Wcx" -> "decoder_cell2_Wx";
      case "ff_logit_W" -> "decoder_ff_logit_l2_W";
      case "ff_logit_b" -> "decoder_ff_logit_l2_b";
      default ->
          name.replaceFirst("^encoder_(r_)?(?!Wemb)", "encoder_bi_$1")
              .replaceFirst("^decoder_(Ux?|Wx?|bx?)$", "decoder_cell1_$1")
              .replaceFirst("^decoder_(Ux?|bx?)_nl$", "decoder_cell2_$1")
              .replaceFirst("^ff_state_", "decoder_ff_state_")
              .replaceFirst("^ff_logit_l1_", "decoder_ff_logit_l1_")
              .replaceFirst("^ff_logit_prev_(?<p>.*)$", "decoder_ff_logit_l1_${p}0")
              .replaceFirst("^ff_logit_lstm_(?<p>.*)$", "decoder_ff_logit_l1_${p}1")
              .replaceFirst("^ff_logit_ctx_(?<p>.*)$", "decoder_ff_logit_l1_${p}2");
    };
  }
}
