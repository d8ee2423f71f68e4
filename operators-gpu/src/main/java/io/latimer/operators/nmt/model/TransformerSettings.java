package io.latimer.operators.nmt.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The shape and kind of a transformer in canonical form: one set of names and one set of equations
 * for every supported variant of Marian's type {@code transformer}.
 *
 * <p>Widths: D layers, F and G the feed-forward networks of encoder and decoder, B those of average
 * attention, V words. Vectors are rows, matrices act from the right, {@code *} is elementwise. A
 * linear layer p is {@code p(x) = x·p.W + p.bias}; a normalization p is {@code LN_p(x) = (x - mean)
 * / sqrt(variance + 1e-6) * p.norm.gain + p.norm.shift} with the population variance.
 *
 * <pre>
 * source.embedding Vs x D;  target.embedding V x D (absent if shared);  output.Wt V x D (absent if tied);  output.bias 1 x V
 * input(t) = embedding[word] * sqrt(D) + position(t), t from 0; the decoder's first embedding is zeros
 * position(t)_i = sin(t w_i) for i below D/2, cos(t w_(i - D/2)) from there on;  w_i = 10000^(-i / (D/2 - 1))
 *
 * encoder.layerN.self            attention over the sentence
 * encoder.layerN.feedforward     .inner D x F, .outer F x D
 * encoder.norm                   if normalizesTop: LN of the last layer's output
 * decoder.layerN.self            attention over the words so far (SELF_ATTENTION), or
 * decoder.layerN.average         .inner D x B, .outer B x D, .input D x D, .forget D x D (AVERAGE_ATTENTION), or
 * decoder.layerN.ssru            .candidate.W D x D (no bias), .forget D x D (SSRU)
 * decoder.layerN.cross           attention over the encoder's output
 * decoder.layerN.feedforward     .inner D x G, .outer G x D
 * decoder.norm                   if normalizesTop
 * logits = decoder's output · output.Wt transposed + output.bias
 *
 * a block p (each of the above) turns x into   POST: LN_p(x + f(x))     PRE: x + f(LN_p(x))
 * attention    f(q) = output(all heads side by side);  head h = sum over t of softmax_t(query(q)_h · key(k_t)_h / sqrt(D/heads)) value(k_t)_h
 *              k: self: the block's inputs as f takes them (PRE_QUERIES: as they were before LN);  cross: the encoder's output
 * feedforward  f(v) = outer(activation(inner(v)))
 * average      y = mean of the block's inputs so far;  PRE: y = LN_p(y);  y = outer(averageActivation(inner(y)))
 *              f(x) = sigmoid(input(x)) * x + sigmoid(forget(y)) * y, x not normalized
 * ssru         z = sigmoid(forget(v));  c' = z * c + (1 - z) * (v·candidate.W), c from 0;  f(v) = max(0, c')
 * </pre>
 *
 * <p>The alignment is head 0 of the cross attention of layer {@code alignmentLayer}. Source: Marian
 * (transformer.h).
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
 * @param autoregression how the decoder uses the preceding words
 * @param averageFeedForward inner width of the feed-forward networks of average attention, B; 0 if
 *     and only if there is none
 * @param averageActivation between their layers; equal to {@code activation} if there is none
 * @param normalization where layers are normalized
 * @param normalizesTop whether the outputs of encoder and decoder get a final normalization
 * @param alignmentLayer the decoder's layer, from 1, whose attention to the source (head 0) serves
 *     as the alignment
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
  /** The number that every normalization adds to the population variance. */
  public static final float EPSILON = 1e-6f;

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
          "model setting width must be even, because positions are half sines and half cosines, found "
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
                + " if there is no average attention, found "
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
