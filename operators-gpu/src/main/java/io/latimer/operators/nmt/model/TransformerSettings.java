package io.latimer.operators.nmt.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The shape and kind of a transformer in canonical form.
 *
 * @param sourceVocabulary rows of the source embedding, Vs
 * @param targetVocabulary rows of the target embedding, V
 * @param width width of embeddings and layers, D: even, 4 or more
 * @param heads heads of every attention; divides D
 * @param encoderLayers 1 to 64
 * @param decoderLayers 1 to 64
 * @param encoderFeedForward inner width of the encoder's feed-forward networks, F
 * @param decoderFeedForward the decoder's, G
 * @param activation between the layers of these feed-forward networks
 * @param autoregression how the decoder sees the words before
 * @param averageFeedForward inner width of the feed-forward networks of average attention, B; 0
 *     exactly when there is none
 * @param averageActivation between their layers; the same as {@code activation} when there is none
 * @param normalization where layers are normalized
 * @param normalizesTop whether the outputs of encoder and decoder are normalized once more
 * @param alignmentLayer the decoder's layer whose attention to the source (head 0) is given as the
 *     alignment, from 1
 * @param sharesEmbeddings whether the target embedding is the source embedding
 * @param tiesOutput whether the output matrix is the target embedding
 */
public record TransformerSettings(
    int sourceVocabulary,
    int targetVocabulary,
    int width,
    int heads,
    int encoderLayers,
    int decoderLayers,
    int encoderFeedForward,
    int decoderFeedForward,
    Activation activation,
    Autoregression autoregression,
    int averageFeedForward,
    Activation averageActivation,
    NormPlacement normalization,
    boolean normalizesTop,
    int alignmentLayer,
    boolean sharesEmbeddings,
    boolean tiesOutput)
    implements NetworkSettings {

  public TransformerSettings {
    Objects.requireNonNull(activation, "activation");
    Objects.requireNonNull(autoregression, "autoregression");
    Objects.requireNonNull(averageActivation, "averageActivation");
    Objects.requireNonNull(normalization, "normalization");
    int widest = SettingRange.MAX_WIDTH;
    SettingRange.require("sourceVocabulary", sourceVocabulary, 2, widest);
    SettingRange.require("targetVocabulary", targetVocabulary, 2, widest);
    SettingRange.require("width", width, 4, widest);
    SettingRange.require("encoderLayers", encoderLayers, 1, SettingRange.MAX_DEPTH);
    SettingRange.require("decoderLayers", decoderLayers, 1, SettingRange.MAX_DEPTH);
    SettingRange.require("encoderFeedForward", encoderFeedForward, 1, widest);
    SettingRange.require("decoderFeedForward", decoderFeedForward, 1, widest);
    SettingRange.require("alignmentLayer", alignmentLayer, 1, decoderLayers);
    SettingRange.require("heads", heads, 1, width);
    if (width % heads != 0) {
      throw new ModelFormatException(
          "model setting heads must divide the width " + width + ", found " + heads);
    }
    if (width % 2 != 0) {
      throw new ModelFormatException(
          "model setting width must be even, half sines and half cosines of the position, found "
              + width);
    }
    if (autoregression == Autoregression.AVERAGE_ATTENTION) {
      SettingRange.require("averageFeedForward", averageFeedForward, 1, widest);
    } else {
      SettingRange.require("averageFeedForward", averageFeedForward, 0, 0);
      if (averageActivation != activation) {
        throw new ModelFormatException(
            "model setting averageActivation must be the activation "
                + activation
                + " where there is no average attention, found "
                + averageActivation);
      }
    }
    SettingRange.requireSharable(sharesEmbeddings, sourceVocabulary, targetVocabulary);
  }

  /** Width of a head, D / heads. */
  public int headWidth() {
    return width / heads;
  }

  @Override
  public Map<String, TensorShape> shapes() {
    Map<String, TensorShape> m = new LinkedHashMap<>();
    m.put("source.embedding", TensorShape.of(sourceVocabulary, width));
    if (!sharesEmbeddings) {
      m.put("target.embedding", TensorShape.of(targetVocabulary, width));
    }
    for (int i = 1; i <= encoderLayers; i++) {
      String layer = "encoder.layer" + i;
      attention(m, layer + ".self");
      feedForward(m, layer + ".feedforward", encoderFeedForward);
    }
    top(m, "encoder");
    for (int i = 1; i <= decoderLayers; i++) {
      String layer = "decoder.layer" + i;
      switch (autoregression) {
        case SELF_ATTENTION -> attention(m, layer + ".self");
        case AVERAGE_ATTENTION -> average(m, layer + ".average");
        case SSRU -> ssru(m, layer + ".ssru");
      }
      attention(m, layer + ".cross");
      feedForward(m, layer + ".feedforward", decoderFeedForward);
    }
    top(m, "decoder");
    if (!tiesOutput) {
      m.put("output.Wt", TensorShape.of(targetVocabulary, width));
    }
    m.put("output.bias", TensorShape.vector(targetVocabulary));
    return m;
  }

  private void attention(Map<String, TensorShape> m, String prefix) {
    linear(m, prefix + ".query", width, width);
    linear(m, prefix + ".key", width, width);
    linear(m, prefix + ".value", width, width);
    linear(m, prefix + ".output", width, width);
    norm(m, prefix);
  }

  private void feedForward(Map<String, TensorShape> m, String prefix, int inner) {
    linear(m, prefix + ".inner", width, inner);
    linear(m, prefix + ".outer", inner, width);
    norm(m, prefix);
  }

  private void average(Map<String, TensorShape> m, String prefix) {
    linear(m, prefix + ".inner", width, averageFeedForward);
    linear(m, prefix + ".outer", averageFeedForward, width);
    linear(m, prefix + ".input", width, width);
    linear(m, prefix + ".forget", width, width);
    norm(m, prefix);
  }

  private void ssru(Map<String, TensorShape> m, String prefix) {
    m.put(prefix + ".candidate.W", TensorShape.of(width, width));
    linear(m, prefix + ".forget", width, width);
    norm(m, prefix);
  }

  private void top(Map<String, TensorShape> m, String side) {
    if (normalizesTop) {
      norm(m, side);
    }
  }

  private static void linear(Map<String, TensorShape> m, String prefix, int in, int out) {
    m.put(prefix + ".W", TensorShape.of(in, out));
    m.put(prefix + ".bias", TensorShape.vector(out));
  }

  private void norm(Map<String, TensorShape> m, String prefix) {
    m.put(prefix + ".norm.gain", TensorShape.vector(width));
    m.put(prefix + ".norm.shift", TensorShape.vector(width));
  }
}
