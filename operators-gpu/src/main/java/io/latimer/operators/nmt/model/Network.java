package io.latimer.operators.nmt.model;

import java.util.Map;
import java.util.Optional;

/**
 * A translation network in canonical form: its settings, which give its equations ({@link
 * RnnSettings}, {@link TransformerSettings}), and its weights under one set of names, whatever
 * program wrote them. Immutable; may be shared by threads.
 */
public final class Network {
  private final NetworkSettings settings;
  private final Map<String, Tensor> tensors;
  private final Optional<Shortlist> shortlist;

  private Network(
      NetworkSettings settings, Map<String, Tensor> tensors, Optional<Shortlist> shortlist) {
    this.settings = settings;
    this.tensors = tensors;
    this.shortlist = shortlist;
  }

  /**
   * Makes a network of canonical tensors.
   *
   * @throws ModelFormatException if a tensor is missing, too many, of another shape, or holds a
   *     value that is not finite
   */
  public static Network of(NetworkSettings settings, Map<String, Tensor> tensors) {
    return new Network(settings, TensorShape.check(settings.shapes(), tensors), Optional.empty());
  }

  /** The network's shape and kind. */
  public NetworkSettings settings() {
    return settings;
  }

  /**
   * The settings of a network whose kind is known.
   *
   * @throws ClassCastException if the network is of another kind
   */
  public <S extends NetworkSettings> S settings(Class<S> kind) {
    return kind.cast(settings);
  }

  /** Returns the canonical tensors in a fixed order, by name. */
  public Map<String, Tensor> tensors() {
    return tensors;
  }

  /** The target words that each source word allows; empty if every word is allowed. */
  public Optional<Shortlist> shortlist() {
    return shortlist;
  }

  /**
   * The same network, limited to the target words that a shortlist allows.
   *
   * @throws ModelFormatException if it was made for vocabularies of other sizes
   */
  public Network withShortlist(Shortlist made) {
    made.requireFor(settings);
    return new Network(settings, tensors, Optional.of(made));
  }

  /** Rows of the source embedding: source ids are below it. */
  public int sourceVocabulary() {
    return settings.sourceVocabulary();
  }

  /** Rows of the target embedding: target ids are below it. */
  public int targetVocabulary() {
    return settings.targetVocabulary();
  }

  /** Returns a tensor that the settings say exists. */
  public Tensor tensor(String name) {
    Tensor tensor = tensors.get(name);
    if (tensor == null) {
      throw new IllegalArgumentException("no tensor " + name + " in a model of these settings");
    }
    return tensor;
  }

  /** Returns a tensor of one row that the settings say exists. */
  public float[] vector(String name) {
    Tensor tensor = tensor(name);
    float[] values = new float[tensor.cols()];
    tensor.data().get(0, values);
    return values;
  }

  /** Returns the target embedding, whether it is shared or not. */
  public Tensor targetEmbedding() {
    return tensor(settings.sharesEmbeddings() ? "source.embedding" : "target.embedding");
  }

  /** Returns the output matrix, one row a word, whether it is tied or not. */
  public Tensor output() {
    return settings.tiesOutput() ? targetEmbedding() : tensor("output.Wt");
  }
}
