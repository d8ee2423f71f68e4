package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TensorShape;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;

/** Small models of random weights, of every kind there is. */
public final class RandomModels {
  /** Rows of trained positions: as many as the longest sentences of the tests need. */
  private static final int LONGEST = 4096;

  private static final Activation[] MARIAN_ACTIVATIONS = {
    Activation.RELU, Activation.SWISH, Activation.GELU
  };

  private RandomModels() {}

  /** One setting of each thing in which models differ: as often a transformer as not. */
  public static NetworkSettings settings(Random random) {
    return random.nextBoolean() ? anyTransformer(random) : recurrent(random);
  }

  /** A transformer of Marian's. */
  static TransformerSettings transformer(Random random) {
    return transformer(
        random, (heads, target) -> marian(middleLayers(own(heads, target)), 0), MARIAN_ACTIVATIONS);
  }

  private static TransformerSettings anyTransformer(Random random) {
    return random.nextInt(3) == 0
        ? transformer(random)
        : transformer(
            random, (heads, target) -> variant(random, heads, target), Activation.values());
  }

  private static TransformerSettings transformer(
      Random random,
      BiFunction<Integer, Integer, TransformerVariant> variant,
      Activation[] activations) {
    int heads = 1 + random.nextInt(4);
    int headWidth = 2 * (1 + random.nextInt(3));
    Autoregression[] kinds = Autoregression.values();
    Autoregression kind = kinds[random.nextInt(kinds.length)];
    Activation activation = activations[random.nextInt(activations.length)];
    boolean averages = kind == Autoregression.AVERAGE_ATTENTION;
    NormPlacement[] norms = NormPlacement.values();
    int decoderLayers = 1 + random.nextInt(3);
    boolean shared = random.nextBoolean();
    int target = 5 + random.nextInt(30);
    return new TransformerSettings(
        shared ? target : 5 + random.nextInt(30),
        target,
        Math.max(4, heads * headWidth),
        heads,
        1 + random.nextInt(3),
        decoderLayers,
        1 + random.nextInt(17),
        1 + random.nextInt(17),
        activation,
        kind,
        averages ? 1 + random.nextInt(17) : 0,
        averages ? activations[random.nextInt(activations.length)] : activation,
        norms[random.nextInt(norms.length)],
        random.nextBoolean(),
        1 + random.nextInt(decoderLayers),
        shared,
        random.nextBoolean(),
        variant.apply(heads, target));
  }

  /** Marian's transformers but for two settings. */
  public static TransformerVariant marian(int middleLayers, int headWidth) {
    TransformerVariant marian = TransformerVariant.MARIAN;
    return new TransformerVariant(
        marian.positions(),
        marian.firstPosition(),
        marian.positionRows(),
        marian.relativeBuckets(),
        marian.relativeDistance(),
        marian.scalesEmbeddings(),
        marian.normalizesEmbeddings(),
        marian.rootMeanSquare(),
        marian.epsilon(),
        marian.gatedFeedForward(),
        middleLayers,
        marian.scalesAttention(),
        headWidth,
        marian.start(),
        marian.alignmentHeads(),
        middleLayers > 0,
        marian.search());
  }

  /** Apart from the other numbers, which so stay what they were. */
  private static Random own(int heads, int target) {
    return new Random(31L * target + heads);
  }

  private static int middleLayers(Random random) {
    return random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0;
  }

  private static TransformerVariant variant(Random random, int heads, int target) {
    Random own = own(heads, target);
    BeamRule[] rules = BeamRule.values();
    Positions[] kinds = Positions.values();
    Positions positions = kinds[random.nextInt(kinds.length)];
    boolean relative = positions == Positions.RELATIVE;
    int buckets = relative ? 4 + 2 * random.nextInt(8) : 0;
    return new TransformerVariant(
        positions,
        positions == Positions.SINUSOIDAL ? random.nextInt(4) : 0,
        positions == Positions.LEARNED ? LONGEST : 0,
        buckets,
        relative ? buckets / 2 + 1 + random.nextInt(20) : 0,
        random.nextBoolean(),
        random.nextBoolean(),
        random.nextBoolean(),
        random.nextBoolean() ? 1e-5 : 1e-6,
        random.nextBoolean(),
        middleLayers(own),
        random.nextBoolean(),
        random.nextBoolean() ? 2 * (1 + random.nextInt(4)) : 0,
        random.nextInt(target + 1) - 1,
        1 + own.nextInt(heads),
        heads % 2 == 0,
        new SearchSettings(rules[own.nextInt(rules.length)], own.nextInt(8)));
  }

  static RnnSettings recurrent(Random random) {
    CellKind[] kinds = CellKind.values();
    LayerNormalization[] norms = LayerNormalization.values();
    LayerNormalization norm = norms[random.nextInt(norms.length)];
    boolean gru = norm == LayerNormalization.SEPARATE || random.nextInt(3) == 0;
    CellKind encoder = gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)];
    CellKind first = gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)];
    CellKind second = gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)];
    boolean shared = random.nextBoolean();
    int target = 5 + random.nextInt(30);
    return new RnnSettings(
        shared ? target : 5 + random.nextInt(30),
        target,
        1 + random.nextInt(9),
        1 + random.nextInt(11),
        1 + random.nextInt(13),
        encoder,
        random.nextBoolean() ? encoder : gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)],
        gru ? random.nextInt(3) : 0,
        first,
        second,
        gru ? random.nextInt(3) : 0,
        norm,
        random.nextBoolean(),
        shared,
        random.nextBoolean());
  }

  /** A model with its own output matrix, whose values are so large that no score is a number. */
  public static Network withInfiniteScores(Network sound) {
    Map<String, Tensor> tensors = new LinkedHashMap<>(sound.tensors());
    Tensor output = tensors.get("output.Wt");
    float[] huge = new float[output.rows() * output.cols()];
    Arrays.fill(huge, Float.MAX_VALUE);
    tensors.put("output.Wt", Tensor.of("output.Wt", output.rows(), output.cols(), huge));
    return Network.of(sound.settings(), tensors);
  }

  /** A copy of a recurrent model in which the logit of one word is always minus infinity. */
  public static Network withImpossibleWord(Network sound, int word) {
    Map<String, Tensor> tensors = new LinkedHashMap<>(sound.tensors());
    set(tensors, "readout.state.bias", 0, 100); // tanh of it is 1
    int width = tensors.get("output.Wt").cols();
    for (int i = 0; i < width; i++) {
      set(tensors, "output.Wt", word * width + i, i == 0 ? -Float.MAX_VALUE : 0);
    }
    set(tensors, "output.bias", word, -Float.MAX_VALUE);
    return Network.of(sound.settings(), tensors);
  }

  private static void set(Map<String, Tensor> tensors, String name, int at, float value) {
    Tensor tensor = tensors.get(name);
    float[] values = tensor.floats().clone();
    values[at] = value;
    tensors.put(name, Tensor.of(name, tensor.rows(), tensor.cols(), values));
  }

  /** A model of those settings whose hypotheses differ in score and end now and then. */
  public static Network model(NetworkSettings settings, Random random) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    settings
        .shapes()
        .forEach(
            (name, shape) -> {
              float[] values = new float[shape.rows() * shape.cols()];
              double scale = scale(name, shape, settings instanceof TransformerSettings);
              float middle = name.endsWith(".norm.gain") ? 1 : 0;
              for (int i = 0; i < values.length; i++) {
                values[i] = middle + (float) (scale * random.nextGaussian());
              }
              if (name.equals("output.bias")) {
                values[Decode.END] += 1.5f;
              }
              tensors.put(name, Tensor.of(name, shape.rows(), shape.cols(), values));
            });
    return Network.of(settings, tensors);
  }

  /** Such scales that words hang on the source and on the words before. */
  private static double scale(String name, TensorShape shape, boolean transformer) {
    if (name.endsWith("embedding") || name.equals("output.Wt")) {
      return transformer ? 2 / Math.sqrt(shape.cols()) : 1.5;
    }
    if (name.endsWith(".positions")) {
      return 0.7;
    }
    if (shape.rows() == 1) {
      return transformer ? 0.2 : 0.5;
    }
    return 1.2 / Math.sqrt(shape.rows());
  }

  /** A shortlist for such a model, which leaves some sentences few words and others many. */
  public static Shortlist shortlist(NetworkSettings settings, Random random) {
    int sources = settings.sourceVocabulary();
    int targets = settings.targetVocabulary();
    int first = 2 + random.nextInt(Math.max(1, targets / 4));
    int[] starts = new int[sources + 1];
    List<Integer> words = new ArrayList<>();
    for (int source = 0; source < sources; source++) {
      double share = random.nextInt(4) * 0.15;
      for (int word = first; word < targets; word++) {
        if (random.nextDouble() < share) {
          words.add(word);
        }
      }
      starts[source + 1] = words.size();
    }
    return Shortlist.of(
        first,
        sources == targets && random.nextBoolean(),
        targets,
        starts,
        words.stream().mapToInt(Integer::intValue).toArray());
  }

  /** A source sentence of the model's words, some of them unknown. */
  public static int[] sentence(NetworkSettings settings, Random random, int longest) {
    int[] ids = new int[1 + random.nextInt(longest)];
    for (int i = 0; i < ids.length - 1; i++) {
      ids[i] = 1 + random.nextInt(settings.sourceVocabulary() - 1);
    }
    return ids;
  }
}
