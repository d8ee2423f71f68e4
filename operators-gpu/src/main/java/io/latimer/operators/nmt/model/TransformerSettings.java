package io.latimer.operators.nmt.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The shape and kind of a transformer in canonical form: one set of names and one set of equations
 * for every supported variant: Marian's, and those of other programs ({@link TransformerVariant}).
 *
 * <p>Widths: D layers, A all heads of an attention, F and G the feed-forward networks of encoder
 * and decoder, B those of average attention, V words. Vectors are rows, matrices act from the
 * right, {@code *} is elementwise. A linear layer p is {@code p(x) = x·p.W + p.bias}; a
 * normalization p is {@code LN_p(x) = (x - mean) / sqrt(variance + epsilon) * p.norm.gain +
 * p.norm.shift} with the population variance, or, if it only divides by the root mean square,
 * {@code LN_p(x) = x / sqrt(mean of x * x + epsilon) * p.norm.gain}.
 *
 * <pre>
 * source.embedding Vs x D;  target.embedding V x D (absent if shared);  output.Wt V x D (absent if tied);  output.bias 1 x V
 * input(t) = embedding[word] * scale + position(t), t from 0;  scale = sqrt(D) (scalesEmbeddings) or 1
 *              the decoder's first word is start; without one, its embedding is zeros
 *              normalizesEmbeddings: LN_source or LN_target of that, source.norm and target.norm
 * position(t)  SINUSOIDAL: sin((t + first) w_i) for i below D/2, cos((t + first) w_(i - D/2)) from there on;
 *              w_i = 10000^(-i / (D/2 - 1)).  LEARNED: row t of source.positions or target.positions, P x D.  RELATIVE: 0
 *
 * encoder.layerN.self            attention over the sentence
 * encoder.layerN.feedforward     .inner D x F, .middleM F x F, .outer F x D
 * encoder.norm                   if normalizesTop: LN of the last layer's output
 * decoder.layerN.self            attention over the words so far (SELF_ATTENTION), or
 * decoder.layerN.average         .inner D x B, .outer B x D, .input D x D, .forget D x D (AVERAGE_ATTENTION), or
 * decoder.layerN.ssru            .candidate.W D x D (no bias), .forget D x D (SSRU)
 * decoder.layerN.cross           attention over the encoder's output
 * decoder.layerN.feedforward     .inner D x G, .middleM G x G, .outer G x D
 * decoder.norm                   if normalizesTop
 * logits = decoder's output · output.Wt transposed + output.bias
 *
 * a block p (each of the above) turns x into   POST: LN_p(x + f(x))     PRE: x + f(LN_p(x))
 * attention    .query, .key, .value D x A, .output A x D
 *              f(q) = output(all heads side by side);  head h = sum over t of softmax_t(query(q)_h · key(k_t)_h * scale + r) value(k_t)_h
 *              k: self: the block's inputs as f takes them (PRE_QUERIES: as they were before LN);  cross: the encoder's output
 *              scale = 1 / sqrt(A/heads) (scalesAttention) or 1;  r = 0, or, if RELATIVE and self, from the word at s to that at t:
 *              r = encoder.positions[b(t - s)][h] or decoder.positions[b(t - s)][h], one table per side, buckets x heads
 *              ({@link RelativePositions} gives b)
 * feedforward  f(v) = outer(activation(inner(v)));  gated: f(v) = outer(activation(inner(v)) * gate(v)), .gate as .inner
 *              with middle layers, M from 1: outer(activation(middleM(.. activation(middle1(activation(inner(v)) * gate(v))))))
 * average      y = mean of the block's inputs so far;  PRE: y = LN_p(y);  y = outer(averageActivation(inner(y)))
 *              f(x) = sigmoid(input(x)) * x + sigmoid(forget(y)) * y, x not normalized
 * ssru         z = sigmoid(forget(v));  c' = z * c + (1 - z) * (v·candidate.W), c from 0;  f(v) = max(0, c')
 * </pre>
 *
 * <p>The alignment is the mean of the first {@code alignmentHeads} heads of the cross attention of
 * layer {@code alignmentLayer}. Source: Marian (transformer.h), which uses the first.
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
 * @param alignmentLayer the decoder's layer, from 1, whose attention to the source serves as the
 *     alignment
 * @param sharesEmbeddings whether the target embedding is the source embedding
 * @param tiesOutput whether the output matrix is the target embedding
 * @param variant what distinguishes it from Marian's transformers
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
    boolean tiesOutput,
    TransformerVariant variant)
    implements NetworkSettings {

  public TransformerSettings {
    Objects.requireNonNull(activation, "activation");
    Objects.requireNonNull(autoregression, "autoregression");
    Objects.requireNonNull(averageActivation, "averageActivation");
    Objects.requireNonNull(normalization, "normalization");
    Objects.requireNonNull(variant, "variant");
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
    SettingRange.require("alignmentHeads", variant.alignmentHeads(), 1, heads);
    if (variant.headWidth() == 0 && width % heads != 0) {
      throw new ModelFormatException(
          "model setting heads must divide the width " + width + ", found " + heads);
    }
    if ((long) heads * variant.headWidth() > widest) {
      throw new ModelFormatException(
          "model settings heads and headWidth must have a product of at most "
              + widest
              + ", found "
              + (long) heads * variant.headWidth());
    }
    SettingRange.require(
        "start", variant.start(), TransformerVariant.NO_START, targetVocabulary - 1);
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

  /** Columns of a head, A / heads. */
  public int headWidth() {
    return variant.headWidth() == 0 ? width / heads : variant.headWidth();
  }

  /** Columns of all heads of an attention, A. */
  public int attentionWidth() {
    return heads * headWidth();
  }

  /** The factor of a query and a key's product. */
  public float attentionScale() {
    return variant.scalesAttention() ? (float) (1 / Math.sqrt(headWidth())) : 1;
  }

  /** The factor of embeddings. */
  public float embeddingScale() {
    return variant.scalesEmbeddings() ? (float) Math.sqrt(width) : 1;
  }

  @Override
  public boolean alignsNext() {
    return variant.alignsNext();
  }

  @Override
  public SearchSettings search() {
    return variant.search();
  }

  @Override
  public int longest() {
    return variant.positions() == Positions.LEARNED ? variant.positionRows() : Integer.MAX_VALUE;
  }

  @Override
  public Map<String, TensorShape> shapes() {
    Map<String, TensorShape> m = new LinkedHashMap<>();
    m.put("source.embedding", TensorShape.of(sourceVocabulary, width));
    if (!sharesEmbeddings) {
      m.put("target.embedding", TensorShape.of(targetVocabulary, width));
    }
    if (variant.positions() == Positions.LEARNED) {
      m.put("source.positions", TensorShape.of(variant.positionRows(), width));
      m.put("target.positions", TensorShape.of(variant.positionRows(), width));
    }
    if (variant.normalizesEmbeddings()) {
      norm(m, "source");
      norm(m, "target");
    }
    relative(m, "encoder.positions");
    if (autoregression == Autoregression.SELF_ATTENTION) {
      relative(m, "decoder.positions");
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

  private void relative(Map<String, TensorShape> m, String name) {
    if (variant.positions() == Positions.RELATIVE) {
      m.put(name, TensorShape.of(variant.relativeBuckets(), heads));
    }
  }

  private void attention(Map<String, TensorShape> m, String prefix) {
    linear(m, prefix + ".query", width, attentionWidth());
    linear(m, prefix + ".key", width, attentionWidth());
    linear(m, prefix + ".value", width, attentionWidth());
    linear(m, prefix + ".output", attentionWidth(), width);
    norm(m, prefix);
  }

  private void feedForward(Map<String, TensorShape> m, String prefix, int inner) {
    linear(m, prefix + ".inner", width, inner);
    if (variant.gatedFeedForward()) {
      linear(m, prefix + ".gate", width, inner);
    }
    for (int i = 1; i <= variant.middleLayers(); i++) {
      linear(m, prefix + ".middle" + i, inner, inner);
    }
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
    if (!variant.rootMeanSquare()) {
      m.put(prefix + ".norm.shift", TensorShape.vector(width));
    }
  }
}
