package io.latimer.operators.nmt.model;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

/**
 * The shape and kind of a recurrent translation model in canonical form.
 *
 * @param sourceVocabulary rows of the source embedding, Vs
 * @param targetVocabulary rows of the target embedding, V
 * @param embedding width of both embeddings and of the readout, E
 * @param state width of a recurrent state, H; an annotation is 2H wide
 * @param attention width of the attention's hidden layer, A
 * @param forwardCell the encoder's cell from left to right
 * @param backwardCell the encoder's cell from right to left
 * @param encoderTransitions cells without input after each encoder cell (GRU only), 0 or more
 * @param decoderCell1 the decoder's cell before the attention
 * @param decoderCell2 the decoder's cell after the attention
 * @param decoderTransitions cells without input after decoder cell 2 (GRU only), 0 or more
 * @param normalization where layers are normalized
 * @param startsCellFromState whether the decoder's c starts as s_0 (Marian) and not as 0 (Amun)
 * @param sharesEmbeddings whether the target embedding is the source embedding
 * @param tiesOutput whether the output matrix is the target embedding
 */
public record RnnSettings(
    int sourceVocabulary,
    int targetVocabulary,
    int embedding,
    int state,
    int attention,
    CellKind forwardCell,
    CellKind backwardCell,
    int encoderTransitions,
    CellKind decoderCell1,
    CellKind decoderCell2,
    int decoderTransitions,
    LayerNormalization normalization,
    boolean startsCellFromState,
    boolean sharesEmbeddings,
    boolean tiesOutput)
    implements NetworkSettings {

  public RnnSettings {
    Objects.requireNonNull(forwardCell, "forwardCell");
    Objects.requireNonNull(backwardCell, "backwardCell");
    Objects.requireNonNull(decoderCell1, "decoderCell1");
    Objects.requireNonNull(decoderCell2, "decoderCell2");
    Objects.requireNonNull(normalization, "normalization");
    SettingRange.require("sourceVocabulary", sourceVocabulary, 2, SettingRange.MAX_WIDTH);
    SettingRange.require("targetVocabulary", targetVocabulary, 2, SettingRange.MAX_WIDTH);
    SettingRange.require("embedding", embedding, 1, SettingRange.MAX_WIDTH);
    SettingRange.require("state", state, 1, SettingRange.MAX_WIDTH);
    SettingRange.require("attention", attention, 1, SettingRange.MAX_WIDTH);
    SettingRange.require("encoderTransitions", encoderTransitions, 0, SettingRange.MAX_DEPTH);
    SettingRange.require("decoderTransitions", decoderTransitions, 0, SettingRange.MAX_DEPTH);
    SettingRange.requireSharable(sharesEmbeddings, sourceVocabulary, targetVocabulary);
    if (encoderTransitions > 0 && !gru(forwardCell, backwardCell)) {
      throw new ModelFormatException("deep transition in the encoder is supported for gru only");
    }
    if (decoderTransitions > 0 && !gru(decoderCell1, decoderCell2)) {
      throw new ModelFormatException("deep transition in the decoder is supported for gru only");
    }
    if (normalization == LayerNormalization.SEPARATE
        && !gru(forwardCell, backwardCell, decoderCell1, decoderCell2)) {
      throw new ModelFormatException(
          "layer normalization as Nematus does it is supported for gru only");
    }
  }

  /** Says whether the decoder carries a cell state c beside h. */
  public boolean hasDecoderCellState() {
    return decoderCell1.hasCellState() || decoderCell2.hasCellState();
  }

  public boolean hasOnlyGru() {
    return gru(forwardCell, backwardCell, decoderCell1, decoderCell2);
  }

  private static boolean gru(CellKind... cells) {
    return Arrays.stream(cells).allMatch(cell -> cell == CellKind.GRU);
  }

  public boolean normalizes() {
    return normalization != LayerNormalization.NONE;
  }

  @Override
  public Map<String, TensorShape> shapes() {
    return RnnModel.shapes(this);
  }
}
