package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A transformer's weights in native memory, laid out for the CPU. */
final class CpuTransformerModel extends CpuWeights {
  /** A product with its bias. */
  record Linear(NativeMatrix w, Side bias) {
    /** Computes {@code y = x·w + bias} for the first rows of x. */
    void apply(Product product, float[] x, int rows, float[] y) {
      product.multiply(x, rows, w, y);
      bias.applyAll(y, rows, w.outputs, 0);
    }
  }

  /**
   * The frame of a block's function: its normalization, and the sum with its input.
   *
   * @param before applied to a copy of the input; null if the normalization comes after
   * @param after applied to the sum of input and output: the bias of the output layer, plus the
   *     normalization if it comes after
   */
  record Frame(Side before, Side after) {}

  /**
   * @param keyValue one product: keys, then values
   * @param output without its bias, which the frame adds
   */
  record Attention(Linear query, Linear keyValue, NativeMatrix output, Frame frame) {}

  /**
   * @param gate null if the inner layer is not gated
   * @param middle activated layers between inner and outer
   * @param outer without its bias, which the frame adds
   */
  record FeedForward(
      Linear inner, Linear gate, List<Linear> middle, NativeMatrix outer, Frame frame) {}

  /** Average attention, with gates for the input and for the mean. */
  record Average(Linear inner, Linear outer, Linear input, Linear forget, Frame frame) {}

  /**
   * @param gates one product: candidate, then forget gate
   */
  record Ssru(Linear gates, Frame frame) {}

  /** A layer of the encoder. */
  record EncoderLayer(Attention self, FeedForward feedForward) {}

  /** A layer of the decoder: exactly one of self, average and ssru is not null. */
  record DecoderLayer(
      Attention self, Average average, Ssru ssru, Attention cross, FeedForward feedForward) {}

  final TransformerSettings settings;
  final List<EncoderLayer> encoder;
  final List<DecoderLayer> decoder;

  /** Normalizes the inputs of the encoder; null if there is no normalization. */
  final Side sourceNorm;

  /** Normalizes the inputs of the decoder; null if there is no normalization. */
  final Side targetNorm;

  /** Normalizes the encoder's output; null if there is no normalization. */
  final Side encoderTop;

  /** Normalizes the decoder's output; null if there is no normalization. */
  final Side decoderTop;

  /** Null if the model has no relative positions. */
  final RelativeBiases encoderBiases;

  /** Null if the decoder has no self-attention or the model no relative positions. */
  final RelativeBiases decoderBiases;

  /** Trained vectors of the source's positions, rows x D; empty if there are none. */
  final float[] sourcePositions;

  /** The same for the target. */
  final float[] targetPositions;

  private final Network model;

  CpuTransformerModel(Network model) {
    super(model);
    this.model = model;
    settings = model.settings(TransformerSettings.class);
    List<EncoderLayer> encoderLayers = new ArrayList<>();
    for (int i = 1; i <= settings.encoderLayers(); i++) {
      String p = "encoder.layer" + i;
      encoderLayers.add(new EncoderLayer(attention(p + ".self"), feedForward(p + ".feedforward")));
    }
    encoder = List.copyOf(encoderLayers);
    List<DecoderLayer> decoderLayers = new ArrayList<>();
    for (int i = 1; i <= settings.decoderLayers(); i++) {
      String p = "decoder.layer" + i;
      Autoregression kind = settings.autoregression();
      decoderLayers.add(
          new DecoderLayer(
              kind == Autoregression.SELF_ATTENTION ? attention(p + ".self") : null,
              kind == Autoregression.AVERAGE_ATTENTION ? average(p + ".average") : null,
              kind == Autoregression.SSRU ? ssru(p + ".ssru") : null,
              attention(p + ".cross"),
              feedForward(p + ".feedforward")));
    }
    decoder = List.copyOf(decoderLayers);
    encoderBiases = RelativeBiases.of(model, settings.variant(), true);
    decoderBiases =
        settings.autoregression() == Autoregression.SELF_ATTENTION
            ? RelativeBiases.of(model, settings.variant(), false)
            : null;
    sourcePositions = trained("source.positions");
    targetPositions = trained("target.positions");
    float[] zeros = new float[settings.width()];
    boolean normalizesEmbeddings = settings.variant().normalizesEmbeddings();
    sourceNorm = normalizesEmbeddings ? norm("source", zeros) : null;
    targetNorm = normalizesEmbeddings ? norm("target", zeros) : null;
    encoderTop = settings.normalizesTop() ? norm("encoder", zeros) : null;
    decoderTop = settings.normalizesTop() ? norm("decoder", zeros) : null;
  }

  private float[] trained(String positions) {
    if (settings.variant().positions() != Positions.LEARNED) {
      return new float[0];
    }
    return model.tensor(positions).floats();
  }

  private Side norm(String prefix, float[] bias) {
    return Side.norm(
        bias,
        model.vector(prefix + ".norm.gain"),
        settings.variant().rootMeanSquare() ? null : model.vector(prefix + ".norm.shift"),
        settings.variant().epsilon());
  }

  private Frame frame(String prefix, float[] bias) {
    return settings.normalization() == NormPlacement.POST
        ? new Frame(null, norm(prefix, bias))
        : new Frame(norm(prefix, new float[bias.length]), Side.bias(bias));
  }

  private NativeMatrix matrix(String prefix) {
    return own(NativeMatrix.join(model.tensor(prefix + ".W")));
  }

  private Linear linear(String prefix) {
    return new Linear(matrix(prefix), Side.bias(model.vector(prefix + ".bias")));
  }

  private Attention attention(String p) {
    int a = settings.attentionWidth();
    float[] bias = new float[2 * a];
    System.arraycopy(model.vector(p + ".key.bias"), 0, bias, 0, a);
    System.arraycopy(model.vector(p + ".value.bias"), 0, bias, a, a);
    NativeMatrix keyValue =
        own(NativeMatrix.join(model.tensor(p + ".key.W"), model.tensor(p + ".value.W")));
    return new Attention(
        linear(p + ".query"),
        new Linear(keyValue, Side.bias(bias)),
        matrix(p + ".output"),
        frame(p, model.vector(p + ".output.bias")));
  }

  private FeedForward feedForward(String p) {
    return new FeedForward(
        linear(p + ".inner"),
        settings.variant().gatedFeedForward() ? linear(p + ".gate") : null,
        IntStream.rangeClosed(1, settings.variant().middleLayers())
            .mapToObj(i -> linear(p + ".middle" + i))
            .toList(),
        matrix(p + ".outer"),
        frame(p, model.vector(p + ".outer.bias")));
  }

  private Average average(String p) {
    return new Average(
        linear(p + ".inner"),
        linear(p + ".outer"),
        linear(p + ".input"),
        linear(p + ".forget"),
        frame(p, new float[settings.width()]));
  }

  private Ssru ssru(String p) {
    int d = settings.width();
    float[] bias = new float[2 * d];
    System.arraycopy(model.vector(p + ".forget.bias"), 0, bias, d, d);
    NativeMatrix gates =
        own(NativeMatrix.join(model.tensor(p + ".candidate.W"), model.tensor(p + ".forget.W")));
    return new Ssru(new Linear(gates, Side.bias(bias)), frame(p, new float[d]));
  }

  @Override
  TransformerSettings settings() {
    return settings;
  }

  @Override
  CpuTransformerDecoder decoder(Product product) {
    return new CpuTransformerDecoder(this, product);
  }

  @Override
  long bytesPerToken() {
    long d = settings.width();
    long a = settings.attentionWidth();
    long inner = innerLayers() * settings.encoderFeedForward();
    return 4L * (2 * d + 4 * a + inner + 2 * a * settings.decoderLayers());
  }

  @Override
  long bytesPerRow() {
    long d = settings.width();
    long a = settings.attentionWidth();
    long inner =
        Math.max(innerLayers() * settings.decoderFeedForward(), settings.averageFeedForward());
    long states = settings.autoregression() == Autoregression.SELF_ATTENTION ? 0 : 2;
    return 4L * (5 * d + 2 * a + inner + states * d * settings.decoderLayers());
  }

  private long innerLayers() {
    TransformerVariant variant = settings.variant();
    return 1L + (variant.gatedFeedForward() ? 1 : 0) + (variant.middleLayers() > 0 ? 1 : 0);
  }

  @Override
  long bytesPerTargetToken() {
    return settings.autoregression() == Autoregression.SELF_ATTENTION
        ? 4L * (2L * settings.attentionWidth() * settings.decoderLayers() + 2)
        : 8;
  }
}
