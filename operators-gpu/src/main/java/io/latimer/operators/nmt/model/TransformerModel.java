package io.latimer.operators.nmt.model;

import io.latimer.operators.nmt.convert.TransformerConverter;
import io.latimer.operators.nmt.convert.WeightSource;
import java.util.Map;
import java.util.Optional;

/**
 * A transformer in canonical form: one set of names and one set of equations for every variant of
 * Marian's type {@code transformer} that can be read.
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
 * (transformer.h). Immutable; may be shared by threads.
 */
public final class TransformerModel implements Network {
  /** What is added to the population variance. */
  public static final float EPSILON = 1e-6f;

  private final TransformerSettings settings;
  private final Map<String, Tensor> tensors;
  private final Optional<Shortlist> shortlist;

  private TransformerModel(
      TransformerSettings settings, Map<String, Tensor> tensors, Optional<Shortlist> shortlist) {
    this.settings = settings;
    this.tensors = tensors;
    this.shortlist = shortlist;
  }

  /**
   * Makes a model of canonical tensors.
   *
   * @throws ModelFormatException if a tensor is missing, too many, of another shape, or holds a
   *     value that is not finite
   */
  public static TransformerModel of(TransformerSettings settings, Map<String, Tensor> tensors) {
    return new TransformerModel(
        settings, TensorShape.check(settings.shapes(), tensors), Optional.empty());
  }

  /**
   * Reads a model in Marian's names.
   *
   * @throws ModelFormatException if tensors are missing, misshapen or not finite, if settings and
   *     tensors disagree, or if the model is of a kind that is not supported
   */
  public static TransformerModel from(WeightSource source) {
    return new TransformerConverter(source).convert();
  }

  @Override
  public TransformerSettings settings() {
    return settings;
  }

  @Override
  public Map<String, Tensor> tensors() {
    return tensors;
  }

  @Override
  public Optional<Shortlist> shortlist() {
    return shortlist;
  }

  @Override
  public TransformerModel withShortlist(Shortlist made) {
    made.requireFor(settings);
    return new TransformerModel(settings, tensors, Optional.of(made));
  }

  /**
   * Computes what is added to the embeddings of some positions.
   *
   * @param from the first position, from 0
   * @param to the position after the last
   * @param width D
   * @return (to - from) x D, row major
   */
  public static float[] positions(int from, int to, int width) {
    float[] table = new float[Math.multiplyExact(to - from, width)];
    int half = width / 2;
    for (int i = 0; i < half; i++) {
      double frequency = Math.pow(10000, -(double) i / (half - 1));
      for (int t = from; t < to; t++) {
        int row = (t - from) * width;
        table[row + i] = (float) Math.sin(t * frequency);
        table[row + half + i] = (float) Math.cos(t * frequency);
      }
    }
    return table;
  }
}
