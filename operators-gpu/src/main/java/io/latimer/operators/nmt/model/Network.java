package io.latimer.operators.nmt.model;

import java.util.Map;
import java.util.Optional;

/**
 * A translation network in canonical form: its settings, which define its equations ({@link
 * RnnSettings}, {@link TransformerSettings}), and its weights under one set of names, independent
 * of the program that wrote them. Immutable; may be shared by threads.
 */
public final class Network implements TensorSource {
  private final String origin;
  private final NetworkSettings settings;
  private final Map<String, Tensor> tensors;
  private final Optional<Shortlist> shortlist;

  private Network(
      String origin,
      NetworkSettings settings,
      Map<String, Tensor> tensors,
      Optional<Shortlist> shortlist) {
    this.origin = origin;
    this.settings = settings;
    this.tensors = tensors;
    this.shortlist = shortlist;
  }

  /**
   * Makes a network from canonical tensors.
   *
   * @throws ModelFormatException if a tensor is missing, unexpected, of another shape, or holds a
   *     value that is not finite
   */
  public static Network of(NetworkSettings settings, Map<String, Tensor> tensors) {
    return new Network(
        "the model", settings, TensorShape.check(settings.shapes(), tensors), Optional.empty());
  }

  /** A copy that names its file in messages. */
  Network from(String file) {
    return new Network(file, settings, tensors, shortlist);
  }

  /** What it was read from, for messages. */
  public String origin() {
    return origin;
  }

  @Override
  public NetworkSettings settings() {
    return settings;
  }

  /**
   * The settings, cast to the expected type.
   *
   * @throws ClassCastException if the network is of another kind
   */
  public <S extends NetworkSettings> S settings(Class<S> kind) {
    return kind.cast(settings);
  }

  /** The canonical tensors in a fixed order, by name. */
  public Map<String, Tensor> tensors() {
    return tensors;
  }

  /** The target words that each source word allows; empty if every word is allowed. */
  public Optional<Shortlist> shortlist() {
    return shortlist;
  }

  /**
   * A copy restricted to the target words that a shortlist allows.
   *
   * @throws ModelFormatException if the shortlist is for vocabularies of other sizes
   */
  public Network withShortlist(Shortlist made) {
    made.requireFor(settings);
    return new Network(origin, settings, tensors, Optional.of(made));
  }

  /** Rows of the source embedding: source ids are below it. */
  public int sourceVocabulary() {
    return settings.sourceVocabulary();
  }

  /** Rows of the target embedding: target ids are below it. */
  public int targetVocabulary() {
    return settings.targetVocabulary();
  }

  @Override
  public Network network() {
    return this;
  }

  /** A tensor that exists according to the settings. */
  @Override
  public Tensor tensor(String name) {
    Tensor tensor = tensors.get(name);
    if (tensor == null) {
      throw new IllegalArgumentException("no tensor " + name + " in a model of these settings");
    }
    return tensor;
  }

  /** A one-row tensor that exists according to the settings. */
  public float[] vector(String name) {
    return tensor(name).floats();
  }

  /** The target embedding, shared or not. */
  public Tensor targetEmbedding() {
    return tensor(settings.sharesEmbeddings() ? "source.embedding" : "target.embedding");
  }

  /** The output matrix, one row per word, tied or not. */
  public Tensor output() {
    return settings.tiesOutput() ? targetEmbedding() : tensor("output.Wt");
  }
}
